/// The CloudKit Schema Language, for the preset `cloudkit`: `xcrun cktool import-schema`.
///
/// Types are those of the preset's conventions. References and record names are queryable. Only the user who
/// created a record may read and change it.
/// https://developer.apple.com/documentation/cloudkit/integrating-a-text-based-schema-into-your-workflow
struct CloudKitForm {
  let tables: [Table]

  var emitted: EmittedSchema {
    let (sent, left) = (
      tables.filter { Self.isName($0.name) }, tables.filter { !Self.isName($0.name) }
    )
    let types = sent.map(recordType)
    return EmittedSchema(
      text: (["DEFINE SCHEMA"] + types).joined(separator: "\n\n") + "\n",
      notes: left.map {
        "\($0.entity): CloudKit has no record type of that name; give it another “record-type”"
      } + sent.notes + sent.uncheckedKeys
        + ["CloudKit requires no field, and a reference says its target in its value"]
    )
  }

  /// Why a field cannot have a name.
  static func lack(of name: String) -> String? {
    isName(name) ? nil : "CloudKit has no field of the name “\(name)”; name another one in “body”"
  }

  /// Names begin with a letter, and have letters, digits and `_` alone.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.first, first.isASCII, first.isLetter, name.utf8.count <= 255 else {
      return false
    }
    return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// The words of the language, which are names only in quotes.
  private static let words: Set = [
    "ASSET", "AS", "BYTES", "CREATE", "DEFINE", "DOUBLE", "ENCRYPTED", "GRANT", "INT64", "LIST",
    "LOCATION", "NUMBER", "PREFERRED", "QUERYABLE", "READ", "RECORD", "REFERENCE", "ROLE", "SCHEMA",
    "SEARCHABLE", "SORTABLE", "STRING", "TIMESTAMP", "TO", "TYPE", "WRITE",
  ]

  private static func quoted(_ name: String) -> String {
    words.contains(name.uppercased()) ? "\"\(name)\"" : name
  }

  private func recordType(_ table: Table) -> String {
    let fields = table.fields.map { field in
      // The preset sends the app's own key as a text.
      let type = field.member.role == .identity ? "STRING" : Self.type(of: field.content)
      return "\(Self.quoted(field.name)) \(type)"
    }
    let grants = [#"GRANT CREATE TO "_icloud""#, #"GRANT READ, WRITE TO "_creator""#]
    let lines = [#""___recordID" REFERENCE QUERYABLE"#] + fields + grants
    let inner = lines.map { "        \($0)" }.joined(separator: ",\n")
    return "    RECORD TYPE \(Self.quoted(table.name)) (\n\(inner)\n    );"
  }

  private static func type(of content: SchemaSource.Content) -> String {
    switch content {
    case .integer, .boolean: "INT64"
    case .number: "DOUBLE"
    case .date: "TIMESTAMP"
    case .bytes: "BYTES"
    case .decimal, .text, .uuid, .object, .list, .any: "STRING"
    case .texts: "LIST<STRING>"
    case .reference: "REFERENCE QUERYABLE"
    case .references: "LIST<REFERENCE> QUERYABLE"
    }
  }
}
