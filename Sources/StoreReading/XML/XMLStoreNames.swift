import Records

/// The names that a model's letters would give back to an XML store.
///
/// The file has entities in upper case and properties in lower case. The metadata of most stores
/// lists the entities in their own letters, and those are used; properties stay as they are.
struct XMLStoreNames {
  private let entities: [String: EntityName]

  init(_ shape: XMLStoreShape, metadata: XMLStoreMetadata) throws(StoreError) {
    let known = Dictionary(
      metadata.versionHashes.keys.sorted().map { ($0.uppercased(), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var entities: [String: EntityName] = [:]
    for name in shape.entities.keys {
      entities[name] = EntityName(known[name.uppercased()] ?? name)
    }
    for relationship in shape.entities.values.flatMap(\.relationships.values) {
      let name = relationship.destination
      entities[name] = entities[name] ?? EntityName(known[name.uppercased()] ?? name)
    }
    self.entities = entities
  }

  /// The entity's name, or `nil` when it could not be one.
  func entity(_ name: String) -> EntityName? { entities[name] }
}
