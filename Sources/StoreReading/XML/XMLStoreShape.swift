import Records

/// What the objects of an XML store turned out to have, entity by entity.
struct XMLStoreShape {
  /// An attribute of an entity, as the file declares it.
  struct Attribute {
    var types: Set<String> = []
    var valueCount = 0
    var malformedCount = 0
  }

  /// A relationship of an entity, as the file declares it.
  struct Relationship {
    let destination: String
    let isToMany: Bool
    let isOptional: Bool
    /// The relationship's number in the private database.
    let number: Int
    /// The relationship of the destination that leads back, when a model says which.
    var inverse: String?
  }

  struct Entity {
    let number: Int
    var objectCount = 0
    var attributes: [String: Attribute] = [:]
    var relationships: [String: Relationship] = [:]
  }

  /// The entities by the names in the file, which are in upper case.
  private(set) var entities: [String: Entity] = [:]
  /// The numbers of attributes: those of one name have one number in all entities.
  private(set) var attributeNumbers: [String: Int] = [:]
  private var relationshipCount = 0

  /// More entities or properties than this are no app's.
  static let nameLimit = 10_000

  mutating func addObject(_ entity: String) -> Int {
    let number = entities[entity]?.number ?? entities.count + 1
    entities[entity, default: Entity(number: number)].objectCount += 1
    return number
  }

  mutating func addValue(
    _ name: String,
    of entity: String,
    type: String,
    isMalformed: Bool
  ) -> Int {
    let number = attributeNumbers[name] ?? attributeNumbers.count + 1
    attributeNumbers[name] = number
    entities[entity]?.attributes[name, default: Attribute()].types.insert(type)
    entities[entity]?.attributes[name]?.valueCount += 1
    if isMalformed { entities[entity]?.attributes[name]?.malformedCount += 1 }
    return number
  }

  /// The number of a relationship, or `nil` when an earlier object has it with another meaning.
  mutating func addRelationship(
    _ name: String,
    of entity: String,
    destination: String,
    isToMany: Bool,
    isOptional: Bool
  ) -> Int? {
    if let known = entities[entity]?.relationships[name] {
      return known.isToMany == isToMany && known.destination == destination ? known.number : nil
    }
    relationshipCount += 1
    entities[entity]?.relationships[name] = Relationship(
      destination: destination,
      isToMany: isToMany,
      isOptional: isOptional,
      number: relationshipCount
    )
    return relationshipCount
  }

  var nameCount: Int { entities.count + attributeNumbers.count + relationshipCount }

  /// Takes each relationship's inverse from a model, where that has the relationship.
  mutating func pairRelationships(by given: XMLGivenModel) {
    for (name, entity) in entities {
      guard let known = given.entities[name.uppercased()] else { continue }
      for (property, relationship) in entity.relationships {
        guard
          let found = known.relationships.first(where: {
            $0.name.lowercased() == property.lowercased()
          })
        else { continue }
        let back = entities[relationship.destination]?.relationships.keys
        entities[name]?.relationships[property]?.inverse = back?.first {
          $0.lowercased() == found.inverse?.lowercased()
        }
      }
    }
  }
}
