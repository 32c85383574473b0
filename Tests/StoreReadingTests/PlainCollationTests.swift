import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Plain databases whose texts have an order that only the app knows.
struct `Collations of plain databases` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func open(_ sql: String) throws -> any Store {
    let path = folder.path + "/plain.sqlite"
    let database = try SampleDatabase(path)
    try database.know(collation: "app_order")
    try database.run(sql)
    return try Source(path, into: folder.path + "/private").store
  }

  @Test func `a column with an app-defined collation is read like any other`() throws {
    let store = try open(
      """
      CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE app_order);
      INSERT INTO player VALUES (1, 'Ada'), (2, 'bob');
      """
    )
    let kinds = try #require(store.model.entity(named: "player")).attributes.map { $0.kind }
    #expect(kinds == [.integer64, .string])
    #expect(try Rows.text(of: "player", in: store) == ["1, Ada", "2, bob"])
    #expect(store.findings.isEmpty)
  }

  @Test func `a table without rowid is read in its app-defined key order`()
    throws
  {
    let store = try open(Self.tags(" WITHOUT ROWID"))
    #expect(try Rows.text(of: "tag", in: store) == ["A, 2", "b, 1", "C, 3"])
  }

  @Test func `reading resumes after a place in a table with an app-defined collation`() throws {
    let store = try open(Self.tags(" WITHOUT ROWID"))
    let request = RowRequest(entity: "tag", fields: [.attribute(path: ["name"])], after: 1)
    let reader = try store.rows(request)
    var names: [String] = []
    while try reader.next() { names.append(described(reader.row.cells[0])) }
    #expect(names == ["b", "C"])
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `an index with an app-defined collation is reported as unchecked, not as damage`(
    options: String
  ) throws {
    let store = try open(Self.tags(options))
    let codes = store.findings.map { $0.code }
    #expect(codes == ["store.unchecked"])
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a foreign key matches by bytes in a column with an app-defined collation`(
    options: String
  ) throws {
    let store = try open(Self.items(options))
    let fields: [FieldRequest] = [
      .objectURI, .reference(relationship: "tag_ref", identity: .attribute("n")),
    ]
    #expect(
      try Rows.text(of: "item", fields, in: store)
        == ["sqlite:item/1, 3", "sqlite:item/2, dangling sqlite:tag/a", "sqlite:item/3, 2"]
    )
  }

  @Test func `a foreign key with an app-defined collation is reported`() throws {
    let store = try open(Self.items(""))
    let finding = try #require(store.findings.first { $0.code == "store.foreign-key-collation" })
    #expect(finding.entity == "item")
    #expect(finding.cause.contains("app_order"))
  }

  @Test func `a foreign key with an app-defined collation is matched by its target's collation`()
    throws
  {
    let store = try open(
      """
      CREATE TABLE tag (name TEXT PRIMARY KEY COLLATE NOCASE, n INTEGER);
      INSERT INTO tag VALUES ('A', 7);
      CREATE TABLE item (tag TEXT COLLATE app_order REFERENCES tag, number TEXT COLLATE app_order
        REFERENCES count);
      CREATE TABLE count (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO count VALUES (4, 5);
      INSERT INTO item VALUES ('a', '4');
      """
    )
    let fields: [FieldRequest] = [
      .reference(relationship: "tag_ref", identity: .attribute("n")),
      .reference(relationship: "number_ref", identity: .attribute("n")),
    ]
    #expect(try Rows.text(of: "item", fields, in: store) == ["7, 5"])
  }

  private static func tags(_ options: String) -> String {
    """
    CREATE TABLE tag (name TEXT COLLATE app_order PRIMARY KEY, n INTEGER)\(options);
    INSERT INTO tag VALUES ('b', 1), ('A', 2), ('C', 3);
    """
  }

  private static func items(_ options: String) -> String {
    tags(options) + """

      CREATE TABLE item (id INTEGER PRIMARY KEY, tag TEXT REFERENCES tag);
      INSERT INTO item VALUES (1, 'C'), (2, 'a'), (3, 'A');
      """
  }
}
