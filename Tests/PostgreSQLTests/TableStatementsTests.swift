import DestinationModel
import JSONText
import Records
import Testing
import UploadPlanning

import PostgreSQL

extension DatabaseColumn {
  static func named(
    _ name: String,
    _ type: ColumnType,
    cast: String,
    hasDefault: Bool = false
  ) -> DatabaseColumn {
    DatabaseColumn(
      name: name,
      type: type,
      cast: cast,
      isNullable: true,
      hasDefault: hasDefault,
      isWritable: true,
      isAlwaysNumbered: false
    )
  }
}

extension DatabaseTable {
  static func notes(
    revision: DatabaseColumn? = nil,
    isPartitioned: Bool = false,
    ids: [DatabaseColumn] = [.named("id", .uuid, cast: "uuid")]
  ) -> DatabaseTable {
    DatabaseTable(
      entity: "Note",
      schema: "public",
      name: "my \"notes\"",
      isPartitioned: isPartitioned,
      hasTriggers: false,
      ids: ids,
      revision: revision,
      columns: [
        .named("stars", .integer(bits: 32), cast: "integer", hasDefault: true),
        .named("title", .text, cast: "text"),
      ]
    )
  }
}

@Suite struct TableStatementsTests {
  private let statements = TableStatements(table: .notes())

  @Test func `names are quoted whatever is in them`() {
    #expect(TableStatements.quoted("a\"; DROP TABLE b; --") == "\"a\"\"; DROP TABLE b; --\"")
    #expect(statements.copy([]) == "COPY \"public\".\"my \"\"notes\"\"\" (\"id\") FROM STDIN")
  }

  @Test func `a page begins behind the last identity of the one before`() {
    let shown = "t.\"id\"::text, t.xmin::text, t.\"stars\"::text, t.\"title\"::text"
    let table = "\"public\".\"my \"\"notes\"\"\" AS t"
    #expect(
      statements.list(isFirst: true, limit: 5)
        == "SELECT \(shown) FROM \(table) ORDER BY t.\"id\" LIMIT 5"
    )
    #expect(
      statements.list(isFirst: false, limit: 5)
        == "SELECT \(shown) FROM \(table) WHERE t.\"id\" > $1::text::uuid ORDER BY t.\"id\" LIMIT 5"
    )
  }

  @Test func `a create overwrites nothing`() {
    let sql = statements.insert([.named("title", .text, cast: "text")])
    #expect(
      sql == "INSERT INTO \"public\".\"my \"\"notes\"\"\" AS t (\"id\", \"title\") "
        + "SELECT r.c0::uuid, r.c1::text FROM unnest($1::text[], $2::text[]) AS r(c0, c1) "
        + "ON CONFLICT (\"id\") DO NOTHING RETURNING t.\"id\"::text, t.xmin::text"
    )
  }

  @Test func `a change and a removal name the revision they are meant for`() {
    let condition = "WHERE t.\"id\" = r.c0::uuid AND (r.c1 IS NULL OR t.xmin::text = r.c1)"
    let update = statements.update([.named("stars", .integer(bits: 32), cast: "integer")])
    #expect(update.contains("SET \"stars\" = r.c2::integer FROM unnest($1::text[], $2::text[], $3"))
    #expect(update.contains(condition))
    #expect(statements.delete.contains(condition))
  }

  @Test func `several columns that identify a row are compared as one`() {
    let folder = DatabaseColumn.named("folder", .integer(bits: 64), cast: "bigint")
    let statements = TableStatements(
      table: .notes(ids: [folder, .named("tag", .text, cast: "text")])
    )
    let row = "(t.\"folder\", t.\"tag\")"
    #expect(
      statements.list(isFirst: false, limit: 5).hasSuffix(
        "WHERE \(row) > ($1::text::bigint, $2::text::text) ORDER BY t.\"folder\", t.\"tag\" LIMIT 5"
      )
    )
    let asked = "unnest($1::text[], $2::text[]) AS r(c0, c1)"
    #expect(
      statements.states.hasSuffix("WHERE \(row) IN (SELECT r.c0::bigint, r.c1::text FROM \(asked))")
    )
    #expect(statements.insert([]).contains("ON CONFLICT (\"folder\", \"tag\") DO NOTHING"))
    #expect(
      statements.delete.contains(
        "\(row) = (r.c0::bigint, r.c1::text) AND (r.c2 IS NULL OR t.xmin::text = r.c2)"
      )
    )
    let update = statements.update([.named("title", .text, cast: "text")])
    #expect(update.contains("SET \"title\" = r.c3::text"))
  }

  @Test func `a column of the profile's choice is the revision`() {
    let table = DatabaseTable.notes(revision: .named("version", .text, cast: "bigint"))
    #expect(TableStatements(table: table).states.contains("t.\"version\"::text"))
    #expect(!table.takesCopies)
  }

  @Test func `a partitioned table gives the revision of a new row by the transaction`() {
    let sql = TableStatements(table: .notes(isPartitioned: true)).insert([])
    #expect(sql.hasSuffix("RETURNING t.\"id\"::text, (txid_current() % 4294967296)::text"))
  }

  @Test func `a list of values is one parameter, in which null is no text`() {
    let bytes = ListParameter.bytes(["a", nil, "NULL", "q\"\\", ""])
    #expect(bytes == Array(#"{"a",NULL,"NULL","q\"\\",""}"#.utf8) + [0])
  }

  @Test func `a row of a copy keeps tabs, line ends and backslashes`() {
    var bytes: [UInt8] = []
    CopyText.append(["a\tb", nil, "\\N", "c\r\nd", ""], to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "a\\tb\t\\N\t\\\\N\tc\\r\\nd\t\n")
  }

  @Test(arguments: [
    ("23505", ServerFault.Meaning.row), ("22P02", .row), ("P0001", .row), ("42501", .row),
    ("40001", .later), ("55P03", .later), ("57014", .later), ("53300", .later), ("53100", .full),
    ("42P01", .changed), ("42703", .changed), ("25006", .forbidden), ("28P01", .signIn),
    ("XX000", .failed),
  ])
  func `a fault says what to do by its code`(code: String, meaning: ServerFault.Meaning) {
    #expect(ServerFault(code: code, message: "").meaning == meaning)
  }

  @Test(arguments: [
    ("FATAL:  password authentication failed for user \"a\"", "28P01"),
    ("connection to server at \"x\" failed: FATAL:  database \"b\" does not exist", "3D000"),
    ("FATAL:  the database system is starting up", "57P03"),
    ("FATAL:  sorry, too many connections already", "53300"),
  ])
  func `a refused connection says why by the server's words`(text: String, code: String) {
    guard case .refused(let fault) = DatabaseFault.connecting(text) else {
      Issue.record("\(DatabaseFault.connecting(text))")
      return
    }
    #expect(fault.code == code)
  }

  @Test func `a connection that did not come about is a passing fault`() {
    let text = "connection to server failed: Connection refused\n\tIs the server running?\n"
    let error = DatabaseFault.connecting(text).error(at: "x")
    #expect(error.isPassing)
    #expect(error.reason == "connection to server failed: Connection refused")
  }

  // MARK: - Rows

  private func work(
    _ verb: OutgoingBatch.Verb,
    _ items: (id: String, body: String)...
  ) -> TableWork {
    let made = items.enumerated().map { place, item in
      OutgoingBatch.Item(
        operation: Int64(place + 1),
        record: RecordID(entity: "Note", key: item.id),
        clientID: item.id,
        serverID: item.id,
        key: "k\(place)",
        body: Array(item.body.utf8)
      )
    }
    return TableWork(
      table: .notes(),
      notes: NoteStatements(schema: "public"),
      batch: OutgoingBatch(entity: "Note", verb: verb, items: made)
    )
  }

  private static let id = "98A19660-06B3-5B0B-9595-B605EC1155F3"

  @Test func `a create names null for what is left out and has no default`() {
    let work = work(.create, (Self.id, #"{}"#))
    #expect(work.rows.map(\.id.text) == [Self.id.lowercased()])
    #expect(work.rows.first?.values.keys.sorted() == [1])
    #expect(self.work(.update, (Self.id, #"{}"#)).rows.first?.values.isEmpty == true)
  }

  @Test func `a value that does not fit is refused for its record alone`() {
    let other = "11A19660-06B3-5B0B-9595-B605EC1155F3"
    let work = work(.create, (Self.id, #"{"stars":"many"}"#), (other, #"{"stars":5}"#))
    #expect(work.rows.map(\.operation) == [2])
    guard case .rejected("column.type", let reason)? = work.refused[1] else {
      Issue.record("\(work.refused)")
      return
    }
    #expect(reason.contains("stars"))
  }

  @Test func `an identity that the column cannot hold is refused`() {
    #expect(work(.create, ("not a UUID", "{}")).refused.count == 1)
    let numbered = DatabaseTable.notes(
      ids: [.named("id", .integer(bits: 32), cast: "integer")]
    )
    #expect(numbered.identity("007")?.text == "7")
    #expect(numbered.identity("4294967296") == nil)
  }

  @Test func `a note represents one operation`() {
    #expect("k:1:2".noteText == "k:1:2".noteText)
    #expect("k:1:2".noteText != "k:1:3".noteText)
    #expect("k:1:2".noteText.utf8.count == 36)
  }
}
