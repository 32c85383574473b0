import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// SQLite databases of any app, read by their declarations and values.
struct `Plain databases` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  @Test func `a store of more than 1,000 entities is refused by their count`() throws {
    let tables = (0...1_000).map { "CREATE TABLE t\($0) (id INTEGER PRIMARY KEY);" }
    let path = folder.path + "/many.sqlite"
    try SampleDatabase(path).run(tables.joined())
    let error = #expect(throws: StoreError.self) {
      try Source(path, into: folder.path + "/private")
    }
    #expect(error?.description.contains("1001 entities, and at most 1000") == true)
  }

  @Test func `a column without a name is called by its place, with a note`() throws {
    let store = try open(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, "" INTEGER);
      INSERT INTO item VALUES (1, 7);
      """
    )
    #expect(store.model.entity(named: "item")?.attributes.map(\.name) == ["id", "column2"])
    #expect(try rows(store, "item", [.attribute(path: ["column2"])]) == ["1 7"])
    #expect(store.findings.map(\.cause) == ["the column has no name"])
  }

  @Test func `tables become entities, with types by declaration and values`() throws {
    let store = try open(
      """
      CREATE TABLE tasting (id INTEGER PRIMARY KEY, bottle_id INTEGER NOT NULL REFERENCES bottle(id)
        ON DELETE CASCADE, rating DOUBLE, notes TEXT, is_public BOOLEAN, created_at DATETIME,
        price DECIMAL(8,2), uid UUID, payload BLOB, mixed TEXT, length AS (length(notes)));
      CREATE TABLE bottle (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      INSERT INTO bottle VALUES (7, 'Ardbeg');
      INSERT INTO tasting VALUES (1, 7, 4, 'peat', 1, '2024-05-01', 12.5,
        x'00112233445566778899aabbccddeeff', x'01', 'text');
      INSERT INTO tasting VALUES (-3, 9, NULL, NULL, 0, '2024-06-01', 12, NULL, NULL, x'02');
      CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE search USING fts4(body);
      """
    )
    #expect(store.identity.kind == .sqlite)
    #expect(store.identity.uuid.utf8.count == 64)
    #expect(store.model.entities.map(\.name) == ["bottle", "tasting"])
    #expect(store.otherTables.contains("v"))
    #expect(store.otherTables.contains("search_content"))
    let tasting = try #require(store.model.entity(named: "tasting"))
    let kinds = tasting.attributes.map(\.kind)
    #expect(
      kinds == [
        .integer64, .integer64, .double, .string, .boolean, .string, .decimal, .uuid, .binary,
        .undeclared(sqlType: "TEXT"), .undeclared(sqlType: ""),
      ]
    )
    #expect(tasting.attributes.last?.isTransient == true)
    #expect(tasting.relationships.map(\.name) == ["bottle"])
    #expect(tasting.relationships.first?.deleteRule == .cascade)
    #expect(tasting.relationships.first?.isOptional == false)
    #expect(store.findings.map(\.code) == ["store.column-mixed"])
    #expect(store.model.entity(named: "bottle")?.uniqueKeys == [["id"], ["name"]])
    #expect(
      try rows(
        store,
        "tasting",
        [
          .objectURI, .attribute(path: ["mixed"]),
          .reference(relationship: "bottle", identity: .objectURI),
          .reference(relationship: "bottle", identity: .attribute("name")),
        ]
      ) == [
        "-3 sqlite:tasting/-3 <2> dangling sqlite:bottle/9 dangling sqlite:bottle/9",
        "1 sqlite:tasting/1 text sqlite:bottle/7 Ardbeg",
      ]
    )
  }

  @Test func `a table named after a view is a table, whatever its name ends with`() throws {
    let store = try open(
      """
      CREATE TABLE recipe_data (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO recipe_data VALUES (1, 'Mole'), (2, 'Pesto');
      CREATE VIEW recipe AS SELECT id, name FROM recipe_data;
      """
    )
    #expect(store.model.entities.map(\.name) == ["recipe_data"])
    #expect(store.otherTables == ["recipe"])
    #expect(try rows(store, "recipe_data", [.attribute(path: ["name"])]) == ["1 Mole", "2 Pesto"])
  }

  @Test(arguments: [
    "content='docs_content'", "content=docs_content", #"tokenize=porter, content="docs_content""#,
    "/* it's the app's */ content=[docs_content]", "CONTENT=`docs_content`",
  ])
  func `the table that a virtual table searches is not taken for a shadow table`(option: String)
    throws
  {
    let store = try open(
      """
      CREATE TABLE docs_content (body TEXT); INSERT INTO docs_content VALUES ('text');
      CREATE TABLE docs_data (x); CREATE TABLE docs_node (x);
      CREATE VIRTUAL TABLE docs USING fts4(body, \(option));
      INSERT INTO docs(docs) VALUES ('rebuild');
      CREATE VIRTUAL TABLE own USING FTS4(body, content_id);
      """
    )
    #expect(store.model.entities.map(\.name) == ["docs_content", "docs_data", "docs_node"])
    #expect(try rows(store, "docs_content", [.attribute(path: ["body"])]) == ["1 text"])
    #expect(store.otherTables.contains("docs_segments"))
    #expect(store.otherTables.contains("own_content"))
  }

  @Test(arguments: ["fts3(a, b, c)", "fts4(a, b, c)", "fts5(a, b, c UNINDEXED)", "rtree(a, b, c)"])
  func `rows that only a virtual table has are reported as unread, with their number`(
    module: String
  ) throws {
    let store = try open(
      """
      CREATE VIRTUAL TABLE own USING \(module); INSERT INTO own VALUES (1, 2, 3), (2, 3, 4);
      """
    )
    let finding = try #require(store.findings.first { $0.code == "store.table-unread" })
    #expect(finding.severity == .warning)
    #expect(finding.cause.contains("own"))
    #expect(finding.cause.contains("2"))
  }

  @Test(arguments: [
    "fts4(body, content='docs')", "fts5(body, content=docs)", "fts4(body, content='')",
    "fts5(body, content='')",
  ])
  func `a virtual table without content of its own is not reported`(module: String) throws {
    let store = try open(
      """
      CREATE TABLE docs (body TEXT); INSERT INTO docs VALUES ('text');
      CREATE VIRTUAL TABLE own USING \(module); INSERT INTO own (rowid, body) VALUES (1, 'text');
      """
    )
    #expect(store.findings.isEmpty)
  }

  @Test func `text keys, keys of several columns and tables without rowid have addresses`() throws {
    let store = try open(
      """
      CREATE TABLE offline_operations (id TEXT PRIMARY KEY, payload BLOB);
      INSERT INTO offline_operations VALUES ('b/1', x'7b7d'), ('12', NULL);
      CREATE TABLE pair (a INTEGER, b TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
      INSERT INTO pair VALUES (2, 'x'), (1, 'x'), (1, 'a');
      CREATE TABLE "two words" (x); INSERT INTO "two words" VALUES (1.5);
      """
    )
    #expect(
      try rows(store, "offline_operations", [.objectURI]) == [
        "1 sqlite:offline_operations/b%2F1", "2 sqlite:offline_operations/%2712%27",
      ]
    )
    #expect(
      try rows(store, "pair", [.objectURI])
        == ["1 sqlite:pair/a,1", "2 sqlite:pair/x,1", "3 sqlite:pair/x,2"]
    )
    #expect(try rows(store, "two%20words", [.objectURI]) == ["1 sqlite:two%20words/1"])
    #expect(try store.rowCount(of: "pair") == 3)
  }

  @Test(arguments: ["offline", "pair"] as [EntityName])
  func `reading resumes after a place`(entity: EntityName) throws {
    let store = try open(
      """
      CREATE TABLE offline (id TEXT); INSERT INTO offline VALUES ('a'), ('b'), ('c');
      CREATE TABLE pair (id TEXT PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO pair VALUES ('a'), ('b'), ('c');
      """
    )
    #expect(
      try rows(store, entity, [.attribute(path: ["id"])], after: 1) == ["2 b", "3 c"]
    )
    #expect(try rows(store, entity, [.attribute(path: ["id"])], after: 3).isEmpty)
  }

  @Test func `columns whose names differ beyond ASCII keep their own values`() throws {
    let store = try open(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, "Ä" TEXT, "ä" TEXT);
      INSERT INTO t VALUES (1, 'one', 'two');
      """
    )
    let fields = ["Ä", "ä"].map { FieldRequest.attribute(path: [$0]) }
    #expect(try rows(store, "t", fields) == ["1 one two"])
  }

  @Test func `columns whose names are one text in different bytes are both read`() throws {
    let store = try open(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, "\u{E9}" TEXT, "e\u{301}" TEXT);
      INSERT INTO t VALUES (1, 'one', 'two');
      """
    )
    let names = try #require(store.model.entity(named: "t")).attributes.map(\.name).dropFirst()
    let fields = names.map { FieldRequest.attribute(path: [$0]) }
    #expect(try rows(store, "t", fields) == ["1 one two"])
    #expect(Set(names).count == 2)
  }

  @Test(arguments: [
    ["e\u{301}", "\u{E9}", "%C3%A9", "e\u{301}_", "\u{E9}_"], ["e\u{301}", "\u{E9}", "%c3%a9"],
  ])
  func `columns with differing names keep their own values`(columns: [String]) throws {
    let values = columns.indices.map { "\($0)" }
    let store = try open(
      """
      CREATE TABLE t (\(columns.map { "\"\($0)\"" }.joined(separator: ", ")));
      INSERT INTO t VALUES (\(values.joined(separator: ", ")));
      """
    )
    let names = try #require(store.model.entity(named: "t")).attributes.map(\.name)
    let fields = names.map { FieldRequest.attribute(path: [$0]) }
    #expect(try rows(store, "t", fields) == ["1 \(values.joined(separator: " "))"])
  }

  @Test func `tables whose names are one text in different bytes are both read`() throws {
    let store = try open(
      """
      CREATE TABLE "caf\u{E9}" (x); INSERT INTO "caf\u{E9}" VALUES ('one');
      CREATE TABLE "cafe\u{301}" (x); INSERT INTO "cafe\u{301}" VALUES ('two');
      """
    )
    let values = try store.model.entities.flatMap {
      try rows(store, $0.name, [.attribute(path: ["x"])])
    }
    #expect(values.sorted() == ["1 one", "1 two"])
    #expect(store.findings.map(\.code) == ["store.table-renamed"])
  }

  @Test func `a quote in a name is escaped, even with a combining mark`() throws {
    let store = try open(
      """
      CREATE TABLE "a""\u{300}b" (x); INSERT INTO "a""\u{300}b" VALUES ('one');
      """
    )
    let entity = try #require(store.model.entities.first)
    #expect(try rows(store, entity.name, [.attribute(path: ["x"])]) == ["1 one"])
  }

  @Test func `the store keeps its name while its schema stays`() throws {
    let one = try open("CREATE TABLE a (x)", name: "one")
    let two = try open("CREATE TABLE a (x); INSERT INTO a VALUES (1)", name: "two")
    let three = try open("CREATE TABLE a (x, y)", name: "three")
    #expect(one.identity == two.identity)
    #expect(one.identity != three.identity)
  }

  @Test func `foreign keys that are not relationships are listed, and their columns stay`() throws {
    let store = try open(
      """
      CREATE TABLE p (a, b, PRIMARY KEY (a, b));
      CREATE TABLE c (a, b, gone_id REFERENCES nowhere(id), FOREIGN KEY (a, b) REFERENCES p(a, b));
      """
    )
    #expect(store.findings.map(\.code) == ["store.foreign-key", "store.foreign-key"])
    #expect(store.model.entity(named: "c")?.attributes.map(\.name) == ["a", "b", "gone_id"])
    #expect(throws: StoreError.self) {
      try store.rows(RowRequest(entity: "c", fields: [.attribute(path: ["none"])]))
    }
  }

  @Test func `a foreign key to a column name in other bytes is not read as a relationship`() throws
  {
    let store = try open(
      """
      CREATE TABLE p ("\u{E9}" PRIMARY KEY);
      CREATE TABLE c (x REFERENCES p("e\u{301}"));
      """
    )
    #expect(store.findings.map(\.code) == ["store.foreign-key"])
  }

  @Test func `foreign keys of all columns to a missing one are read in linear time`() throws {
    let columns = (0..<2000).map { "c\($0) REFERENCES p(x)" }.joined(separator: ", ")
    let time = try ContinuousClock().measure { _ = try open("CREATE TABLE p (\(columns))") }
    #expect(time < .seconds(20))
  }

  @Test func `a file needs space for its copy and the package`() throws {
    let path = folder.path + "/plain.sqlite"
    try SampleDatabase(path).run("CREATE TABLE a (x)")
    let source = try Source(path, into: folder.path + "/private")
    #expect(source.spaceNeeded == 3 * source.copies[0].byteCount)
    #expect(source.copies[0].byteCount == 8192)
    #expect(try source.differences().isEmpty)
  }

  private func open(_ sql: String, name: String = "plain") throws -> any Store {
    let path = folder.path + "/" + name + ".sqlite"
    try SampleDatabase(path).run(sql)
    return try Source(path, into: folder.path + "/private-" + name).store
  }

  private func rows(
    _ store: any Store,
    _ entity: EntityName,
    _ fields: [FieldRequest],
    after: Int64? = nil
  ) throws -> [String] {
    let reader = try store.rows(RowRequest(entity: entity, fields: fields, after: after))
    var rows: [String] = []
    while try reader.next() {
      rows.append(
        ([String(reader.row.place)] + reader.row.cells.map { described($0) })
          .joined(separator: " ")
      )
    }
    return rows
  }
}
