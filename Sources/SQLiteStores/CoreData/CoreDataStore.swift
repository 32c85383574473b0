package import Records
package import StoreFiles

/// A Core Data or SwiftData store in SQLite, opened as a private copy and understood.
///
/// Opening checks the file, reads the model that the store carries in itself, and finds the table
/// and column of every property. What is odd but can be lived with is in ``findings``. A store is
/// used by the task that opened it.
package final class CoreDataStore: Store {
  package let copy: StoreCopy
  package let identity: StoreIdentity
  package let model: StoreModel
  /// Tables that hold none of the model's data, with those of Core Data itself left out; where they
  /// hold rows, that is a finding.
  package let otherTables: [String]
  package let findings: [Finding]

  let database: Database
  let layouts: [EntityName: EntityLayout]
  /// How the addresses of objects begin, by their entities' numbers.
  let addressPrefixes: AddressPrefixes
  private let rowCounts: [EntityName: Int]

  /// The log that was copied with the store, or `nil` when there was none.
  package var writeAheadLog: WriteAheadLog? { copy.writeAheadLog }

  /// Opens the copy.
  ///
  /// - Parameters:
  ///   - copy: The private copy, which the store writes to while it recovers the log.
  ///   - models: The paths of models for a store that carries none that fits.
  ///   - checksIntegrity: Whether SQLite reads the whole file for damage first. Without it, an
  ///     index that disagrees with its table can hide rows of to-many relationships.
  /// - Throws: `StoreError.notCoreData(path:missingTable:)` for any other SQLite database, and
  ///   `StoreError.damaged(path:place:details:)` when the check finds damage.
  package convenience init(
    _ copy: StoreCopy,
    models: [String] = [],
    checksIntegrity: Bool = true
  ) throws(StoreError) {
    let opening = try DatabaseOpening(
      copy,
      checksIntegrity: checksIntegrity,
      readsDamaged: false
    )
    try self.init(opening, StoreSchema(opening.database), models: models)
  }

  /// Whether the tables are those of a Core Data store, which may lack some of them.
  package static func isMade(of schema: StoreSchema) -> Bool {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains { name in
      schema.tables[name] != nil || schema.otherNames.contains(name)
    }
  }

  /// Understands a database that was opened and checked.
  package init(
    _ opening: DatabaseOpening,
    _ schema: StoreSchema,
    models: [String]
  ) throws(StoreError) {
    let database = opening.database
    let metadata = try StoreMetadata(database, schema: schema)
    try Self.refuseViews(of: metadata, schema: schema, name: database.name)
    let reading = try StoreModelReading(
      database,
      schema: schema,
      metadata: metadata,
      given: models
    )
    copy = opening.copy
    self.database = database
    model = reading.model
    layouts = reading.layouts
    addressPrefixes = AddressPrefixes(
      storeUUID: metadata.uuid,
      names: Dictionary(
        reading.layouts.values.map { ($0.number, $0.name) },
        uniquingKeysWith: { first, _ in first }
      )
    )
    identity = StoreIdentity(
      kind: reading.isSwiftData ? .swiftData : .coreData,
      uuid: metadata.uuid,
      frameworkVersion: metadata.frameworkVersion,
      modelVersionIdentifiers: metadata.modelVersionIdentifiers,
      modelVersionHashes: metadata.versionHashes ?? [:]
    )
    let names = Array(schema.tables.keys) + schema.otherNames
    let others = names.filter { !reading.dataTables.contains($0) && !Self.isCoreDatas($0) }.sorted()
    otherTables = others
    let rows = try EntityRows(reading.layouts, in: database)
    rowCounts = rows.counts
    findings =
      try opening.findings + reading.findings + rows.findings
      + Self.unreadTables(others, of: schema, in: database)
  }

  /// How many rows are the entity's own; those of its sub-entities are not counted.
  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    _ = try layout(of: entity)
    return rowCounts[entity] ?? 0
  }

  /// Begins to read the rows of one entity, in the order of their keys (`Z_PK`).
  ///
  /// - Throws: `StoreError` when the request names what the model or the tables do not have.
  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try RowCursor(RowPlan(request, of: self))
  }

  func layout(of entity: EntityName) throws(StoreError) -> EntityLayout {
    guard let layout = layouts[entity] else {
      throw .unknownEntity(path: database.name, entity)
    }
    return layout
  }

  /// A view in the place of an entity's table is a trap; Core Data makes none.
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

  /// Whether Core Data keeps this table for itself: keys, metadata, history, mirroring.
  private static func isCoreDatas(_ table: String) -> Bool {
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(table)
      || ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table)
      || table.hasPrefix("ANSCK")
  }
}
