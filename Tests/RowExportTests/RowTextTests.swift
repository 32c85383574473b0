import Records
import RequestMapping
import RowExport
import Testing

/// How rows are written as SQL and as CSV.
struct RowTextTests {
  private let table = RowTable(entity: "Note", schema: "public", name: "no\"tes", ids: ["id"])

  private func row(_ id: String, _ fields: (String, String)..., late: String? = nil) -> TableRow {
    TableRow(
      identity: [RequestField(name: "id", value: Array("\"\(id)\"".utf8))],
      fields: fields.map { RequestField(name: $0, value: Array($1.utf8)) },
      late: late.map { [RequestField(name: "parent", value: Array($0.utf8))] } ?? []
    )
  }

  // MARK: - SQL

  @Test func `a quote in a name or a value ends neither`() {
    let sql = SQLText.insert([row("a", ("text", #""it's""#))], ["text"], into: table)
    #expect(sql.contains(#"INSERT INTO "public"."no""tes" ("id", "text")"#))
    #expect(sql.contains(#"'[{"id":"a","text":"it''s"}]'"#))
  }

  @Test func `a quote that a mark combines with ends neither a name nor a value`() {
    let table = RowTable(entity: "Note", schema: nil, name: "no\"\u{301}tes", ids: ["id"])
    let sql = SQLText.insert([row("a", ("text", "\"it'\u{301}s\""))], ["text"], into: table)
    #expect(sql.contains("INSERT INTO \"no\"\"\u{301}tes\" ("))
    #expect(sql.contains("it''\u{301}s"))
  }

  @Test func `a row that is there already stays as it is`() {
    let sql = SQLText.insert([row("a")], [], into: table)
    #expect(sql.hasSuffix("ON CONFLICT (\"id\") DO NOTHING;\n"))
  }

  @Test func `a late column is set only where it is null`() {
    let sql = SQLText.complete([row("a", late: #""b""#)], ["parent"], of: table)
    #expect(sql.contains(#"SET "parent" = coalesce(t."parent", r."parent")"#))
    #expect(sql.contains(#"WHERE t."id" = r."id" AND (t."parent" IS NULL)"#))
  }

  @Test func `several columns that identify a row are each compared`() {
    let table = RowTable(entity: "Link", name: "links", ids: ["folder", "tag"])
    let key = [("folder", "7"), ("tag", #""a""#)]
    let row = TableRow(
      identity: key.map { RequestField(name: $0.0, value: Array($0.1.utf8)) },
      fields: [],
      late: [RequestField(name: "parent", value: Array(#""b""#.utf8))]
    )
    let insert = SQLText.insert([row], [], into: table)
    #expect(insert.contains(#"INSERT INTO "links" ("folder", "tag")"#))
    #expect(insert.contains(#"'[{"folder":7,"tag":"a"}]'"#))
    #expect(insert.hasSuffix("ON CONFLICT (\"folder\", \"tag\") DO NOTHING;\n"))
    let complete = SQLText.complete([row], ["parent"], of: table)
    #expect(complete.contains(#"WHERE t."folder" = r."folder" AND t."tag" = r."tag" AND"#))
    let line = String(decoding: CSVText.line(row, ["folder", "tag", "parent"]), as: UTF8.self)
    #expect(line == "7,a,b\n")
  }

  // MARK: - CSV

  private func line(_ value: String) -> String {
    let bytes = CSVText.line(row("a", ("text", value)), ["id", "text"])
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `null is empty, and an empty text is in quotes`() {
    #expect(line("null") == "a,\n")
    #expect(line(#""""#) == "a,\"\"\n")
    #expect(String(decoding: CSVText.line(row("a"), ["id", "text"]), as: UTF8.self) == "a,\n")
  }

  @Test(arguments: [
    (#""plain""#, "plain"), (#""a,b""#, "\"a,b\""), (#""a\"b""#, "\"a\"\"b\""),
    (#""a\nb""#, "\"a\nb\""), (#"" a""#, "\" a\""), (#""\\.""#, "\"\\.\""), ("true", "true"),
    ("1.50", "1.50"), (#"["a",1]"#, "\"[\"\"a\"\",1]\""),
    ("\"a\\\"\u{301}b\"", "\"a\"\"\u{301}b\""),
  ])
  func `a value is written so that a reader takes it for itself`(json: String, csv: String) {
    #expect(line(json) == "a,\(csv)\n")
  }

  @Test func `a late column is a column as any other`() {
    let bytes = CSVText.line(row("a", late: #""b""#), ["id", "parent"])
    #expect(String(decoding: bytes, as: UTF8.self) == "a,b\n")
  }
}
