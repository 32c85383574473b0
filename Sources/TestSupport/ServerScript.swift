import struct Foundation.URL

/// The scripts of servers, proxies and inputs that tests start.
package enum ServerScript {
  /// The path of a script, by its name; it lies with the migration tests.
  package static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Tests/EndToEnd/ScenarioTests/\(name)").standardized.path
  }
}
