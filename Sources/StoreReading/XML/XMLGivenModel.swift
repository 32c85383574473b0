import ManagedObjectModels
import Records

/// A model that was given for an XML store: its entities with what they inherit.
///
/// The file has entities in upper case and properties in lower case, so names are found without
/// regard to case.
struct XMLGivenModel {
  /// An entity with everything that it and those above it declare.
  struct Entity {
    let name: EntityName
    let superentity: EntityName?
    let isAbstract: Bool
    let className: String?
    let uniqueKeys: [[String]]
    let attributes: [StoreAttribute]
    let relationships: [StoreRelationship]
  }

  /// The entities by their names in upper case.
  let entities: [String: Entity]
  let versionIdentifiers: [String]

  init(_ model: ManagedObjectModel) {
    var entities: [String: Entity] = [:]
    for (name, entity) in model.entities {
      guard let entityName = EntityName(name) else { continue }
      let chain = Self.chain(of: entity, in: model)
      entities[name.uppercased()] = Entity(
        name: entityName,
        superentity: entity.superName.flatMap { EntityName($0) },
        isAbstract: entity.isAbstract,
        className: entity.className,
        uniqueKeys: chain.flatMap(\.uniqueKeys),
        attributes: chain.flatMap(\.attributes),
        relationships: chain.flatMap(\.relationships)
      )
    }
    self.entities = entities
    versionIdentifiers = model.versionIdentifiers
  }

  /// The entity and those above it, the uppermost first.
  private static func chain(
    of entity: ManagedObjectModel.Entity,
    in model: ManagedObjectModel
  ) -> [ManagedObjectModel.Entity] {
    var chain = [entity]
    while let above = chain.last?.superName.flatMap({ model.entities[$0] }),
      chain.count <= model.entities.count
    {
      chain.append(above)
    }
    return chain.reversed()
  }
}
