import Files
import RequestMapping

/// A script that grows statement by statement.
struct SQLScript: ~Copyable {
  private var file: WholeFileDraft
  private var batch = Batch()
  private var late: Set<RowTable> = []

  /// Rows that wait for their statement, by the columns that they have.
  private struct Batch {
    var columns: [[String]] = []
    var rows: [[String]: [TableRow]] = [:]
    var count = 0
    var bytes = 0

    /// The most rows, and bytes of values, that wait.
    static let mostRows = 1_000
    static let mostBytes = 1 << 20

    var isFull: Bool { count >= Self.mostRows || bytes >= Self.mostBytes }

    mutating func add(_ row: TableRow, _ fields: [RequestField]) {
      let names = fields.map(\.name)
      if rows[names] == nil { columns.append(names) }
      rows[names, default: []].append(row)
      count += 1
      bytes += (row.identity + fields).reduce(0) { $0 + $1.value.count }
    }
  }

  init(for path: String) throws(FileError) {
    var file = try WholeFileDraft(for: path)
    try file.write(Array(SQLText.start.utf8))
    self.file = file
  }

  /// Whether rows of a table have fields that follow at the end.
  func hasLateFields(_ table: RowTable) -> Bool { late.contains(table) }

  mutating func add(_ row: TableRow, to table: RowTable) throws(FileError) {
    if !row.late.isEmpty { late.insert(table) }
    batch.add(row, row.fields)
    if batch.isFull { try endRows(of: table) }
  }

  mutating func endRows(of table: RowTable) throws(FileError) {
    let batch = takeBatch()
    for columns in batch.columns {
      try write(SQLText.insert(batch.rows[columns] ?? [], columns, into: table))
    }
  }

  mutating func complete(_ row: TableRow, of table: RowTable) throws(FileError) {
    guard !row.late.isEmpty else { return }
    batch.add(row, row.late)
    if batch.isFull { try endCompletion(of: table) }
  }

  mutating func endCompletion(of table: RowTable) throws(FileError) {
    let batch = takeBatch()
    for columns in batch.columns {
      try write(SQLText.complete(batch.rows[columns] ?? [], columns, of: table))
    }
  }

  private mutating func takeBatch() -> Batch {
    let full = batch
    batch = Batch()
    return full
  }

  /// Puts the script in its place.
  consuming func finish() throws(FileError) {
    try write(SQLText.end)
    try file.publish()
  }

  private mutating func write(_ text: String) throws(FileError) { try file.write(Array(text.utf8)) }
}
