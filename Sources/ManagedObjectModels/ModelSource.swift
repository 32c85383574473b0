import Records
import XMLAccess

/// Reads the source of a model: the XML file `contents` inside of an `.xcdatamodel`.
///
/// Elements and attributes that say nothing about a store's rows are passed over.
struct ModelSource {
  let reader: XMLEventReader
  private var entities: [Draft] = []
  /// The elements of the composite types, by the name of the type.
  var composites: [String: [AttributeDraft]] = [:]
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
  struct AttributeDraft {
    let tag: [XMLAttribute]
    let line: Int
  }

  static let greatestDepth = 16
  /// More than any model has, and a bound for composites that unfold.
  static let greatestCount = 100_000

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
      throw reader.unexpected("its root element is not “model”, so it is not a source of a model")
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
      guard entities.count <= ManagedObjectModel.greatestEntityCount else { throw tooLarge() }
    }
  }

  private mutating func readEntity(_ tag: [XMLAttribute]) throws(XMLError) {
    var entity = Draft(tag: tag, name: try required("name", in: tag))
    guard EntityName(entity.name) != nil else {
      throw reader.unexpected("no store can have an entity of the name “\(entity.name)”")
    }
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

  func required(_ name: String, in tag: [XMLAttribute]) throws(XMLError) -> String {
    guard let value = tag[name], !value.isEmpty else {
      throw reader.unexpected("an element of the model has no “\(name)”")
    }
    return value
  }

  func tooLarge() -> XMLError {
    XMLError(.beyondLimit, reason: "a model of more parts than any has")
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
