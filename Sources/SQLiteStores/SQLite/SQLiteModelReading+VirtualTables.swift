import Records
import StoreFiles

extension SQLiteModelReading {
  /// A warning for each virtual table with rows that are in no table of the app.
  static func unreadTables(
    among tables: [VirtualTable],
    of schema: StoreSchema,
    in database: Database
  ) throws(StoreError) -> [Finding] {
    var findings: [Finding] = []
    for table in tables {
      guard let content = table.contentName, schema.tables[content] != nil else { continue }
      let count = try database.rowCount(of: content)
      if count > 0 { findings.append(unread(table, rowCount: count, in: content)) }
    }
    return findings
  }

  private static func unread(
    _ table: VirtualTable,
    rowCount: Int,
    in content: String
  ) -> Finding {
    let copying =
      "CREATE TABLE \(quoted(table.name + "_rows")) AS SELECT rowid AS place, * "
      + "FROM \(quoted(table.name))"
    return Finding(
      code: "store.table-unread",
      severity: .warning,
      cause: "the virtual table \(table.name) (\(table.module)) keeps rows of its own, "
        + "which are not read: \(rowCount) in \(content)",
      cure: "no action is needed where a table that is read has the same rows; else make one in "
        + "a copy of the database, with “\(copying)”, and give that copy"
    )
  }
}
