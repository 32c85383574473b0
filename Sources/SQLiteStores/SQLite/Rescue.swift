import JSONText
import Records
import StoreFiles

/// A new database with everything that can still be read of a damaged one.
///
/// It has the tables and no indexes but those that the declarations themselves make, built anew; so
/// an index that lies hides nothing. A table whose rows break its own declaration, or whose declaration
/// computes columns, is made with its columns alone.
struct Rescue {
  let path: String
  let findings: [Finding]

  init(_ damaged: Database, faults: [String], into path: String) throws(StoreError) {
    let whole = try Database(creating: path, name: damaged.name)
    let schema = try StoreSchema(damaged)
    var findings = [Self.damage(faults)]
    for name in schema.tableNames.sorted() {
      do throws(StoreError) {
        let table = try SQLiteTable(name, in: damaged)
        let scan = try Self.copy(table, from: damaged, to: whole)
        findings += scan.gaps.map { Self.gap($0, in: scan) }
      } catch {
        findings.append(Self.lost(name, error))
      }
    }
    if !schema.otherNames.isEmpty { findings.append(Self.leftOut(schema.otherNames)) }
    self.path = path
    self.findings = findings
  }

  private static func copy(
    _ table: SQLiteTable,
    from damaged: Database,
    to whole: Database
  ) throws(StoreError) -> TableScan {
    let sql = try damaged.statement(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = \(text(table.name))",
      purpose: "read the schema"
    )
    let computes = table.columns.contains { $0.isComputed || $0.isStoredResult }
    if !computes, try sql.step(), let declaration = sql.string(0) {
      do throws(StoreError) {
        try whole.run(declaration, purpose: "make the table \(table.name)")
        return try fill(table, from: damaged, to: whole)
      } catch {
        guard case .database = error else { throw error }
        try whole.run(
          "DROP TABLE IF EXISTS \(quoted(table.name))",
          purpose: "make the table \(table.name)"
        )
      }
    }
    try whole.run(plain(table), purpose: "make the table \(table.name)")
    return try fill(table, from: damaged, to: whole)
  }

  private static func fill(
    _ table: SQLiteTable,
    from damaged: Database,
    to whole: Database
  ) throws(StoreError) -> TableScan {
    var scan = TableScan(table, of: damaged)
    let places = scan.columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insert = try whole.statement(
      "INSERT INTO \(quoted(table.name)) (\(scan.columns.joined(separator: ", "))) "
        + "VALUES (\(places))",
      purpose: "rescue the rows of \(table.name)"
    )
    try whole.run("BEGIN", purpose: "rescue the rows of \(table.name)")
    let count = Int32(scan.columns.count)
    do throws(StoreError) {
      try scan.run { (rows) throws(StoreError) in
        for column in 0..<count { try insert.bindValue(of: rows, column: column, at: column + 1) }
        _ = try insert.step()
        insert.reset()
      }
    } catch {
      insert.reset()
      try whole.run("ROLLBACK", purpose: "rescue the rows of \(table.name)")
      throw error
    }
    try whole.run("COMMIT", purpose: "rescue the rows of \(table.name)")
    return scan
  }

  /// The columns with their types, and nothing that could refuse a row.
  private static func plain(_ table: SQLiteTable) -> String {
    let isAlias =
      table.hasRowID && table.primaryKey.count == 1
      && table.declaredColumn(table.primaryKey[0])?.declaredType.uppercased() == "INTEGER"
    let columns = table.storedColumns.map { column in
      let key = isAlias && column.keyPlace == 1 ? " PRIMARY KEY" : ""
      return "\(quoted(column.name)) \(type(column.declaredType))\(key)"
    }
    return "CREATE TABLE \(quoted(table.name)) (\(columns.joined(separator: ", ")))"
  }

  /// A declared type, quoted when it could be more than a type; its affinity stays either way.
  private static func type(_ declared: String) -> String {
    let isPlain = declared.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: " "),
        UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","):
        true
      default: false
      }
    }
    return isPlain ? declared : quoted(declared)
  }

  private static func text(_ name: String) -> String {
    "'" + name.replacing(scalar: "'", with: "''") + "'"
  }
}

extension Rescue {
  private static func damage(_ faults: [String]) -> Finding {
    Finding(
      code: "store.damaged",
      severity: .error,
      cause: "the file is damaged: \(faults.joined(separator: "; "))",
      cure: "compare with a backup; what could be read was read, what is missing is named"
    )
  }

  private static func gap(_ gap: TableScan.Gap, in scan: TableScan) -> Finding {
    let range =
      switch (gap.first, gap.last) {
      case (let first?, let last?):
        if last.subtractingReportingOverflow(first).overflow || last - first >= 1 << 40 {
          "with keys from \(first) to \(last)"
        } else {
          "with keys from \(first) to \(last) (at most \(last - first + 1))"
        }
      case (let first?, nil): "with keys from \(first) on"
      case (nil, let last?): "with keys up to \(last)"
      case (nil, nil): "behind the last that was read"
      }
    return Finding(
      code: "store.damaged-rows",
      severity: .error,
      cause: "rows of \(scan.table.name) \(range) cannot be read: \(gap.details); "
        + "\(scan.rowCount) rows of the table were read",
      cure: "compare with a backup, which may have these rows"
    )
  }

  private static func lost(_ table: String, _ error: StoreError) -> Finding {
    Finding(
      code: "store.damaged-table",
      severity: .error,
      cause: "the table \(table) cannot be read: \(error)",
      cure: "compare with a backup, which may have it"
    )
  }

  private static func leftOut(_ names: [String]) -> Finding {
    Finding(
      code: "store.not-rescued",
      severity: .note,
      cause: "views and virtual tables were left out: \(names.joined(separator: ", "))",
      cure: "no action is needed: they hold no rows of their own"
    )
  }
}
