import GRDB

/// A row of a checkpoint, as something that can be read without SQLite.
package struct CheckpointLine: Hashable, Sendable {
  /// What a column holds.
  package enum Value: Hashable, Sendable {
    case nothing
    case integer(Int64)
    case text(String)
    /// A digest.
    case digest([UInt8])
    /// What was at the destination before: its size only.
    case withheld(byteCount: Int)
  }

  package let table: String
  package let columns: [(name: String, value: Value)]

  package static func == (left: CheckpointLine, right: CheckpointLine) -> Bool {
    left.table == right.table && left.columns.elementsEqual(right.columns, by: ==)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    for column in columns {
      hasher.combine(column.name)
      hasher.combine(column.value)
    }
  }
}

extension CheckpointView {
  /// Gives every row, table after table, one at a time.
  ///
  /// Values of records are not given: of the content at the destination before an operation, only
  /// the size. The columns are those of the file, so that nothing is left out unnoticed.
  package func forEachLine(_ body: (CheckpointLine) -> Void) throws(CheckpointError) {
    try readRecords { database in
      for (table, order) in Self.tables {
        let rows = try DatabaseRow.fetchCursor(
          database,
          sql: "SELECT * FROM \(table) ORDER BY \(order)"
        )
        while let row = try rows.next() {
          body(CheckpointLine(table: table, columns: row.map { ($0, Self.value($1, in: $0)) }))
        }
      }
    }
  }

  private static let tables = [
    ("meta", "name"), ("run", "number"), ("record", "entity, key"), ("operation", "number"),
    ("seen", "entity, server_id"), ("mark", "entity"), ("tally", "run, entity, bucket"),
    ("finding", "rowid"), ("profile", "digest"),
  ]

  private static func value(
    _ value: DatabaseValue,
    in column: String
  ) -> CheckpointLine.Value {
    switch value.storage {
    case .null: .nothing
    case .int64(let number): .integer(number)
    case .double(let number): .text("\(number)")
    case .string(let text): .text(text)
    case .blob(let bytes):
      column == "before" ? .withheld(byteCount: bytes.count) : .digest(Array(bytes))
    }
  }
}
