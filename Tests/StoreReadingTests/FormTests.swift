import Foundation
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// The rarer forms in which relationships and values lie in tables.
struct `Forms of tables` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func pairs(_ table: String) throws -> CoreDataStore {
    try FormStore.open(
      ModelSample(entities: [
        .init(
          name: "A",
          attributes: [.init(name: "n", type: 700)],
          relationships: [
            .init(name: "bs", destination: "B", inverse: "as", isToMany: true, isOrdered: true)
          ]
        ),
        .init(
          name: "B",
          attributes: [.init(name: "n", type: 700)],
          relationships: [.init(name: "as", destination: "A", inverse: "bs", isToMany: true)]
        ),
      ]),
      """
      CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR);
      CREATE TABLE ZB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR);
      INSERT INTO ZA VALUES (1, 1, 1, 'a1'), (2, 1, 1, 'a2');
      INSERT INTO ZB VALUES (1, 2, 1, 'b1'), (2, 2, 1, 'b2');
      \(table)
      """,
      in: folder
    )
  }

  @Test(
    arguments: [
      """
      CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER, Z_FOK_2BS INTEGER);
      INSERT INTO Z_1BS VALUES (1, 1, 9), (1, 2, 3), (2, 2, NULL);
      """,
      """
      CREATE TABLE Z_2AS (Z_2BS INTEGER, Z_1AS INTEGER, Z_FOK_2BS INTEGER);
      INSERT INTO Z_2AS VALUES (1, 1, 9), (2, 1, 3), (2, 2, NULL);
      """,
      """
      CREATE TABLE Z_1BS (Z_1AS3, Z_2BS17, Z_FOK_2BS17);
      INSERT INTO Z_1BS VALUES (1, 1, 9), (1, 2, 3), (2, 2, NULL);
      """,
    ]
  )
  func `a join table is found by either name, with or without digits`(table: String) throws {
    let store = try pairs(table)
    #expect(store.findings.isEmpty)
    #expect(
      try FormStore.rows(store, "A", .references(relationship: "bs", identity: .attribute("n")))
        == ["[b2, b1]", "[b2]"]
    )
    #expect(
      try FormStore.rows(store, "B", .references(relationship: "as", identity: .attribute("n")))
        == ["[a1]", "[a1, a2]"]
    )
  }

  @Test(arguments: ["1, 1", "1, NULL", "1, 1.5", "1, 'x'"])
  func `rows with ambiguous keys are refused and counted`(
    keys: String
  ) throws {
    let rows = keys.components(separatedBy: ", ").map { "(\($0), 1, 1, 'a')" }
    let error = #expect(throws: StoreError.self) {
      try FormStore.open(
        ModelSample(entities: [.init(name: "A", attributes: [.init(name: "n", type: 700)])]),
        """
        CREATE TABLE ZA (Z_PK, Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR);
        INSERT INTO ZA VALUES \(rows.joined(separator: ", "));
        """,
        in: folder
      )
    }
    #expect(error?.description.contains("table ZA") == true)
    #expect(error?.description.contains("1 of its 2 rows") == true)
  }

  /// Keys that SQLite does not keep whole, as it does the numbers of its own of rows.
  private static let otherKeys = [
    ("Z_PK", ""), ("Z_PK INTEGER PRIMARY KEY DESC", ""),
    ("Z_PK INTEGER PRIMARY KEY", "WITHOUT ROWID"),
  ]

  private func store(_ key: (column: String, form: String), first: String) throws -> CoreDataStore {
    try FormStore.open(
      ModelSample(entities: [.init(name: "A", attributes: [.init(name: "n", type: 700)])]),
      """
      CREATE TABLE ZA (\(key.column), Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR) \(key.form);
      INSERT INTO ZA VALUES (\(first), 1, 1, 'b'), (1, 1, 1, 'a');
      """,
      in: folder
    )
  }

  @Test(arguments: otherKeys)
  func `a key that is no whole number is refused, however keys are declared`(
    column: String,
    form: String
  ) throws {
    let error = #expect(throws: StoreError.self) { try store((column, form), first: "'two'") }
    #expect(error?.description.contains("1 of its 2 rows") == true)
  }

  @Test(arguments: otherKeys)
  func `keys that distinguish rows are read, however they are declared`(
    column: String,
    form: String
  ) throws {
    let store = try store((column, form), first: "2")
    #expect(try FormStore.rows(store, "A", .attribute(path: ["n"])) == ["a", "b"])
  }

  @Test(arguments: ["Z1PARTS", "Z1_PARTS"])
  func `a one-way relationship is found with and without a line`(column: String) throws {
    let store = try FormStore.open(
      ModelSample(entities: [
        .init(
          name: "A",
          relationships: [.init(name: "parts", destination: "B", isToMany: true)]
        ),
        .init(name: "B", attributes: [.init(name: "n", type: 700)]),
      ]),
      """
      CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE ZB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \(column) INTEGER,
        ZN VARCHAR);
      INSERT INTO ZA VALUES (1, 1, 1); INSERT INTO ZB VALUES (1, 2, 1, 1, 'x'), (2, 2, 1, NULL, 'y');
      """,
      in: folder
    )
    #expect(store.findings.isEmpty)
    #expect(
      try FormStore.rows(store, "A", .references(relationship: "parts", identity: .attribute("n")))
        == ["[x]"]
    )
  }

  @Test func `a relationship of a sub-entity carries the sub-entity's number`() throws {
    let store = try FormStore.open(
      ModelSample(entities: [
        .init(name: "Base", attributes: [.init(name: "n", type: 700)]),
        .init(
          name: "Sub",
          superName: "Base",
          relationships: [.init(name: "tags", destination: "Tag", inverse: "subs", isToMany: true)]
        ),
        .init(
          name: "Tag",
          relationships: [.init(name: "subs", destination: "Sub", inverse: "tags", isToMany: true)]
        ),
      ]),
      """
      CREATE TABLE ZBASE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR);
      CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
      CREATE TABLE Z_2TAGS (Z_2SUBS INTEGER, Z_3TAGS INTEGER);
      INSERT INTO ZBASE VALUES (1, 1, 1, 'base'), (2, 2, 1, 'sub'); INSERT INTO ZTAG VALUES (5, 3, 1);
      INSERT INTO Z_2TAGS VALUES (2, 5);
      """,
      in: folder
    )
    #expect(store.findings.isEmpty)
    #expect(
      try FormStore.rows(store, "Tag", .references(relationship: "subs", identity: .attribute("n")))
        == ["[sub]"]
    )
    #expect(
      try FormStore.rows(store, "Sub", .references(relationship: "tags", identity: .objectURI))
        == ["[x-coredata://\(SampleStore.uuid)/Tag/p5]"]
    )
  }

  @Test func `values are returned as stored, regardless of their declared type`() throws {
    let store = try FormStore.open(
      ModelSample(entities: [
        .init(
          name: "A",
          attributes: [
            .init(name: "day", type: 900), .init(name: "flag", type: 800),
            .init(name: "price", type: 400),
          ]
        )
      ]),
      """
      CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFLAG INTEGER,
        ZDAY TIMESTAMP, ZPRICE DECIMAL);
      INSERT INTO ZA VALUES (1, 1, 1, 1, -63114076800, 3.25), (2, 1, 1, 2, 0.5, 7),
        (3, 1, 1, NULL, NULL, CAST('12345678901234567890.5x' AS TEXT));
      """,
      in: folder
    )
    #expect(
      try FormStore.rows(
        store,
        "A",
        .attribute(path: ["day"]),
        .attribute(path: ["flag"]),
        .attribute(path: ["price"])
      ) == ["-63114076800, 1, 3.25", "0.5, 2, 7", "null, null, 12345678901234567890.5x"]
    )
  }

  @Test func `a store of one configuration lacks the other entities without fault`() throws {
    let model = ModelSample(
      entities: [
        .init(name: "Here", attributes: [.init(name: "n", type: 700)]),
        .init(name: "There", attributes: [.init(name: "n", type: 700)]),
      ],
      configuration: "Local"
    )
    let store = try FormStore.open(
      model,
      """
      CREATE TABLE ZHERE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZN VARCHAR);
      INSERT INTO ZHERE VALUES (1, 1, 1, 'x'); DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 2;
      """,
      hashNames: ["Here"],
      in: folder
    )
    #expect(store.model.origin == .store)
    #expect(store.findings.map(\.code) == ["store.entity-elsewhere"])
    #expect(try FormStore.rows(store, "Here", .attribute(path: ["n"])) == ["x"])
    #expect(try store.rowCount(of: "There") == 0)
  }
}
