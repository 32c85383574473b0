/// What the name of a file says of its content.
package enum TableName {
  private static let delimited = [".csv", ".tsv", ".tab"]
  private static let lines = [".jsonl", ".ndjson"]

  /// Whether a file of that name is a table, if nothing in it says otherwise.
  package static func isDelimited(_ path: String) -> Bool {
    delimited.contains(where: path.lowercased().hasSuffix)
  }

  /// Whether tabs separate the values.
  package static func isTabbed(_ path: String) -> Bool {
    delimited.dropFirst().contains(where: path.lowercased().hasSuffix)
  }

  /// Whether each line is a JSON value of its own.
  package static func holdsLines(_ path: String) -> Bool {
    lines.contains(where: path.lowercased().hasSuffix)
  }

  package static func isDocument(_ path: String) -> Bool { path.lowercased().hasSuffix(".json") }

  /// The name without its extension.
  package static func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
