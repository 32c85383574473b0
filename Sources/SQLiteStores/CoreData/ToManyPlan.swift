/// The statement that lists the pairs of a to-many relationship in the order of their owners.
///
/// Its columns are the owner's key, the target's key, the target's entity number and its identity.
/// The entity number is NULL where the store has no such row, and where ``rows`` say whether it has.
struct ToManyPlan {
  let sql: String
  /// The number of the entity the relationship is declared to lead to.
  let destination: Int
  let hasIdentity: Bool
  /// Where the targets are looked for that pairs name; `nil` where the statement has them.
  let rows: TargetRows?

  init(
    _ place: LinkPlace,
    target: RowPlan.Target,
    rows found: (RowPlan.Target, _ table: String) -> TargetRows
  ) {
    destination = target.number
    hasIdentity = target.identityColumn != nil
    let identity = target.identityColumn.map { "d.\(quoted($0))" } ?? "NULL"
    switch place {
    case .key(let table, let column, let order):
      rows = nil
      let owner = "d.\(quoted(column))"
      sql =
        "SELECT \(owner), d.Z_PK, d.Z_ENT, \(identity) FROM \(quoted(table)) AS d "
        + "WHERE \(owner) > ?1 ORDER BY \(owner), "
        + Self.ordering(order.map { "d.\(quoted($0))" }) + "d.Z_PK"
    case .pairs(let table, let own, let other, let order, let isSymmetric):
      let pairs = Self.pairs(table, own, other, order, isSymmetric)
      rows = hasIdentity ? nil : target.table.map { found(target, $0) }
      let joined = hasIdentity ? target.table : nil
      let join =
        joined.map {
          " LEFT JOIN \(quoted($0)) AS d ON d.Z_PK = j.other AND \(target.condition("d"))"
        } ?? ""
      let columns = join.isEmpty ? "NULL, NULL" : "d.Z_ENT, \(identity)"
      sql =
        "SELECT j.own, j.other, \(columns) FROM \(pairs) AS j\(join) WHERE j.own > ?1 "
        + "AND j.other IS NOT NULL ORDER BY j.own, "
        + Self.ordering(order == nil ? nil : "j.place") + "j.other"
    }
  }

  /// What has no place comes last.
  private static func ordering(_ column: String?) -> String {
    column.map { "\($0) IS NULL, \($0), " } ?? ""
  }

  private static func pairs(
    _ table: String,
    _ own: String,
    _ other: String,
    _ order: String?,
    _ isSymmetric: Bool
  ) -> String {
    let place = order.map { ", \(quoted($0)) AS place" } ?? ""
    let columns = "\(quoted(own)) AS own, \(quoted(other)) AS other\(place)"
    // A pair counts once, however many rows between have it.
    guard order == nil else { return "(SELECT \(columns) FROM \(quoted(table)))" }
    let forth = "SELECT DISTINCT \(columns) FROM \(quoted(table))"
    // A symmetric pair may be kept once or in both directions; it counts once in each.
    guard isSymmetric else { return "(\(forth))" }
    return "(\(forth) UNION SELECT \(quoted(other)), \(quoted(own)) FROM \(quoted(table)))"
  }
}
