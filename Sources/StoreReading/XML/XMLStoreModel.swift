import Records

/// The model that the objects of an XML store show, and what is odd about them.
enum XMLStoreModel {
  static func model(
    of shape: XMLStoreShape,
    names: XMLStoreNames,
    _ metadata: XMLStoreMetadata
  ) -> StoreModel {
    let entities = shape.entities.compactMap { name, entity -> StoreEntity? in
      names.entity(name).map {
        StoreEntity(
          name: $0,
          number: entity.number,
          attributes: attributes(of: entity),
          relationships: relationships(of: entity, names: names)
        )
      }
    }
    return StoreModel(
      origin: .schemaOnly,
      entities: entities.sorted { $0.name < $1.name },
      versionIdentifiers: metadata.versionIdentifiers
    )
  }

  private static func attributes(of entity: XMLStoreShape.Entity) -> [StoreAttribute] {
    let attributes = entity.attributes.map { name, attribute in
      StoreAttribute(
        name: name,
        kind: XMLValue.kind(of: attribute.types),
        isOptional: attribute.valueCount < entity.objectCount
      )
    }
    return attributes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func relationships(
    of entity: XMLStoreShape.Entity,
    names: XMLStoreNames
  ) -> [StoreRelationship] {
    let relationships = entity.relationships.compactMap { name, relationship in
      names.entity(relationship.destination).map { destination in
        StoreRelationship(
          name: name,
          destination: destination,
          inverse: relationship.inverse,
          isToMany: relationship.isToMany,
          isOptional: relationship.isOptional,
          deleteRule: .noAction
        )
      }
    }
    return relationships.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  // MARK: - Findings

  static func findings(
    _ shape: XMLStoreShape,
    names: XMLStoreNames,
    _ metadata: XMLStoreMetadata
  ) -> [Finding] {
    var findings: [Finding] = []
    if metadata.uuid == nil {
      findings.append(
        Finding(
          code: "store.no-uuid",
          severity: .warning,
          cause: "the file has no databaseInfo with a UUID; its name stands for it in addresses",
          cure: "keep the file's name, or open the store once with its app"
        )
      )
    }
    findings.append(
      Finding(
        code: "store.names-lost",
        severity: .warning,
        cause: "an XML store has its properties' names in lower case only",
        cure: "compare the names with the app's model"
      )
    )
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

  /// References to objects that are not there.
  static func danglingFindings(
    _ shape: XMLStoreShape,
    names: XMLStoreNames,
    in database: Database
  ) throws(StoreError) -> [Finding] {
    var findings: [Finding] = []
    for (name, entity) in shape.entities.sorted(by: { $0.key < $1.key }) {
      for (property, relationship) in entity.relationships.sorted(by: { $0.key < $1.key }) {
        let rows = try database.statement(
          "SELECT count(*) FROM link WHERE relationship = \(relationship.number) "
            + "AND target NOT IN (SELECT number FROM object)",
          purpose: "look for references that lead nowhere"
        )
        guard try rows.step(), rows.integer(0) > 0 else { continue }
        findings.append(
          Finding(
            code: "store.reference-dangling",
            severity: .warning,
            entity: names.entity(name),
            pointer: "/\(property)",
            cause: "“\(property)” leads \(rows.integer(0)) times to an object that is not there",
            cure: "open the store once with its app, or take it from a backup"
          )
        )
      }
    }
    return findings
  }
}
