import Checkpoint
import struct Foundation.Data
import GRDB
import Records

extension CheckpointView {
  /// The columns of each table, by its name.
  typealias Tables = [String: [Column]]

  /// Those of the file: what waits to be moved to its records may shade them.
  static func columns(in database: Database) throws -> Tables {
    let rows = try DatabaseRow.fetchCursor(
      database,
      sql: """
        SELECT tables.name AS place, columns.name, columns.type, columns."notnull" AS required
        FROM (\(CheckpointDamage.names(in: "main"))) AS tables,
          pragma_table_info(tables.name, 'main') AS columns
        """
    )
    var tables: Tables = [:]
    while let row = try rows.next() {
      tables[try row.value(ofColumn: "place"), default: []].append(try Column(row))
    }
    return tables
  }

  private static func indexes(in database: Database) throws -> Set<String> {
    try String.fetchSet(
      database,
      sql: "SELECT name FROM main.sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    )
  }

  /// What Ferry makes.
  private static let made = Result {
    try DatabaseQueue().writeWithoutTransaction { database in
      try database.execute(sql: CheckpointSchema.statements)
      return (tables: try columns(in: database), indexes: try indexes(in: database))
    }
  }

  /// Tables that are gone, or lack a column which is read from them, or have it for another kind of value;
  /// if there are no such values, indexes that are gone, but for the one that may not have been made yet.
  static func unknownParts(among tables: Tables, in database: Database) throws -> [Finding] {
    let made = try made.get()
    let unknownTables = made.tables.sorted { $0.key < $1.key }.compactMap { name, own -> Finding? in
      guard let found = tables[name] else {
        return finding("checkpoint.unknown-table", "the table \(name) is gone")
      }
      guard !Set(own).isSubset(of: found) else { return nil }
      return finding("checkpoint.unknown-table", "the table \(name) is not as ferry makes it")
    }
    guard unknownTables.isEmpty else { return unknownTables }
    let expected = made.indexes.subtracting([PlaceIndex.name])
    return try expected.subtracting(indexes(in: database)).sorted().map {
      finding("checkpoint.damaged", "the index \($0) is gone")
    }
  }

  /// Rows of which a column holds what Ferry never writes there, counted table by table: a value of
  /// another kind than it is declared to, a text that is not one, or an entity without a name.
  static func unknownRows(of tables: Tables, in database: Database) throws -> [Finding] {
    try tables.keys.sorted().compactMap { name in
      let columns = tables[name] ?? []
      let table = name.quotedDatabaseIdentifier
      let others = columns.map(\.isOfAnotherKind).joined(separator: " OR ")
      var count =
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table) WHERE \(others)") ?? 0
      if count == 0 { count = try countBrokenTexts(of: columns, table, in: database) }
      guard count > 0 else { return nil }
      return finding(
        "checkpoint.unknown-row",
        "\(count) rows of the table \(table) hold what ferry never writes there"
      )
    }
  }

  struct Column: Hashable {
    let name: String
    /// The value that `typeof` gives for it.
    let kind: String
    let isRequired: Bool

    init(_ row: DatabaseRow) throws {
      name = try row.value(ofColumn: "name")
      let kinds = ["TEXT": "text", "INTEGER": "integer", "BLOB": "blob"]
      kind = kinds[try row.value(ofColumn: "type")] ?? "none"
      isRequired = try row.value(ofColumn: "required")
    }

    var isOfAnotherKind: String {
      let kinds = isRequired ? "'\(kind)'" : "'\(kind)', 'null'"
      return "typeof(\(name.quotedDatabaseIdentifier)) NOT IN (\(kinds))"
    }

    /// Whether bytes are what it may hold.
    ///
    /// Those that are no text are mended as they are read, and then are at another place in the order
    /// than SQLite has them.
    func takes(_ bytes: Data) -> Bool {
      guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
        return false
      }
      return name != "entity" || EntityName(text) != nil
    }
  }

  private static func countBrokenTexts(
    of columns: [Column],
    _ table: String,
    in database: Database
  ) throws -> Int {
    let texts = columns.filter { $0.kind == "text" }
    guard !texts.isEmpty else { return 0 }
    let names = texts.map(\.name.quotedDatabaseIdentifier).joined(separator: ", ")
    let rows = try DatabaseRow.fetchCursor(database, sql: "SELECT \(names) FROM \(table)")
    var count = 0
    while let row = try rows.next() {
      let isWhole = try texts.indices.allSatisfy { index in
        try row.withUnsafeData(atIndex: index) { $0.map(texts[index].takes) ?? true }
      }
      if !isWhole { count += 1 }
    }
    return count
  }
}
