package import Records

/// Several stores of one app, read as one.
///
/// | an entity | is called |
/// |---|---|
/// | whose name other stores have too | `STORE.Entity`, by the name of its store |
/// | of these one that cannot be called so | by its own name while that is free, else as below |
/// | whose name no other entity has, nor is called by | by its own name |
/// | any other | `STORE.Entity`, in a form that a name may have, with a number where that is taken |
///
/// Findings name the file they are about.
package final class GatheredStore: Store {
  /// One of the stores, and what it is called.
  package struct Part {
    /// The name that distinguishes its entities from others.
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
    var fields: [FieldRequest] = []
    for field in request.fields {
      guard case .joined(let join, let identity) = field else {
        fields.append(field)
        continue
      }
      fields.append(
        .joined(try self.join(join, of: request.entity, place.part), identity: identity)
      )
    }
    return try parts[place.part].store.rows(
      RowRequest(entity: place.entity, fields: fields, after: request.after)
    )
  }

  /// Rows between two records, as the store has them that all three are in.
  private func join(
    _ join: RowJoin,
    of entity: EntityName,
    _ part: Int
  ) throws(StoreError) -> RowJoin {
    func own(_ name: EntityName) throws(StoreError) -> EntityName {
      let place = try self.place(of: name)
      guard place.part == part else {
        throw .unjoined(join, of: entity, path: parts[part].path)
      }
      return place.entity
    }
    func own(_ link: RowJoin.Link) throws(StoreError) -> RowJoin.Link {
      guard case .attribute(let name, let target, let key) = link else { return link }
      return .attribute(name, of: try own(target), key: key)
    }
    return RowJoin(
      entity: try own(join.entity),
      own: try own(join.own),
      other: try own(join.other)
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
    var taken: Set<EntityName> = []
    var names = [[EntityName: EntityName]](repeating: [:], count: parts.count)
    func give(_ choose: (_ entity: EntityName, _ part: String) -> EntityName?) {
      for (index, part) in parts.enumerated() {
        for entity in part.store.model.entities where names[index][entity.name] == nil {
          guard let name = choose(entity.name, part.name), taken.insert(name).inserted else {
            continue
          }
          names[index][entity.name] = name
        }
      }
    }
    // Profiles ask for the entities of several stores by these, so nothing else may take them.
    give { entity, part in counts[entity] == 1 ? nil : Self.plain(entity, of: part) }
    give { entity, _ in counts[entity] == 1 ? entity : nil }
    give { entity, part in Self.free(entity, of: part, among: taken) }
    self.names = names
  }

  /// `STORE.Entity`, where that can be a name.
  private static func plain(_ entity: EntityName, of part: String) -> EntityName? {
    EntityName("\(part).\(entity)")
  }

  /// `STORE.Entity`, or the entity's own name, or else the first in the form that a name may have,
  /// with a number.
  ///
  /// Of a store's name that is too long the end is kept, which identifies it best.
  private static func free(
    _ entity: EntityName,
    of part: String,
    among taken: Set<EntityName>
  ) -> EntityName {
    for name in [plain(entity, of: part), entity] {
      if let name, !taken.contains(name) { return name }
    }
    let bytes = part.utf8.map { byte in
      byte > 0x20 && byte != UInt8(ascii: "/") && byte != 0x7F ? byte : UInt8(ascii: "-")
    }
    let store = String(decoding: bytes, as: UTF8.self)
    let start = store.hasPrefix(".") ? "%2E\(store.dropFirst())" : store
    let text = "\(start).\(entity)"
    var number = 1
    while true {
      let name = Self.name(endingIn: number == 1 ? text : "\(text)-\(number)")
      if let name, !taken.contains(name) { return name }
      number += 1
    }
  }

  private static func name(endingIn text: String) -> EntityName? {
    let end = text.utf8.suffix(200).drop { $0 & 0xC0 == 0x80 || $0 == UInt8(ascii: ".") }
    return EntityName(String(decoding: end, as: UTF8.self))
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
      uniqueKeys: entity.uniqueKeys,
      holdsPreferences: entity.holdsPreferences,
      keysMayChange: entity.keysMayChange
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
