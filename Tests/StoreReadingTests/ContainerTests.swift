import Files
import PropertyLists
import Records
import StoreFiles
import StoreReading
import TestSupport
import Testing
import StoreSamples

struct ContainerTests {
  private let folder: SampleFolder
  private let container: String

  init() throws {
    folder = try SampleFolder()
    container = folder.path + "/container"
    try write(
      "Library/Preferences/com.example.app.plist",
      list(["theme": .string("dark"), "AppleLocale": .string("en")])
    )
    try write("Library/Preferences/com.apple.other.plist", list(["a": .integer(1)]))
    try write(
      "Library/Preferences/group.com.example.plist",
      list(["share": .array([.dictionary([.init(name: "n", value: .integer(1))])])])
    )
    try write("Library/Caches/old.sqlite", Array("SQLite format 3\0".utf8))
    try write("Documents/notes.txt", Array("hello".utf8))
    try write("Documents/Info.plist", list(["a": .integer(1)]))
    for number in 1...4 {
      try write("Documents/Pictures/\(number).jpg", [0xFF, 0xD8, 0xFF, 0xE0] + [1, 2, 3, 4])
    }
  }

  private func write(_ path: String, _ bytes: [UInt8]) throws {
    try Folder.make(Folder.parentPath(of: container + "/" + path))
    try folder.write("container/" + path, bytes)
  }

  private func list(_ members: KeyValuePairs<String, PropertyList>) -> [UInt8] {
    PropertyListWriter.bytes(
      .dictionary(members.map { PropertyList.Member(name: $0.key, value: $0.value) })
    )
  }

  private func open(_ stores: [StoreChoice] = []) throws -> Source {
    try Source(
      container,
      options: Source.Options(stores: stores),
      into: folder.path + "/private"
    )
  }

  @Test func `the finder lists stores, media and the files left out`() throws {
    let found = try SourceFinder(container, into: folder.path + "/private").inspection
    #expect(found.form == .appContainer)
    #expect(
      found.readable.map(\.path) == [
        "Library/Preferences/com.example.app.plist", "Library/Preferences/group.com.example.plist",
      ]
    )
    let refused = found.stores.filter { $0.refusal != nil }
    #expect(
      refused.map(\.path) == ["Documents/Info.plist", "Library/Preferences/com.apple.other.plist"]
    )
    #expect(found.skipped.map(\.path) == ["Library/Caches"])
    #expect(found.media.map(\.path) == ["Documents/Pictures"])
    #expect(found.media.map(\.fileCount) == [4])
    #expect(found.media.map(\.byteCount) == [32])
    #expect(found.media.map(\.forms) == [["JPEG": 4]])
    #expect(found.otherFileCount == 1)
  }

  @Test func `the state folder beside the stores is not a store`() throws {
    for (name, mark) in [("a.sqlite", 0x4665_7279), ("plan", 0x4672_7950), ("b.sqlite", 7)] {
      let database = try SampleDatabase(container + "/Documents/" + name)
      try database.run("PRAGMA application_id = \(mark); CREATE TABLE t (a)")
    }
    let found = try SourceFinder(container, into: folder.path + "/private").inspection
    let read = found.readable.map { $0.path }.filter { $0.hasPrefix("Documents") }
    #expect(read == ["Documents/b.sqlite"])
    let refused = found.stores.filter { $0.refusal?.contains("Ferry") == true }
    #expect(refused.map { $0.path } == ["Documents/a.sqlite", "Documents/plan"])
  }

  /// Files that look like databases, by their bytes or their names, and what they are called.
  private static let others: [(name: String, bytes: [UInt8], words: String)] = [
    ("data.mdb", Array(repeating: 0, count: 16) + [0xDE, 0xC0, 0xEF, 0xBE], "an LMDB database"),
    ("CURRENT", Array("MANIFEST-000001\n".utf8), "a LevelDB database"),
    ("bdb", Array(repeating: 0, count: 12) + [0x62, 0x31, 0x05, 0], "a Berkeley DB database"),
    ("duck", Array(repeating: 0, count: 8) + Array("DUCK".utf8), "a DuckDB database"),
    ("jet", [0, 1, 0, 0] + Array("Standard Jet DB".utf8), "a Microsoft Access database"),
    ("old", Array("** This file contains an SQLite 2.1 database **".utf8), "SQLite 2"),
    ("binary", Array("CoreData".utf8) + [0, 0, 0, 0], "a Core Data binary store"),
    (
      "lone.sqlite-wal", [0x37, 0x7F, 0x06, 0x82] + Array(repeating: 0, count: 28),
      "write-ahead log"
    ),
    ("box.hive", Array("whatever".utf8), "named like a database"),
  ]

  @Test(arguments: others)
  func `a database that is not read is named and counts as left out`(
    name: String,
    bytes: [UInt8],
    words: String
  ) throws {
    try write("Documents/" + name, bytes)
    let findings = try open().store.findings.filter { $0.code == "container.database-unread" }
    #expect(findings.map(\.file) == ["Documents/" + name])
    #expect(findings.map(\.severity) == [.warning])
    #expect(findings.first?.cause.contains(words) == true, "\(findings)")
    // The cure: a person who names the stores has seen what is there.
    let named = StoreChoice(name: "settings", pattern: "Library/Preferences/com.example.*")
    let codes = try open([named]).store.findings.map(\.code)
    #expect(!codes.contains("container.database-unread"))
    #expect(codes.contains("container.file-unread"))
  }

  @Test func `a cut Realm database in a container is named, and the others are read`() throws {
    try write("Documents/cut.realm", Array(repeating: 0, count: 16) + Array("T-DB".utf8))
    let findings = try open().store.findings.filter { $0.code == "container.store-unread" }
    #expect(findings.map(\.file) == ["Documents/cut.realm"])
    #expect(findings.first?.cause.contains("the file is cut") == true, "\(findings)")
  }

  @Test func `a copy that Realm made before an upgrade is not a second store`() throws {
    let empty: [UInt8] = Array(repeating: 0, count: 16) + Array("T-DB".utf8) + [0, 0, 0, 0]
    try write("Documents/default.v9.backup.realm", empty)
    let findings = try open().store.findings.filter { $0.code == "container.file-unread" }
    let found = findings.first { $0.file == "Documents/default.v9.backup.realm" }
    #expect(found?.cause.contains("before an upgrade") == true, "\(findings)")
  }

  @Test func `files that Realm keeps beside a database are known, and the pipe is not opened`()
    throws
  {
    let empty: [UInt8] = Array(repeating: 0, count: 16) + Array("T-DB".utf8) + [0, 0, 0, 0]
    try write("Documents/default.realm", empty)
    try write("Documents/default.realm.lock", [1])
    try write("Documents/default.realm.management/access_control.control.mx", [1])
    #expect(makePipe(at: container + "/Documents/default.realm.note"))
    let found = try SourceFinder(container, into: folder.path + "/private").inspection
    #expect(found.readable.contains { $0.path == "Documents/default.realm" && $0.kind == .realm })
    #expect(found.otherFileCount == 1)
    let skipped = found.skipped.filter { $0.reason.hasPrefix("Realm keeps it") }
    #expect(
      skipped.map(\.path) == [
        "Documents/default.realm.management", "Documents/default.realm.note",
      ]
    )
  }

  @Test func `a Realm file that was written in one go is a store, not audio`() throws {
    var writer = RealmWriter()
    try write("Documents/bundled.realm", writer.file(tables: []))
    let found = try SourceFinder(container, into: folder.path + "/private").inspection
    #expect(found.readable.contains { $0.path == "Documents/bundled.realm" && $0.kind == .realm })
  }

  @Test func `a file named like a by-product of Realm without the database is counted`() throws {
    try write("Documents/default.realm.lock", [1])
    let found = try SourceFinder(container, into: folder.path + "/private").inspection
    #expect(found.otherFileCount == 2)
  }

  @Test func `a symbolic link is named and not followed`() throws {
    #expect(makeLink(to: container, at: container + "/Documents/Loop"))
    let found = try SourceFinder(container, into: folder.path + "/private").inspection
    let link = try #require(found.skipped.first { $0.path == "Documents/Loop" })
    #expect(link.reason.contains("symbolic link"))
  }

  @Test func `stores of a container are one source, entities distinguished by their store`() throws
  {
    let source = try open()
    #expect(source.store.identity.kind == .container)
    #expect(
      source.store.model.entities.map(\.name.text) == [
        "com.example.app.Preferences", "group.com.example.Preferences", "share",
      ]
    )
    #expect(try source.store.rowCount(of: "share") == 1)
    #expect(try Rows.text(of: "com.example.app.Preferences", in: source.store) == ["dark"])
    let finding = try #require(
      source.store.findings.first { $0.code == "preferences.system-keys" }
    )
    #expect(finding.file == "Library/Preferences/com.example.app.plist")
    #expect(finding.entity == "com.example.app.Preferences")
    #expect(try source.differences().isEmpty)
  }

  @Test func `a Core Data store and preferences are read side by side`() throws {
    try Folder.make(container + "/Library/Application Support")
    _ = try SampleStore.build(
      in: folder,
      name: "container/Library/Application Support/default.store"
    )
    let source = try open([
      StoreChoice(name: "main", pattern: "Library/Application Support/*.store"),
      StoreChoice(name: "settings", pattern: "Library/Preferences/com.example.*"),
    ])
    let names = Set(source.store.model.entities.map(\.name.text))
    #expect(names.contains("Preferences"))
    #expect(names.count > 1)
    #expect(source.files.count >= 2)
  }

  @Test func `a name of several files is rejected, and a name of no file is reported`() throws {
    let several = StoreChoice(name: "settings", pattern: "Library/Preferences/*.plist")
    #expect(throws: StoreError.self) { try open([several]) }
    let one = StoreChoice(name: "settings", pattern: "Library/Preferences/com.example.*")
    let none = StoreChoice(name: "main", pattern: "Documents/main.store")
    let source = try open([one, none])
    #expect(source.store.findings.contains { $0.code == "container.store-missing" })
  }

  @Test func `stores with one short name keep their own rows`() throws {
    let stores = [
      ("p/Library/Preferences/b.plist", 1), ("q/Library/Preferences/b.plist", 2),
      ("Library/Preferences/p-Library-Preferences-b.plist", 4),
    ]
    for (path, count) in stores {
      let rows = (0..<count).map { row in
        PropertyList.dictionary([.init(name: "n", value: .integer(Int64(row)))])
      }
      try write(path, list(["Item": .array(rows)]))
    }
    let store = try open().store
    let items = store.model.entities.map(\.name).filter { $0.text.hasSuffix("Item") }
    #expect(Set(items).count == 3)
    #expect(try items.map { try store.rowCount(of: $0) }.sorted() == [1, 2, 4])
  }

  @Test func `a store whose name begins with a dot keeps its own rows`() throws {
    let one = PropertyList.array([.dictionary([.init(name: "n", value: .integer(1))])])
    for name in [".hidden.one", ".hidden.two"] {
      try write("Documents/\(name).plist", list(["Item": one]))
    }
    let store = try open([
      StoreChoice(name: ".one", pattern: "Documents/.hidden.one.plist"),
      StoreChoice(name: ".two", pattern: "Documents/.hidden.two.plist"),
    ]).store
    let items = store.model.entities.map(\.name).filter { $0.text.hasSuffix("Item") }
    #expect(Set(items).count == 2)
  }

  /// How many rows the entities have whose names end so, each under its name.
  private func counts(_ end: String) throws -> [String] {
    let store = try open().store
    return try store.model.entities.map(\.name).filter { $0.text.hasSuffix(end) }.map {
      "\($0): \(try store.rowCount(of: $0))"
    }
  }

  private func database(_ name: String, _ sql: String) throws {
    try SampleDatabase("\(container)/Documents/\(name)").run(sql)
  }

  @Test
  func `an entity whose store's name cannot be a prefix keeps its own name while that is free`()
    throws
  {
    try database(".cache.sqlite", "CREATE TABLE Note (n); INSERT INTO Note VALUES (1)")
    try database("main.sqlite", "CREATE TABLE Note (n); INSERT INTO Note VALUES (1), (2)")
    #expect(try counts("Note") == ["Note: 1", "main.Note: 2"])
  }

  @Test func `a table called like an entity of another store does not take its name`() throws {
    try database("a.sqlite", "CREATE TABLE X (n); INSERT INTO X VALUES (1)")
    try database("b.sqlite", "CREATE TABLE \"a.X\" (n); INSERT INTO \"a.X\" VALUES (1), (2)")
    try database("c.sqlite", "CREATE TABLE X (n)")
    #expect(try counts("X") == ["a.X: 1", "b.a.X: 2", "c.X: 0"])
  }

  @Test func `a damaged store does not hide the others`() throws {
    let start = Array("SQLite format 3\0".utf8)
    try write("Documents/broken.sqlite", start + Array(repeating: 7, count: 600))
    let source = try open()
    let finding = try #require(
      source.store.findings.first { $0.code == "container.store-unread" }
    )
    #expect(finding.file == "Documents/broken.sqlite")
    #expect(source.store.model.entities.count == 3)
  }

  @Test func `a folder of documents with another file is refused with the flag that leaves it out`()
    throws
  {
    try Folder.make(folder.path + "/docs")
    for name in ["1.json", "2.json", "README.md"] {
      try folder.write("docs/\(name)", [0x7B, 0x7D])
    }
    let error = #expect(throws: StoreError.self) {
      try Source(folder.path + "/docs", into: folder.path + "/private")
    }
    #expect(
      error?.description.contains("3 files are no stores and not read: 2 .json, 1 .md") == true
    )
    #expect(error?.cure.contains("leave all other files out with --ignore") == true)
  }

  @Test func `a folder without a store is refused with a list of its files`() throws {
    let empty = folder.path + "/empty"
    try Folder.make(empty)
    #expect(throws: StoreError.noStore(path: empty, findings: [])) {
      try Source(empty, into: folder.path + "/private")
    }
  }

  @Test(arguments: [
    ("a/*.plist", "a/b.plist", true), ("a/*.plist", "a/b/c.plist", false),
    ("*/x*y", "q/xaby", true), ("a", "b", false), ("a/b*", "a/b", true),
  ])
  func `a star in a name pattern matches a part of the name`(
    pattern: String,
    path: String,
    fits: Bool
  ) {
    #expect(StoreChoice(name: "s", pattern: pattern).matches(path) == fits)
  }
}
