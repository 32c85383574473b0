import JSONText
import Profiles
import RecordMapping
import Records
import SQLiteStores
import StoreFiles

// MARK: - Links that rows of their own hold

extension RowWriter {
  /// The rows between two entities, one for each link.
  struct Join {
    let entity: EntityName
    let place: EntityPlace
    /// Where such a row leads to the record itself, and to the other one.
    let own: EntityPlace.Reference
    let other: EntityPlace.Reference
  }

  /// The rows that hold the links of an attribute `rows.other`; `nil` where it is none.
  func join(_ attribute: String, _ program: RecordProgram) -> Join? {
    let names = FieldProfile.path(attribute)
    let entity = rows.reading.store.model.entity(named: program.profile.storeName)
    guard names.count == 2,
      let between = entity?.relationships.first(where: { $0.name == names[0] && $0.isToMany }),
      let place = rows.place(of: between.destination),
      let own = between.inverse.flatMap({ place.references[$0] }),
      let other = place.references[names[1]], place.entityNumber != nil
    else { return nil }
    return Join(entity: between.destination, place: place, own: own, other: other)
  }

  /// Gives a record the links of an entry: the rows of others go, and those that are missing are made.
  ///
  /// - Returns: Whether any row was made or removed.
  mutating func join(
    _ entry: WriteBackFile.Entry,
    _ program: RecordProgram,
    _ place: EntityPlace,
    _ row: RowAddress
  ) throws(Connection.Refusal) -> Bool {
    var isChanged = false
    for member in entry.attributes.members {
      guard let join = join(member.name, program) else { continue }
      let owner = try connection.rows(
        "SELECT \(quoted(join.own.targetColumn)) FROM \(quoted(place.table)) WHERE \(row.condition)",
        row.values
      ).first
      guard let owner, let wanted = try targets(of: member, join, entry) else { continue }
      if try set(wanted, of: owner, join) {
        isChanged = true
        noteLinks(of: join.entity)
      }
    }
    return isChanged
  }

  /// What the rows between hold of the records that keys name; `nil` where the store lacks one of these, which
  /// is noted.
  private mutating func targets(
    of member: JSONObject.Member,
    _ join: Join,
    _ entry: WriteBackFile.Entry
  ) throws(Connection.Refusal) -> [CellValue]? {
    let keys = member.value.array ?? []
    guard let found = try targets(keys, join.other.target, entry, member.name) else { return nil }
    var targets: [CellValue] = []
    for target in found {
      guard let value = try columns(of: join.other, target, join.place).first?.value else {
        return nil
      }
      if !targets.contains(value) { targets.append(value) }
    }
    return targets
  }

  private func set(
    _ wanted: [CellValue],
    of owner: CellValue,
    _ join: Join
  ) throws(Connection.Refusal) -> Bool {
    let (table, own) = (quoted(join.place.table), quoted(join.own.column))
    let other = quoted(join.other.column)
    let held = try connection.rows("SELECT \(other) FROM \(table) WHERE \(own) = ?", [owner])
    for target in Set(held) where !wanted.contains(target) && target != .null {
      try connection.run("DELETE FROM \(table) WHERE \(own) = ? AND \(other) = ?", [owner, target])
    }
    for target in wanted where !held.contains(target) {
      try connection.run(
        "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, \(own), \(other)) VALUES (?, ?, 1, ?, ?)",
        [
          .integer(try RowMaker(rows).nextKey(of: join.entity, join.place.table)),
          .integer(Int64(join.place.entityNumber ?? 0)),
          owner, target,
        ]
      )
    }
    return Set(held).subtracting([.null]) != Set(wanted)
  }
}
