import Files
import PreferenceFiles
import RealmFiles
import Records
import StoreFiles

/// Where an entity's fields are in its table.
struct RealmEntityLayout {
  /// The table's place in the file.
  let table: Int
  /// The places of properties by the names of their attributes or relationships.
  let properties: [String: Int]
}

/// The model of a Realm file, from its tables.
struct RealmModelReading {
  private(set) var entities: [StoreEntity] = []
  private(set) var layouts: [EntityName: RealmEntityLayout] = [:]
  private(set) var entityNames: [Int: EntityName] = [:]
  private(set) var otherTables: [String] = []
  private(set) var findings: [Finding] = []
  private let file: RealmFile

  /// Tables that Realm needs for every app, and whose content is used.
  private static let ownTables: Set<String> = ["metadata", "pk"]
  /// What the names of the tables begin with that Realm's sync made.
  private static let syncPrefixes = ["sync_", "flx_", "client_", "class___"]

  init(_ file: RealmFile) {
    self.file = file
    let hasClasses = file.tables.contains { $0.className != nil }
    for (place, table) in file.tables.enumerated() where !Self.ownTables.contains(table.name) {
      guard let name = hasClasses ? table.className : Self.plainName(of: table) else {
        otherTables.append(table.name)
        continue
      }
      guard table.kind != .embedded else { continue }
      entityNames[place] = PlainEntityName.of(
        name,
        isTaken: { name in entityNames.values.contains(name) },
        &findings
      )
    }
    for (place, name) in entityNames.sorted(by: { $0.value < $1.value }) { add(name, place) }
    if file.history == .syncedClient || file.history == .syncServer { findings.append(Self.synced) }
  }

  /// The name of a table in a file without classes, which an SDK did not write.
  private static func plainName(of table: RealmTable) -> String? {
    syncPrefixes.contains { table.name.hasPrefix($0) } ? nil : table.name
  }

  private mutating func add(_ name: EntityName, _ place: Int) {
    let table = file.tables[place]
    let names = DistinctNames(table.properties.map(\.name))
    var attributes: [StoreAttribute] = []
    var relationships: [StoreRelationship] = []
    for (property, name) in zip(table.properties, names.all) {
      if let destination = entity(linkedBy: property) {
        relationships.append(Self.relationship(property, name, destination))
      } else {
        let kind = Self.kind(property)
        attributes.append(
          StoreAttribute(
            name: name,
            kind: kind,
            isOptional: property.isOptional && property.collection == nil || isEmbedded(property)
          )
        )
      }
    }
    for (property, name) in zip(table.properties, names.all) where property.name != name {
      findings.append(.renamed("property", property.name, to: name, in: entityNames[place]))
    }
    entities.append(
      StoreEntity(
        name: name,
        className: table.className,
        attributes: attributes,
        relationships: relationships,
        uniqueKeys: table.primaryKey.map { [[names.all[$0]]] } ?? [],
        keysMayChange: table.hasRowNumbers && table.primaryKey == nil
      )
    )
    layouts[name] = RealmEntityLayout(
      table: place,
      properties: Dictionary(
        zip(names.all, names.all.indices),
        uniquingKeysWith: { first, _ in first }
      )
    )
    if table.kind == .asymmetric { findings.append(Self.unsent(name)) }
  }

  /// The entity that a link, or a list or set of links, leads to.
  private func entity(linkedBy property: RealmProperty) -> EntityName? {
    guard case .link(let table?) = property.kind, property.collection != .dictionary else {
      return nil
    }
    return entityNames[table]
  }

  private func isEmbedded(_ property: RealmProperty) -> Bool {
    guard case .link(let table?) = property.kind else { return false }
    return file.tables[table].kind == .embedded
  }

  private static func relationship(
    _ property: RealmProperty,
    _ name: String,
    _ destination: EntityName
  ) -> StoreRelationship {
    StoreRelationship(
      name: name,
      destination: destination,
      isToMany: property.collection != nil,
      isOrdered: property.collection == .list
    )
  }

  /// What an attribute holds; what JSON alone can hold is a transformable.
  private static func kind(_ property: RealmProperty) -> StoreAttribute.Kind {
    guard property.collection == nil else { return PreferenceValue.anyKind }
    return switch property.kind {
    case .int: .integer64
    case .bool: .boolean
    case .string, .objectID: .string
    case .data: .binary
    case .timestamp, .dateTime: .date
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .uuid: .uuid
    case .any, .link, .rows: PreferenceValue.anyKind
    }
  }

  /// The SHA-256 of the classes and their properties, in hexadecimal.
  var schemaDigest: String {
    var text: [UInt8] = []
    for (place, table) in file.tables.enumerated()
    where entityNames[place] != nil || table.kind == .embedded {
      text += Array(table.name.utf8) + [0]
      for property in table.properties { text += Array(digested(property).utf8) }
    }
    return Digest(bytes: ByteDigest.sha256(of: text)).map { "\($0)" } ?? ""
  }

  /// A property's name, kind, collection and whether it may be null, as the digest takes them.
  private func digested(_ property: RealmProperty) -> String {
    let kind =
      switch property.kind {
      case .int: "int"
      case .bool: "bool"
      case .string: "string"
      case .data: "data"
      case .any: "any"
      case .timestamp, .dateTime: "date"
      case .float: "float"
      case .double: "double"
      case .decimal: "decimal"
      case .objectID: "objectId"
      case .uuid: "uuid"
      case .link(let table): "link " + (table.map { file.tables[$0].name } ?? "")
      case .rows(let properties): "rows " + properties.map(digested).joined()
      }
    let collection =
      switch property.collection {
      case .list: "list"
      case .set: "set"
      case .dictionary: "dictionary"
      case nil: ""
      }
    return "\(property.name)\0\(kind)\0\(collection)\0\(property.isOptional)\0"
  }

  private static func unsent(_ entity: EntityName) -> Finding {
    Finding(
      code: "realm.unsent-rows",
      severity: .warning,
      entity: entity,
      cause: "the class is asymmetric: its rows waited to be sent by Realm's sync, which ended in "
        + "September 2025, and an app cannot read them",
      cure: "they are exported; leave the entity out of the profile where they are of no use"
    )
  }

  private static let synced = Finding(
    code: "realm.sync-history",
    severity: .note,
    cause:
      "the file is of an app that synced: it holds what the device had, and a history of changes",
    cure: "the objects are read; the history, which may hold deleted values, is left out"
  )
}
