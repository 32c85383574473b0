import Records
import StoreFiles

/// How many rows each table has of each entity, counted in one pass over the table.
struct EntityRows {
  private(set) var counts: [EntityName: Int] = [:]
  /// Rows whose entity number no entity of the table has: no one would ask for them.
  private(set) var findings: [Finding] = []

  init(
    _ layouts: [EntityName: EntityLayout],
    in database: Database
  ) throws(StoreError) {
    var tables: [String: [EntityLayout]] = [:]
    for layout in layouts.values {
      if let table = layout.table { tables[table, default: []].append(layout) }
    }
    for (table, entities) in tables.sorted(by: { $0.key < $1.key }) {
      try Self.checkKeys(of: table, in: database)
      // A statement has space for a limited number of columns.
      for start in stride(from: 0, to: entities.count, by: Self.atOnce) {
        let some = Array(entities[start..<min(start + Self.atOnce, entities.count)])
        try count(some, of: table, among: entities, in: database)
      }
    }
  }

  private static let atOnce = 500

  /// Refuses a table whose keys do not distinguish its rows; Core Data declares each as the row's own
  /// number, which is no other row's.
  private static func checkKeys(
    of table: String,
    in database: Database
  ) throws(StoreError) {
    let columns = try database.statement(
      "PRAGMA table_info(\(quoted(table)))",
      purpose: "list the columns of \(table)"
    )
    var keys: [String] = []
    while try columns.step() {
      guard columns.integer(5) > 0, let name = columns.string(1), let type = columns.string(2)
      else { continue }
      keys.append("\(name) \(type)".uppercased())
    }
    if keys == ["Z_PK INTEGER"], try !hasKeyIndex(table, in: database) { return }
    let rows = try database.statement(
      "SELECT count(*), count(DISTINCT CASE WHEN typeof(Z_PK) = 'integer' THEN Z_PK END) "
        + "FROM \(quoted(table)) NOT INDEXED",
      purpose: "compare the keys of \(table)"
    )
    guard try rows.step(), rows.integer(0) != rows.integer(1) else { return }
    throw .damaged(
      path: database.name,
      place: "table \(table)",
      details: "\(rows.integer(0) - rows.integer(1)) of its \(rows.integer(0)) rows have no whole "
        + "number of their own as their key (Z_PK)"
    )
  }

  /// Whether the keys of a table have an index of their own: then they are not the rows' own numbers, and need
  /// not be whole.
  private static func hasKeyIndex(
    _ table: String,
    in database: Database
  ) throws(StoreError) -> Bool {
    let indexes = try database.statement(
      "PRAGMA index_list(\(quoted(table)))",
      purpose: "list the indexes of \(table)"
    )
    while try indexes.step() { if indexes.string(3) == "pk" { return true } }
    return false
  }

  private mutating func count(
    _ some: [EntityLayout],
    of table: String,
    among entities: [EntityLayout],
    in database: Database
  ) throws(StoreError) {
    let list = entities.map { String($0.number) }.sorted().joined(separator: ", ")
    let sums = some.map { ", sum(Z_ENT = \($0.number))" }.joined()
    let rows = try database.statement(
      "SELECT sum(Z_ENT IS NULL OR Z_ENT NOT IN (\(list)))\(sums) FROM \(quoted(table)) NOT INDEXED",
      purpose: "count the rows of \(table)"
    )
    guard try rows.step() else { return }
    for (column, entity) in some.enumerated() {
      counts[entity.name] = Int(rows.integer(Int32(column + 1)))
    }
    let orphanRows = rows.integer(0)
    guard orphanRows > 0, some[0].name == entities[0].name else { return }
    findings.append(
      Finding(
        code: "store.rows-without-entity",
        severity: .error,
        cause: "\(orphanRows) rows of \(table) belong to no entity of the model",
        cure: "they are not read; compare the counts with the app's"
      )
    )
  }
}
