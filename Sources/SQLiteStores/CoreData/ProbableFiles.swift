import Records
import StoreFiles

/// Values of a store without a model that look like references to files of their own.
enum ProbableFiles {
  static func findings(
    _ layouts: [EntityName: EntityLayout],
    in database: Database
  ) throws(StoreError) -> [Finding] {
    var columns: [String: Set<String>] = [:]
    for layout in layouts.values {
      guard let table = layout.table else { continue }
      for leaf in layout.leaves.values where leaf.kind == .undeclared(sqlType: "BLOB") {
        if let column = leaf.column { columns[table, default: []].insert(column) }
      }
    }
    var findings: [Finding] = []
    for (table, names) in columns.sorted(by: { $0.key < $1.key }) {
      for column in names.sorted() {
        let count = try count(table, column, in: database)
        if count > 0 { findings.append(finding(count, table: table, column: column)) }
      }
    }
    return findings
  }

  /// A reference is the byte 2, a UUID and a zero, 38 bytes together.
  private static func count(
    _ table: String,
    _ column: String,
    in database: Database
  ) throws(StoreError) -> Int64 {
    let name = quoted(column)
    let rows = try database.statement(
      "SELECT count(*) FROM \(quoted(table)) NOT INDEXED WHERE length(\(name)) = 38 AND "
        + "typeof(\(name)) = 'blob' AND substr(\(name), 1, 1) = x'02' "
        + "AND substr(\(name), 38) = x'00' "
        + [10, 15, 20, 25].map { "AND substr(\(name), \($0), 1) = x'2D'" }.joined(separator: " "),
      purpose: "look for references to files in \(table)"
    )
    return try rows.step() ? rows.integer(0) : 0
  }

  private static func finding(_ count: Int64, table: String, column: String) -> Finding {
    Finding(
      code: "store.probable-files",
      severity: .warning,
      cause:
        "\(count) values of \(table).\(column) look like references to files beside the store, "
        + "and are read as those files; without a model this is not certain",
      cure: "give the app's model, which says whether the attribute keeps large values in files"
    )
  }
}
