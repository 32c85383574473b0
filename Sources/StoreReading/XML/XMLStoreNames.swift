import Records

/// The names that belong to those of an XML store's file.
///
/// The file has entities in upper case and properties in lower case. A given model has both in
/// their own letters. Without one, the metadata of most stores lists the entities, and properties
/// stay as they are.
struct XMLStoreNames {
  private let entities: [String: EntityName]
  /// The names in the file by those in the model, for each entity of the file.
  private let fileProperties: [String: [String: String]]
  private let properties: [String: [String: String]]

  init(_ shape: XMLStoreShape, metadata: XMLStoreMetadata, given: XMLGivenModel?) {
    let known = Dictionary(
      metadata.versionHashes.keys.sorted().map { ($0.uppercased(), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let destinations = shape.entities.values.flatMap(\.relationships.values).map(\.destination)
    var entities: [String: EntityName] = [:]
    for name in Array(shape.entities.keys) + destinations {
      let key = name.uppercased()
      entities[name] = given?.entities[key]?.name ?? EntityName(known[key] ?? name)
    }
    var properties: [String: [String: String]] = [:]
    var fileProperties: [String: [String: String]] = [:]
    for (name, entity) in shape.entities {
      let pairs = Self.pairs(entity, given?.entities[name.uppercased()])
      properties[name] = pairs
      fileProperties[name] = Dictionary(
        pairs.map { ($0.value, $0.key) },
        uniquingKeysWith: { first, _ in first }
      )
    }
    self.entities = entities
    self.properties = properties
    self.fileProperties = fileProperties
  }

  /// The entity's name, or `nil` when it could not be one.
  func entity(_ name: String) -> EntityName? { entities[name] }

  /// The property's name, by that in the file.
  func property(_ name: String, of entity: String) -> String {
    properties[entity]?[name] ?? name
  }

  /// The property's name in the file.
  func fileProperty(_ name: String, of entity: String) -> String {
    fileProperties[entity]?[name] ?? name
  }

  /// The model's names by the file's; a model's name is given once.
  private static func pairs(
    _ entity: XMLStoreShape.Entity,
    _ given: XMLGivenModel.Entity?
  ) -> [String: String] {
    guard let given else { return [:] }
    var open = Dictionary(
      (given.attributes.map(\.name) + given.relationships.map(\.name))
        .map { ($0.lowercased(), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var pairs: [String: String] = [:]
    for name in (Array(entity.attributes.keys) + Array(entity.relationships.keys)).sorted() {
      if let found = open.removeValue(forKey: name.lowercased()) { pairs[name] = found }
    }
    return pairs
  }
}
