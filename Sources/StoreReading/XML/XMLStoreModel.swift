import Records
import SQLiteStores
import StoreFiles

/// The model that the objects of an XML store show, and what is odd about them.
enum XMLStoreModel {
  static func model(
    of shape: XMLStoreShape,
    names: XMLStoreNames,
    _ metadata: XMLStoreMetadata,
    given: XMLGivenModel?
  ) -> StoreModel {
    var entities = shape.entities.compactMap { name, entity -> StoreEntity? in
      names.entity(name).map { entityName in
        let known = given?.entities[name.uppercased()]
        return StoreEntity(
          name: entityName,
          number: entity.number,
          superentity: known?.superentity,
          isAbstract: known?.isAbstract ?? false,
          className: known?.className,
          attributes: attributes(of: entity, name, names: names, given: known),
          relationships: relationships(of: entity, name, names: names, given: known),
          uniqueKeys: known?.uniqueKeys ?? []
        )
      }
    }
    let found = Set(entities.map(\.name))
    for known in given?.entities.values.map(\.self) ?? [] where !found.contains(known.name) {
      entities.append(
        StoreEntity(
          name: known.name,
          superentity: known.superentity,
          isAbstract: known.isAbstract,
          className: known.className,
          attributes: known.attributes,
          relationships: known.relationships,
          uniqueKeys: known.uniqueKeys
        )
      )
    }
    let identifiers = given?.versionIdentifiers ?? []
    return StoreModel(
      origin: given == nil ? .schemaOnly : .given,
      entities: entities.sorted { $0.name < $1.name },
      versionIdentifiers: identifiers.isEmpty ? metadata.versionIdentifiers : identifiers
    )
  }

  /// The model's attributes, and those that only the file has.
  private static func attributes(
    of entity: XMLStoreShape.Entity,
    _ entityName: String,
    names: XMLStoreNames,
    given: XMLGivenModel.Entity?
  ) -> [StoreAttribute] {
    var attributes = given?.attributes ?? []
    let known = Set(attributes.map(\.name))
    for (fileName, attribute) in entity.attributes {
      let name = names.property(fileName, of: entityName)
      guard !known.contains(name) else { continue }
      attributes.append(
        StoreAttribute(
          name: name,
          kind: XMLValue.kind(of: attribute.types),
          isOptional: attribute.valueCount < entity.objectCount
        )
      )
    }
    return attributes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The model's relationships, and those that the file has otherwise.
  private static func relationships(
    of entity: XMLStoreShape.Entity,
    _ entityName: String,
    names: XMLStoreNames,
    given: XMLGivenModel.Entity?
  ) -> [StoreRelationship] {
    var relationships: [String: StoreRelationship] = [:]
    for known in given?.relationships ?? [] { relationships[known.name] = known }
    for (fileName, relationship) in entity.relationships {
      let name = names.property(fileName, of: entityName)
      guard relationships[name]?.isToMany != relationship.isToMany,
        let destination = names.entity(relationship.destination)
      else { continue }
      relationships[name] = StoreRelationship(
        name: name,
        destination: destination,
        inverse: relationship.inverse.map { names.property($0, of: relationship.destination) },
        isToMany: relationship.isToMany,
        isOptional: relationship.isOptional,
        deleteRule: .noAction
      )
    }
    return relationships.values
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  // MARK: - Findings

  static func findings(
    _ shape: XMLStoreShape,
    names: XMLStoreNames,
    _ metadata: XMLStoreMetadata,
    given: XMLGivenModel?
  ) -> [Finding] {
    var findings: [Finding] = []
    if metadata.uuid == nil {
      findings.append(
        Finding(
          code: "store.no-uuid",
          severity: .warning,
          cause: "the file has no databaseInfo with a UUID; its name represents it in addresses",
          cure: "keep the file's name"
        )
      )
    }
    findings.append(contentsOf: nameFindings(shape, names: names, given: given))
    for (name, entity) in shape.entities.sorted(by: { $0.key < $1.key }) {
      for (property, attribute) in entity.attributes.sorted(by: { $0.key < $1.key })
      where attribute.malformedCount > 0 {
        findings.append(
          Finding(
            code: "store.value-malformed",
            severity: .warning,
            entity: names.entity(name),
            pointer: "/\(property)",
            cause: "\(attribute.malformedCount) values of “\(property)” are no "
              + attribute.types.sorted().joined(separator: " or "),
            cure: "they are kept as text; correct them in the app or in a copy of the file"
          )
        )
      }
    }
    return findings
  }

  private static func nameFindings(
    _ shape: XMLStoreShape,
    names: XMLStoreNames,
    given: XMLGivenModel?
  ) -> [Finding] {
    guard let given else {
      return [
        Finding(
          code: "store.names-lost",
          severity: .warning,
          cause: "an XML store has its properties' names in lower case only, and does not say "
            + "which relationships are two sides of one: each is read as it is",
          cure: "give the app's model, which has the names in their own letters and the inverses"
        )
      ]
    }
    var findings: [Finding] = []
    for (name, entity) in shape.entities.sorted(by: { $0.key < $1.key }) {
      let known = given.entities[name.uppercased()]
      let properties = Set(
        (known?.attributes.map(\.name) ?? []) + (known?.relationships.map(\.name) ?? [])
      )
      let unknownNames = (Array(entity.attributes.keys) + Array(entity.relationships.keys)).sorted()
        .filter { !properties.contains(names.property($0, of: name)) }
      guard known == nil || !unknownNames.isEmpty else { continue }
      findings.append(
        Finding(
          code: "store.model-differs",
          severity: .warning,
          entity: names.entity(name),
          cause: known == nil
            ? "the given model has no entity “\(name)”"
            : "the given model lacks \(unknownNames.count) properties of “\(name)”: "
              + unknownNames.prefix(20).joined(separator: ", "),
          cure: "give the model of the version that wrote the store; names are kept as in the file"
        )
      )
    }
    return findings
  }

  /// References to objects that are not there.
  static func danglingFindings(
    _ shape: XMLStoreShape,
    names: XMLStoreNames,
    in database: Database
  ) throws(StoreError) -> [Finding] {
    let rows = try database.statement(
      "SELECT relationship, count(*) FROM link WHERE target NOT IN (SELECT number FROM object) "
        + "GROUP BY relationship",
      purpose: "look for references that lead nowhere"
    )
    var counts: [Int64: Int64] = [:]
    while try rows.step() { counts[rows.integer(0)] = rows.integer(1) }
    var findings: [Finding] = []
    for (name, entity) in shape.entities.sorted(by: { $0.key < $1.key }) {
      for (property, relationship) in entity.relationships.sorted(by: { $0.key < $1.key }) {
        guard let count = counts[Int64(relationship.number)] else { continue }
        findings.append(
          Finding(
            code: "store.reference-dangling",
            severity: .warning,
            entity: names.entity(name),
            pointer: "/\(property)",
            cause: "“\(property)” leads \(count) times to an object that is not there",
            cure:
              "no action is needed: “dangling” in the profile says what an export does with such links"
          )
        )
      }
    }
    return findings
  }
}
