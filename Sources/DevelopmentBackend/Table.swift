import GRDB
import JSONText

/// One kind of row of the heroes and stories backend: its columns and how they look in JSON.
///
/// Every table also has `id`, `userId`, `createdAt` and `updatedAt`, which only the server sets.
struct Table: Sendable {
  let name: String
  let columns: [Column]
  let insertSQL: String
  /// What a `SELECT` asks for, in the order that `object(_:)` reads.
  let selection: String
  /// Whether the rows say whose they are.
  let showsOwner: Bool

  /// A column that a request may fill.
  struct Column: Sendable {
    let name: String
    let kind: Kind
    var isRequired = false
    var fallback: JSONValue?
    var reference = ""

    /// What the column holds.
    enum Kind: String, Sendable {
      case string = "String"
      case integer = "Int"
      case double = "Float"
      case boolean = "Boolean"
      case instant = "DateTime"
      case json = "Json"
    }
  }

  init(_ name: String, showsOwner: Bool = true, _ columns: [Column]) {
    self.name = name
    self.columns = columns
    self.showsOwner = showsOwner
    let names = (["id", "userId", "createdAt", "updatedAt"] + columns.map(\.name))
    selection = names.map { "\(name).\($0)" }.joined(separator: ", ")
    insertSQL =
      "INSERT INTO \(name) (\(names.joined(separator: ", "))) "
      + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
  }

  /// The statement that makes the table.
  var creationSQL: String {
    let own = columns.map { column in
      "\(column.name) \(column.storage)\(column.isRequired ? " NOT NULL" : "") \(column.reference)"
    }
    let all =
      [
        "id TEXT NOT NULL PRIMARY KEY",
        "userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE",
        "createdAt INTEGER NOT NULL",
        "updatedAt INTEGER NOT NULL",
      ] + own
    return "CREATE TABLE IF NOT EXISTS \(name) (\(all.joined(separator: ", ")))"
  }

  /// Writes a row, selected with `selection`, and more members, which may represent columns.
  ///
  /// Lists are written this way, straight from the row, so that long ones are quick.
  func write(_ row: Row, adding more: JSONObject, to writer: inout JSONWriter) throws {
    let replaced = Set(more.names)
    writer.beginObject()
    writer.name("id")
    writer.string(row[0])
    if showsOwner {
      writer.name("userId")
      writer.string(row[1])
    }
    for (index, column) in columns.enumerated() where !replaced.contains(column.name) {
      writer.name(column.name)
      if column.kind == .json, let text: String = row[index + 4] {
        writer.raw(Array(text.utf8))
      } else {
        writer.value(try column.value(row[index + 4]))
      }
    }
    writer.name("createdAt")
    writer.string(Instant(milliseconds: row[2]).text)
    writer.name("updatedAt")
    writer.string(Instant(milliseconds: row[3]).text)
    for member in more.members {
      writer.name(member.name)
      writer.value(member.value)
    }
    writer.endObject()
  }

  /// A row, selected with `selection`, as the API shows it.
  func object(_ row: Row) throws -> JSONObject {
    var object = JSONObject()
    object["id"] = .string(row[0])
    if showsOwner { object["userId"] = .string(row[1]) }
    for (index, column) in columns.enumerated() {
      object[column.name] = try column.value(row[index + 4])
    }
    object["createdAt"] = .string(Instant(milliseconds: row[2]).text)
    object["updatedAt"] = .string(Instant(milliseconds: row[3]).text)
    return object
  }
}

extension Table {
  /// Refuses U+0000 as PostgreSQL does, which keeps it neither in a text nor in `jsonb`:
  /// <https://www.postgresql.org/docs/current/datatype-json.html>.
  func checkTexts(of values: [String: JSONValue]) throws(Refusal) {
    for column in columns where values[column.name]?.holdsNullCharacter == true {
      throw .database(
        column.kind == .json
          ? "unsupported Unicode escape sequence"
          : "invalid byte sequence for encoding \"UTF8\": 0x00"
      )
    }
  }
}

extension Table.Column {
  fileprivate var storage: String {
    switch kind {
    case .string, .json: "TEXT"
    case .integer, .boolean, .instant: "INTEGER"
    case .double: "REAL"
    }
  }

  /// What is stored for a value from a request, or why it cannot be.
  func stored(_ value: JSONValue?) throws(Refusal) -> DatabaseValue {
    guard let value = value ?? fallback, !value.isNull else {
      guard isRequired else { return .null }
      throw .validation("Invalid value: argument `\(name)` is missing")
    }
    let stored: (any DatabaseValueConvertible)? =
      switch kind {
      case .string: value.text
      case .integer: value.integer
      case .double: value.double
      case .boolean: value.boolean
      case .instant: value.text.flatMap { Instant($0) }?.milliseconds
      case .json: value.canonicalText
      }
    guard let stored else {
      throw .validation("Invalid value for argument `\(name)`: expected \(kind.rawValue)")
    }
    return stored.databaseValue
  }

  func value(_ stored: DatabaseValue) throws -> JSONValue {
    guard !stored.isNull else { return .null }
    return switch kind {
    case .string: .string(String.fromDatabaseValue(stored) ?? "")
    case .integer: .number(JSONNumber(Int64.fromDatabaseValue(stored) ?? 0))
    case .double: .number(JSONNumber(Double.fromDatabaseValue(stored) ?? 0))
    case .boolean: .boolean(Bool.fromDatabaseValue(stored) ?? false)
    case .instant: .string(Instant(milliseconds: Int64.fromDatabaseValue(stored) ?? 0).text)
    case .json: try JSONValue(parsing: String.fromDatabaseValue(stored) ?? "null")
    }
  }
}
