import ManagedObjectModels
import Records

/// Where to-many relationships are kept.
extension StoreLayout {
  /// Finds the place of every to-many relationship of the entity, inherited ones included.
  mutating func placeToMany(of entity: ManagedObjectModel.Entity) {
    guard let name = EntityName(entity.name), entities[name] != nil else { return }
    for declarer in chain(of: entity) {
      for relationship in declarer.relationships where relationship.isToMany {
        let found = placeOf(relationship, declarer: declarer)
        switch found {
        case .key(let table, let column, _): usedColumns[table, default: []].insert(column)
        case .pairs(let table, _, _, _, _): dataTables.insert(table)
        case nil: reportLost(relationship, of: entity, declarer: declarer)
        }
        entities[name]?.toMany[relationship.name] = EntityLayout.ToMany(
          place: found,
          destination: relationship.destination
        )
      }
    }
  }

  private mutating func reportLost(
    _ relationship: StoreRelationship,
    of entity: ManagedObjectModel.Entity,
    declarer: ManagedObjectModel.Entity
  ) {
    guard declarer.name == entity.name, let name = EntityName(entity.name),
      entities[name]?.table != nil
    else { return }
    findings.append(
      Finding(
        code: "store.relationship-missing",
        severity: .error,
        entity: name,
        pointer: "/" + relationship.name,
        cause: "no table holds this relationship; it reads as empty",
        cure: "give another copy of the store, such as one from a backup"
      )
    )
  }

  private func placeOf(
    _ relationship: StoreRelationship,
    declarer: ManagedObjectModel.Entity
  ) -> LinkPlace? {
    guard let number = numbers[declarer.name],
      let destination = model.entities[relationship.destination.text]
    else { return nil }
    guard let inverseName = relationship.inverse else {
      return oneWay(relationship, number: number, destination: destination)
    }
    // The inverse is declared by the destination or by an entity above it.
    for other in chain(of: destination) {
      guard let inverse = other.relationships.first(where: { $0.name == inverseName }) else {
        continue
      }
      return inverse.isToMany
        ? pairs(
          relationship,
          declarer: declarer,
          inverse: inverse,
          other: other,
          destination: destination
        )
        : key(relationship, inverse: inverse, destination: destination)
    }
    return nil
  }

  /// The many side holds the key, in the column of the inverse.
  private func key(
    _ relationship: StoreRelationship,
    inverse: StoreRelationship,
    destination: ManagedObjectModel.Entity
  ) -> LinkPlace? {
    guard let name = EntityName(destination.name), let layout = entities[name],
      let tableName = layout.table, let table = schema.tables[tableName],
      let column = layout.toOne[inverse.name]?.column
    else { return nil }
    var order: String?
    if relationship.isOrdered {
      // The order follows the digits of the key's column, where it has any.
      order =
        table.column("Z_FOK_" + column.dropFirst())
        ?? table.column(startingWith: "Z_FOK_" + inverse.name.uppercased())
    }
    return .key(table: tableName, column: column, order: order)
  }

  /// Without an inverse, the target's table holds `Z<number of the owner><NAME>`.
  private func oneWay(
    _ relationship: StoreRelationship,
    number: Int,
    destination: ManagedObjectModel.Entity
  ) -> LinkPlace? {
    guard let name = EntityName(destination.name), let tableName = entities[name]?.table,
      let table = schema.tables[tableName]
    else { return nil }
    // Mostly nothing is between number and name. With a line it could also be the entity of a
    // to-one relationship, which lies beside the key of that name.
    let upper = relationship.name.uppercased()
    for start in ["\(number)\(upper)", "\(number)_\(upper)"] {
      guard let column = table.column(startingWith: "Z" + start) else { continue }
      if start.contains("_\(upper)"), table.column("Z" + upper) != nil { continue }
      let order = relationship.isOrdered ? table.column(startingWith: "Z_FOK_" + start) : nil
      return .key(table: tableName, column: column, order: order)
    }
    return nil
  }

  /// A table of pairs, named after one of the two directions.
  private func pairs(
    _ relationship: StoreRelationship,
    declarer: ManagedObjectModel.Entity,
    inverse: StoreRelationship,
    other: ManagedObjectModel.Entity,
    destination: ManagedObjectModel.Entity
  ) -> LinkPlace? {
    let (forth, back) = (relationship.name.uppercased(), inverse.name.uppercased())
    let here = [declarer.name].compactMap { numbers[$0] }
    let there = [other.name, destination.name].compactMap { numbers[$0] }
    let names = here.map { "Z_\($0)\(forth)" } + there.map { "Z_\($0)\(back)" }
    for table in names.compactMap({ schema.tables[$0] }) {
      // The column of a direction carries the number of the entity it leads to.
      for number in there {
        let start = "Z_\(number)\(forth)"
        guard let target = table.column(startingWith: start) else { continue }
        let isSymmetric = declarer.name == other.name && forth == back
        let source =
          isSymmetric
          ? table.column("REFLEXIVE")
          : here.lazy.compactMap { table.column(startingWith: "Z_\($0)\(back)") }.first
        guard let source, source != target else { continue }
        let order =
          relationship.isOrdered
          ? table.column(startingWith: "Z_FOK_\(number)\(forth)") : nil
        return .pairs(
          table: table.name,
          own: source,
          other: target,
          order: order,
          isSymmetric: isSymmetric
        )
      }
    }
    return nil
  }
}
