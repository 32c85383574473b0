import ProfileSettings
package import Records

/// What a profile says about secrets that the app left in its store.
package struct SecretRules: Hashable, Sendable {
  /// Attributes that hold a secret though their names do not say so.
  package let also: [UnmappedName]
  /// Keys of the preferences that hold none though their names say so.
  package let except: [String]

  package init(also: [UnmappedName] = [], except: [String] = []) {
    self.also = also
    self.except = except
  }

  /// Whether an attribute of an entity of the store, which `profile` describes, holds a secret.
  ///
  /// Names alone decide in preferences only: a column of a database that is called `password` is
  /// what the app is about, whatever its table is called.
  package func holds(_ attribute: String, of entity: StoreEntity, by profile: EntityProfile) -> Bool
  {
    also.contains(UnmappedName(entity: profile.name, member: attribute))
      || holds(attribute, of: entity)
  }

  /// The same of an entity that the profile does not describe.
  func holds(_ attribute: String, of entity: StoreEntity) -> Bool {
    entity.holdsPreferences && !except.contains(attribute) && SecretNames.contains(attribute)
  }

  /// Every attribute of a store that holds a secret, under the entity's name in the profile.
  package func held(in model: StoreModel, _ entities: [EntityProfile]) -> [UnmappedName] {
    let profiles = Dictionary(
      entities.map { ($0.storeName, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    return model.entities.flatMap { stored in
      let profile = profiles[stored.name]
      let names = stored.attributes.map(\.name).filter { name in
        if let profile { holds(name, of: stored, by: profile) } else { holds(name, of: stored) }
      }
      return names.map { UnmappedName(entity: profile?.name ?? stored.name, member: $0) }
    }.sorted()
  }

  static func read(_ section: Section, entities: [EntityProfile]) -> SecretRules {
    guard let inner = section.section("secrets") else { return SecretRules() }
    let also = inner.texts("also").compactMap { text -> UnmappedName? in
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      if parts.count == 2, let entity = entities.first(where: { $0.name.text == parts[0] }) {
        return UnmappedName(entity: entity.name, member: parts[1])
      }
      section.log.add(
        at: inner.node,
        "“\(text)” names no attribute of an entity of this profile",
        cure: "write Entity.attribute"
      )
      return nil
    }
    let rules = SecretRules(also: also, except: inner.texts("except"))
    inner.close()
    return rules
  }
}
