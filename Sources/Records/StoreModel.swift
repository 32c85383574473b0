/// What a store holds, as the model that was found for it says.
package struct StoreModel: Hashable, Sendable {
  /// Where the model came from, which decides how far its names can be trusted.
  package enum Origin: String, Sendable {
    /// The store's own copy of its model (`Z_MODELCACHE`).
    case store
    /// A compiled or source model given beside the store.
    case given
    /// Only the tables: names are in upper case and relationships are not known.
    case schemaOnly
  }

  package let origin: Origin
  package let entities: [StoreEntity]
  /// The model's version identifiers, as the developer wrote them.
  package let versionIdentifiers: [String]
  /// Where each entity is, by its name.
  private let places: [EntityName: Int]
  /// The entities that inherit from each, in the model's order.
  private let below: [EntityName: [EntityName]]

  package init(origin: Origin, entities: [StoreEntity], versionIdentifiers: [String] = []) {
    self.origin = origin
    self.entities = entities
    self.versionIdentifiers = versionIdentifiers
    var places: [EntityName: Int] = [:]
    var below: [EntityName: [EntityName]] = [:]
    for (place, entity) in entities.enumerated() {
      if places[entity.name] == nil { places[entity.name] = place }
      if let above = entity.superentity { below[above, default: []].append(entity.name) }
    }
    self.places = places
    self.below = below
  }

  /// The entity of this name, or `nil` when the model has none.
  package func entity(named name: EntityName) -> StoreEntity? {
    places[name].map { entities[$0] }
  }

  /// An entity and all that inherit from it, each behind the one it inherits from.
  package func tree(of name: EntityName) -> [EntityName] {
    var tree = [name]
    var seen: Set = [name]
    var next = 0
    while next < tree.count {
      tree += (below[tree[next]] ?? []).filter { seen.insert($0).inserted }
      next += 1
    }
    return tree
  }
}

/// One entity of a store's model, with its inherited properties.
package struct StoreEntity: Hashable, Sendable {
  package let name: EntityName
  /// Core Data's number of the entity (`Z_ENT`); zero where the store has no numbers.
  package let number: Int
  package let superentity: EntityName?
  package let isAbstract: Bool
  package let className: String?
  package let attributes: [StoreAttribute]
  package let relationships: [StoreRelationship]
  /// Each a set of attribute names whose values together are unique.
  package let uniqueKeys: [[String]]
  /// What the entity is called for migrations, when that is not its name.
  package let renamingIdentifier: String?
  /// Whether the attributes are the keys of an app's preferences.
  package let holdsPreferences: Bool
  /// Whether a row's address is its place in the table, which may change, and be another row's later.
  package let keysMayChange: Bool

  package init(
    name: EntityName,
    number: Int = 0,
    superentity: EntityName? = nil,
    isAbstract: Bool = false,
    className: String? = nil,
    attributes: [StoreAttribute],
    relationships: [StoreRelationship] = [],
    uniqueKeys: [[String]] = [],
    renamingIdentifier: String? = nil,
    holdsPreferences: Bool = false,
    keysMayChange: Bool = false
  ) {
    self.name = name
    self.number = number
    self.superentity = superentity
    self.isAbstract = isAbstract
    self.className = className
    self.attributes = attributes
    self.relationships = relationships
    self.uniqueKeys = uniqueKeys
    self.renamingIdentifier = renamingIdentifier
    self.holdsPreferences = holdsPreferences
    self.keysMayChange = keysMayChange
  }
}

/// One attribute of an entity.
package struct StoreAttribute: Hashable, Sendable {
  /// What an attribute holds.
  ///
  /// The numbers in the comments are Core Data's own.
  package indirect enum Kind: Hashable, Sendable {
    case integer16, integer32, integer64  // 100, 200, 300
    case decimal  // 400
    case double, float  // 500, 600
    case string  // 700
    case boolean  // 800
    case date  // 900
    case binary  // 1000
    case uuid  // 1100
    case uri  // 1200
    /// A value that a transformer turned into bytes (1800).
    case transformable(transformer: String?, valueClass: String?)
    case objectID  // 2000
    /// Several values under one name (2100); `isEnumeration` when SwiftData wrote an enum so.
    case composite([StoreAttribute], isEnumeration: Bool)
    /// Only the tables are known; the text is the declared SQL type.
    case undeclared(sqlType: String)

    /// Whether values are whole numbers.
    package var isInteger: Bool { [.integer16, .integer32, .integer64].contains(self) }
  }

  package let name: String
  package let kind: Kind
  package let isOptional: Bool
  package let isTransient: Bool
  package let isDerived: Bool
  package let allowsExternalStorage: Bool
  /// Whether the value outlives its object in the store's history.
  package let isPreservedAfterDeletion: Bool
  /// The value a new object begins with, as text in the form of the attribute's kind.
  package let defaultValue: String?
  /// How a derived attribute is computed.
  package let derivation: String?
  /// What the attribute is called for migrations, when that is not its name.
  package let renamingIdentifier: String?

  package init(
    name: String,
    kind: Kind,
    isOptional: Bool = true,
    isTransient: Bool = false,
    isDerived: Bool = false,
    allowsExternalStorage: Bool = false,
    isPreservedAfterDeletion: Bool = false,
    defaultValue: String? = nil,
    derivation: String? = nil,
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.isDerived = isDerived
    self.allowsExternalStorage = allowsExternalStorage
    self.isPreservedAfterDeletion = isPreservedAfterDeletion
    self.defaultValue = defaultValue
    self.derivation = derivation
    self.renamingIdentifier = renamingIdentifier
  }
}

/// One relationship of an entity.
package struct StoreRelationship: Hashable, Sendable {
  package enum DeleteRule: String, Sendable {
    case noAction, nullify, cascade, deny
  }

  package let name: String
  package let destination: EntityName
  package let inverse: String?
  package let isToMany: Bool
  package let isOrdered: Bool
  package let isOptional: Bool
  package let deleteRule: DeleteRule
  /// The least number of objects it has to lead to.
  package let minimumCount: Int
  /// The greatest number of objects it may lead to; zero for any.
  package let maximumCount: Int
  /// What the relationship is called for migrations, when that is not its name.
  package let renamingIdentifier: String?
  /// The column of the foreign key that says which object it leads to; `nil` where no attribute says that.
  package let column: String?

  package init(
    name: String,
    destination: EntityName,
    inverse: String? = nil,
    isToMany: Bool = false,
    isOrdered: Bool = false,
    isOptional: Bool = true,
    deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0,
    maximumCount: Int? = nil,
    renamingIdentifier: String? = nil,
    column: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.deleteRule = deleteRule
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount ?? (isToMany ? 0 : 1)
    self.renamingIdentifier = renamingIdentifier
    self.column = column
  }
}
