import Records
import SQLiteStores
import StoreFiles

/// Sets the links of objects in a Core Data store, on both sides.
///
/// | relationship | where it is kept |
/// |---|---|
/// | to one, its inverse to one | a column on each side: the row that had either end before loses it |
/// | to one, its inverse to many | the column; the order of the other side goes on behind its last |
/// | to many, its inverse to one or none | a column of the other side's table |
/// | to many, its inverse to many | a table of pairs, with an order for each ordered side |
struct LinkWriter {
  let rows: StoreRows
  /// The objects that have other links than before.
  private(set) var changed: Set<ObjectRow> = []

  private var connection: Connection { rows.connection }

  init(_ rows: StoreRows) { self.rows = rows }

  /// How far apart Core Data's own order numbers lie.
  private static let step: Int64 = 1024

  /// Makes the other side of a relationship to one object, whose column is set, agree with it.
  mutating func settle(
    _ own: ObjectRow,
    _ reference: EntityPlace.Reference,
    to target: ObjectRow?,
    isChanged: Bool
  ) throws(Connection.Refusal) {
    guard let inverse = reference.inverse, let other = rows.place(of: reference.target) else {
      return
    }
    if let back = other.references[inverse] {
      try clear(back.column, of: other.table, holding: own.key, besides: target?.key)
      guard let target else { return }
      try clear(reference.column, of: own.table, holding: target.key, besides: own.key)
      try set(back.column, of: target, to: own)
    } else if isChanged, case .key(_, _, let order?)? = other.links[inverse]?.place {
      try append(own, order, reference.column, target)
    }
  }

  /// Has a relationship lead to these objects, in this order; says whether it did not before.
  @discardableResult
  mutating func set(
    _ links: EntityPlace.Links,
    of own: ObjectRow,
    to targets: [ObjectRow]
  ) throws(Connection.Refusal) -> Bool {
    let wanted = targets.map(\.key)
    let existing = try keys(of: links, own.key)
    let isSame = links.isOrdered ? existing == wanted : Set(existing) == Set(wanted)
    guard !isSame else { return false }
    switch links.place {
    case .key(let table, let column, let order):
      try setKeys(table, column, order, of: own, to: targets)
    case .pairs(let table, let ownColumn, let otherColumn, let order, let isSymmetric):
      let pairs = Pairs(
        table: table,
        own: ownColumn,
        other: otherColumn,
        order: order,
        backOrder: try backOrder(of: links),
        isSymmetric: isSymmetric
      )
      try setPairs(pairs, of: own, to: targets, existing)
      for key in existing where !wanted.contains(key) {
        if let other = rows.place(of: links.target) { try change(other.table, key) }
      }
    }
    changed.insert(own)
    return true
  }

  /// Removes every link to and from an object that goes.
  mutating func removeAll(
    of object: ObjectRow,
    _ entity: EntityName
  ) throws(Connection.Refusal) {
    for place in rows.allPlaces {
      for reference in place.references.values
      where rows.reading.store.model.tree(of: reference.target).contains(entity) {
        try clear(reference.column, of: place.table, holding: object.key, besides: nil)
      }
    }
    for links in (rows.place(of: entity)?.links ?? [:]).values {
      switch links.place {
      case .key: try set(links, of: object, to: [])
      case .pairs(let table, let own, let other, _, let isSymmetric):
        let condition = isSymmetric ? " OR \(quoted(other)) = ?" : ""
        try connection.run(
          "DELETE FROM \(quoted(table)) WHERE \(quoted(own)) = ?" + condition,
          isSymmetric ? [.integer(object.key), .integer(object.key)] : [.integer(object.key)]
        )
      }
    }
    changed.remove(object)
  }

  /// Counts up the versions of the objects that changed.
  func countUp(besides new: Set<ObjectRow>) throws(Connection.Refusal) {
    for row in changed.subtracting(new) {
      try connection.run(
        "UPDATE \(quoted(row.table)) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?",
        [.integer(row.key)]
      )
    }
  }

  mutating func note(_ row: ObjectRow) { changed.insert(row) }

  // MARK: - Columns

  /// Notes the object with a key as changed.
  private mutating func change(_ table: String, _ key: Int64) throws(Connection.Refusal) {
    let found = try connection.rows(
      "SELECT Z_ENT FROM \(quoted(table)) WHERE Z_PK = ?",
      [.integer(key)]
    ).first
    guard case .integer(let entity)? = found else { return }
    changed.insert(ObjectRow(table: table, key: key, entity: entity))
  }

  /// Sets a column to null where it leads to an object, but for one row.
  private mutating func clear(
    _ column: String,
    of table: String,
    holding key: Int64,
    besides kept: Int64?
  ) throws(Connection.Refusal) {
    let found = try connection.rows(
      "SELECT Z_PK FROM \(quoted(table)) WHERE \(quoted(column)) = ? AND Z_PK IS NOT ?",
      [.integer(key), kept.map { .integer($0) } ?? .null]
    )
    let beside = try rows.entityColumn(beside: column, of: table)
    let columns = [column, beside].compactMap(\.self).map { "\(quoted($0)) = NULL" }
    for case .integer(let row) in found {
      try connection.run(
        "UPDATE \(quoted(table)) SET \(columns.joined(separator: ", ")) WHERE Z_PK = ?",
        [.integer(row)]
      )
      try change(table, row)
    }
  }

  /// Has a column of an object lead to another one.
  private mutating func set(
    _ column: String,
    of row: ObjectRow,
    to target: ObjectRow
  ) throws(Connection.Refusal) {
    let beside = try rows.entityColumn(beside: column, of: row.table)
    let columns = [column, beside].compactMap(\.self).map { "\(quoted($0)) = ?" }
    let values: [CellValue] =
      [.integer(target.key)] + (beside == nil ? [] : [.integer(target.entity)])
    let count = try connection.run(
      "UPDATE \(quoted(row.table)) SET \(columns.joined(separator: ", ")) "
        + "WHERE Z_PK = ? AND \(quoted(column)) IS NOT ?",
      values + [.integer(row.key), .integer(target.key)]
    )
    if count > 0 { changed.insert(row) }
  }

  /// Puts an object behind all others that lead to the same one.
  private func append(
    _ own: ObjectRow,
    _ order: String,
    _ column: String,
    _ target: ObjectRow?
  ) throws(Connection.Refusal) {
    let place =
      "(SELECT coalesce(max(\(quoted(order))), 0) + \(Self.step) "
      + "FROM \(quoted(own.table)) WHERE \(quoted(column)) = ? AND Z_PK <> ?)"
    let key = CellValue.integer(own.key)
    try connection.run(
      "UPDATE \(quoted(own.table)) SET \(quoted(order)) = \(target == nil ? "NULL" : place) "
        + "WHERE Z_PK = ?",
      (target.map { [.integer($0.key), key] } ?? []) + [key]
    )
  }

  // MARK: - To-many relationships

  /// The keys to which a relationship leads now, in its order.
  private func keys(
    of links: EntityPlace.Links,
    _ own: Int64
  ) throws(Connection.Refusal) -> [Int64] {
    let sql: String
    switch links.place {
    case .key(let table, let column, let order):
      sql =
        "SELECT Z_PK FROM \(quoted(table)) WHERE \(quoted(column)) = ?1 ORDER BY "
        + Self.ordering(order) + "Z_PK"
    case .pairs(let table, let own, let other, let order, let isSymmetric):
      let reversed =
        isSymmetric
        ? " UNION SELECT \(quoted(own)) FROM \(quoted(table)) WHERE \(quoted(other)) = ?1" : ""
      let last = isSymmetric ? "" : " ORDER BY \(Self.ordering(order))\(quoted(other))"
      sql =
        "SELECT \(quoted(other)) FROM \(quoted(table)) WHERE \(quoted(own)) = ?1" + reversed + last
    }
    return try connection.rows(sql, [.integer(own)]).compactMap { value in
      if case .integer(let key) = value { key } else { nil }
    }
  }

  /// What has no place comes last, as the reader has it.
  private static func ordering(_ column: String?) -> String {
    column.map { "\(quoted($0)) IS NULL, \(quoted($0)), " } ?? ""
  }

  private mutating func setKeys(
    _ table: String,
    _ column: String,
    _ order: String?,
    of own: ObjectRow,
    to targets: [ObjectRow]
  ) throws(Connection.Refusal) {
    let wanted = Set(targets.map(\.key))
    let found = try connection.rows(
      "SELECT Z_PK FROM \(quoted(table)) WHERE \(quoted(column)) = ?",
      [.integer(own.key)]
    )
    let beside = try rows.entityColumn(beside: column, of: table)
    let cleared = [column, beside, order].compactMap(\.self).map { "\(quoted($0)) = NULL" }
    for case .integer(let key) in found where !wanted.contains(key) {
      try connection.run(
        "UPDATE \(quoted(table)) SET \(cleared.joined(separator: ", ")) WHERE Z_PK = ?",
        [.integer(key)]
      )
      try change(table, key)
    }
    for (place, target) in targets.enumerated() {
      try set(column, of: target, to: own)
      if let order { try put(order, of: target, at: place) }
    }
  }

  private mutating func put(
    _ order: String,
    of row: ObjectRow,
    at place: Int
  ) throws(Connection.Refusal) {
    let number = CellValue.integer(Int64(place + 1) * Self.step)
    let count = try connection.run(
      "UPDATE \(quoted(row.table)) SET \(quoted(order)) = ? WHERE Z_PK = ? AND \(quoted(order)) IS NOT ?",
      [number, .integer(row.key), number]
    )
    if count > 0 { changed.insert(row) }
  }

  // MARK: - Pairs

  private struct Pairs {
    let table: String
    let own: String
    let other: String
    let order: String?
    let backOrder: String?
    let isSymmetric: Bool
  }

  /// The order of the other side in a table of pairs.
  private func backOrder(
    of links: EntityPlace.Links
  ) throws(Connection.Refusal) -> String? {
    guard let inverse = links.inverse,
      case .pairs(_, _, _, let order, false)? = rows.place(of: links.target)?.links[inverse]?.place
    else { return nil }
    return order
  }

  private mutating func setPairs(
    _ pairs: Pairs,
    of own: ObjectRow,
    to targets: [ObjectRow],
    _ existing: [Int64]
  ) throws(Connection.Refusal) {
    let table = quoted(pairs.table)
    let (ownColumn, otherColumn) = (quoted(pairs.own), quoted(pairs.other))
    let wanted = Set(targets.map(\.key))
    let key = CellValue.integer(own.key)
    let directions = pairs.isSymmetric ? try directions(of: pairs) : 1
    for other in existing where !wanted.contains(other) {
      try connection.run(
        "DELETE FROM \(table) WHERE \(ownColumn) = ?1 AND \(otherColumn) = ?2"
          + (pairs.isSymmetric ? " OR \(ownColumn) = ?2 AND \(otherColumn) = ?1" : ""),
        [key, .integer(other)]
      )
    }
    for (place, target) in targets.enumerated() {
      let other = CellValue.integer(target.key)
      if !existing.contains(target.key) {
        try insert(pairs, own.key, target.key)
        if directions == 2, own.key != target.key { try insert(pairs, target.key, own.key) }
        changed.insert(target)
      }
      guard let order = pairs.order else { continue }
      try connection.run(
        "UPDATE \(table) SET \(quoted(order)) = ? WHERE \(ownColumn) = ? AND \(otherColumn) = ?",
        [.integer(Int64(place + 1) * Self.step), key, other]
      )
    }
  }

  private func insert(
    _ pairs: Pairs,
    _ own: Int64,
    _ other: Int64
  ) throws(Connection.Refusal) {
    let table = quoted(pairs.table)
    try connection.run(
      "INSERT INTO \(table) (\(quoted(pairs.own)), \(quoted(pairs.other))) VALUES (?, ?)",
      [.integer(own), .integer(other)]
    )
    guard let back = pairs.backOrder.map(quoted) else { return }
    try connection.run(
      "UPDATE \(table) SET \(back) = (SELECT coalesce(max(\(back)), 0) + \(Self.step) FROM \(table) "
        + "WHERE \(quoted(pairs.other)) = ?1) "
        + "WHERE \(quoted(pairs.own)) = ?2 AND \(quoted(pairs.other)) = ?1",
      [.integer(other), .integer(own)]
    )
  }

  /// In how many directions the store keeps each pair of a relationship that is its own inverse.
  private func directions(of pairs: Pairs) throws(Connection.Refusal) -> Int {
    let (table, own, other) = (quoted(pairs.table), quoted(pairs.own), quoted(pairs.other))
    let counts = try connection.table(
      "SELECT count(*), coalesce(sum(EXISTS (SELECT 1 FROM \(table) AS back WHERE back.\(own) = pair.\(other) "
        + "AND back.\(other) = pair.\(own))), 0) FROM \(table) AS pair WHERE \(own) <> \(other)"
    ).first
    guard let counts, case .integer(let count) = counts[0], case .integer(let mutual) = counts[1],
      count > 0
    else {
      throw Connection.Refusal(
        reason: "no pair of \(pairs.table) shows in how many directions the app keeps them"
      )
    }
    return mutual > 0 ? 2 : 1
  }
}
