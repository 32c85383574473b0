import Records
import StoreFiles

/// The tables of a store whose rows only join two records, each as a list of references of one of them.
///
/// A table is that where each of its columns leads to a record, but for one that may be its own identity.
/// It becomes a list where the destination takes one, and has no collection for the table itself.
struct JoinTables {
  /// One list of references.
  struct List: Hashable {
    /// The entity whose records have it, and their member.
    let owner: EntityName
    let member: String
    /// The entity of the rows between, and what of them leads to the other record.
    let table: EntityName
    let other: String
    let target: EntityName
  }

  private(set) var lists: [List] = []

  /// One column of a table that leads to a record.
  private struct Link {
    let place: RowJoin.Link
    let target: EntityName
  }

  init(
    of entities: [StoreEntity],
    _ identities: [EntityName: String],
    _ named: [EntityName: [String: EntityName]],
    in store: any Store,
    to destination: DraftedDestination
  ) throws(StoreError) {
    var places = destination.listPlaces(of: entities.map(\.name))
    for table in entities where !places.isSent(table.name) {
      guard let links = Self.links(of: table, identities, named[table.name] ?? [:]) else {
        continue
      }
      for (own, other) in [(links[0], links[1]), (links[1], links[0])] {
        guard let owner = entities.first(where: { $0.name == own.target }),
          try Self.canJoin(own, other, by: table.name, in: store),
          let member = places.take(of: owner, to: other.target)
        else { continue }
        lists.append(
          List(
            owner: own.target,
            member: member,
            table: table.name,
            other: other.place.name,
            target: other.target
          )
        )
        break
      }
    }
  }

  /// The lists that the records of an entity have.
  func lists(of entity: EntityName) -> [List] { lists.filter { $0.owner == entity } }

  /// The list that the rows of an entity are taken up in.
  func list(ofRows entity: EntityName) -> List? { lists.first { $0.table == entity } }

  /// The entity that each list leads to, by the entity whose records have it and their member.
  var targets: [EntityName: [String: EntityName]] {
    lists.reduce(into: [:]) { $0[$1.owner, default: [:]][$1.member] = $1.target }
  }

  /// What the two columns of a join table lead to, in their order; `nil` for any other table.
  private static func links(
    of table: StoreEntity,
    _ identities: [EntityName: String],
    _ named: [String: EntityName]
  ) -> [Link]? {
    var links: [Link] = []
    for attribute in table.attributes where attribute.name != identities[table.name] {
      let stem = SchemaMatch.stem(attribute.name)
      if let relationship = table.relationships.first(where: {
        !$0.isToMany && SchemaMatch.stem($0.name) == stem
      }) {
        links.append(
          Link(place: .relationship(relationship.name), target: relationship.destination)
        )
      } else if let target = named[attribute.name], let key = identities[target] {
        links.append(
          Link(place: .attribute(attribute.name, of: target, key: key), target: target)
        )
      } else {
        return nil
      }
    }
    let names = Set(links.map(\.place.name))
    return names.count == 2 && links.count == 2 && !names.contains { $0.contains(".") }
      ? links : nil
  }

  /// Whether the store can be asked for the list.
  private static func canJoin(
    _ own: Link,
    _ other: Link,
    by table: EntityName,
    in store: any Store
  ) throws(StoreError) -> Bool {
    let join = RowJoin(entity: table, own: own.place, other: other.place)
    let field = FieldRequest.joined(join, identity: .objectURI)
    do throws(StoreError) {
      _ = try store.rows(RowRequest(entity: own.target, fields: [field]))
      return true
    } catch {
      guard case .unknownField = error else { throw error }
      return false
    }
  }
}

/// The places that a destination has for lists of references.
struct ListPlaces {
  /// The fields of each entity that take lists of references, with the entity that each leads to; `nil` where
  /// any list has a place.
  fileprivate var fields: [EntityName: [(name: String, target: EntityName)]]?
  /// The entities that the destination has collections for, as far as it said.
  fileprivate let sent: Set<EntityName>
  private var taken: [EntityName: Set<String>] = [:]

  init(fields: [EntityName: [(name: String, target: EntityName)]]?, sent: Set<EntityName>) {
    (self.fields, self.sent) = (fields, sent)
  }

  func isSent(_ entity: EntityName) -> Bool { sent.contains(entity) }

  /// The name of a member for a list, which has no other place then; `nil` where there is no place.
  mutating func take(of owner: StoreEntity, to target: EntityName) -> String? {
    let names = Set(owner.attributes.map(\.name) + owner.relationships.map(\.name))
      .union(taken[owner.name] ?? [])
    let usual = target.usualCollection
    let fitting =
      fields.map { ($0[owner.name] ?? []).filter { $0.target == target }.map(\.name) } ?? [usual]
    guard let name = fitting.first(where: { !names.contains($0) }) else { return nil }
    taken[owner.name, default: []].insert(name)
    return name
  }
}
