package import Records

/// A Core Data or SwiftData store in SQLite, opened as a private copy and understood.
///
/// Opening checks the file, reads the model that the store carries in itself, and finds the table
/// and column of every property. What is odd but can be lived with is in ``findings``. A store is
/// used by the task that opened it.
package final class CoreDataStore: Store {
  package let copy: StoreCopy
  package let identity: StoreIdentity
  package let model: StoreModel
  /// Tables that hold none of the model's data, with those of Core Data itself left out.
  package let otherTables: [String]
  package let findings: [Finding]

  let database: Database
  let layouts: [EntityName: EntityLayout]
  /// The names of entities by number, for the addresses of objects.
  let namesByNumber: [Int: EntityName]
  private var rowCounts: [EntityName: Int] = [:]

  /// The log that was copied with the store, or `nil` when there was none.
  package var writeAheadLog: WriteAheadLog? { copy.writeAheadLog }

  /// Opens the copy.
  ///
  /// - Parameters:
  ///   - copy: The private copy, which the store writes to while it recovers the log.
  ///   - models: The paths of models for a store that carries none that fits.
  ///   - checksIntegrity: Whether SQLite reads the whole file for damage first. Without it, an
  ///     index that disagrees with its table can hide rows of to-many relationships.
  /// - Throws: ``StoreError/notCoreData(path:missingTable:)`` for any other SQLite database, and
  ///   ``StoreError/damaged(path:place:details:)`` when the check finds damage.
  package init(
    _ copy: StoreCopy,
    models: [String] = [],
    checksIntegrity: Bool = true
  ) throws(StoreError) {
    let database = try Database(path: copy.path, name: copy.sourcePath)
    let unchecked = checksIntegrity ? try Self.checkIntegrity(database) : []
    let schema = try StoreSchema(database)
    let metadata = try StoreMetadata(database, schema: schema)
    try Self.refuseViews(of: metadata, schema: schema, name: database.name)
    let reading = try StoreModelReading(
      database,
      schema: schema,
      metadata: metadata,
      given: models
    )
    self.copy = copy
    self.database = database
    model = reading.model
    layouts = reading.layouts
    namesByNumber = Dictionary(
      reading.layouts.values.map { ($0.number, $0.name) },
      uniquingKeysWith: { first, _ in first }
    )
    identity = StoreIdentity(
      kind: reading.isSwiftData ? .swiftData : .coreData,
      uuid: metadata.uuid,
      frameworkVersion: metadata.frameworkVersion,
      modelVersionIdentifiers: metadata.modelVersionIdentifiers,
      modelVersionHashes: metadata.versionHashes ?? [:]
    )
    let names = Array(schema.tables.keys) + schema.otherNames
    otherTables = names.filter { !reading.dataTables.contains($0) && !Self.isCoreDatas($0) }
      .sorted()
    findings =
      unchecked + reading.findings + Self.logFindings(copy.writeAheadLog)
      + (try StrayRows.findings(reading.layouts, in: database))
  }

  /// How many rows are the entity's own; those of its sub-entities are not counted.
  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    if let count = rowCounts[entity] { return count }
    let layout = try layout(of: entity)
    guard let table = layout.table else { return 0 }
    let rows = try database.statement(
      "SELECT count(*) FROM \(quoted(table)) NOT INDEXED WHERE Z_ENT = \(layout.number)",
      purpose: "count the rows of \(table)"
    )
    let count = try rows.step() ? Int(rows.integer(0)) : 0
    rowCounts[entity] = count
    return count
  }

  /// Begins to read the rows of one entity, in the order of their keys (`Z_PK`).
  ///
  /// - Throws: ``StoreError`` when the request names what the model or the tables do not have.
  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try RowCursor(RowPlan(request, of: self))
  }

  func layout(of entity: EntityName) throws(StoreError) -> EntityLayout {
    guard let layout = layouts[entity] else {
      throw .unknownEntity(path: database.name, entity)
    }
    return layout
  }

  /// Throws when there is damage; gives a finding when the SQLite here cannot tell.
  private static func checkIntegrity(_ database: Database) throws(StoreError) -> [Finding] {
    let faults: [String]
    do throws(StoreError) {
      faults = try integrityFaults(database)
    } catch {
      guard case .database = error else { throw error }
      return [
        Finding(
          code: "store.unchecked",
          severity: .warning,
          cause: "the file could not be checked for damage: \(error)",
          cure: "compare the counts with the app's; the schema uses what only the app's SQLite has"
        )
      ]
    }
    guard faults.isEmpty else {
      throw .damaged(
        path: database.name,
        place: "integrity check",
        details: faults.joined(separator: "; ")
      )
    }
    return []
  }

  private static func integrityFaults(_ database: Database) throws(StoreError) -> [String] {
    let check = try database.statement("PRAGMA integrity_check(5)", purpose: "integrity check")
    var faults: [String] = []
    while try check.step() {
      if let line = check.string(0), line != "ok", !isHarmless(line) {
        faults.append(contentsOf: line.split(separator: "\n").map(String.init))
      }
    }
    return faults
  }

  /// A view in the place of an entity's table is somebody's trap; Core Data makes none.
  private static func refuseViews(
    of metadata: StoreMetadata,
    schema: StoreSchema,
    name: String
  ) throws(StoreError) {
    let tables = Set(metadata.entities.map { "Z" + $0.name.uppercased() })
    for other in schema.otherNames where tables.contains(other) {
      throw .damaged(
        path: name,
        place: "table \(other)",
        details: "it is a view or a virtual table, which Core Data never makes"
      )
    }
  }

  /// Broken promises about values (NULL, CHECK, type) are the data's matter, not the file's.
  private static func isHarmless(_ line: String) -> Bool {
    line.hasPrefix("NULL value in ") || line.hasPrefix("CHECK constraint failed")
      || line.hasPrefix("non-unique entry in index") || line.contains(" value in ")
  }

  /// Whether Core Data keeps this table for itself: keys, metadata, history, mirroring.
  private static func isCoreDatas(_ table: String) -> Bool {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(table)
      || ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table)
      || table.hasPrefix("ANSCK")
  }

  private static func logFindings(_ log: WriteAheadLog?) -> [Finding] {
    guard let log, log.committedFrameCount < log.frameCount else { return [] }
    return [
      Finding(
        code: "store.log-tail",
        severity: .note,
        cause: "the write-ahead log has \(log.frameCount) frames, "
          + "of which the first \(log.committedFrameCount) count",
        cure: "nothing is needed: the rest was never committed, or is left from before"
      )
    ]
  }
}
