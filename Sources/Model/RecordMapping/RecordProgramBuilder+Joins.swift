import Profiles
import Records

/// Lists of references that the rows of another entity make: `book_tag.tag`.
extension RecordProgramBuilder {
  /// One thing of a row between that leads to a record.
  private struct Link {
    let place: RowJoin.Link
    /// The entity of the store that the record is of.
    let destination: EntityName
  }

  /// The member that lists what `other` of the rows of an entity leads to; `nil` where the name is no such.
  ///
  /// The entity has to be described, so that its rows are in the package, and are counted there.
  mutating func joined(_ name: String, member: String) -> RecordProgram.Content? {
    guard let dot = name.lastIndex(of: "."),
      let between = entities.first(where: { $0.name.text == name[..<dot] }),
      let rows = model.entity(named: between.storeName)
    else { return nil }
    let links = links(of: between, rows)
    let end = name[name.index(after: dot)...]
    guard let other = links.first(where: { $0.place.name == end }) else { return nil }
    let own = links.filter {
      $0.place != other.place && model.tree(of: $0.destination).contains(store.name)
    }
    guard let link = own.first, own.count == 1 else {
      fault(
        own.isEmpty
          ? "no reference of \(between.name) but “\(end)” leads to \(profile.name)"
          : "\(own.count) references of \(between.name) lead to \(profile.name)",
        member: member,
        cure: "name an entity with two references, of which the other one leads to \(profile.name)"
      )
      return .null
    }
    return content(
      of: StoreRelationship(name: name, destination: other.destination, isToMany: true),
      by: RowJoin(entity: rows.name, own: link.place, other: other.place),
      member: member
    )
  }

  /// Everything of an entity's rows that leads to one record: relationships, and attributes that name one.
  private func links(of between: EntityProfile, _ rows: StoreEntity) -> [Link] {
    let named = between.fields.compactMap { field -> Link? in
      guard let name = field.names, case .attribute(let path, _) = field.source,
        path.count == 1, let target = entities.first(where: { $0.name == name }),
        case .attribute(let key) = target.identity
      else { return nil }
      return Link(
        place: .attribute(path[0], of: target.storeName, key: key),
        destination: target.storeName
      )
    }
    return rows.relationships.filter { !$0.isToMany }.map {
      Link(place: .relationship($0.name), destination: $0.destination)
    } + named
  }
}
