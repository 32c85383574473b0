import Records

/// Rows whose entity number no entity of the table has: nobody would ask for them.
enum StrayRows {
  static func findings(
    _ layouts: [EntityName: EntityLayout],
    in database: Database
  ) throws(StoreError) -> [Finding] {
    var numbers: [String: [Int]] = [:]
    for layout in layouts.values {
      if let table = layout.table { numbers[table, default: []].append(layout.number) }
    }
    var findings: [Finding] = []
    for (table, known) in numbers.sorted(by: { $0.key < $1.key }) {
      let list = known.sorted().map(String.init).joined(separator: ", ")
      let rows = try database.statement(
        "SELECT count(*) FROM \(quoted(table)) NOT INDEXED "
          + "WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(list))",
        purpose: "count the rows of \(table)"
      )
      guard try rows.step(), rows.integer(0) > 0 else { continue }
      findings.append(
        Finding(
          code: "store.rows-without-entity",
          severity: .error,
          cause: "\(rows.integer(0)) rows of \(table) belong to no entity of the model",
          cure: "they are not read; open the store once with its app, which migrates it"
        )
      )
    }
    return findings
  }
}
