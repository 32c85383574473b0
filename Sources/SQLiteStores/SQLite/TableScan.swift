import CSQLite
import Records
import StoreFiles

/// Reads all of a table that can be read, going on behind what cannot.
///
/// A row with a value that is too large to be held is passed over like a damaged one.
///
/// Where a page is damaged, the next key that can be reached is looked for in steps that double, and
/// then from both sides. Rows must come in the order of their keys: where they do not, pages
/// are linked in a ring or out of place, which is damage too. So the reading always ends.
struct TableScan {
  /// Keys between which rows may be missing; `nil` is the end of the table.
  struct Gap {
    let first: Int64?
    let last: Int64?
    let details: String
  }

  let database: Database
  let table: SQLiteTable
  private(set) var rowCount = 0
  private(set) var gaps: [Gap] = []

  /// After so many gaps the rest of the table is given up, and said to be.
  private static let gapLimit = 1000

  init(_ table: SQLiteTable, of database: Database) {
    self.table = table
    self.database = database
  }

  /// The columns that are read, behind the rowid if there is one.
  var columns: [String] {
    (table.rowIDName.map { [$0] } ?? []) + table.storedColumns.map { quoted($0.name) }
  }

  /// Hands each row that can be read to `take`, which throws when it cannot go on.
  mutating func run(
    _ take: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let rowID = table.rowIDName else { return try runWithoutRowID(take) }
    var next: Int64? = .min
    while let start = next {
      var last: Int64?
      do throws(StoreError) {
        let rows = try statement(from: start, rowID)
        while try rows.step() {
          let key = rows.integer(0)
          guard key >= start, last.map({ key > $0 }) ?? true else {
            throw .damaged(path: database.name, place: table.name, details: "keys out of order")
          }
          try take(rows)
          last = key
          rowCount += 1
        }
        return
      } catch {
        guard let details = Self.details(of: error) else { throw error }
        guard last != .max else { return }
        let lost = last.map { $0 + 1 } ?? start
        next = gaps.count < Self.gapLimit ? try keyBehind(lost, rowID) : nil
        gaps.append(
          Gap(first: lost == .min ? nil : lost, last: next.map { $0 - 1 }, details: details)
        )
      }
    }
  }

  private func statement(from key: Int64, _ rowID: String) throws(StoreError) -> Statement {
    let rows = try database.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(quoted(table.name)) NOT INDEXED "
        + "WHERE \(rowID) >= ?1 ORDER BY \(rowID)",
      purpose: "read the rows of \(table.name)"
    )
    rows.bind(key, at: 1)
    return rows
  }

  /// Without rowids there is only the way from the front.
  private mutating func runWithoutRowID(
    _ take: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      let rows = try database.statement(
        "SELECT \(columns.joined(separator: ", ")) FROM \(quoted(table.name)) NOT INDEXED",
        purpose: "read the rows of \(table.name)"
      )
      while try rows.step() {
        guard rowCount < Self.keylessLimit else {
          throw .damaged(path: database.name, place: table.name, details: "its rows do not end")
        }
        try take(rows)
        rowCount += 1
      }
    } catch {
      guard let details = Self.details(of: error) else { throw error }
      gaps.append(Gap(first: nil, last: nil, details: details))
    }
  }

  private static let keylessLimit = 1 << 30

  /// The first key from `start` on from which the table can be read again.
  private func keyBehind(_ start: Int64, _ rowID: String) throws(StoreError) -> Int64? {
    var (bad, step) = (start, Int64(1))
    var good: Int64?
    while good == nil {
      let (key, overflows) = bad.addingReportingOverflow(step)
      if overflows { return nil }
      switch try reach(key, rowID) {
      case .row: good = key
      case .end: return nil
      case .damage: bad = key
      }
      step = step > .max / 2 ? .max : step * 2
    }
    guard var upper = good else { return nil }
    while upper.subtractingReportingOverflow(bad).overflow || upper - bad > 1 {
      let middle = bad / 2 + upper / 2 + (bad % 2 + upper % 2) / 2
      guard middle > bad, middle < upper else { break }
      switch try reach(middle, rowID) {
      case .row: upper = middle
      case .end: return upper
      case .damage: bad = middle
      }
    }
    return upper
  }

  private enum Reach {
    case row(Int64)
    case end, damage
  }

  private func reach(_ key: Int64, _ rowID: String) throws(StoreError) -> Reach {
    do throws(StoreError) {
      let rows = try statement(from: key, rowID)
      guard try rows.step() else { return .end }
      return rows.integer(0) >= key ? .row(rows.integer(0)) : .damage
    } catch {
      guard Self.details(of: error) != nil else { throw error }
      return .damage
    }
  }

  /// Why a row cannot be read, where the rows behind it may be.
  private static func details(of error: StoreError) -> String? {
    switch error {
    case .damaged(_, _, let details): details
    case .database(_, _, SQLITE_TOOBIG, _):
      "a value has more than the \(Row.largestValue) bytes that are read"
    default: nil
    }
  }
}
