package import Records

extension ManagedObjectModel {
  /// The model as a store of it would show it: each entity with what it inherits.
  ///
  /// Entities have no numbers, which only a store gives them.
  package var storeModel: StoreModel {
    StoreModel(
      origin: .given,
      entities: entities.values.sorted { precedes($0.name, $1.name) }.compactMap { entity in
        guard let name = EntityName(entity.name) else { return nil }
        let chain = chain(of: entity)
        return StoreEntity(
          name: name,
          superentity: entity.superName.flatMap { EntityName($0) },
          isAbstract: entity.isAbstract,
          className: entity.className,
          attributes: chain.flatMap(\.attributes).sorted { precedes($0.name, $1.name) },
          relationships: chain.flatMap(\.relationships).sorted { precedes($0.name, $1.name) },
          uniqueKeys: chain.flatMap(\.uniqueKeys),
          renamingIdentifier: entity.renamingIdentifier
        )
      },
      versionIdentifiers: versionIdentifiers
    )
  }

  /// The entity and all above it, the entity first; one that inherits from itself ends there.
  private func chain(of entity: Entity) -> [Entity] {
    var chain = [entity]
    while let above = chain.last?.superName.flatMap({ entities[$0] }),
      chain.count <= entities.count
    { chain.append(above) }
    return chain
  }
}
