import struct Foundation.URL

/// The scripts of servers and proxies that several test targets start.
enum ServerScript {
  /// The path of a script, by its name; it lies with the migration tests.
  static func path(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Tests/EndToEnd/ScenarioTests/\(name)").standardized.path
  }
}
