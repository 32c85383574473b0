import JSONText

/// Words of SQL that PostgreSQL and SQLite share.
enum SQLWords {
  /// A name as SQL takes it whatever is in it.
  static func quoted(_ name: String) -> String {
    "\"\(name.replacing(scalar: "\"", with: "\"\""))\""
  }

  /// Several names in parentheses.
  static func list(_ names: [String]) -> String {
    "(\(names.map(quoted).joined(separator: ", ")))"
  }

  /// A comment of one line, whatever the text holds.
  static func comment(_ text: String) -> String {
    let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return "-- \(line.joined(separator: " "))"
  }

  /// A table with its columns and other definitions, each on a line of its own.
  static func table(_ name: String, _ definitions: [String], end: String = "") -> String {
    let lines = definitions.map { "  \($0)" }.joined(separator: ",\n")
    return "CREATE TABLE \(quoted(name)) (\n\(lines)\n)\(end);"
  }
}
