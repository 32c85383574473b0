import Files
import RealmFiles
import Records
import StoreFiles
import StoreReading
import TestSupport
import Testing
import StoreSamples

/// A Realm database as a store: its model, its rows, and what is left out.
struct RealmStoreTests {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func open(_ bytes: [UInt8]) throws -> Source {
    try folder.write("default.realm", bytes)
    return try Source(folder.path + "/default.realm", into: folder.path + "/private")
  }

  /// The rows of an entity, each with its place, as text.
  private func rows(
    _ entity: EntityName,
    _ fields: [FieldRequest],
    in store: any Store,
    after: Int64? = nil
  ) throws -> [String] {
    let reader = try store.rows(RowRequest(entity: entity, fields: fields, after: after))
    var rows: [String] = []
    while try reader.next() {
      let cells = reader.row.cells.map { described($0) }.joined(separator: " | ")
      rows.append("\(reader.row.place): \(cells)")
    }
    return rows
  }

  private static func attribute(_ name: String) -> FieldRequest { .attribute(path: [name]) }

  /// Dogs with a name as their primary key, an owner and friends; people without a primary key.
  private static func dogs() -> [UInt8] {
    var writer = RealmWriter()
    let dogs = writer.references([
      RealmWriter.number(2), writer.strings(["Rex", "Ida"]), writer.numbers([4, 0]),
      writer.references([writer.numbers([1, 0]), 0]),
    ])
    let people = writer.references([writer.numbers([3, 8]), writer.strings(["Ann", "Bob"])])
    let columns: [SampleColumn] = [
      .init("name", 2), .init("owner", 12, target: 1),
      .init("friends", 12, SampleColumn.list),
    ]
    let dogTable = writer.table(columns, root: dogs, primaryKey: 0)
    let peopleTable = writer.table([.init("name", 2)], root: people, key: 1)
    let version = writer.table(
      [.init("version", 0)],
      root: writer.cluster(count: 1, [writer.numbers([7])]),
      key: 2
    )
    return writer.file(
      tables: [
        ("class_Dog", dogTable), ("class_Person", peopleTable), ("metadata", version),
        ("sync_progress", version),
      ]
    )
  }

  @Test func `classes are entities, and tables of Realm's own are named`() throws {
    let source = try open(Self.dogs())
    let store = source.store
    #expect(store.identity.kind == .realm)
    #expect(store.model.versionIdentifiers == ["7"])
    #expect(store.model.entities.map(\.name) == ["Dog", "Person"])
    #expect(store.otherTables == ["sync_progress"])
    let dog = try #require(store.model.entity(named: "Dog"))
    #expect(dog.uniqueKeys == [["name"]])
    #expect(dog.attributes.map(\.name) == ["name"])
    #expect(dog.relationships.map(\.destination) == ["Person", "Dog"])
    #expect(dog.relationships.map(\.isToMany) == [false, true])
    #expect(dog.relationships.map(\.isOrdered) == [false, true])
    #expect(!dog.keysMayChange)
    #expect(try source.differences().isEmpty)
  }

  @Test func `links are the identities of what they lead to, else addresses`() throws {
    let store = try open(Self.dogs()).store
    let fields: [FieldRequest] = [
      .objectURI, .reference(relationship: "owner", identity: .attribute("name")),
      .references(relationship: "friends", identity: .attribute("name")),
      .references(relationship: "friends", identity: .objectURI),
    ]
    #expect(
      try rows("Dog", fields, in: store) == [
        "0: realm:Dog/0 | Ann | [Ida, Rex] | [realm:Dog/1, realm:Dog/0]",
        "1: realm:Dog/1 | null | [] | []",
      ]
    )
    #expect(
      try rows("Person", [.objectURI], in: store, after: 3) == ["8: realm:Person/8"]
    )
  }

  @Test func `a link to an object that is not there dangles`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.numbers([9])])
    let table = writer.table([.init("next", 12)], root: root)
    let store = try open(writer.file(tables: [("class_Node", table)])).store
    let field = FieldRequest.reference(relationship: "next", identity: .objectURI)
    #expect(try rows("Node", [field], in: store) == ["0: dangling realm:Node/8"])
  }

  @Test func `values are lent in the form of their kinds`() throws {
    var writer = RealmWriter()
    let seconds = writer.numbers([0, 978_307_201])
    let instants = writer.references([seconds, writer.numbers([500_000_000])])
    let fineSeconds = writer.numbers([0, 978_307_200])
    let fine = writer.references([fineSeconds, writer.numbers([123_456_789])])
    let identifier = writer.node(.bytes, width: 1, count: 13, content: [0] + (1...12))
    let uuid = writer.node(.bytes, width: 1, count: 17, content: [0] + (1...16))
    let decimal = writer.words([0x3200_007D], size: 4)
    let leaves = [writer.numbers([1]), instants, fine, identifier, uuid, decimal]
    let columns: [SampleColumn] = [
      .init("flag", 1), .init("date", 8), .init("fine", 8), .init("id", 15), .init("uuid", 17),
      .init("price", 11),
    ]
    let table = writer.table(columns, root: writer.cluster(count: 1, leaves))
    let store = try open(writer.file(tables: [("class_A", table)])).store
    let kinds = store.model.entities[0].attributes.map(\.kind)
    #expect(kinds == [.boolean, .date, .date, .string, .uuid, .decimal])
    #expect(
      try rows("A", columns.map { Self.attribute($0.name) }, in: store) == [
        "0: 1 | 1.5 | json \"2001-01-01T00:00:00.123456789Z\" | 0102030405060708090a0b0c | "
          + "<1 2 3 4 5 6 7 8 9 a b c d e f 10> | 12.5"
      ]
    )
  }

  @Test func `a string and a binary beyond one MiB are read in pieces`() throws {
    var writer = RealmWriter()
    let text = String(repeating: "Zeile „eins“\n", count: 100_000)
    let bytes = (0..<3 << 19).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let leaves = [
      writer.big([Array(text.utf8), Array("short".utf8)]),
      writer.big([bytes, [1]], isTerminated: false),
    ]
    let table = writer.table(
      [.init("text", 2), .init("data", 4)],
      root: writer.cluster(count: 2, leaves)
    )
    let store = try open(writer.file(tables: [("class_A", table)])).store
    let fields = [Self.attribute("text"), Self.attribute("data")]
    let reader = try store.rows(RowRequest(entity: "A", fields: fields))
    #expect(try reader.next())
    let row = reader.row
    #expect(row.cells[0].large?.isText == true)
    #expect(row.cells[0].large?.bytes() == Array(text.utf8))
    #expect(row.cells[1].large?.isText == false)
    #expect(row.cells[1].large?.bytes() == bytes)
    #expect(row.failure == nil)
    #expect(try rows("A", fields, in: store, after: 0) == ["1: short | <1>"])
  }

  /// U+FDD0, which a literal may not have.
  private static let mark = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self)

  @Test func `long values inside of a list and a mixed value are read in pieces`() throws {
    var writer = RealmWriter()
    let text = String(repeating: "Zeile „eins“\n", count: 100_000)
    let bytes = (0..<3 << 19).map { UInt8(truncatingIfNeeded: $0 / 7) }
    // A text that begins like a placeholder is itself, as is one that has the first one's in it.
    let marked = Self.mark + "text of 1 bytes"
    let zeros = String(repeating: "0", count: 64)
    let forged = "\"\(Self.mark)text of \(text.utf8.count) bytes, SHA-256 \(zeros)"
    let strings = [text, marked, "short", forged].map { Array($0.utf8) }
    let list = writer.big(strings + [[UInt8](repeating: 0xFF, count: 2 << 20)])
    let lists = writer.references([list])
    let mixed = writer.references([writer.numbers([1 << 5 | 5]), 0, 0, writer.big([bytes]), 0, 0])
    let columns: [SampleColumn] = [
      .init("texts", 2, SampleColumn.list), .init("any", 6, SampleColumn.nullable),
    ]
    let table = writer.table(columns, root: writer.cluster(count: 1, [lists, mixed]))
    let store = try open(writer.file(tables: [("class_A", table)])).store
    let fields = [Self.attribute("texts"), Self.attribute("any")]
    let reader = try store.rows(RowRequest(entity: "A", fields: fields))
    #expect(try reader.next())
    let texts = try #require(reader.row.cells[0].large?.json)
    let json = #"["","","short","\\#(forged)",{"$base64":""}]"#
    #expect(String(decoding: texts.bytes, as: UTF8.self) == json)
    #expect(texts.texts.map(\.place) == [2, 5, json.utf8.count - 3])
    // The last one is no UTF-8.
    #expect(texts.texts.map(\.value.isText) == [true, true, false])
    #expect(
      texts.texts.prefix(2).map { $0.value.bytes() } == [Array(text.utf8), Array(marked.utf8)]
    )
    #expect(texts.texts[2].value.count == 2 << 20)
    let data = try #require(reader.row.cells[1].large?.json)
    #expect(String(decoding: data.bytes, as: UTF8.self) == #"{"$base64":""}"#)
    #expect(data.texts.map(\.place) == [12])
    #expect(data.texts.map(\.value.isText) == [false])
    #expect(data.texts.map { $0.value.bytes() } == [bytes])
  }

  @Test func `a dictionary's key that begins like a placeholder is itself`() throws {
    var writer = RealmWriter()
    let key = Self.mark + "key"
    let values = writer.references([writer.numbers([3 << 8 | 1]), 0, 0, 0, 0])
    let dictionary = writer.references([writer.strings([key]), values])
    let root = writer.cluster(count: 1, [writer.references([dictionary])])
    let table = writer.table([.init("map", 0, SampleColumn.dictionary)], root: root)
    let store = try open(writer.file(tables: [("class_A", table)])).store
    let reader = try store.rows(RowRequest(entity: "A", fields: [Self.attribute("map")]))
    #expect(try reader.next())
    let json = try #require(reader.row.cells[0].large?.json)
    #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"":3}"#)
    #expect(json.texts.map(\.place) == [2])
    #expect(json.texts.map { $0.value.bytes() } == [Array(key.utf8)])
  }

  @Test func `embedded objects are inside their owners, with their own`() throws {
    var writer = RealmWriter()
    let addresses = writer.cluster(
      count: 2,
      [writer.strings(["Main", "Side"]), writer.numbers([2, 0])]
    )
    let columns: [SampleColumn] = [.init("street", 2), .init("next", 12, target: 1)]
    let embedded = writer.table(columns, root: addresses, key: 1, kind: 1)
    let people = writer.cluster(count: 1, [writer.numbers([1])])
    let table = writer.table([.init("home", 12, target: 1)], root: people)
    let bytes = writer.file(tables: [("class_Person", table), ("class_Address", embedded)])
    let store = try open(bytes).store
    #expect(store.model.entities.map(\.name) == ["Person"])
    #expect(
      try rows("Person", [Self.attribute("home")], in: store)
        == [#"0: json {"street":"Main","next":{"street":"Side","next":null}}"#]
    )
  }

  @Test func `what embedded objects of other fields hold of a row counts too`() throws {
    var writer = RealmWriter()
    let text = [UInt8](repeating: 0x61, count: 100_000)
    let texts = writer.cluster(count: 40, [writer.big(Array(repeating: text, count: 40))])
    let embedded = writer.table([.init("text", 2)], root: texts, key: 1, kind: 1)
    let links = (1...40).map { writer.numbers([$0]) }
    let names = (0..<40).map { "f\($0)" }
    let columns = names.map { SampleColumn($0, 12, target: 1) }
    let table = writer.table(columns, root: writer.cluster(count: 1, links))
    let store = try open(writer.file(tables: [("class_A", table), ("class_B", embedded)])).store
    let reader = try store.rows(RowRequest(entity: "A", fields: names.map(Self.attribute)))
    #expect(try reader.next())
    // Of 21 texts that are held, the last one makes it 2 MiB.
    #expect(reader.row.cells.count { $0.large != nil } == 40 - 21)
  }

  @Test func `an embedded object inside itself is damage`() throws {
    var writer = RealmWriter()
    let objects = writer.cluster(count: 1, [writer.numbers([1])])
    let embedded = writer.table([.init("next", 12, target: 1)], root: objects, key: 1, kind: 1)
    let people = writer.cluster(count: 1, [writer.numbers([1])])
    let table = writer.table([.init("home", 12, target: 1)], root: people)
    let bytes = writer.file(tables: [("class_A", table), ("class_B", embedded)])
    let store = try open(bytes).store
    let error = #expect(throws: StoreError.self) {
      try rows("A", [Self.attribute("home")], in: store)
    }
    #expect(error?.description.contains("inside itself") == true)
  }

  @Test func `lists and mixed values are JSON`() throws {
    var writer = RealmWriter()
    let list = writer.references([writer.numbers([3, 4])])
    let composites = writer.numbers([1 << 5 | 11])
    let half = writer.numbers([Int64(bitPattern: (2.0).bitPattern)])
    let mixed = writer.references([composites, half, 0, 0, 0])
    let root = writer.cluster(count: 1, [list, mixed])
    let table = writer.table([.init("scores", 0, SampleColumn.list), .init("any", 6)], root: root)
    let store = try open(writer.file(tables: [("class_A", table)])).store
    let fields = [Self.attribute("scores"), Self.attribute("any")]
    #expect(try rows("A", fields, in: store) == ["0: json [3,4] | json 2.0"])
  }

  @Test func `a link in a mixed value names the class that it leads to`() throws {
    var writer = RealmWriter()
    let link = writer.numbers([1 << 5 | 17])
    let mixed = writer.references([link, 0, writer.numbers([1, 3]), 0, 0])
    let owners = writer.table([.init("any", 6)], root: writer.cluster(count: 1, [mixed]))
    let people = writer.references([writer.numbers([3]), writer.strings(["Ann"])])
    let peopleTable = writer.table([.init("name", 2)], root: people, key: 1, primaryKey: 0)
    let tables = [("class_A", owners), ("class_Person", peopleTable)]
    let source = try open(writer.file(tables: tables))
    #expect(
      try rows("A", [Self.attribute("any")], in: source.store) == [
        #"0: json {"$link":"Ann","$entity":"Person"}"#
      ]
    )
  }

  @Test func `a link leads to a primary key, however long that is`() throws {
    var writer = RealmWriter()
    let link = writer.numbers([1 << 5 | 17])
    let mixed = writer.references([link, 0, writer.numbers([1, 3]), 0, 0])
    let owners = writer.table([.init("any", 6)], root: writer.cluster(count: 1, [mixed]))
    let name = String(repeating: "n", count: 2 << 20)
    let people = writer.references([writer.numbers([3]), writer.big([Array(name.utf8)])])
    let peopleTable = writer.table([.init("name", 2)], root: people, key: 1, primaryKey: 0)
    let tables = [("class_A", owners), ("class_Person", peopleTable)]
    let source = try open(writer.file(tables: tables))
    let rows = try rows("A", [Self.attribute("any")], in: source.store)
    #expect(rows == [#"0: json {"$link":"\#(name)","$entity":"Person"}"#])
  }

  @Test func `rows without a primary key are known by numbers that may change up to format 9`()
    throws
  {
    var writer = RealmWriter()
    let table = writer.oldTable([.init("age", 0)], slots: [writer.numbers([5, 6])])
    let store = try open(writer.file(format: 9, tables: [("class_A", table)])).store
    #expect(store.model.entities[0].keysMayChange)
    let fields: [FieldRequest] = [.objectURI, Self.attribute("age")]
    #expect(
      try rows("A", fields, in: store) == ["0: realm:A/0 | 5", "1: realm:A/1 | 6"]
    )
  }

  @Test func `in a file without classes the tables are entities, but for those of Realm's sync`()
    throws
  {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.numbers([5])])
    let table = writer.table([.init("id", 0)], root: root)
    let tables = ["score", "metadata", "sync_progress"].map { ($0, table) }
    let store = try open(writer.file(tables: tables)).store
    #expect(store.model.entities.map(\.name) == ["score"])
    #expect(store.otherTables == ["sync_progress"])
  }

  @Test func `an asymmetric class is exported and named`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.numbers([5])])
    let table = writer.table([.init("id", 0)], root: root, kind: 2)
    let store = try open(writer.file(tables: [("class_A", table)])).store
    #expect(store.findings.map(\.code) == ["realm.unsent-rows"])
    #expect(try store.rowCount(of: "A") == 1)
  }

  @Test func `two properties of one name get different names`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.numbers([5]), writer.numbers([6])])
    let table = writer.table([.init("a", 0), .init("a", 0)], root: root)
    let store = try open(writer.file(tables: [("class_A", table)])).store
    #expect(store.model.entities[0].attributes.map(\.name) == ["a", "a_"])
    let fields = [Self.attribute("a"), Self.attribute("a_")]
    #expect(try rows("A", fields, in: store) == ["0: 5 | 6"])
    #expect(store.findings.map(\.code) == ["store.column-renamed"])
  }

  @Test func `a property without a name is called by its place, with a note`() throws {
    var writer = RealmWriter()
    let root = writer.cluster(count: 1, [writer.numbers([5]), writer.numbers([6])])
    let table = writer.table([.init("a", 0), .init("", 0)], root: root)
    let store = try open(writer.file(tables: [("class_A", table)])).store
    #expect(store.model.entities[0].attributes.map(\.name) == ["a", "column2"])
    #expect(try rows("A", [Self.attribute("column2")], in: store) == ["0: 6"])
    #expect(store.findings.map(\.cause) == ["the property has no name"])
  }

  @Test func `what cannot be read is refused with the path, the cause and a cure`() throws {
    var bytes = Self.dogs()
    bytes[20] = 25
    let error = #expect(throws: StoreError.self) { try open(bytes) }
    #expect(
      error
        == .unreadableRealm(
          path: folder.path + "/default.realm",
          reason: .unsupportedFormat(25)
        )
    )
    #expect(error?.cure.isEmpty == false)
  }
}

/// Every real Realm file as a store; its cells are compared by the tests of the module that reads them.
@Suite(
  .enabled(
    if: RealRealmStores.folder != nil,
    "skipped: FERRY_STORES does not name a folder with real Realm files"
  )
)
struct `The folder of real Realm stores` {
  @Test(arguments: RealRealmStores.names)
  func `is read row by row, and left as it is`(name: String) throws {
    let path = try #require(RealRealmStores.folder) + "/" + name
    let folder = try SampleFolder()
    do throws(StoreError) {
      let source = try Source(path, into: folder.path + "/private")
      try readAll(source.store)
      #expect(!name.hasPrefix("bad-"))
      #expect(try source.differences().isEmpty)
    } catch {
      #expect(name.hasPrefix("bad-") || name.hasSuffix("encrypted.realm"), "\(error)")
    }
  }

  /// Reads every field of every row.
  private func readAll(_ store: any Store) throws(StoreError) {
    for entity in store.model.entities {
      let attributes = entity.attributes.map { FieldRequest.attribute(path: [$0.name]) }
      let relationships = entity.relationships.map { relationship -> FieldRequest in
        relationship.isToMany
          ? .references(relationship: relationship.name, identity: .objectURI)
          : .reference(relationship: relationship.name, identity: .objectURI)
      }
      let fields = [.objectURI] + attributes + relationships
      let reader = try store.rows(RowRequest(entity: entity.name, fields: fields))
      var count = 0
      while try reader.next() { count += 1 }
      let expected = try store.rowCount(of: entity.name)
      #expect(count == expected, "\(entity.name)")
    }
  }
}

/// Where the real files are.
enum RealRealmStores {
  static let folder = RealStores.folder.map { Folder.parentPath(of: $0) + "/realm" }
    .flatMap { Folder.exists($0) ? $0 : nil }

  static var names: [String] {
    ((try? folder.map { try Folder.names(in: $0) }) ?? [])
      .filter { $0.hasSuffix(".realm") }.sorted()
  }
}
