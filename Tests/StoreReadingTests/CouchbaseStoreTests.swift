import Files
import Foundation
import Records
import StoreFiles
import StoreReading
import TestSupport
import Testing
import StoreSamples

/// Databases of Couchbase Lite 2 and 3, whose collections are entities.
struct CouchbaseStoreTests {
  private static let dogs: [(String, [(FleeceWriter.Key, FleeceWriter.Value)])] = [
    ("dog-1", [(.number(0), .text("Rex")), (.number(2), .array([.integer(1), .text("a")]))]),
    ("dog-2", [(.number(0), .text("Ida")), (.text("weight"), .double(2.5))]),
  ]

  private static func fill(_ sample: CouchbaseSample, _ table: String = "kv_default") throws {
    for (id, members) in dogs { try sample.add(id, members, to: table) }
  }

  @Test(arguments: [CouchbaseSample.Layout.two, .three])
  func `a document is a row with its ID and its members`(layout: CouchbaseSample.Layout) throws {
    let sample = try CouchbaseSample(layout)
    try Self.fill(sample)
    let store = try sample.store()
    #expect(store.identity.kind == .couchbaseLite)
    let entity = try #require(store.model.entities.first)
    #expect(store.model.entities.map(\.name) == ["_default"])
    #expect(entity.attributes.map(\.name) == ["_id", "name", "tags", "weight"])
    #expect(entity.attributes.map(\.isOptional) == [false, false, true, true])
    #expect(entity.uniqueKeys == [["_id"]] && !entity.keysMayChange)
    #expect(try store.rowCount(of: "_default") == 2)
    #expect(
      try Rows.text(of: "_default", in: store)
        == ["dog-1, Rex, json [1,\"a\"], null", "dog-2, Ida, null, json 2.5"]
    )
  }

  @Test(arguments: [CouchbaseSample.Layout.two, .three])
  func `long texts and data are read in pieces`(layout: CouchbaseSample.Layout) throws {
    let text = String(repeating: "Zeile „eins“\n", count: 100_000)
    let bytes = (0..<3 << 19).map { UInt8(truncatingIfNeeded: $0 / 7) }
    // U+FDD0, which a literal may not have.
    let mark: [UInt8] = [0xEF, 0xB7, 0x90]
    let sample = try CouchbaseSample(layout)
    try sample.add(
      "a",
      [
        (.text("bytes"), .data(bytes)), (.text("malformed"), .rawText(bytes)),
        (.text("marked"), .rawText(mark)), (.text("text"), .text(text)),
      ],
      isWide: true
    )
    let names = ["bytes", "malformed", "marked", "text"]
    let reader = try sample.store().rows(
      RowRequest(entity: "_default", fields: names.map { .attribute(path: [$0]) })
    )
    #expect(try reader.next())
    for cell in reader.row.cells.prefix(2) {
      let json = try #require(cell.large?.json)
      #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"$base64":""}"#)
      #expect(
        json.texts.map { $0.value.bytes() } == [Array(Data(bytes).base64EncodedString().utf8)]
      )
    }
    #expect(reader.row.cells[2].large?.bytes() == mark)
    #expect(reader.row.cells[3].large?.bytes() == Array(text.utf8))
  }

  @Test func `a text that many values lead to is held a few times only`() throws {
    let text = String(repeating: "n", count: 100_000)
    let sample = try CouchbaseSample()
    let texts = FleeceWriter.Value.array(Array(repeating: .text(text), count: 100), isWide: true)
    try sample.add("a", [(.text("texts"), texts)], isWide: true)
    let reader = try sample.store().rows(
      RowRequest(entity: "_default", fields: [.attribute(path: ["texts"])])
    )
    #expect(try reader.next())
    // Of 21 texts that are held, the last one makes it 2 MiB.
    let long = try #require(reader.row.cells[0].large?.json?.texts)
    #expect(long.count == 100 - 21)
    #expect(long.allSatisfy { $0.value.bytes() == Array(text.utf8) })
  }

  @Test func `a long document of a table in which SQLite opens no value is read`() throws {
    let text = String(repeating: "n", count: 2 << 20)
    let sample = try CouchbaseSample()
    try sample.add("a", [(.text("text"), .text(text))], isWide: true)
    try sample.run("ALTER TABLE kv_default ADD COLUMN computed AS (1)")
    let reader = try sample.store().rows(
      RowRequest(entity: "_default", fields: [.attribute(path: ["text"])])
    )
    #expect(try reader.next())
    #expect(reader.row.cells[0].large?.bytes() == Array(text.utf8))
  }

  @Test func `the kinds of attributes are those of all values`() throws {
    let sample = try CouchbaseSample()
    try sample.add(
      "a",
      [
        (.text("whole"), .integer(1)), (.text("number"), .integer(1)),
        (.text("flag"), .boolean(true)),
        (.text("text"), .text("x")), (.text("mixed"), .text("x")),
        (.text("large"), .unsigned(.max)),
      ]
    )
    try sample.add(
      "b",
      [
        (.text("whole"), .integer(1 << 40)), (.text("number"), .double(0.5)),
        (.text("flag"), .boolean(false)), (.text("text"), .text("")), (.text("mixed"), .integer(1)),
        (.text("large"), .integer(0)),
      ]
    )
    let store = try sample.store()
    let attributes = try #require(store.model.entity(named: "_default")).attributes
    let kinds = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0.kind) })
    let anyKind = StoreAttribute.Kind.transformable(transformer: nil, valueClass: nil)
    #expect(
      kinds == [
        "_id": .string, "whole": .integer64, "number": .double, "flag": .boolean, "text": .string,
        "mixed": anyKind, "large": .double,
      ]
    )
  }

  @Test func `values that JSON lacks are tagged`() throws {
    let sample = try CouchbaseSample()
    try sample.add(
      "a",
      [
        (.text("data"), .data([0, 1, 2])), (.text("nan"), .double(.nan)),
        (.text("low"), .float(-.infinity)), (.text("bytes"), .rawText([0xFF])),
        (.text("large"), .unsigned(.max)),
      ]
    )
    let fields = ["data", "nan", "low", "bytes", "large"].map {
      FieldRequest.attribute(path: [$0])
    }
    let row = try Rows.text(of: "_default", fields, in: try sample.store())
    #expect(
      row == [
        "json {\"$base64\":\"AAEC\"}, json {\"$real\":\"NaN\"}, json {\"$real\":\"-Infinity\"}, "
          + "json {\"$base64\":\"/w==\"}, json 18446744073709551615"
      ]
    )
  }

  @Test func `each collection is an entity, and the empty default one is another table`() throws {
    let tables = ["kv_default", "kv_.people", "kv_.inventory.\\Chairs", "kv_.empty"]
    let sample = try CouchbaseSample(collections: tables)
    try sample.add("p", [(.number(0), .text("Ada"))], to: "kv_.people")
    try sample.add("c", [(.text("legs"), .integer(4))], to: "kv_.inventory.\\Chairs")
    try sample.run("CREATE TABLE \"kv_.people:unnest:x\" (docid INTEGER, i INTEGER, body BLOB)")
    let store = try sample.store()
    #expect(store.model.entities.map(\.name) == ["empty", "inventory.Chairs", "people"])
    #expect(try Rows.text(of: "inventory.Chairs", in: store) == ["c, 4"])
    #expect(try Rows.text(of: "people", in: store) == ["p, Ada"])
    #expect(try store.rowCount(of: "empty") == 0)
    #expect(store.otherTables == ["kv_.people:unnest:x", "kv_default", "kv_info", "kvmeta"])
  }

  @Test func `a database without documents has the default collection`() throws {
    let store = try CouchbaseSample().store()
    #expect(store.model.entities.map(\.name) == ["_default"])
    #expect(store.model.entities.first?.attributes.map(\.name) == ["_id"])
  }

  @Test func `deleted documents are left out and counted`() throws {
    let sample = try CouchbaseSample(collections: ["kv_default", "kv_del_default"])
    try Self.fill(sample)
    try sample.add("gone-1", [], flags: 1)
    try sample.add("gone-2", [], flags: 0x10001)
    try sample.insert("gone-3", [0xFF, 0xFF], flags: 1, into: "kv_del_default")
    let store = try sample.store()
    #expect(try store.rowCount(of: "_default") == 2)
    let finding = try #require(store.findings.first { $0.code == "couchbase.documents-deleted" })
    #expect(finding.cause.contains("deleted 3 documents") && finding.severity == .note)
    #expect(store.otherTables.contains("kv_del_default"))
  }

  @Test func `conflicts and times of expiration are findings`() throws {
    let sample = try CouchbaseSample()
    try Self.fill(sample)
    try sample.run("UPDATE kv_default SET flags = 2 WHERE key = 'dog-1'")
    try sample.run("UPDATE kv_default SET expiration = 1800000000000 WHERE key = 'dog-2'")
    let store = try sample.store()
    #expect(
      store.findings.filter { $0.code.hasPrefix("couchbase.") }.map(\.code)
        == ["couchbase.documents-conflicted", "couchbase.documents-expiring"]
    )
    #expect(try store.rowCount(of: "_default") == 2)
  }

  @Test func `the store is known by its UUID, and a document by its ID`() throws {
    let sample = try CouchbaseSample()
    try Self.fill(sample)
    let store = try sample.store()
    #expect(store.identity.uuid == CouchbaseSample.uuid && store.identity.isUnique)
    #expect(
      try Rows.text(of: "_default", [.objectURI], in: store)
        == ["couchbase:_default/dog-1", "couchbase:_default/dog-2"]
    )
    let request = RowRequest(entity: "_default", fields: [.objectURI], after: 1)
    let reader = try store.rows(request)
    #expect(try reader.next())
    #expect(reader.row.place == 2)
    #expect(try !reader.next())
  }

  @Test func `a database without a UUID is known by its collections`() throws {
    let sample = try CouchbaseSample()
    try sample.run("DELETE FROM kv_info WHERE key = 'publicUUID'")
    let identity = try sample.store().identity
    #expect(identity.uuid.count == 64 && !identity.isUnique)
  }

  @Test func `a member that is called as the ID is gets another name`() throws {
    let sample = try CouchbaseSample()
    try sample.add("a", [(.text("_id"), .text("own"))])
    let store = try sample.store()
    #expect(try Rows.text(of: "_default", in: store) == ["a, own"])
    let names = store.model.entities.first?.attributes.map(\.name)
    #expect(names == ["_id", "_id_"])
    #expect(store.findings.map(\.code) == ["store.column-renamed"])
  }

  @Test func `the database itself and a folder around it are read as well`() throws {
    let sample = try CouchbaseSample()
    try Self.fill(sample)
    let file = try Source(sample.databasePath, into: sample.folder.path + "/one").store
    #expect(file.identity.kind == .couchbaseLite)
    let app = try CouchbaseSample()
    try Self.fill(app)
    let container = try Source(app.folder.path, into: app.folder.path + "-private")
    #expect(container.store.identity.kind == .container)
    #expect(try container.store.rowCount(of: "_default") == 2)
    try Folder.remove(app.folder.path + "-private")
  }

  @Test func `a document that was not upgraded since release 2 is read in release 3`() throws {
    let sample = try CouchbaseSample()
    try Self.fill(sample)
    let old = FleeceWriter.bytes(.dictionary([(.number(0), .text("Old"))]))
    try sample.insert("dog-0", FleeceWriter.revisions([old]), into: "kv_default")
    let store = try sample.store()
    let names = try Rows.text(of: "_default", [.attribute(path: ["name"])], in: store)
    #expect(names == ["Rex", "Ida", "Old"])
  }
}

/// Blobs, whose content is in files beside the database.
struct CouchbaseBlobTests {
  private static let digest = "hKGp/2hGB/2TaFnbXgUWvMeVhVA="
  private static let fileName = "hKGp_2hGB_2TaFnbXgUWvMeVhVA=.blob"

  @Test func `a blob has an attribute with the name of its file`() throws {
    let sample = try CouchbaseSample()
    try sample.add("a", [(.text("photo"), CouchbaseSample.blob(Self.digest))])
    try sample.attach(Self.fileName)
    let store = try sample.store()
    let fields = [FieldRequest.attribute(path: ["photo_file"])]
    #expect(try Rows.text(of: "_default", fields, in: store) == [Self.fileName])
    #expect(store.findings.isEmpty)
    let photo = try Rows.text(of: "_default", [.attribute(path: ["photo"])], in: store)
    #expect(photo.first?.contains("\"digest\":\"sha1-\(Self.digest)\"") == true)
  }

  @Test func `an attachment of release 1 has one too`() throws {
    let sample = try CouchbaseSample()
    let old: FleeceWriter.Value = .dictionary([(.text("digest"), .text("sha1-" + Self.digest))])
    try sample.add("a", [(.text("_attachments"), .dictionary([(.text("avatar"), old)]))])
    try sample.attach(Self.fileName)
    let fields = [FieldRequest.attribute(path: ["_attachments_avatar_file"])]
    #expect(try Rows.text(of: "_default", fields, in: try sample.store()) == [Self.fileName])
  }

  @Test func `a file that is missing is named`() throws {
    let sample = try CouchbaseSample()
    try sample.add("a", [(.text("photo"), CouchbaseSample.blob(Self.digest))])
    try sample.attach("other.blob")
    let finding = try #require(try sample.store().findings.first)
    #expect(finding.code == "couchbase.files-missing" && finding.severity == .warning)
    #expect(finding.cause.contains(Self.fileName))
  }

  @Test func `a folder of files that is missing is a finding`() throws {
    let sample = try CouchbaseSample()
    try sample.add("a", [(.text("photo"), CouchbaseSample.blob(Self.digest))])
    #expect(try sample.store().findings.map(\.code) == ["couchbase.attachments-missing"])
  }

  @Test func `blobs in an array are counted`() throws {
    let sample = try CouchbaseSample()
    let blob = CouchbaseSample.blob(Self.digest)
    try sample.add("a", [(.text("photos"), .array([blob, blob]))])
    try sample.attach(Self.fileName)
    let store = try sample.store()
    #expect(store.findings.map(\.code) == ["couchbase.blobs-in-lists"])
    #expect(store.findings.first?.cause.hasPrefix("2 blobs") == true)
    #expect(store.model.entities.first?.attributes.map(\.name) == ["_id", "photos"])
  }

  @Test func `an array of too many items to be held has all of them, and its blobs are counted`()
    throws
  {
    let sample = try CouchbaseSample()
    let items: [FleeceWriter.Value] = (0..<40_000).map { .integer($0) }
    let last: [FleeceWriter.Value] = [
      .dictionary([(.text("b"), .text("é")), (.text("a"), .double(0.5))]),
      CouchbaseSample.blob(Self.digest),
    ]
    try sample.add("a", [(.text("list"), .array(items + last, isWide: true))], isWide: true)
    try sample.attach(Self.fileName)
    let store = try sample.store()
    #expect(store.findings.map(\.code) == ["couchbase.blobs-in-lists"])
    #expect(store.findings.first?.cause.hasPrefix("1 blob") == true)
    let reader = try store.rows(
      RowRequest(entity: "_default", fields: [.attribute(path: ["list"])])
    )
    #expect(try reader.next())
    guard case .json(let json) = reader.row.cells[0] else {
      Issue.record("the list is not JSON")
      return
    }
    let numbers = (0..<40_000).map(String.init).joined(separator: ",")
    #expect(
      String(decoding: json, as: UTF8.self)
        == "[\(numbers),{\"a\":0.5,\"b\":\"é\"},{\"@type\":\"blob\","
        + "\"content_type\":\"image/png\",\"digest\":\"sha1-\(Self.digest)\",\"length\":3}]"
    )
  }

  @Test(arguments: ["../../../etc/passwd", "short=", "hKGp/2hGB/2TaFnbXgUWvMeVhV\u{E9}="])
  func `a malformed digest names no file`(digest: String) throws {
    let sample = try CouchbaseSample()
    try sample.add("a", [(.text("photo"), CouchbaseSample.blob(digest))])
    let names = try sample.store().model.entities.first?.attributes.map(\.name)
    #expect(names == ["_id", "photo"])
  }
}

/// Databases of Couchbase Lite that are damaged, encrypted or of another release.
struct CouchbaseRefusalTests {
  private static func error(_ sample: CouchbaseSample) -> StoreError? {
    do {
      _ = try sample.store()
      return nil
    } catch let error as StoreError {
      return error
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  @Test(
    arguments: [
      [0xFF], [0x30, 0x00], [0x60, 0x00], [], [0, 0, 0, 0],
      [0x70, 0x01, 0x41, 0x61, 0x80, 0x02, 0x80, 0x03],
      [0, 0, 0, 200, 0xFF, 0xFF, 0x82, 1, 1, 1, 0x70, 0],
    ] as [[UInt8]]
  )
  func `a document that cannot be read refuses the database by its ID`(body: [UInt8]) throws {
    let sample = try CouchbaseSample()
    try sample.add("whole", [(.number(0), .text("Rex"))])
    try sample.insert("broken", body, into: "kv_default")
    guard case .damaged(_, "1 document", let details) = Self.error(sample) else {
      Issue.record("\(String(describing: Self.error(sample)))")
      return
    }
    #expect(details.contains("the document “broken” of _default: "))
    let options = Source.Options(readsDamaged: true)
    let store = try sample.store(options)
    #expect(try Rows.text(of: "_default", in: store) == ["whole, Rex"])
    #expect(store.findings.map(\.code) == ["store.damaged-rows"])
  }

  @Test func `a shared key that the database lacks refuses the document`() throws {
    let sample = try CouchbaseSample()
    try sample.add("a", [(.number(3), .null)])
    #expect(Self.error(sample)?.description.contains("the shared key 3") == true)
  }

  @Test
  func `a name that reads like the place of a long text refuses the document for how it begins`()
    throws
  {
    let digest = String(repeating: "ab", count: 32)
    // U+FDD0, which a literal may not have.
    let name = [0xEF, 0xB7, 0x90] + Array("text of 52428800 bytes, SHA-256 \(digest)".utf8)
    let sample = try CouchbaseSample()
    try sample.add("a", [(.text(String(decoding: name, as: UTF8.self)), .null)])
    let reason = try #require(Self.error(sample)?.description)
    #expect(reason.contains("a name begins with U+FDD0"), "\(reason)")
  }

  @Test func `a list of shared keys that is no list refuses the database`() throws {
    let sample = try CouchbaseSample()
    try sample.run("UPDATE kv_info SET body = x'3000' WHERE key = 'SharedKeys'")
    guard case .damaged(_, "the list of shared keys", _) = Self.error(sample) else {
      Issue.record("\(String(describing: Self.error(sample)))")
      return
    }
  }

  @Test func `a document whose ID is no text is refused`() throws {
    let sample = try CouchbaseSample()
    try sample.run("INSERT INTO kv_default (key, body) VALUES (NULL, x'7000')")
    #expect(Self.error(sample)?.description.contains("its ID is no text") == true)
  }

  @Test func `a database of release 1 is refused by name`() throws {
    let folder = try SampleFolder()
    let path = folder.path + "/old.cblite"
    try SampleDatabase(path).run(
      """
      CREATE TABLE docs (doc_id INTEGER PRIMARY KEY, docid TEXT UNIQUE NOT NULL);
      CREATE TABLE revs (sequence INTEGER PRIMARY KEY, doc_id INTEGER, revid TEXT, current BOOLEAN, json BLOB);
      """
    )
    let error = #expect(throws: StoreError.self) {
      try Source(path, into: folder.path + "/private")
    }
    #expect(error?.description.contains("a database of Couchbase Lite 1") == true)
    #expect(error?.cure.contains("Couchbase Lite 2, which upgrades it") == true)
  }

  @Test func `a folder of release 1 in ForestDB is refused by name`() throws {
    let folder = try SampleFolder()
    try Folder.make(folder.path + "/old.cblite2")
    try folder.write("old.cblite2/db.forest.0", [1])
    let error = #expect(throws: StoreError.self) {
      try Source(folder.path + "/old.cblite2", into: folder.path + "/private")
    }
    #expect(error?.description.contains("Couchbase Lite 1 in ForestDB") == true)
  }

  @Test func `an encrypted database is refused by name`() throws {
    let folder = try SampleFolder()
    try Folder.make(folder.path + "/app.cblite2")
    var state: UInt64 = 88_172_645_463_325_252
    let noise = (0..<8192).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
    try folder.write("app.cblite2/db.sqlite3", noise)
    let path = folder.path + "/app.cblite2/db.sqlite3"
    #expect(throws: StoreError.unsupported(path: path, kind: .couchbaseEncrypted)) {
      try Source(folder.path + "/app.cblite2", into: folder.path + "/private")
    }
    #expect(SourceKind.couchbaseEncrypted.cure.contains("changeEncryptionKey"))
  }

  @Test func `tables of those names in another database are tables`() throws {
    let folder = try SampleFolder()
    let path = folder.path + "/other.sqlite"
    try SampleDatabase(path).run(
      "CREATE TABLE kv_default (key TEXT, value BLOB); CREATE TABLE kv_info (key TEXT, value BLOB)"
    )
    let store = try Source(path, into: folder.path + "/private").store
    #expect(store.identity.kind == .sqlite)
  }

  @Test func `documents that grow beyond all measure are refused`() throws {
    let sample = try CouchbaseSample()
    // Each array leads to the one before twice.
    var bytes: [UInt8] = [0x60, 0x01, 0x30, 0x00]
    for place in 0..<60 {
      bytes += [0x60, 0x02] + (place == 0 ? [0x80, 0x03, 0x80, 0x04] : [0x80, 0x04, 0x80, 0x05])
    }
    bytes += [0x70, 0x01, 0x41, 0x61, 0x80, 0x05, 0x80, 0x03]
    try sample.insert("bomb", bytes, into: "kv_default")
    #expect(Self.error(sample)?.description.contains("it is too large") == true)
  }

  @Test func `the source is as it was after reading`() throws {
    let sample = try CouchbaseSample()
    try sample.add("a", [(.number(0), .text("Rex"))])
    let before = try InputFile.contents(of: sample.databasePath)
    let source = try sample.source()
    _ = try Rows.text(of: "_default", in: source.store)
    #expect(try InputFile.contents(of: sample.databasePath) == before)
    #expect(try source.differences().isEmpty)
    #expect(try Folder.names(in: sample.path) == ["db.sqlite3"])
  }
}
