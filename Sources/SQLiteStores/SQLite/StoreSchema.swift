package import StoreFiles

/// The tables of a store, as SQLite declares them.
package struct StoreSchema {
  package struct Table {
    package let name: String
    let columns: [Column]

    package func column(_ name: String) -> String? {
      columns.first { $0.name == name }?.name
    }

    /// The one column whose name is `start`, or `start` and digits after it.
    func column(startingWith start: String) -> String? {
      if let exact = column(start) { return exact }
      let matches = columns.filter { column in
        column.name.hasPrefix(start)
          && column.name.utf8.dropFirst(start.utf8.count).allSatisfy(isDigit)
      }
      return matches.count == 1 ? matches[0].name : nil
    }
  }

  struct Column {
    let name: String
    let declaredType: String
  }

  /// Ordinary tables by name; views and virtual tables are not among them.
  package let tables: [String: Table]
  /// The names of all ordinary tables; of two that are one text in different bytes, ``tables`` has one.
  package let tableNames: [String]
  /// The names of virtual tables and views.
  package let otherNames: [String]
  /// The virtual tables alone, which may keep their content and their indexes in ordinary tables.
  let virtualTables: [VirtualTable]

  package init(_ database: Database) throws(StoreError) {
    var tables: [String: Table] = [:]
    var tableNames: [String] = []
    var otherNames: [String] = []
    var virtualTables: [VirtualTable] = []
    let list = try database.statement(
      "SELECT name, type, rootpage, sql FROM sqlite_schema WHERE type IN ('table', 'view')",
      purpose: "list the tables"
    )
    while try list.step() {
      guard let name = list.string(0), !name.hasPrefix("sqlite_") else { continue }
      guard list.string(1) == "table", list.integer(2) > 0 else {
        otherNames.append(name)
        if list.string(1) == "table", let sql = list.string(3),
          let table = VirtualTable(name, declaredBy: sql)
        {
          virtualTables.append(table)
        }
        continue
      }
      if database.unparsed.contains(where: { $0.type == "table" && $0.name == name }) { continue }
      tableNames.append(name)
      tables[name] = Table(name: name, columns: try Self.columns(of: name, in: database))
    }
    self.tables = tables
    self.tableNames = tableNames
    self.otherNames = otherNames.sorted()
    self.virtualTables = virtualTables
  }

  private static func columns(
    of table: String,
    in database: Database
  ) throws(StoreError) -> [Column] {
    var columns: [Column] = []
    let list = try database.statement(
      "PRAGMA table_info(\(quoted(table)))",
      purpose: "list the columns of \(table)"
    )
    while try list.step() {
      guard let name = list.string(1) else { continue }
      columns.append(Column(name: name, declaredType: list.string(2) ?? ""))
    }
    return columns
  }
}

/// Whether a byte is an ASCII digit.
func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
