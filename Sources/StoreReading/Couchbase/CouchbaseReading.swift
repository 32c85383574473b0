import CSQLite
import CouchbaseDocuments
import Files
import JSONText
import Records
import SQLiteStores
import StoreFiles

/// One pass over the documents of a database, which puts them into a private one.
struct CouchbaseReading {
  /// What was counted in one collection.
  struct Tally {
    var deletedCount: Int64 = 0
    var conflictedCount = 0
    var expiringCount = 0
    /// Blobs that no column of a file's name is for.
    var nestedBlobCount = 0
  }

  /// The number of each collection's table, and what was counted in it.
  private(set) var tallies: [(table: Int, tally: Tally)] = []
  /// Documents that cannot be read: all of them counted, and the first ones with the reason.
  private(set) var faults: (count: Int, named: [String]) = (0, [])
  /// The collections without a document beside which others are read.
  private(set) var emptyTables: [String] = []
  private(set) var blobs: CouchbaseBlobTally

  private let database: Database
  /// Closed by its owner at the end of the pass: what was counted is kept for longer.
  private unowned let rows: FileRows
  private let reader: FleeceReader
  /// The bytes of JSON that may yet be written.
  private var bytesLeft: Int64

  /// The name of the attribute that holds a document's ID.
  static let keyName: JSONName = "_id"
  private static let mostNamedFaults = 20
  /// An array with more items is read one item at a time.
  private static let mostItems = 1 << 15
  /// So many times the bytes of the file its documents may have as JSON, and a GiB.
  private static let largestGrowth: Int64 = 64
  private static let deletedFlag: Int64 = 1
  private static let conflictedFlag: Int64 = 2

  /// Reads the list of shared keys.
  ///
  /// - Parameters:
  ///   - opening: The database, opened and checked.
  ///   - rows: Takes the documents.
  /// - Throws: `StoreError.damaged(path:place:details:)` where the list cannot be read.
  init(_ opening: DatabaseOpening, into rows: FileRows) throws(StoreError) {
    database = opening.database
    self.rows = rows
    try database.readInOrder()
    let keys = try Self.information("SharedKeys", in: database)
    do throws(FleeceError) {
      reader = FleeceReader(
        sharedKeys: try keys.map(FleeceReader.sharedKeys) ?? [],
        holding: LargeValue.mostHeld(beside:),
        mostItems: Self.mostItems
      )
    } catch {
      throw .damaged(path: database.name, place: "the list of shared keys", details: "\(error)")
    }
    bytesLeft = 1 << 30 + Self.largestGrowth * opening.copy.byteCount
    blobs = CouchbaseBlobTally(
      files: try CouchbaseFolder.attachments(besideDatabase: opening.copy.sourcePath)
    )
  }

  /// The bytes that the database keeps under a name of its own.
  static func information(_ name: String, in database: Database) throws(StoreError) -> [UInt8]? {
    let found = try database.statement(
      "SELECT CASE WHEN length(body) <= \(JSONStream.longestValue) THEN body END "
        + "FROM kv_info NOT INDEXED WHERE key = '\(name)'",
      purpose: "read what the database knows of itself"
    )
    return try found.step() ? found.bytes(0) : nil
  }

  /// Reads each collection; one without documents counts only where no other is.
  mutating func run(_ collections: [CouchbaseSchema.Collection]) throws(StoreError) {
    for collection in collections {
      if collections.count > 1, collection.name == CouchbaseSchema.defaultCollection,
        try database.rowCount(of: collection.table) == 0
      {
        emptyTables.append(collection.table)
        continue
      }
      guard let table = rows.addTable(named: collection.name) else { continue }
      rows.addColumn(Self.keyName, to: table)
      try read(collection, into: table)
    }
  }

  private mutating func read(
    _ collection: CouchbaseSchema.Collection,
    into table: Int
  ) throws(StoreError) {
    var tally = Tally()
    let body = "CASE WHEN length(body) <= \(LargeValue.mostHeld) THEN body END"
    let statement = try database.statement(
      "SELECT key, flags, length(body), \(body), "
        + (collection.hasExpiration ? "expiration" : "NULL") + ", rowid"
        + " FROM \(quoted(collection.table)) NOT INDEXED ORDER BY rowid",
      purpose: "read the documents of \(collection.name)"
    )
    while try statement.step() {
      let flags = statement.integer(1)
      guard flags & Self.deletedFlag == 0 else {
        tally.deletedCount += 1
        continue
      }
      if flags & Self.conflictedFlag != 0 { tally.conflictedCount += 1 }
      if !statement.isNull(4) { tally.expiringCount += 1 }
      if let reason = try add(statement, of: collection, to: table, &tally) {
        fail(statement, collection, reason)
      }
    }
    if let deleted = collection.deletedTable {
      tally.deletedCount += Int64(try database.rowCount(of: deleted))
    }
    tallies.append((table, tally))
  }

  private mutating func fail(
    _ statement: Statement,
    _ collection: CouchbaseSchema.Collection,
    _ reason: String
  ) {
    faults.count += 1
    guard faults.named.count < Self.mostNamedFaults else { return }
    let key = statement.string(0).map { "the document “\($0.prefix(80))”" } ?? "a document"
    faults.named.append("\(key) of \(collection.name): \(reason)")
  }

  /// Adds the document at hand; gives what is wrong with it.
  private mutating func add(
    _ statement: Statement,
    of collection: CouchbaseSchema.Collection,
    to table: Int,
    _ tally: inout Tally
  ) throws(StoreError) -> String? {
    guard statement.type(0) == SQLITE_TEXT, let bytes = statement.bytes(0),
      let id = String(validating: bytes, as: UTF8.self)
    else { return "its ID is no text in UTF-8" }
    guard statement.integer(2) <= Row.largestValue else {
      return "it has more than \(Row.largestValue >> 20) MiB"
    }
    var large: LargeValue?
    var held = statement.bytes(3)
    if statement.integer(2) > LargeValue.mostHeld {
      large = database.openValue(
        table: collection.table,
        column: "body",
        row: statement.integer(5),
        isText: false
      )
      if large == nil { held = try self.body(inRow: statement.integer(5), of: collection) }
    }
    let found: Content
    do throws(UnreadableDocument) {
      let body = large.map(DocumentBytes.init) ?? DocumentBytes(held ?? [])
      found = try read(try content(of: body))
    } catch {
      if let failure = large?.failure as? StoreError { throw failure }
      return error.reason
    }
    if let failure = large?.failure as? StoreError { throw failure }
    try spend(Int64(found.json.count) + found.longCount)
    var texts: [(name: JSONName, text: String)] = [(Self.keyName, id)]
    texts += fileNames(of: found.blobs, table, &tally)
    try rows.add(found.members, of: found.json, beside: texts, to: table)
    return nil
  }

  /// The whole body of a document that SQLite does not open to be read in pieces.
  private func body(
    inRow row: Int64,
    of collection: CouchbaseSchema.Collection
  ) throws(StoreError) -> [UInt8]? {
    let statement = try database.statement(
      "SELECT body FROM \(quoted(collection.table)) NOT INDEXED WHERE rowid = ?1",
      purpose: "read the documents of \(collection.name)"
    )
    statement.bind(row, at: 1)
    return try statement.step() ? statement.bytes(0) : nil
  }

  /// The Fleece of a document.
  private func content(of body: DocumentBytes) throws(UnreadableDocument) -> DocumentBytes {
    try UnreadableDocument.reading { () throws(FleeceError) in
      if let fleece = try DocumentBody.current(body), fleece.count > 0 { return fleece }
      throw .damaged(offset: 0, cause: "it has no content")
    }
  }

  /// The members of a document.
  private func members(of content: DocumentBytes) throws(UnreadableDocument) -> [FleeceMember] {
    try UnreadableDocument.reading { () throws(FleeceError) in
      guard case .dictionary(let members) = try reader.value(of: content) else {
        throw .damaged(offset: 0, cause: "it is no dictionary")
      }
      return members
    }
  }

  /// What is taken from a document, whose values are held only until it is there.
  private struct Content {
    /// The values of its members, one behind the other, and where each is.
    let json: [UInt8]
    let members: [FileRows.Member]
    /// How many bytes the long texts have that are not in the JSON.
    let longCount: Int64
    let blobs: [FoundBlob]
  }

  private typealias FoundBlob = (blob: CouchbaseBlob, path: CouchbaseBlob.Path?)

  /// Writes the members of a document as JSON, and finds the blobs that it names.
  private func read(_ content: DocumentBytes) throws(UnreadableDocument) -> Content {
    var json = FleeceJSON(content, of: reader, rows.texts)
    var members: [FileRows.Member] = []
    var blobs: [FoundBlob] = []
    // The document itself is no blob, whatever its members are.
    for member in try self.members(of: content) {
      let name = JSONName(bytes: Array(member.name.utf8))
      if let fault = TextFault.of(wholeName: name.bytes) { throw UnreadableDocument(reason: fault) }
      members.append((name, try json.write(part: member.value)))
      guard json.writer.count <= JSONStream.longestValue else {
        throw UnreadableDocument(
          reason: "it has more than \(JSONStream.longestValue >> 20) MiB as JSON"
        )
      }
      try UnreadableDocument.reading { () throws(FleeceError) in
        try CouchbaseBlob.forEach(in: member.value, of: reader, content, at: [member.name]) {
          blobs.append(($0, $1))
        }
      }
    }
    let longCount = json.longCount
    return Content(json: json.finished(), members: members, longCount: longCount, blobs: blobs)
  }

  /// Takes the bytes of a document from those that all may have together.
  private mutating func spend(_ count: Int64) throws(StoreError) {
    bytesLeft -= count
    guard bytesLeft >= 0 else {
      throw .damaged(
        path: database.name,
        place: "the documents",
        details: "they repeat values so often that as JSON they have many times the file's bytes"
      )
    }
  }

  // MARK: - Blobs

  /// An attribute for each of so many places at most; attachments may have any names.
  private static let mostFileColumns = 200

  /// The names of the files of a document, each with that of its attribute.
  private mutating func fileNames(
    of found: [FoundBlob],
    _ table: Int,
    _ tally: inout Tally
  ) -> [(name: JSONName, text: String)] {
    var texts: [(name: JSONName, text: String)] = []
    for (blob, path) in found {
      blobs.add(blob)
      let name = path.map { JSONName(bytes: Array(($0.joined(separator: "_") + "_file").utf8)) }
      if let name, !texts.contains(where: { $0.name == name }),
        rows.canAdd(name, to: table, limit: Self.mostFileColumns + 1)
      {
        texts.append((name, blob.fileName))
      } else {
        tally.nestedBlobCount += 1
      }
    }
    return texts
  }
}

extension DocumentBytes {
  /// Bytes that are lent.
  fileprivate convenience init(_ value: LargeValue) {
    unsafe self.init(count: value.count) { buffer, offset in
      unsafe value.read(at: offset, into: buffer)
    }
  }
}

/// The blobs of a database, held against the files that are beside it.
struct CouchbaseBlobTally {
  /// The names of the files, or `nil` where their folder is not beside the database.
  let files: Set<String>?
  private(set) var count = 0
  private(set) var missing: Set<String> = []

  /// Names of missing files beyond so many are counted no more.
  private static let mostMissing = 100_000

  init(files: Set<String>?) { self.files = files }

  mutating func add(_ blob: CouchbaseBlob) {
    count += 1
    guard let files, !files.contains(blob.fileName) else { return }
    if missing.count < Self.mostMissing { missing.insert(blob.fileName) }
  }
}
