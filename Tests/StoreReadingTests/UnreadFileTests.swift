import Files
import Records
import StoreFiles
import StoreReading
import TestSupport
import Testing
import StoreSamples

/// Files of a folder that are not read: what is said of each, and what leaves them out.
struct `Files of a folder that are not read` {
  private let folder: SampleFolder
  private let app: String

  init() throws {
    folder = try SampleFolder()
    app = folder.path + "/app"
    try Folder.make(app)
    try SampleDatabase(app + "/main.sqlite").run("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
  }

  private func write(_ path: String, _ bytes: [UInt8]) throws {
    try Folder.make(Folder.parentPath(of: app + "/" + path))
    try folder.write("app/" + path, bytes)
  }

  private func findings(ignoring patterns: [String] = []) throws -> [Finding] {
    let options = Source.Options(ignored: IgnoredFiles(patterns))
    return try Source(app, options: options, into: folder.path + "/private").store.findings
  }

  private func inspection(ignoring patterns: [String] = []) throws -> ContainerInspection {
    try SourceFinder(
      app,
      ignoring: IgnoredFiles(patterns),
      into: folder.path + "/private"
    ).inspection
  }

  /// Bytes that are spread as ciphertext is.
  private static let noise = (0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
  private static let lmdb = Array(repeating: UInt8(0), count: 16) + [0xDE, 0xC0, 0xEF, 0xBE]
  /// A header of Realm: no top node, and twice the format 25.
  private static let realm25 =
    Array(repeating: UInt8(0), count: 16) + Array("T-DB".utf8)
    + [25, 25, 0, 0]

  private static let databases: [(path: String, bytes: [UInt8], words: String, cure: String)] = [
    ("secret.db", noise, "may be an encrypted SQLite database", "sqlcipher"),
    ("vault", noise, "may be an encrypted SQLite database", "sqlcipher"),
    ("objectbox/data.mdb", lmdb, "an ObjectBox database", "write its objects to JSON"),
    ("cache/data.mdb", lmdb, "an LMDB database", "have the app export this one"),
    (
      "leveldb/CURRENT", Array("MANIFEST-000001\n".utf8), "LevelDB", "export the data at the server"
    ),
    ("old.storedata", Array("CoreData".utf8) + [0, 0], "Core Data binary", "on a Mac"),
    ("backup.ab", Array("ANDROID BACKUP\n5\n1\nnone\n".utf8), "an Android device", "abe unpack"),
    ("datastore/settings.preferences_pb", [0x0A, 0x03, 1, 2, 3], "DataStore", "to JSON"),
    ("files/datastore/user.pb", [0x0A, 0x03, 1, 2, 3], "DataStore", "to JSON"),
    ("databases/journal", [1, 2, 3], "named like a database", "keeps its data in"),
    ("list.db", Array("{ a = b; }".utf8), "a property list", "Library/Preferences"),
  ]

  @Test(arguments: databases)
  func `a database that is not read is named with its cure`(
    path: String,
    bytes: [UInt8],
    words: String,
    cure: String
  ) throws {
    try write(path, bytes)
    let found = try findings().filter { $0.code == "container.database-unread" }
    #expect(found.map(\.file) == [path])
    #expect(found.first?.cause.contains(words) == true, "\(found)")
    #expect(found.first?.cure.contains(cure) == true, "\(found)")
    #expect(found.first?.cure.contains("--ignore") == true, "\(found)")
  }

  @Test func `the name of the folder itself counts too`() throws {
    try Folder.make(folder.path + "/objectbox")
    try folder.write("objectbox/data.mdb", Self.lmdb)
    let finder = try SourceFinder(folder.path + "/objectbox", into: folder.path + "/private")
    #expect(finder.inspection.stores.map(\.kind) == [.objectBox])
  }

  @Test(arguments: databases)
  func `a database that a person knows is left out and counted`(
    path: String,
    bytes: [UInt8],
    words: String,
    cure: String
  ) throws {
    try write(path, bytes)
    let name = Folder.lastName(of: path)
    let found = try findings(ignoring: [name])
    #expect(!found.contains { $0.code == "container.database-unread" })
    let skipped = found.filter { $0.code == "container.skipped" && $0.file == name }
    #expect(skipped.first?.cause.contains("1 file is left out by --ignore") == true, "\(found)")
  }

  @Test func `a Realm file of format 25 is named with the formats that are read`() throws {
    try write("next.realm", Self.realm25)
    let found = try findings().filter { $0.code == "container.store-unread" }
    #expect(found.map(\.file) == ["next.realm"])
    #expect(found.first?.cause.contains("Realm's file format 25 is not read") == true, "\(found)")
    #expect(found.first?.cure.contains("formats 2 to 11") == true, "\(found)")
  }

  @Test func `a folder whose only store cannot be read is refused with its name and cure`() throws {
    try Folder.remove(app + "/main.sqlite")
    try write("next.realm", Self.realm25)
    let error = #expect(throws: StoreError.self) { try findings() }
    #expect(error?.description.contains("next.realm is not read") == true)
    #expect(error?.cure.contains("formats 2 to 11") == true, "\(error?.cure ?? "")")
  }

  @Test func `other files are listed by kind and number`() throws {
    for name in ["a.txt", "b.TXT", "c.html"] { try write("docs/\(name)", Array("hello".utf8)) }
    try write("README", Array("hello".utf8))
    try write("empty.bin", [])
    try write("one.jpg", [0xFF, 0xD8, 0xFF, 0xE0])
    try write("x.a b c", Array("hello".utf8))
    let others = try inspection().others
    #expect(
      others.map { "\($0.fileCount) \($0.kind), \($0.byteCount)" } == [
        "2 .txt, 10", "1 .html, 5", "1 JPEG, 4", "1 empty, 0", "1 with another extension, 5",
        "1 without an extension, 5",
      ]
    )
    let found = try findings().filter { $0.code == "container.files-other" }
    #expect(found.map(\.severity) == [.note])
    #expect(found.first?.cause.hasPrefix("7 files are no stores and not read: 2 .txt, ") == true)
  }

  @Test func `what lies beside a database is known`() throws {
    for name in ["main.sqlite-journal", "main.sqlite-shm", "main.sqlite.lck", ".DS_Store"] {
      try write(name, [])
    }
    try write("Thumbs.db", [1])
    try write("leveldb/CURRENT", Array("MANIFEST-000001\n".utf8))
    for name in ["LOCK", "LOG", "000003.log", "000005.ldb", "MANIFEST-000001"] {
      try write("leveldb/\(name)", [1])
    }
    let found = try inspection()
    #expect(found.stores.map(\.path) == ["leveldb/CURRENT", "main.sqlite"])
    #expect(found.others.isEmpty)
  }

  @Test func `a part of LevelDB without its index is named like a database`() throws {
    try write("leveldb/000005.ldb", [1])
    let unread = try inspection().stores.filter { $0.refusal != nil }
    #expect(unread.map(\.path) == ["leveldb/000005.ldb"])
  }

  @Test(arguments: [
    ("*.log", "a/b.log", true), ("*.log", "a/b.logs", false), ("b.log", "a/b.log", true),
    ("a/*.log", "a/b.log", true), ("a/*.log", "c/a/b.log", false), ("a", "x/a/b.log", true),
    ("a/", "a/b.log", true), ("./a/b.log", "a/b.log", true), ("?.log", "a/é.log", true),
    ("a/*/c", "a/b/c/d", true), ("", "a", false), ("/", "a", false), ("*", "a/b", true),
  ])
  func `a pattern means a name anywhere, or a path`(pattern: String, path: String, fits: Bool)
    throws
  {
    try write(path, [1])
    let kept = try inspection(ignoring: [pattern])
    #expect(kept.others.isEmpty == fits, "\(kept)")
  }

  @Test func `a store that a person knows is not opened`() throws {
    try write("broken.sqlite", Array("SQLite format 3\0".utf8) + Array(repeating: 7, count: 600))
    #expect(try findings().contains { $0.code == "container.store-unread" })
    #expect(try !findings(ignoring: ["broken.*"]).contains { $0.code == "container.store-unread" })
  }
}
