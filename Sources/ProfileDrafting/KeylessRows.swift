import Records
import StoreFiles
import StoreReading

/// Finds the entities of which several rows have the same address in the store, because they lack the key.
///
/// SQLite takes NULL for a value of a primary key that is no INTEGER, and in any number of rows:
/// https://sqlite.org/lang_createtable.html#the_primary_key
struct KeylessRows {
  let store: any Store

  /// Whether rows of an entity that is known by the store's own keys share an address.
  func areIn(_ entity: StoreEntity) throws(StoreError) -> Bool {
    let optional = Set(entity.attributes.filter(\.isOptional).map(\.name))
    guard entity.uniqueKeys.contains(where: { !$0.isEmpty && optional.isSuperset(of: $0) }) else {
      return false
    }
    let reader = try store.rows(RowRequest(entity: entity.name, fields: [.objectURI]))
    var hashes = ValueHashes()
    while try reader.next() {
      guard let hash = unsafe reader.row.cells[0].identityHash, try hashes.add(hash) else {
        return true
      }
    }
    return try !hashes.sorted().areDistinct()
  }

  /// What a draft says of such an entity.
  static func finding(of entity: EntityName) -> Finding {
    Finding(
      code: "identity.missing-key",
      severity: .warning,
      entity: entity,
      cause: "rows have no value in the primary key, so that they are one record",
      cure:
        "give each row a key in a copy of the store, or list \(entity) under `omit-entities` in the profile"
    )
  }
}
