import Files
import PropertyLists
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// What opening a store finds out, and what it refuses.
struct `Opening a store` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  @Test func `identity and model are those of the store`() throws {
    let store = try SampleStore.open(SampleStore.build(in: folder), in: folder)
    #expect(store.identity.uuid == SampleStore.uuid)
    #expect(store.identity.kind == .coreData)
    #expect(store.identity.frameworkVersion == 1414)
    #expect(store.identity.modelVersionIdentifiers == ["1.2.0"])
    #expect(store.model.origin == .store)
    #expect(store.model.entities.map(\.name) == ["Animal", "Cat", "Dog", "Person", "Tag"])
    #expect(store.model.entities.map(\.number) == [1, 2, 3, 4, 5])
    let cat = try #require(store.model.entity(named: "Cat"))
    #expect(cat.superentity == "Animal")
    #expect(cat.attributes.map(\.name) == ["id", "lives", "name", "title"])
    #expect(cat.relationships.map(\.name) == ["owner"])
    #expect(store.otherTables == ["MESSAGEINDEX"])
    #expect(store.findings.map(\.code) == ["store.entity-renamed"])
  }

  @Test(arguments: [
    "INSERT INTO MESSAGEINDEX VALUES ('a'), ('b');",
    "CREATE VIRTUAL TABLE own USING fts5(word); INSERT INTO own VALUES ('a'), ('b');",
  ])
  func `rows without an entity are reported as unread, with their number`(rows: String) throws {
    let store = try SampleStore.open(SampleStore.build(in: folder, also: rows), in: folder)
    let findings = store.findings.filter { $0.code == "store.table-unread" }
    #expect(findings.map(\.severity) == [.warning])
    let cause = try #require(findings.first?.cause)
    #expect(cause.contains(rows.contains("own") ? "own" : "MESSAGEINDEX") && cause.contains("2"))
  }

  @Test func `the tables of Core Data's own index of places are not reported as unread`() throws {
    let index = "CREATE VIRTUAL TABLE Z_RT_Tag_place USING rtree(key, low, high);"
    let path = try SampleStore.build(
      in: folder,
      also: index + "INSERT INTO Z_RT_Tag_place VALUES (1, 2, 3);"
    )
    let store = try SampleStore.open(path, in: folder)
    #expect(!store.findings.map(\.code).contains("store.table-unread"))
  }

  @Test(arguments: [
    "'Per/son'", "'..'", "''", "NULL", "'Per' || char(27)", "'Per' || char(0) || '/'", "'Tag'",
    "replace(hex(zeroblob(2500)), '0', 'E')",
  ])
  func `a name that no entity can have is refused with its place`(name: String) throws {
    let path = try SampleStore.build(
      in: folder,
      also: "UPDATE Z_PRIMARYKEY SET Z_NAME = \(name) WHERE Z_NAME = 'Person'"
    )
    let error = #expect(throws: StoreError.self) { try SampleStore.open(path, in: folder) }
    guard case .damaged(_, let place, _) = error else { throw SampleFailure(message: "\(name)") }
    #expect(place == "Z_PRIMARYKEY")
  }

  @Test func `a model of one configuration called default is SwiftData's`() throws {
    var model = SampleStore.model
    model.configuration = "default"
    let path = try SampleStore.build(in: folder, cache: model.cache())
    #expect(try SampleStore.open(path, in: folder).identity.kind == .swiftData)
  }

  @Test func `without a complete and fresh model cache the model is derived from the tables`()
    throws
  {
    let cache = SampleStore.model.cache()
    for (name, cache, hashes) in [
      ("cut", Array(cache.dropLast(9)), nil), ("empty", [], nil), ("garbage", [1, 2, 3], nil),
      ("stale", cache, ["Animal", "Cat", "Dog", "Person", "Label"]),
    ] as [(String, [UInt8], [String]?)] {
      let path = try SampleStore.build(
        in: folder,
        name: name,
        cache: cache,
        hashNames: hashes ?? ["Animal", "Cat", "Dog", "Person", "Tag"]
      )
      let store = try SampleStore.open(path, in: folder)
      #expect(store.model.origin == .schemaOnly, "\(name)")
      #expect(store.findings.contains { $0.code == "store.model-missing" }, "\(name)")
      let person = try #require(store.model.entity(named: "Person"))
      #expect(
        person.attributes.map(\.name)
          == ["CITY", "TITLE", "ID", "ID1", "PHOTO", "SCORES"]
      )
      let cursor = try store.rows(
        RowRequest(
          entity: "Person",
          fields: [.attribute(path: ["CITY"]), .attribute(path: ["PHOTO"])]
        )
      )
      var cells: [String] = []
      while try cursor.next() { cells += cursor.row.cells.map { described($0) } }
      #expect(
        cells == ["Ulm", "<1 ff 0>", "null", "lost \(SampleStore.reference)", "null", "null"]
      )
    }
  }

  @Test func `a model cache that expands beyond any model is ignored`() throws {
    let cache = ModelSample.deflated([UInt8](repeating: 0, count: 65 << 20))
    let store = try SampleStore.open(SampleStore.build(in: folder, cache: cache), in: folder)
    #expect(store.model.origin == .schemaOnly)
    #expect(store.findings.contains { $0.code == "store.model-missing" })
    #expect(try store.rowCount(of: "Tag") == 3)
  }

  @Test func `missing columns and unknown rows are found`() throws {
    let path = try SampleStore.build(
      in: folder,
      also: """
        ALTER TABLE ZTAG DROP COLUMN ZLABEL; ALTER TABLE ZTAG ADD COLUMN ZCOLOR VARCHAR;
        INSERT INTO ZTAG (Z_PK, Z_ENT) VALUES (9, 88); DROP TABLE Z_4FRIENDS;
        """
    )
    let store = try SampleStore.open(path, in: folder)
    #expect(
      store.findings.map(\.code).sorted() == [
        "store.column-missing", "store.column-unknown", "store.entity-renamed",
        "store.relationship-missing", "store.rows-without-entity",
      ]
    )
    #expect(throws: StoreError.self) {
      try store.rows(RowRequest(entity: "Tag", fields: [.attribute(path: ["label"])]))
    }
  }

  @Test func `a renamed root is found under its old name`() throws {
    let path = try SampleStore.build(
      in: folder,
      also: """
        ALTER TABLE ZTAG RENAME TO ZLABEL; UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_ENT = 5;
        """
    )
    let store = try SampleStore.open(path, in: folder)
    #expect(try store.rowCount(of: "Tag") == 3)
    #expect(!store.findings.contains { $0.code == "store.table-missing" })
  }

  @Test func `a view in the place of a table is refused`() throws {
    let path = try SampleStore.build(
      in: folder,
      also: "DROP TABLE ZTAG; CREATE VIEW ZTAG AS SELECT 1 AS Z_PK, 5 AS Z_ENT;"
    )
    #expect(throws: StoreError.self) { try SampleStore.open(path, in: folder) }
  }

  @Test func `a missing table means no rows`() throws {
    let path = try SampleStore.build(in: folder, also: "DROP TABLE ZTAG")
    let store = try SampleStore.open(path, in: folder)
    #expect(store.findings.contains { $0.code == "store.table-missing" })
    #expect(try store.rowCount(of: "Tag") == 0)
    let cursor = try store.rows(RowRequest(entity: "Tag", fields: [.attribute(path: ["label"])]))
    #expect(try !cursor.next())
  }

  @Test func `another database and a damaged one are refused`() throws {
    let plain = folder.path + "/plain.sqlite"
    try SampleDatabase(plain).run("CREATE TABLE song (title TEXT)")
    #expect(throws: StoreError.notCoreData(path: plain, missingTable: "Z_PRIMARYKEY")) {
      try SampleStore.open(plain, in: folder)
    }
    let whole = try InputFile.contents(of: SampleStore.build(in: folder))
    try folder.write("half.sqlite", Array(whole[..<(whole.count / 2)]))
    #expect(throws: StoreError.self) {
      try SampleStore.open(folder.path + "/half.sqlite", in: folder)
    }
  }

  @Test func `an index that disagrees with its table is damage`() throws {
    let path = try SampleStore.build(
      in: folder,
      also: """
        CREATE INDEX ZTAG_I ON ZTAG (ZCOUNT); PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX ZTAG_I ON ZTAG (ZLABEL)' WHERE name = 'ZTAG_I';
        """
    )
    #expect(throws: StoreError.self) { try SampleStore.open(path, in: folder) }
  }

  @Test func `metadata that is not a property list is refused`() throws {
    let path = try SampleStore.build(in: folder, also: "UPDATE Z_METADATA SET Z_PLIST = x'01'")
    #expect(throws: StoreError.malformedMetadata(path: path, reason: .unknownForm)) {
      try SampleStore.open(path, in: folder)
    }
  }

  @Test func `metadata of more than 4 MiB is refused by its size`() throws {
    let path = try SampleStore.build(
      in: folder,
      also: "UPDATE Z_METADATA SET Z_PLIST = zeroblob(4194305)"
    )
    let reason = PropertyListError.beyondLimit("4194305 bytes, of which 4194304 are read")
    #expect(throws: StoreError.malformedMetadata(path: path, reason: reason)) {
      try SampleStore.open(path, in: folder)
    }
  }

  @Test func `a store with cleared metadata and model is read from its tables`() throws {
    let path = try SampleStore.build(
      in: folder,
      also: "UPDATE Z_METADATA SET Z_PLIST = NULL; UPDATE Z_MODELCACHE SET Z_CONTENT = NULL"
    )
    let store = try SampleStore.open(path, in: folder)
    #expect(store.model.origin == .schemaOnly)
    #expect(store.findings.contains { $0.code == "store.model-missing" })
    #expect(try store.rowCount(of: "Tag") == 3)
  }
}
