import StoreFiles

/// Which keys a relationship can lead to: the rows of its destination and of what inherits from that.
///
/// Looking for a key in the table takes about as long as reading four of its keys in a row. So the first
/// keys are looked for, and all of them are read, a bit each, once that has taken as long as reading them.
final class TargetRows {
  /// What is known of the keys.
  private enum Keys {
    case unread
    /// The table is asked for each.
    case asked
    /// Those that are there, by the entities of their rows.
    case read([(number: Int, keys: KeySet)])
  }

  private let target: RowPlan.Target
  private let table: String
  private let database: Database
  private let space: KeySpace
  /// How many keys are still looked for one by one.
  private var searchesLeft: Int
  private var keys = Keys.unread
  /// What finds the row of one key; `nil` before the first question.
  private var search: Statement?

  /// Takes what a relationship leads to, the table that has its rows, and the space for their keys.
  init(_ target: RowPlan.Target, in table: String, of database: Database, _ space: KeySpace) {
    self.target = target
    self.table = table
    self.database = database
    self.space = space
    searchesLeft = target.tableRowCount / 4
  }

  /// Whether no row can be of another entity than the others.
  var isOfOneEntity: Bool { target.numbers.count == 1 }

  /// The number of the entity whose row the value of a column leads to; `nil` where it leads to none.
  func entity(_ statement: Statement, _ column: Int32) throws(StoreError) -> Int? {
    // Numbers with a fraction and texts are compared by SQLite.
    guard statement.isInteger(column) else { return try found(statement, column) }
    if case .unread = keys, searchesLeft == 0 { keys = try readKeys() }
    guard case .read(let sets) = keys else { return try found(statement, column) }
    let key = statement.integer(column)
    return sets.first { $0.keys.contains(key) }?.number
  }

  private func found(_ statement: Statement, _ column: Int32) throws(StoreError) -> Int? {
    searchesLeft = max(searchesLeft - 1, 0)
    let search = if let search { search } else { try prepared() }
    defer { search.reset() }
    try search.bindValue(of: statement, column: column, at: 1)
    return try search.step() ? Int(search.integer(0)) : nil
  }

  private func prepared() throws(StoreError) -> Statement {
    let made = try database.statement(
      "SELECT d.Z_ENT FROM \(quoted(table)) AS d WHERE d.Z_PK = ?1 AND \(target.condition("d"))",
      purpose: "look for the row that a relationship leads to"
    )
    search = made
    return made
  }

  /// All keys, unless they lie too far apart to have a bit each.
  private func readKeys() throws(StoreError) -> Keys {
    let name = quoted(table)
    let bounds = try database.statement(
      "SELECT (SELECT min(Z_PK) FROM \(name)), (SELECT max(Z_PK) FROM \(name))",
      purpose: "find the first and the last key of \(table)"
    )
    guard try bounds.step(), bounds.isInteger(0), bounds.isInteger(1) else { return .asked }
    let (first, last) = (bounds.integer(0), bounds.integer(1))
    guard space.take(from: first, to: last, times: target.numbers.count) else {
      return .asked
    }
    var sets = target.numbers.map { (number: $0, keys: KeySet(from: first, to: last)) }
    let rows = try database.statement(
      "SELECT d.Z_PK, d.Z_ENT FROM \(name) AS d NOT INDEXED WHERE \(target.condition("d"))",
      purpose: "read the keys of \(table)"
    )
    while try rows.step() {
      let number = Int(rows.integer(1))
      guard let place = target.numbers.firstIndex(of: number) else { continue }
      guard sets[place].keys.insert(rows.integer(0)) else {
        throw .damaged(path: database.name, place: "table \(table)", details: "keys out of order")
      }
    }
    return .read(sets)
  }
}

/// How many bits the keys may still take that one request reads; 8 MiB at first.
///
/// A table whose keys find no space is asked for each key.
final class KeySpace {
  private var bitsLeft: Int64 = 1 << 26

  /// Takes the space for the numbers between two bounds; `false` where there is not enough.
  func take(from first: Int64, to last: Int64, times count: Int) -> Bool {
    let (span, isTooWide) = last.subtractingReportingOverflow(first)
    guard !isTooWide, span >= 0, span < bitsLeft / Int64(count) else { return false }
    bitsLeft -= (span + 1) * Int64(count)
    return true
  }
}

/// Some of the whole numbers between two bounds.
private struct KeySet {
  private let first: Int64
  private var words: [UInt64]

  init(from first: Int64, to last: Int64) {
    self.first = first
    words = Array(repeating: 0, count: Int((last &- first) / 64) + 1)
  }

  /// Takes a number in; `false` where it is beyond the bounds.
  mutating func insert(_ key: Int64) -> Bool {
    guard let place = place(of: key) else { return false }
    words[place / 64] |= 1 << UInt64(place % 64)
    return true
  }

  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    guard let place = place(of: key) else { return false }
    return words[place / 64] >> UInt64(place % 64) & 1 == 1
  }

  @inline(__always)
  private func place(of key: Int64) -> Int? {
    let (place, isOut) = key.subtractingReportingOverflow(first)
    return isOut || place < 0 || place / 64 >= Int64(words.count) ? nil : Int(place)
  }
}
