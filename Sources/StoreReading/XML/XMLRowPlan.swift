import Records
import StoreFiles

/// What a request needs of the private database that an XML store was put into.
struct XMLRowPlan {
  /// Where a cell comes from; numbers are columns of the statement.
  enum Source {
    case value(column: Int32, isArchive: Bool)
    case address
    /// The target's key, entity and name, and its identity where an attribute is that.
    case reference(column: Int32, identity: Bool, destination: String)
    case references(stream: Int)
    /// The model has it, and no object of the file does.
    case null
    case emptyList
  }

  /// A to-many relationship, read beside the rows.
  struct Stream {
    let sql: String
    let hasIdentity: Bool
    let destination: String
  }

  let entity: XMLStoreShape.Entity
  let entityName: EntityName
  private(set) var sources: [Source] = []
  private(set) var streams: [Stream] = []
  private var columns = ["o.number", "(SELECT text FROM name WHERE number = o.number)"]
  private let after: Int64?

  init(_ request: RowRequest, of store: XMLStore) throws(StoreError) {
    entity = try store.entity(request.entity)
    entityName = request.entity
    after = request.after
    for field in request.fields {
      switch field {
      case .objectURI: sources.append(.address)
      case .attribute(let path): try addValue(path.joined(separator: "."), store)
      case .reference(let name, let identity): try add(name, identity, isToMany: false, store)
      case .references(let name, let identity): try add(name, identity, isToMany: true, store)
      case .joined(let join, _):
        throw .unjoined(join, of: request.entity, path: store.sourcePath)
      }
    }
    guard columns.count <= 1900 else {
      throw .tooWide(path: store.sourcePath, entity: request.entity, limit: "1,900 columns")
    }
  }

  var sql: String {
    "SELECT \(columns.joined(separator: ", ")) FROM object AS o "
      + "WHERE o.entity = \(entity.number)\(afterClause("o.number")) ORDER BY o.number"
  }

  private func afterClause(_ column: String) -> String {
    after.map { " AND \(column) > \($0)" } ?? ""
  }

  private mutating func addValue(_ name: String, _ store: XMLStore) throws(StoreError) {
    let fileName = fileName(of: name, store)
    guard let attribute = entity.attributes[fileName],
      let number = store.shape.attributeNumbers[fileName]
    else {
      let attributes = store.model.entity(named: entityName)?.attributes ?? []
      guard attributes.contains(where: { $0.name == name }) else {
        throw unknown(name, "no object has it", store)
      }
      sources.append(.null)
      return
    }
    sources.append(
      .value(
        column: Int32(columns.count),
        isArchive: attribute.types == ["transformable"]
      )
    )
    columns.append("(SELECT value FROM value WHERE object = o.number AND attribute = \(number))")
  }

  private mutating func add(
    _ name: String,
    _ identity: IdentityRule,
    isToMany: Bool,
    _ store: XMLStore
  ) throws(StoreError) {
    guard let relationship = entity.relationships[fileName(of: name, store)] else {
      let relationships = store.model.entity(named: entityName)?.relationships ?? []
      guard relationships.contains(where: { $0.name == name && $0.isToMany == isToMany }) else {
        throw unknown(name, "no object has it", store)
      }
      sources.append(isToMany ? .emptyList : .null)
      return
    }
    guard relationship.isToMany == isToMany else {
      throw unknown(name, "it leads to \(isToMany ? "one object" : "many objects")", store)
    }
    if isToMany {
      addStream(relationship, identity, store)
    } else {
      addReference(relationship, identity, store)
    }
  }

  private mutating func addReference(
    _ relationship: XMLStoreShape.Relationship,
    _ identity: IdentityRule,
    _ store: XMLStore
  ) {
    let target =
      "(SELECT target FROM link WHERE source = o.number AND relationship = \(relationship.number))"
    let found = Self.identityColumn(identity, of: target, store)
    sources.append(
      .reference(
        column: Int32(columns.count),
        identity: found != nil,
        destination: relationship.destination
      )
    )
    columns += [
      target, "(SELECT entity FROM object WHERE number = \(target))",
      "(SELECT text FROM name WHERE number = \(target))",
    ]
    if let found { columns.append(found) }
  }

  private mutating func addStream(
    _ relationship: XMLStoreShape.Relationship,
    _ identity: IdentityRule,
    _ store: XMLStore
  ) {
    let found = Self.identityColumn(identity, of: "l.target", store)
    let sql =
      "SELECT l.target, (SELECT entity FROM object WHERE number = l.target), "
      + "(SELECT text FROM name WHERE number = l.target), \(found ?? "NULL"), l.source "
      + "FROM link AS l WHERE l.relationship = \(relationship.number)"
      + "\(afterClause("l.source")) ORDER BY l.source, l.position"
    sources.append(.references(stream: streams.count))
    streams.append(
      Stream(sql: sql, hasIdentity: found != nil, destination: relationship.destination)
    )
  }

  private static func identityColumn(
    _ identity: IdentityRule,
    of target: String,
    _ store: XMLStore
  ) -> String? {
    guard case .attribute(let name) = identity,
      let number = store.shape.attributeNumbers[name]
        ?? store.shape.attributeNumbers[name.lowercased()]
    else { return nil }
    return "(SELECT value FROM value WHERE object = \(target) AND attribute = \(number))"
  }

  private func fileName(of property: String, _ store: XMLStore) -> String {
    store.names.fileProperty(property, of: store.fileName(of: entityName))
  }

  private func unknown(_ name: String, _ reason: String, _ store: XMLStore) -> StoreError {
    .unknownField(path: store.sourcePath, entity: entityName, field: name, reason: reason)
  }
}
