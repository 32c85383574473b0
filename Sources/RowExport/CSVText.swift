import JSONText
import RequestMapping

/// Lines of a CSV file.
///
/// [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180), but that lines end with a line feed. An empty value
/// without quotes is null, and one in quotes is an empty text:
/// <https://www.postgresql.org/docs/current/sql-copy.html>.
package enum CSVText {
  /// The line of the columns' names.
  package static func heading(_ columns: [String]) -> [UInt8] {
    line(columns.map { .string($0) })
  }

  /// The line of a row.
  package static func line(_ row: TableRow, _ columns: [String]) -> [UInt8] {
    let fields = row.identity + row.fields + row.late
    return line(columns.map { name in fields.first { $0.name == name }?.json ?? .null })
  }

  private static func line(_ values: [JSONValue]) -> [UInt8] {
    Array((values.map(text).joined(separator: ",") + "\n").utf8)
  }

  private static func text(of value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let number): number.literal
    case .string(let text): quoted(text)
    case .array, .object: quoted(value.canonicalText)
    }
  }

  /// A text, in quotes where it has to be.
  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && text != "\\." && !text.hasPrefix(" ") && !text.hasSuffix(" ")
      && !text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
    return isPlain ? text : "\"\(text.replacing(scalar: "\"", with: "\"\""))\""
  }
}

extension RequestField {
  /// The field's value.
  var json: JSONValue {
    do throws(JSONError) { return try JSONValue(parsing: value) } catch {
      preconditionFailure("a field holds JSON: \(error)")
    }
  }
}
