import Records
import StoreFiles

extension CoreDataStore {
  /// A warning for each table with rows that are no entity's, which an app or a tool keeps beside
  /// the model's.
  ///
  /// What virtual tables keep is informed of them. Core Data's own, `Z_RT_…`, repeat values of the entities.
  static func unreadTables(
    _ names: [String],
    of schema: StoreSchema,
    in database: Database
  ) throws(StoreError) -> [Finding] {
    let kept = Set(schema.virtualTables.flatMap(\.shadowNames))
    var findings = try SQLiteModelReading.unreadTables(
      among: schema.virtualTables.filter { !$0.name.hasPrefix("Z_RT_") },
      of: schema,
      in: database
    )
    for name in names where schema.tables[name] != nil && !kept.contains(name) {
      let count = try database.rowCount(of: name)
      if count > 0 { findings.append(unread(name, rowCount: count)) }
    }
    return findings
  }

  private static func unread(_ table: String, rowCount: Int) -> Finding {
    Finding(
      code: "store.table-unread",
      severity: .warning,
      cause: "the table \(table) belongs to no entity, and its rows are not read: \(rowCount)",
      cure:
        "no action is needed where the app has no use for them; else give a copy of the database "
        + "that has this table alone"
    )
  }
}
