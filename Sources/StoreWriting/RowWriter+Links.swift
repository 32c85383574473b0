import JSONText
import Profiles
import RecordMapping
import Records
import StoreFiles
import StoreReading

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
    let entity = reading.store.model.entity(named: program.profile.storeName)
    guard names.count == 2,
      let rows = entity?.relationships.first(where: { $0.name == names[0] && $0.isToMany }),
      let place = EntityPlace(rows.destination, in: reading.store),
      let own = rows.inverse.flatMap({ place.references[$0] }),
      let other = place.references[names[1]], place.entityNumber != nil
    else { return nil }
    return Join(entity: rows.destination, place: place, own: own, other: other)
  }

  /// Gives a record the links of an entry: the rows of others go, and those that are missing are made.
  ///
  /// - Returns: Whether any row was made or removed.
  mutating func setLinks(
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
      guard let owner, let wanted = try targets(of: member.value, join) else {
        skip(entry.record, "\(member.name) leads to no row of the store")
        continue
      }
      if try set(wanted, of: owner, join) {
        isChanged = true
        noteLinks(of: join.entity)
      }
    }
    return isChanged
  }

  /// What the rows between hold of the records that keys name; `nil` where the store lacks one of these.
  private func targets(
    of keys: JSONValue,
    _ join: Join
  ) throws(Connection.Refusal) -> [CellValue]? {
    var targets: [CellValue] = []
    for key in keys.array ?? [] {
      guard let found = try link(key, join.other, join.place).first?.value, found != .null else {
        return nil
      }
      if !targets.contains(found) { targets.append(found) }
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
          .integer(try nextKey(of: join.entity)), .integer(Int64(join.place.entityNumber ?? 0)),
          owner, target,
        ]
      )
    }
    return Set(held).subtracting([.null]) != Set(wanted)
  }
}
