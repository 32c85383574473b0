import PropertyLists
import Records
import StoreFiles

/// What a store says about itself, in `Z_METADATA` and `Z_PRIMARYKEY`.
struct StoreMetadata {
  /// One row of `Z_PRIMARYKEY`.
  struct NumberedEntity {
    let number: Int
    let name: String
    let superNumber: Int
  }

  let uuid: String
  let frameworkVersion: Int?
  let modelVersionIdentifiers: [String]
  /// The hash of each entity's definition, by its name; `nil` when the store has none.
  let versionHashes: [String: [UInt8]]?
  /// The entities of the model, by number; those of persistent history are left out.
  let entities: [NumberedEntity]

  /// The entities' names: by the hashes, which a renaming keeps up to date, else as listed.
  var entityNames: Set<String> {
    versionHashes.map { Set($0.keys) } ?? Set(entities.map(\.name))
  }

  /// Numbers from here on belong to persistent history.
  private static let firstHistoryNumber = 16_000

  /// The largest metadata that are read; those of apps have some KiB.
  private static let largestList = 4 << 20

  init(_ database: Database, schema: StoreSchema) throws(StoreError) {
    for table in ["Z_PRIMARYKEY", "Z_METADATA"] where schema.tables[table] == nil {
      throw .notCoreData(path: database.name, missingTable: table)
    }
    let row = try database.statement(
      "SELECT Z_UUID, CASE WHEN length(Z_PLIST) <= \(Self.largestList) THEN Z_PLIST END, "
        + "length(Z_PLIST) FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1",
      purpose: "read Z_METADATA"
    )
    guard try row.step() else {
      throw .damaged(path: database.name, place: "Z_METADATA", details: "it has no row")
    }
    guard row.integer(2) <= Self.largestList else {
      throw .malformedMetadata(
        path: database.name,
        reason: .beyondLimit("\(row.integer(2)) bytes, of which \(Self.largestList) are read")
      )
    }
    let uuid = row.string(0) ?? ""
    var list = PropertyList.dictionary([])
    if let bytes = row.bytes(1) {
      do throws(PropertyListError) {
        list = try PropertyList(bytes: bytes)
      } catch {
        throw .malformedMetadata(path: database.name, reason: error)
      }
    }
    try Self.expectOneIdentity(uuid, list["NSStoreUUID"]?.text, in: database)
    self.uuid = uuid
    frameworkVersion = list["NSPersistenceFrameworkVersion"]?.wholeNumber.map { Int($0) }
    modelVersionIdentifiers =
      list["NSStoreModelVersionIdentifiers"]?.elements?.compactMap(\.text) ?? []
    versionHashes = list["NSStoreModelVersionHashes"]?.members.map { members in
      Dictionary(
        members.map { ($0.name, $0.value.bytes ?? []) },
        uniquingKeysWith: { first, _ in first }
      )
    }
    entities = try Self.entities(database)
  }

  /// The identity decides which earlier runs a store belongs to, so it must be one.
  private static func expectOneIdentity(
    _ uuid: String,
    _ listed: String?,
    in database: Database
  ) throws(StoreError) {
    let rows = try database.statement(
      "SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 100",
      purpose: "read Z_METADATA"
    )
    var identities = [uuid] + [listed].compactMap { $0 }
    while try rows.step() { identities.append(rows.string(0) ?? "") }
    let different = Set(identities.map { $0.uppercased() })
    guard different.count > 1 else { return }
    throw .severalIdentities(path: database.name, identities: different.sorted())
  }

  private static func entities(_ database: Database) throws(StoreError) -> [NumberedEntity] {
    let rows = try database.statement(
      "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < \(firstHistoryNumber) "
        + "ORDER BY Z_ENT",
      purpose: "read Z_PRIMARYKEY"
    )
    var entities: [NumberedEntity] = []
    var names: Set<String> = []
    while try rows.step() {
      let name = rows.string(1) ?? ""
      guard EntityName(name) != nil, names.insert(name).inserted else {
        throw .damaged(
          path: database.name,
          place: "Z_PRIMARYKEY",
          details: "the name of the entity \(rows.integer(0)), “\(name.prefix(200))”, "
            + (names.contains(name) ? "is that of another" : "can be none")
        )
      }
      entities.append(
        NumberedEntity(
          number: Int(rows.integer(0)),
          name: name,
          superNumber: Int(rows.integer(2))
        )
      )
    }
    return entities
  }
}
