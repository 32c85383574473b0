import struct Foundation.URL

/// The scripts of servers, proxies and inputs that tests start.
package enum ServerScript {
  /// The path of a script, by its name.
  package static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Tests/EndToEnd/Scripts/\(name)").standardized.path
  }
}
