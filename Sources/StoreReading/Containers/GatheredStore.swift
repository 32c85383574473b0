package import Records

/// Several stores of one app, read as one.
///
/// An entity keeps its name where no other store has one of that name; else each is called
/// `STORE.Entity` by the name of its store. Findings name the file they are about.
package final class GatheredStore: Store {
  /// One of the stores, and what it is called.
  package struct Part {
    /// The name that tells its entities from others.
    package let name: String
    /// The path in the container.
    package let path: String
    package let store: any Store

    package init(name: String, path: String, store: any Store) {
      self.name = name
      self.path = path
      self.store = store
    }
  }

  package let parts: [Part]
  package let identity: StoreIdentity
  package let model: StoreModel
  package let otherTables: [String]
  package let findings: [Finding]

  private let places: [EntityName: (part: Int, entity: EntityName)]

  /// Joins stores whose names differ.
  ///
  /// The whole is identified by the first part that is no preferences, which have no identity of
  /// their own, or else by the first.
  package init(_ parts: [Part], findings: [Finding] = []) {
    precondition(!parts.isEmpty, "there is nothing to join")
    self.parts = parts
    let names = GatheredNames(parts)
    let main = parts.first { $0.store.identity.kind != .preferences } ?? parts[0]
    identity = StoreIdentity(
      kind: .container,
      uuid: main.store.identity.uuid,
      frameworkVersion: main.store.identity.frameworkVersion,
      modelVersionIdentifiers: main.store.identity.modelVersionIdentifiers,
      modelVersionHashes: main.store.identity.modelVersionHashes
    )
    var entities: [StoreEntity] = []
    var places: [EntityName: (part: Int, entity: EntityName)] = [:]
    for (index, part) in parts.enumerated() {
      for entity in part.store.model.entities {
        let renamed = names.renamed(entity, of: index)
        entities.append(renamed)
        places[renamed.name] = (index, entity.name)
      }
    }
    model = StoreModel(
      origin: main.store.model.origin,
      entities: entities,
      versionIdentifiers: main.store.model.versionIdentifiers
    )
    self.places = places
    otherTables = parts.flatMap { part in part.store.otherTables.map { "\(part.name): \($0)" } }
    self.findings =
      findings
      + parts.enumerated().flatMap { index, part in
        part.store.findings.map { names.placed($0, of: index, path: part.path) }
      }
  }

  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    let place = try place(of: entity)
    return try parts[place.part].store.rowCount(of: place.entity)
  }

  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    let place = try place(of: request.entity)
    return try parts[place.part].store.rows(
      RowRequest(entity: place.entity, fields: request.fields, after: request.after)
    )
  }

  private func place(
    of entity: EntityName
  ) throws(StoreError) -> (part: Int, entity: EntityName) {
    guard let place = places[entity] else {
      throw .unknownEntity(path: parts.map(\.path).joined(separator: ", "), entity)
    }
    return place
  }
}

/// What the entities of several stores are called together.
private struct GatheredNames {
  private let names: [[EntityName: EntityName]]

  init(_ parts: [GatheredStore.Part]) {
    var counts: [EntityName: Int] = [:]
    for part in parts {
      for entity in part.store.model.entities { counts[entity.name, default: 0] += 1 }
    }
    names = parts.map { part in
      let pairs = part.store.model.entities.map { entity in
        let qualified = EntityName("\(part.name).\(entity.name)") ?? entity.name
        return (entity.name, counts[entity.name] == 1 ? entity.name : qualified)
      }
      return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
  }

  func renamed(_ entity: StoreEntity, of part: Int) -> StoreEntity {
    StoreEntity(
      name: name(entity.name, of: part),
      number: entity.number,
      superentity: entity.superentity.map { name($0, of: part) },
      isAbstract: entity.isAbstract,
      className: entity.className,
      attributes: entity.attributes,
      relationships: entity.relationships.map { relationship in
        StoreRelationship(
          name: relationship.name,
          destination: name(relationship.destination, of: part),
          inverse: relationship.inverse,
          isToMany: relationship.isToMany,
          isOrdered: relationship.isOrdered,
          isOptional: relationship.isOptional,
          deleteRule: relationship.deleteRule
        )
      },
      uniqueKeys: entity.uniqueKeys
    )
  }

  func placed(_ finding: Finding, of part: Int, path: String) -> Finding {
    Finding(
      code: finding.code,
      severity: finding.severity,
      entity: finding.entity.map { name($0, of: part) },
      record: finding.record,
      pointer: finding.pointer,
      file: finding.file ?? path,
      line: finding.line,
      cause: "\(path): \(finding.cause)",
      cure: finding.cure
    )
  }

  private func name(_ entity: EntityName, of part: Int) -> EntityName {
    names[part][entity] ?? entity
  }
}
