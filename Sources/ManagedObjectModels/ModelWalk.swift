import PropertyLists
import Records

/// Turns the archived objects of a model into our words.
///
/// The archive is cyclic (entity, property, entity, model); the walk goes down only along
/// properties and composite elements, and takes everything else by name.
struct ModelWalk {
  let archive: KeyedArchive

  static let greatestDepth = 16

  func entity(_ object: PropertyList) throws(PropertyListError) -> ManagedObjectModel.Entity {
    guard let name = try text("NSEntityName", of: object), EntityName(name) != nil else {
      throw .notAnArchive(reason: "an entity has no name, or one that no store can have")
    }
    var superName: String?
    if let superentity = try archive.value("NSSuperentity", of: object), superentity != .null {
      superName = try text("NSEntityName", of: superentity)
    }
    var attributes: [StoreAttribute] = []
    var relationships: [StoreRelationship] = []
    if let list = try archive.value("NSProperties", of: object) {
      for pair in try archive.pairs(of: list) ?? [] {
        let property = try underlying(archive.resolved(pair.value))
        if let relationship = try relationship(property) {
          relationships.append(relationship)
        } else if let attribute = try attribute(property, depth: 0) {
          attributes.append(attribute)
        }
      }
    }
    return ManagedObjectModel.Entity(
      name: name,
      superName: superName,
      isAbstract: try isSet("NSIsAbstract", of: object),
      className: try text("NSClassNameForEntity", of: object),
      attributes: attributes.sorted { precedes($0.name, $1.name) },
      relationships: relationships.sorted { precedes($0.name, $1.name) },
      uniqueKeys: try uniqueKeys(of: object),
      renamingIdentifier: try renamingIdentifier(of: object, name: name)
    )
  }

  /// The texts of a list that the object keeps under `key`.
  func texts(_ key: String, of object: PropertyList) throws(PropertyListError) -> [String] {
    guard let list = try archive.value(key, of: object) else { return [] }
    var texts: [String] = []
    for element in try archive.elements(of: list) ?? list.elements ?? [] {
      if let text = try archive.resolved(element).text { texts.append(text) }
    }
    return texts
  }

  private func uniqueKeys(of object: PropertyList) throws(PropertyListError) -> [[String]] {
    guard let tuples = try archive.value("NSUniqueTuples", of: object) else { return [] }
    var keys: [[String]] = []
    for tuple in try archive.elements(of: tuples) ?? [] {
      var names: [String] = []
      for element in try archive.elements(of: archive.resolved(tuple)) ?? [] {
        let value = try archive.resolved(element)
        if let name = value.text {
          names.append(name)
        } else if let name = try text("NSPropertyName", of: value) {
          names.append(name)
        }
      }
      if !names.isEmpty { keys.append(names) }
    }
    return keys
  }

  /// The property itself, when `object` only represents one.
  private func underlying(_ object: PropertyList) throws(PropertyListError) -> PropertyList {
    var property = object
    for _ in 0..<Self.greatestDepth {
      guard let next = try archive.value("NSUnderlyingProperty", of: property) else { break }
      property = next
    }
    return property
  }

  private func relationship(
    _ property: PropertyList
  ) throws(PropertyListError) -> StoreRelationship? {
    guard try archive.classNames(of: property)?.contains("NSRelationshipDescription") == true,
      try !isSet("NSIsTransient", of: property),
      let name = try text("NSPropertyName", of: property)
    else { return nil }
    var destination = try text("_NSDestinationEntityName", of: property)
    if destination == nil, let entity = try archive.value("NSDestinationEntity", of: property) {
      destination = try text("NSEntityName", of: entity)
    }
    guard let entity = destination.flatMap({ EntityName($0) }) else {
      throw .notAnArchive(reason: "relationship \(name) leads to no entity")
    }
    var inverse: String?
    if let other = try archive.value("NSInverseRelationship", of: property), other != .null {
      inverse = try text("NSPropertyName", of: underlying(other))
    }
    // The bounds are 32-bit numbers; -1 and 0 both represent none.
    let greatest = min(max(0, property["NSMaxCount"]?.wholeNumber ?? 0), 1 << 31)
    let least = min(max(0, property["NSMinCount"]?.wholeNumber ?? 0), 1 << 31)
    return StoreRelationship(
      name: name,
      destination: entity,
      inverse: inverse,
      isToMany: greatest != 1,
      isOrdered: try isSet("NSIsOrdered", of: property),
      isOptional: try isSet("NSIsOptional", of: property),
      deleteRule: deleteRule(property["NSDeleteRule"]?.wholeNumber ?? 0),
      minimumCount: Int(least),
      maximumCount: Int(greatest),
      renamingIdentifier: try renamingIdentifier(of: property, name: name)
    )
  }

  private func deleteRule(_ number: Int64) -> StoreRelationship.DeleteRule {
    switch number {
    case 1: .nullify
    case 2: .cascade
    case 3: .deny
    default: .noAction
    }
  }

  /// An attribute, or `nil` for what has no column (fetched properties, expressions).
  private func attribute(
    _ property: PropertyList,
    depth: Int
  ) throws(PropertyListError) -> StoreAttribute? {
    guard depth <= Self.greatestDepth else {
      throw .beyondLimit("composite attributes lie more than \(Self.greatestDepth) deep")
    }
    guard let classes = try archive.classNames(of: property),
      classes.contains("NSAttributeDescription"),
      let name = try text("NSPropertyName", of: property)
    else { return nil }
    let number = try archive.value("NSAttributeType", of: property)?.wholeNumber ?? 0
    let flags = try archive.value("NSFlagsKey", of: property)?.wholeNumber ?? 0
    let kind = try kind(number, of: property, name: name, depth: depth)
    return StoreAttribute(
      name: name,
      kind: kind,
      isOptional: try isSet("NSIsOptional", of: property),
      isTransient: try isSet("NSIsTransient", of: property),
      isDerived: classes.contains("NSDerivedAttributeDescription"),
      allowsExternalStorage: flags & 4 != 0,
      isPreservedAfterDeletion: flags & 16 != 0,
      defaultValue: try defaultValue(of: property, kind: kind),
      derivation: try derivation(of: property),
      renamingIdentifier: try renamingIdentifier(of: property, name: name)
    )
  }

  private func kind(
    _ number: Int64,
    of property: PropertyList,
    name: String,
    depth: Int
  ) throws(PropertyListError) -> StoreAttribute.Kind {
    switch number {
    case 100: .integer16
    case 200: .integer32
    case 300: .integer64
    case 400: .decimal
    case 500: .double
    case 600: .float
    case 700: .string
    case 800: .boolean
    case 900: .date
    case 1000: .binary
    case 1100: .uuid
    case 1200: .uri
    case 1800:
      .transformable(
        transformer: try text("NSValueTransformerName", of: property),
        valueClass: try text("NSAttributeValueClassName", of: property)
      )
    case 2000: .objectID
    case 2100:
      .composite(
        try elements(of: property, depth: depth),
        isEnumeration: try isEnumeration(property)
      )
    default: .undeclared(sqlType: "")
    }
  }

  /// The elements of a composite, in the order they are declared in.
  private func elements(
    of property: PropertyList,
    depth: Int
  ) throws(PropertyListError) -> [StoreAttribute] {
    guard let list = try archive.value("NSCompositeElements", of: property) else { return [] }
    var elements: [StoreAttribute] = []
    for element in try archive.elements(of: list) ?? [] {
      let object = try underlying(archive.resolved(element))
      if let attribute = try attribute(object, depth: depth + 1) { elements.append(attribute) }
    }
    return elements
  }

  /// SwiftData notes in the attribute's user info that a composite represents an enum.
  private func isEnumeration(_ property: PropertyList) throws(PropertyListError) -> Bool {
    guard let info = try archive.value("NSUserInfo", of: property), info != .null else {
      return false
    }
    for pair in try archive.pairs(of: info) ?? [] {
      guard try archive.resolved(pair.key).text == "EnumType" else { continue }
      return try archive.resolved(pair.value).wholeNumber == 1
    }
    return false
  }

  func text(
    _ key: String,
    of object: PropertyList
  ) throws(PropertyListError) -> String? {
    guard let value = try archive.value(key, of: object) else { return nil }
    if let text = value.text { return text }
    return try archive.value("NS.string", of: value)?.text
  }

  private func isSet(_ key: String, of object: PropertyList) throws(PropertyListError) -> Bool {
    try (archive.value(key, of: object)?.wholeNumber ?? 0) != 0
  }
}
