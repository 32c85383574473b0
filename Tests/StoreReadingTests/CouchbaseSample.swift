import Files
import StoreFiles
import StoreReading
import TestSupport
import StoreSamples

/// A database of Couchbase Lite, made as its authors describe the format; no file of theirs is read.
///
/// https://github.com/couchbase/couchbase-lite-core/blob/master/docs/overview/Schema.md
struct CouchbaseSample {
  /// What distinguishes the releases.
  enum Layout {
    /// Releases 2.x: a body has all revisions.
    case two
    /// Releases from 3.0 on: a body is Fleece.
    case three
  }

  static let sharedKeys = ["name", "born", "tags"]
  static let uuid = "01234567-89AB-4CDE-8011-223344556677"

  let folder: SampleFolder
  let layout: Layout

  var path: String { folder.path + "/app.cblite2" }
  var databasePath: String { path + "/db.sqlite3" }

  init(_ layout: Layout = .three, collections: [String] = ["kv_default"]) throws {
    folder = try SampleFolder()
    self.layout = layout
    try Folder.make(path)
    try run("CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER) WITHOUT ROWID")
    for table in collections + ["kv_info"] { try addTable(table) }
    try insert("SharedKeys", FleeceWriter.sharedKeys(Self.sharedKeys), into: "kv_info")
    try insert(
      "publicUUID",
      [
        0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0x4C, 0xDE, 0x80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
        0x77,
      ],
      into: "kv_info"
    )
  }

  func run(_ sql: String) throws { try SampleDatabase(databasePath).run(sql) }

  func addTable(_ name: String) throws {
    let columns =
      "key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB"
    let more = layout == .three ? ", expiration INTEGER, extra BLOB" : ""
    try run("CREATE TABLE \"\(name)\" (\(columns)\(more))")
  }

  /// Adds a row with these bytes as its body.
  func insert(_ key: String, _ body: [UInt8], flags: Int = 0, into table: String) throws {
    try SampleDatabase(databasePath).run(
      "INSERT INTO \"\(table)\" (key, sequence, flags, version, body) VALUES ('\(key)', 1, \(flags), "
        + "x'01ABCD', ?)",
      blob: body
    )
  }

  /// Adds a document in the form of the layout; the values of a wide one may lie more than 32 KiB apart.
  func add(
    _ id: String,
    _ members: [(FleeceWriter.Key, FleeceWriter.Value)],
    flags: Int = 0,
    isWide: Bool = false,
    to table: String = "kv_default"
  ) throws {
    let fleece = FleeceWriter.bytes(.dictionary(members, isWide: isWide))
    let body =
      switch layout {
      case .two: FleeceWriter.revisions([fleece, FleeceWriter.bytes(.dictionary([]))])
      case .three: fleece
      }
    try insert(id, body, flags: flags, into: table)
  }

  /// Puts a file of this name into `Attachments`.
  func attach(_ fileName: String) throws {
    try Folder.make(path + "/Attachments")
    try folder.write("app.cblite2/Attachments/\(fileName)", [1, 2, 3])
  }

  /// The value of a blob with this digest.
  static func blob(_ digest: String) -> FleeceWriter.Value {
    .dictionary([
      (.text("@type"), .text("blob")), (.text("content_type"), .text("image/png")),
      (.text("digest"), .text("sha1-" + digest)), (.text("length"), .integer(3)),
    ])
  }

  func source(_ options: Source.Options = Source.Options()) throws -> Source {
    let number = UInt32.random(in: 0...(.max))
    return try Source(path, options: options, into: folder.path + "/private-\(number)")
  }

  func store(_ options: Source.Options = Source.Options()) throws -> any Store {
    try source(options).store
  }
}
