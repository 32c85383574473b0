/// Tables for a database of SQLite behind the preset `datasette`.
///
/// The tables are strict, so a value of another type is refused: https://sqlite.org/stricttables.html.
/// Dates and bytes are texts, as records have them. Truth values are 0 and 1.
struct SQLiteForm {
  let tables: [Table]

  var emitted: EmittedSchema {
    let head = [
      SQLWords.comment("Tables for the records of a store, by “ferry schema emit --for sqlite”."),
      SQLWords.comment("SQLite 3.37 or later checks the types."),
    ].joined(separator: "\n")
    let statements = tables.map { ([table($0)] + indexes(of: $0)).joined(separator: "\n") }
    return EmittedSchema(
      text: ([head, "BEGIN;"] + statements + ["COMMIT;"]).joined(separator: "\n\n") + "\n",
      notes: tables.notes + tables.openReferences
    )
  }

  /// The preset sends no lists and objects.
  static func lack(of content: SchemaSource.Content) -> String? {
    switch content {
    case .object, .list, .texts, .any, .references:
      "a table has no lists and objects, and the preset datasette sends none"
    case .integer, .number, .decimal, .boolean, .text, .uuid, .date, .bytes, .reference: nil
    }
  }

  private func table(_ table: Table) -> String {
    let key = "\(SQLWords.quoted(FieldNaming.key)) TEXT NOT NULL PRIMARY KEY"
    let unique = table.uniqueKeys.map { "UNIQUE \(SQLWords.list($0))" }
    return SQLWords.table(table.name, [key] + table.fields.map(column) + unique, end: " STRICT")
  }

  private func column(_ field: Table.Field) -> String {
    let name = SQLWords.quoted(field.name)
    var text = "\(name) \(Self.type(of: field.content))"
    if field.isRequired { text += " NOT NULL" }
    if field.content == .boolean { text += " CHECK (\(name) IN (0, 1))" }
    if let target = tables.target(of: field.content) {
      text += " REFERENCES \(SQLWords.quoted(target.name))"
    }
    return text
  }

  private func indexes(of table: Table) -> [String] {
    table.fields.filter(\.content.isReference).map { field in
      "CREATE INDEX \(SQLWords.quoted("\(table.name)_\(field.name)")) "
        + "ON \(SQLWords.quoted(table.name)) \(SQLWords.list([field.name]));"
    }
  }

  private static func type(of content: SchemaSource.Content) -> String {
    switch content {
    case .integer, .boolean: "INTEGER"
    case .number: "REAL"
    case .decimal, .text, .uuid, .date, .bytes, .object, .list, .texts, .any, .reference,
      .references:
      "TEXT"
    }
  }
}
