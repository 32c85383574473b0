import JSONText
import ManagedObjectModels
import StoreFiles

/// One ordinary table of a plain SQLite database, as it declares itself.
struct SQLiteTable {
  struct Column {
    let name: String
    let declaredType: String
    let isNotNull: Bool
    /// The place in the primary key, counted from one; zero for a column outside it.
    let keyPlace: Int
    /// Computed at each reading (`VIRTUAL`): no part of the file.
    let isComputed: Bool
    /// Computed when the row was written (`STORED`).
    let isStoredResult: Bool
  }

  /// A foreign key of one column.
  struct ForeignKey {
    let column: String
    let parent: String
    /// The parent's column, or `nil` for its primary key.
    let parentColumn: String?
    let deleteAction: String
  }

  let name: String
  let columns: [Column]
  let foreignKeys: [ForeignKey]
  /// The columns of the foreign keys that have several.
  let compositeForeignKeys: [[String]]
  let uniqueKeys: [[String]]
  let hasRowID: Bool
  private let attributeNames: DistinctNames
  /// The places of the columns by their names, folded as SQLite does it.
  private let places: [ExactName: Int]
  /// The places of the columns by the names of their attributes.
  private let attributePlaces: [String: Int]

  /// The columns of the primary key, in its order; empty when none is declared.
  var primaryKey: [String] {
    columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name)
  }

  /// The name under which the rowid can be asked for; `nil` when columns took all three names.
  ///
  /// https://sqlite.org/rowidtable.html
  var rowIDName: String? {
    guard hasRowID else { return nil }
    let taken = Set(columns.map { $0.name.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
  }

  /// The columns that are in the file.
  var storedColumns: [Column] { columns.filter { !$0.isComputed } }

  /// The column that this name in a statement means.
  func declaredColumn(_ name: String) -> Column? {
    places[ExactName(text: folded(name))].map { columns[$0] }
  }

  /// The column whose attribute has that name, or else that this name in a statement means.
  func column(_ name: String) -> Column? {
    attributePlaces[name].map { columns[$0] } ?? declaredColumn(name)
  }

  /// What the attribute of a column is called: like the column, but for one whose name is that of an
  /// earlier column in other bytes, which is percent-encoded.
  func attributeName(of column: String) -> String { attributeNames.name(of: column) }
}

/// Whether two names are one to SQLite, which folds the letters of ASCII and no others.
///
/// https://sqlite.org/c3ref/stricmp.html
func isSameName(_ left: String, _ right: String) -> Bool {
  left.utf8.elementsEqual(right.utf8) { folded($0) == folded($1) }
}

/// A name in the one form that all names have that are the same to SQLite.
private func folded(_ name: String) -> String {
  String(decoding: name.utf8.map { folded($0) }, as: UTF8.self)
}

private func folded(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

extension SQLiteTable {
  /// Reads the declaration of a table.
  init(_ name: String, in database: Database) throws(StoreError) {
    self.name = name
    columns = try Self.columns(of: name, in: database)
    attributeNames = DistinctNames(columns.map(\.name))
    places = Dictionary(
      zip(columns.map { ExactName(text: folded($0.name)) }, columns.indices),
      uniquingKeysWith: { first, _ in first }
    )
    attributePlaces = Dictionary(
      zip(attributeNames.all, columns.indices),
      uniquingKeysWith: { first, _ in first }
    )
    (foreignKeys, compositeForeignKeys) = try Self.foreignKeys(of: name, in: database)
    hasRowID = try Self.hasRowID(name, in: database)
    var keys = try Self.uniqueKeys(of: name, in: database)
    let primaryKey = columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }
      .map(\.name)
    if !primaryKey.isEmpty, !keys.contains(primaryKey) { keys.insert(primaryKey, at: 0) }
    uniqueKeys = keys
  }

  private static func columns(
    of table: String,
    in database: Database
  ) throws(StoreError) -> [Column] {
    var columns: [Column] = []
    let list = try database.statement(
      "PRAGMA table_xinfo(\(quoted(table)))",
      purpose: "list the columns of \(table)"
    )
    while try list.step() {
      guard let name = list.string(1) else { continue }
      columns.append(
        Column(
          name: name,
          declaredType: list.string(2) ?? "",
          isNotNull: list.integer(3) != 0,
          keyPlace: Int(list.integer(5)),
          isComputed: list.integer(6) == 2,
          isStoredResult: list.integer(6) == 3
        )
      )
    }
    return columns
  }

  private static func foreignKeys(
    of table: String,
    in database: Database
  ) throws(StoreError) -> (single: [ForeignKey], composite: [[String]]) {
    var parts: [Int64: [ForeignKey]] = [:]
    let list = try database.statement(
      "PRAGMA foreign_key_list(\(quoted(table)))",
      purpose: "list the foreign keys of \(table)"
    )
    while try list.step() {
      guard let parent = list.string(2), let column = list.string(3) else { continue }
      parts[list.integer(0), default: []].append(
        ForeignKey(
          column: column,
          parent: parent,
          parentColumn: list.string(4),
          deleteAction: list.string(6) ?? ""
        )
      )
    }
    let keys = parts.sorted { $0.key < $1.key }.map(\.value)
    return (
      keys.filter { $0.count == 1 }.flatMap { $0 }.sorted { precedes($0.column, $1.column) },
      keys.filter { $0.count > 1 }.map { $0.map(\.column) }
    )
  }

  /// Whether the table has rowids: one without them has no rowid column and its key as its index.
  private static func hasRowID(_ table: String, in database: Database) throws(StoreError) -> Bool {
    let list = try database.statement(
      "PRAGMA index_xinfo(\(quoted(table)))",
      purpose: "look for the rowid of \(table)"
    )
    // The command answers for a table only when the table is its own index.
    var hasRowID = true
    var collations: [SQLiteCollation] = []
    while try list.step() {
      hasRowID = false
      if let name = list.string(4) { collations.append(SQLiteCollation(name: name)) }
    }
    // SQLite reads no table in an order that it does not know, not even from the front.
    for collation in collations where collation.isOfTheApp {
      try database.placeholder(for: collation)
    }
    return hasRowID
  }

  private static func uniqueKeys(
    of table: String,
    in database: Database
  ) throws(StoreError) -> [[String]] {
    var names: [String] = []
    let list = try database.statement(
      "PRAGMA index_list(\(quoted(table)))",
      purpose: "list the indexes of \(table)"
    )
    while try list.step() {
      if list.integer(2) != 0, list.integer(4) == 0, let name = list.string(1) {
        names.append(name)
      }
    }
    var keys: [[String]] = []
    for name in names.sorted(by: precedes) {
      let columns = try database.statement(
        "PRAGMA index_info(\(quoted(name)))",
        purpose: "list the columns of the index \(name)"
      )
      var key: [String?] = []
      while try columns.step() { key.append(columns.string(2)) }
      // A part without a name is an expression, which is no attribute.
      let plain = key.compactMap { $0 }
      if plain.count == key.count, !plain.isEmpty, !keys.contains(plain) { keys.append(plain) }
    }
    return keys
  }
}
