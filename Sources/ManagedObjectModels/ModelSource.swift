import Records
import XMLAccess

/// Reads the source of a model: the XML file `contents` inside of an `.xcdatamodel`.
///
/// Elements and attributes that say nothing about a store's rows are passed over.
struct ModelSource {
  private let reader: XMLEventReader
  private var entities: [Draft] = []
  /// The elements of the composite types, by the name of the type.
  private var composites: [String: [AttributeDraft]] = [:]
  private var configurationNames: [String] = []
  private var versionIdentifiers: [String] = []

  /// An entity as far as it is read.
  private struct Draft {
    let tag: [XMLAttribute]
    let name: String
    var attributes: [AttributeDraft] = []
    var relationships: [StoreRelationship] = []
    var uniqueKeys: [[String]] = []
  }

  /// An attribute's tag; its composite type may be declared later in the file.
  private struct AttributeDraft {
    let tag: [XMLAttribute]
    let line: Int
  }

  private static let greatestDepth = 16
  /// More than any model has, and a bound for composites that unfold.
  private static let greatestCount = 100_000

  /// Reads the model in `bytes`.
  static func model(_ bytes: [UInt8]) throws(ModelFault) -> ManagedObjectModel {
    do throws(XMLError) {
      var source = ModelSource(reader: try XMLEventReader(bytes: bytes))
      try source.read()
      return try source.model()
    } catch {
      throw ModelFault("\(error)")
    }
  }

  private init(reader: XMLEventReader) { self.reader = reader }

  private mutating func read() throws(XMLError) {
    guard case .start("model", let tag)? = try reader.next() else {
      throw reader.unexpected("its root element is not “model”, so it is no source of a model")
    }
    if let identifier = tag["userDefinedModelVersionIdentifier"], !identifier.isEmpty {
      versionIdentifiers = [identifier]
    }
    while let event = try reader.next() {
      guard case .start(let name, let tag) = event else { continue }
      switch name {
      case "entity": try readEntity(tag)
      case "compositeAttribute": try readComposite(tag)
      case "configuration":
        if let name = tag["name"] { configurationNames.append(name) }
        try reader.skipElement()
      default: try reader.skipElement()
      }
      guard entities.count <= Self.greatestCount else { throw tooLarge() }
    }
  }

  private mutating func readEntity(_ tag: [XMLAttribute]) throws(XMLError) {
    var entity = Draft(tag: tag, name: try required("name", in: tag))
    while let (name, tag) = try child() {
      switch name {
      case "attribute": entity.attributes.append(AttributeDraft(tag: tag, line: reader.line))
      case "relationship": entity.relationships.append(contentsOf: try relationship(tag))
      case "uniquenessConstraints":
        entity.uniqueKeys = try uniqueKeys()
        continue
      default: break
      }
      try reader.skipElement()
    }
    entities.append(entity)
  }

  private mutating func readComposite(_ tag: [XMLAttribute]) throws(XMLError) {
    let type = try required("name", in: tag)
    var elements: [AttributeDraft] = []
    while let (name, tag) = try child() {
      if name == "attribute" { elements.append(AttributeDraft(tag: tag, line: reader.line)) }
      try reader.skipElement()
    }
    composites[type] = elements
  }

  /// The next element inside of the one at hand, or `nil` when that one ends.
  private func child() throws(XMLError) -> (name: String, tag: [XMLAttribute])? {
    while let event = try reader.next() {
      switch event {
      case .start(let name, let tag): return (name, tag)
      case .text: continue
      case .end: return nil
      }
    }
    return nil
  }

  private func uniqueKeys() throws(XMLError) -> [[String]] {
    var keys: [[String]] = []
    while let (name, _) = try child() {
      guard name == "uniquenessConstraint" else {
        try reader.skipElement()
        continue
      }
      var key: [String] = []
      while let (_, tag) = try child() {
        if let value = tag["value"] { key.append(value) }
        try reader.skipElement()
      }
      if !key.isEmpty { keys.append(key) }
    }
    return keys
  }

  private func required(_ name: String, in tag: [XMLAttribute]) throws(XMLError) -> String {
    guard let value = tag[name], !value.isEmpty else {
      throw reader.unexpected("an element of the model has no “\(name)”")
    }
    return value
  }

  private func tooLarge() -> XMLError {
    XMLError(.beyondLimit, reason: "a model of more than \(Self.greatestCount) parts")
  }
}

// MARK: - Properties

extension ModelSource {
  /// The relationship, or nothing for a transient one, which no store keeps.
  private func relationship(_ tag: [XMLAttribute]) throws(XMLError) -> [StoreRelationship] {
    let name = try required("name", in: tag)
    guard tag["transient"] != "YES" else { return [] }
    guard let destination = EntityName(try required("destinationEntity", in: tag)) else {
      throw reader.unexpected("relationship \(name) leads to no entity")
    }
    let greatest = tag["maxCount"].flatMap { Int32($0) }.map { Int(max(0, $0)) } ?? 0
    let least = tag["minCount"].flatMap { Int32($0) }.map { Int(max(0, $0)) } ?? 0
    let rule: StoreRelationship.DeleteRule =
      switch tag["deletionRule"] {
      case "Nullify": .nullify
      case "Cascade": .cascade
      case "Deny": .deny
      default: .noAction
      }
    let isToMany = greatest != 1
    return [
      StoreRelationship(
        name: name,
        destination: destination,
        inverse: tag["inverseName"],
        isToMany: isToMany,
        isOrdered: tag["ordered"] == "YES",
        isOptional: tag["optional"] == "YES",
        deleteRule: rule,
        minimumCount: least,
        maximumCount: greatest,
        renamingIdentifier: renaming(tag, name: name)
      )
    ]
  }

  private func renaming(_ tag: [XMLAttribute], name: String) -> String? {
    tag["elementID"].flatMap { $0.isEmpty || $0 == name ? nil : $0 }
  }

  private func attribute(
    _ draft: AttributeDraft,
    depth: Int,
    count: inout Int
  ) throws(XMLError) -> StoreAttribute {
    count += 1
    guard count <= Self.greatestCount else { throw tooLarge() }
    let tag = draft.tag
    guard let name = tag["name"], !name.isEmpty else {
      throw fault("an attribute has no name", draft.line)
    }
    let kind = try kind(draft, name: name, depth: depth, count: &count)
    return StoreAttribute(
      name: name,
      kind: kind,
      isOptional: tag["optional"] == "YES",
      isTransient: tag["transient"] == "YES",
      isDerived: tag["derived"] == "YES",
      allowsExternalStorage: tag["allowsExternalBinaryDataStorage"] == "YES",
      isPreservedAfterDeletion: tag["preserveAfterDeletion"] == "YES"
        || tag["preservesValueInHistoryOnDeletion"] == "YES",
      defaultValue: defaultValue(tag, kind: kind),
      derivation: tag["derivationExpression"],
      renamingIdentifier: renaming(tag, name: name)
    )
  }

  private func defaultValue(_ tag: [XMLAttribute], kind: StoreAttribute.Kind) -> String? {
    if let interval = tag["defaultDateTimeInterval"].flatMap({ Double($0) }) {
      return DefaultText.date(interval)
    }
    return tag["defaultValueString"].map { DefaultText.source($0, kind: kind) }
  }

  private func kind(
    _ draft: AttributeDraft,
    name: String,
    depth: Int,
    count: inout Int
  ) throws(XMLError) -> StoreAttribute.Kind {
    let tag = draft.tag
    switch tag["attributeType"] {
    case "Integer 16": return .integer16
    case "Integer 32": return .integer32
    case "Integer 64": return .integer64
    case "Decimal": return .decimal
    case "Double": return .double
    case "Float": return .float
    case "String": return .string
    case "Boolean": return .boolean
    case "Date": return .date
    case "Binary", "Binary Data": return .binary
    case "UUID": return .uuid
    case "URI": return .uri
    case "ObjectID", "Object ID": return .objectID
    case "Transformable":
      return .transformable(
        transformer: tag["valueTransformerName"].flatMap { $0.isEmpty ? nil : $0 },
        valueClass: tag["customClassName"]
      )
    case "Composite":
      return try composite(draft, name: name, depth: depth, count: &count)
    case let other:
      // Only what is not stored may be without a type.
      guard tag["transient"] == "YES" else {
        throw fault("attribute \(name) is of the unknown type “\(other ?? "")”", draft.line)
      }
      return .undeclared(sqlType: "")
    }
  }

  private func composite(
    _ draft: AttributeDraft,
    name: String,
    depth: Int,
    count: inout Int
  ) throws(XMLError) -> StoreAttribute.Kind {
    guard depth < Self.greatestDepth else {
      throw fault("composites lie more than \(Self.greatestDepth) deep", draft.line)
    }
    let type = draft.tag.first { $0.name != "name" && composites[$0.value] != nil }?.value
    guard let elements = type.flatMap({ composites[$0] }) else {
      throw fault("attribute \(name) names no composite of this model", draft.line)
    }
    var attributes: [StoreAttribute] = []
    for element in elements {
      attributes.append(try attribute(element, depth: depth + 1, count: &count))
    }
    return .composite(attributes, isEnumeration: false)
  }

  private func fault(_ reason: String, _ line: Int) -> XMLError {
    XMLError(.unexpected, line: line, reason: reason)
  }
}

// MARK: - The whole

extension ModelSource {
  private func model() throws(XMLError) -> ManagedObjectModel {
    var count = 0
    var finished: [ManagedObjectModel.Entity] = []
    let names = Set(entities.map(\.name))
    for entity in entities {
      let above = entity.tag["parentEntity"]
      if let above, !names.contains(above) {
        throw XMLError(
          .unexpected,
          reason: "entity \(entity.name) inherits from no entity \(above)"
        )
      }
      var attributes: [StoreAttribute] = []
      for draft in entity.attributes {
        attributes.append(try attribute(draft, depth: 0, count: &count))
      }
      finished.append(
        ManagedObjectModel.Entity(
          name: entity.name,
          superName: above,
          isAbstract: entity.tag["isAbstract"] == "YES",
          className: entity.tag["representedClassName"],
          attributes: attributes.sorted { precedes($0.name, $1.name) },
          relationships: entity.relationships.sorted { precedes($0.name, $1.name) },
          uniqueKeys: entity.uniqueKeys,
          renamingIdentifier: renaming(entity.tag, name: entity.name)
        )
      )
    }
    try checkInheritance(finished)
    return ManagedObjectModel(
      entities: finished,
      versionIdentifiers: versionIdentifiers,
      configurationNames: configurationNames.sorted()
    )
  }

  private func checkInheritance(_ entities: [ManagedObjectModel.Entity]) throws(XMLError) {
    let above = Dictionary(
      entities.map { ($0.name, $0.superName) },
      uniquingKeysWith: { first, _ in first }
    )
    for entity in entities {
      var name = entity.superName
      var steps = 0
      while let next = name {
        steps += 1
        guard steps <= entities.count else {
          throw XMLError(.unexpected, reason: "entity \(entity.name) inherits from itself")
        }
        name = above[next] ?? nil
      }
    }
  }
}
