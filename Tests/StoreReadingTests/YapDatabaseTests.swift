import Files
import Records
import StoreFiles
import StoreReading
import TestSupport
import Testing
import StoreSamples

/// Databases of YapDatabase, whose rows lie in one table.
struct `Databases of YapDatabase` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private static let tables = """
    CREATE TABLE "yap2" ("extension" CHAR NOT NULL, "key" CHAR NOT NULL, "data" BLOB,
      PRIMARY KEY ("extension", "key"));
    CREATE TABLE "database2" ("rowid" INTEGER PRIMARY KEY, "collection" CHAR NOT NULL,
      "key" CHAR NOT NULL, "data" BLOB, "metadata" BLOB);
    CREATE UNIQUE INDEX "true_primary_key" ON "database2" ("collection", "key");
    CREATE TABLE "secondaryIndex_byDate" ("rowid" INTEGER PRIMARY KEY, "date" REAL);
    """

  private func open(_ rows: String) throws -> any Store {
    let path = folder.path + "/app.sqlite"
    try SampleDatabase(path).run(Self.tables + rows)
    return try Source(path, into: folder.path + "/private").store
  }

  private static let rows = """
    INSERT INTO database2 VALUES (1, 'books', 'b1', x'01', NULL), (2, 'people', 'p1', x'02', x'03'),
      (3, 'books', 'b2', x'04', NULL), (4, '', 'x', x'05', NULL), (7, 'it''s', 'k', NULL, NULL);
    """

  @Test func `each collection is an entity with its own rows`() throws {
    let store = try open(Self.rows)
    #expect(store.model.entities.map(\.name) == ["books", "database2", "it's", "people"])
    #expect(store.otherTables == ["secondaryIndex_byDate", "yap2"])
    let names = ["books", "database2", "it's", "people"]
    #expect(try names.map { try store.rowCount(of: #require(EntityName($0))) } == [2, 1, 1, 1])
    #expect(try Rows.text(of: "books", in: store) == ["b1, <1>, null", "b2, <4>, null"])
    #expect(try Rows.text(of: "people", in: store) == ["p1, <2>, <3>"])
    #expect(try Rows.text(of: "it's", in: store) == ["k, null, null"])
  }

  @Test func `the key distinguishes the rows of an entity`() throws {
    let books = try #require(try open(Self.rows).model.entity(named: "books"))
    #expect(books.attributes.map(\.name) == ["key", "data", "metadata"])
    #expect(books.attributes.map(\.kind) == [.string, .binary, .binary])
    #expect(books.uniqueKeys == [["key"]])
    #expect(!books.keysMayChange)
  }

  @Test func `reading goes on behind a row of the same collection`() throws {
    let store = try open(Self.rows)
    let request = RowRequest(entity: "books", fields: [.attribute(path: ["key"])], after: 1)
    let reader = try store.rows(request)
    #expect(try reader.next())
    #expect(reader.row.place == 3)
    #expect(try !reader.next())
  }

  @Test func `addresses of rows differ across collections`() throws {
    let store = try open(Self.rows)
    #expect(
      try Rows.text(of: "books", [.objectURI], in: store) == [
        "sqlite:database2/1", "sqlite:database2/3",
      ]
    )
    #expect(try Rows.text(of: "people", [.objectURI], in: store) == ["sqlite:database2/2"])
  }

  @Test func `a table of that name in another database is a table`() throws {
    let path = folder.path + "/other.sqlite"
    try SampleDatabase(path).run("CREATE TABLE database2 (collection TEXT, key TEXT, data BLOB)")
    let store = try Source(path, into: folder.path + "/private").store
    #expect(store.model.entities.map(\.name) == ["database2"])
  }

  @Test func `a database without rows has no entities`() throws {
    #expect(try open("").model.entities.isEmpty)
  }
}
