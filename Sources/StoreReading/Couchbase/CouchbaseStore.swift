import Files
package import Records
import SQLiteStores
package import StoreFiles
import TextCodecs

/// A database of Couchbase Lite 2 or 3: its collections are the entities.
///
/// | in the database | becomes |
/// |---|---|
/// | a collection | an entity of its name, in another scope than `_default` `scope.name` |
/// | a document | a row; its ID is the attribute `_id`, a unique key |
/// | a member of documents | an attribute, of the kind that all its values have, else a transformable, lent as JSON |
/// | a blob | JSON, and an attribute `MEMBER_file` with the name of its file in `Attachments` |
/// | a deleted document | nothing: a finding has their number |
/// | revisions other than the current one, sequences, times of expiration | nothing |
/// | all other tables | other tables: they are not read |
///
/// The documents are decoded once, into a private database, so that memory does not grow with them. Rows
/// come in the order of the database, and their place is their number, counted from one. A row's address is
/// `couchbase:<entity>/<ID>`.
///
/// The store's name is the UUID that the database has for itself; without one it is a digest of the names of
/// its collections.
package final class CouchbaseStore: Store {
  package let identity: StoreIdentity
  package let model: StoreModel
  package let otherTables: [String]
  package let findings: [Finding]

  private let held: HeldRows
  private let rowCounts: [Int]

  /// Reads a database that was opened and checked; the private one lies beside its copy.
  ///
  /// - Throws: `StoreError.damaged(path:place:details:)` for documents that cannot be read, unless what is
  ///   damaged is read.
  init(_ opening: DatabaseOpening, _ schema: CouchbaseSchema) throws(StoreError) {
    let path = opening.database.name
    let scratchPath = opening.copy.path + ".rows.sqlite"
    try mapping { () throws(FileError) in try Folder.remove(scratchPath) }
    let (reading, rows) = try Self.read(opening, schema, scratchPath)
    if reading.faults.count > 0, !opening.readsDamaged {
      throw .damaged(
        path: path,
        place: "\(reading.faults.count) \(reading.faults.count == 1 ? "document" : "documents")",
        details: Self.words(reading.faults)
      )
    }
    let entities = rows.tables.map(Self.entity)
    model = StoreModel(origin: .store, entities: entities.sorted { $0.name < $1.name })
    rowCounts = rows.tables.map(\.rowCount)
    otherTables = (schema.otherTables + reading.emptyTables).sorted()
    identity = StoreIdentity(
      kind: .couchbaseLite,
      uuid: try Self.name(of: opening.database, schema)
    )
    findings =
      opening.findings + rows.findings + CouchbaseFindings(reading, rows.tables).all
      + (reading.faults.count > 0 ? [Self.damage(reading.faults)] : [])
    held = HeldRows(
      sourcePath: path,
      database: try HeldRows.open(scratchPath, of: path),
      model: model,
      places: Dictionary(
        zip(entities.map(\.name), entities.indices),
        uniquingKeysWith: { first, _ in first }
      ),
      addressStart: "couchbase:",
      address: .key,
      texts: rows.texts
    )
  }

  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    rowCounts[try held.place(of: entity)]
  }

  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try FileRowCursor(request, of: held)
  }

  /// Fills the private database; it is closed when this returns.
  private static func read(
    _ opening: DatabaseOpening,
    _ schema: CouchbaseSchema,
    _ scratchPath: String
  ) throws(StoreError) -> (CouchbaseReading, FileRows.Summary) {
    let rows = try FileRows(opening.database.name, into: scratchPath)
    var reading = try CouchbaseReading(opening, into: rows)
    try reading.run(schema.collections)
    return (reading, try rows.finish())
  }

  /// The entity of a collection, with the ID as its key.
  private static func entity(_ table: FileTable) -> StoreEntity {
    let entity = table.entity
    return StoreEntity(
      name: entity.name,
      attributes: entity.attributes,
      uniqueKeys: entity.attributes.first.map { [[$0.name]] } ?? []
    )
  }

  private static func name(
    of database: Database,
    _ schema: CouchbaseSchema
  ) throws(StoreError) -> String {
    let bytes = try CouchbaseReading.information("publicUUID", in: database)
    if let bytes, let uuid = UUIDText.text(bytes) { return uuid }
    var names: [UInt8] = []
    for collection in schema.collections { names += Array(collection.name.utf8) + [0] }
    return Digest(bytes: ByteDigest.sha256(of: names)).map { "\($0)" } ?? ""
  }

  private static func words(_ faults: (count: Int, named: [String])) -> String {
    let rest = faults.count - faults.named.count
    return faults.named.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
  }

  private static func damage(_ faults: (count: Int, named: [String])) -> Finding {
    Finding(
      code: "store.damaged-rows",
      severity: .error,
      cause: "\(faults.count) documents cannot be read and are left out: \(words(faults))",
      cure: "give another copy of the database, such as one from a backup"
    )
  }
}

extension StoreIdentity.Kind {
  /// A database of Couchbase Lite 2 or 3.
  package static let couchbaseLite = Self(
    "couchbaseLite",
    "Couchbase Lite database",
    "couchbase-lite",
    .ownIfUUID
  )
}
