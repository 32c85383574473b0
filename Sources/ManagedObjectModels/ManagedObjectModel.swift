import Files
package import PropertyLists
package import Records

/// A Core Data model: entities with their attributes and relationships.
package struct ManagedObjectModel: Hashable, Sendable {
  /// One entity, with only the properties it declares itself.
  package struct Entity: Hashable, Sendable {
    package let name: String
    package let superName: String?
    package let isAbstract: Bool
    package let className: String?
    /// The entity's own properties, inherited ones left out, sorted by name.
    package internal(set) var attributes: [StoreAttribute]
    package internal(set) var relationships: [StoreRelationship]
    package let uniqueKeys: [[String]]
    /// What the entity is called for migrations, when that is not its name.
    package let renamingIdentifier: String?
  }

  /// The entities by name.
  package let entities: [String: Entity]
  /// What the developer called the version.
  package let versionIdentifiers: [String]
  package let configurationNames: [String]

  /// Many times what the largest apps have.
  static let greatestEntityCount = 5000

  /// Takes entities that list what they declare themselves.
  init(entities: [Entity], versionIdentifiers: [String], configurationNames: [String]) {
    self.entities = Dictionary(
      entities.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    self.versionIdentifiers = versionIdentifiers
    self.configurationNames = configurationNames
  }

  /// The largest model of a store that is read; those of apps have some hundred KiB.
  private static let largestCache = 8 << 20

  /// Reads the model that a store keeps of itself: a keyed archive, compressed with raw deflate.
  package init(deflated bytes: [UInt8]) throws(ModelFault) {
    let inflated: [UInt8]
    do throws(Inflation.Failure) {
      inflated = try Inflation.inflated(bytes, .none, limit: Self.largestCache)
    } catch .tooLarge {
      throw ModelFault("it unfolds to more than the \(Self.largestCache >> 20) MiB that are read")
    } catch {
      throw ModelFault("its compressed form is damaged (\(error))")
    }
    try self.init(compiled: inflated)
  }

  /// Reads a compiled model (`.mom`), which is a keyed archive.
  package init(compiled bytes: [UInt8]) throws(ModelFault) {
    do throws(PropertyListError) {
      try self.init(KeyedArchive(bytes: bytes))
    } catch {
      throw ModelFault("\(error)")
    }
  }

  /// Takes the keyed archive of a model.
  package init(_ archive: KeyedArchive) throws(PropertyListError) {
    let walk = ModelWalk(archive: archive)
    guard let root = archive.root else { throw .notAnArchive(reason: "it has no root") }
    let model = try archive.resolved(root)
    guard let list = try archive.value("NSEntities", of: model),
      let pairs = try archive.pairs(of: list)
    else { throw .notAnArchive(reason: "its root is not a managed object model") }
    guard pairs.count <= Self.greatestEntityCount else {
      throw .beyondLimit("a model of more than \(Self.greatestEntityCount) entities")
    }
    var entities: [String: Entity] = [:]
    for pair in pairs {
      let entity = try walk.entity(archive.resolved(pair.value))
      entities[entity.name] = entity
    }
    self.entities = try Self.withoutInherited(entities)
    versionIdentifiers = try walk.texts("NSVersionIdentifiers", of: model).sorted()
    var configurations: [String] = []
    if let list = try archive.value("NSConfigurations", of: model) {
      for pair in try archive.pairs(of: list) ?? [] {
        if let name = try archive.resolved(pair.key).text { configurations.append(name) }
      }
    }
    configurationNames = configurations.sorted()
  }

  /// A cache repeats inherited properties in each sub-entity; the uppermost one declares them.
  private static func withoutInherited(
    _ entities: [String: Entity]
  ) throws(PropertyListError) -> [String: Entity] {
    var result = entities
    for (name, entity) in entities {
      var inherited: Set<String> = []
      var above = entity.superName
      var steps = 0
      while let superName = above, let superentity = entities[superName] {
        inherited.formUnion(superentity.attributes.map(\.name))
        inherited.formUnion(superentity.relationships.map(\.name))
        above = superentity.superName
        steps += 1
        guard steps <= entities.count else {
          throw .notAnArchive(reason: "entity \(name) inherits from itself")
        }
      }
      result[name]?.attributes.removeAll { inherited.contains($0.name) }
      result[name]?.relationships.removeAll { inherited.contains($0.name) }
    }
    return result
  }
}
