import CSQLite
import Records
import StoreFiles

/// A row with values that are too large to be held, found by its rowid.
///
/// The statement of such a row asks for the kind of a text or of bytes in place of the value, see
/// ``expression(_:)``, for which SQLite reads none of it. The value itself is then opened, and read in
/// pieces.
///
/// https://sqlite.org/c3ref/blob_open.html
final class LargeRow {
  /// The row, with the kinds of its texts and bytes in place of the values.
  let statement: Statement
  /// Whether a value is larger than any that is read.
  private(set) var isTooLarge = false
  private let database: Database
  private let table: String
  private let place: Int64
  /// What lends the values that are held all the same, and how many bytes these have.
  private var holders: [Statement] = []
  private var heldCount = 0
  /// How many bytes the values have that were asked for so far.
  private var passedCount = 0
  private let columns: LargeRowColumns

  init(_ statement: Statement, of database: Database, table: String, place: Int64) {
    self.statement = statement
    self.database = database
    self.table = table
    self.place = place
    columns = LargeRowColumns(of: table, at: place, in: database)
  }

  /// What is asked for in place of the value of a column: its kind, where it is a text or bytes.
  static func expression(_ column: String) -> String {
    "CASE WHEN typeof(\(column)) IN ('text', 'blob') THEN typeof(\(column)) ELSE \(column) END"
  }

  /// The value of a column that ``expression(_:)`` asked for.
  ///
  /// It is in column `number` of the statement, and is called `name` in the table. With `isHeld` it is
  /// held, however large it is.
  func cell(
    _ number: Int32,
    named name: String,
    isHeld: Bool = false,
    arena: Arena
  ) throws(StoreError) -> Cell {
    guard statement.type(number) == SQLITE_TEXT else { return statement.cell(number) }
    let isText = statement.string(number) == "text"
    // Texts of UTF-16 are translated as a whole.
    let isTranslated = isText ? try !database.isUTF8() : false
    guard !isHeld, !isTranslated,
      let value = database.openValue(table: table, column: name, row: place, isText: isText)
    else { return try held(name) }
    defer { passedCount += value.count }
    guard value.count > LargeValue.mostHeld(beside: heldCount) else {
      heldCount += value.count
      return try held(name)
    }
    guard value.count <= Row.largestValue else {
      isTooLarge = true
      return .null
    }
    return arena.lend(
      LargeRowColumns.holdsOne(value.count, behind: passedCount)
        ? columns.value(of: name, like: value) : value
    )
  }

  private func held(_ column: String) throws(StoreError) -> Cell {
    let holder = try database.statement(
      "SELECT \(quoted(column)) FROM \(quoted(table)) WHERE rowid = ?1",
      purpose: "read the rows of \(table)"
    )
    holder.bind(place, at: 1)
    switch try holder.stepUnlessTooLarge() {
    case .row: break
    case .end: return .null
    case .tooLarge:
      isTooLarge = true
      return .null
    }
    holders.append(holder)
    return holder.cell(0)
  }
}

/// Texts and bytes of a row of which each could be held, but not all together.
///
/// To come to an opened value, SQLite passes all bytes of the row before it. So one statement reads these values,
/// one a step: it stays at the row, and knows where the row's pages are.
private final class LargeRowColumns {
  private let table: String
  private let place: Int64
  private let database: Database
  private var values: [(name: String, count: Int)] = []
  /// The statement that reads the first `count` values, and the number of the one that it holds.
  private var read: (statement: Statement, count: Int, number: Int)?

  private static let mostPassed = 8 << 20
  private static let mostRead = 8 << 20

  init(of table: String, at place: Int64, in database: Database) {
    (self.table, self.place, self.database) = (table, place, database)
  }

  /// Whether a value of so many bytes, behind others of so many, is held while it is read.
  static func holdsOne(_ count: Int, behind passed: Int) -> Bool {
    count <= LargeValue.mostHeld || count <= mostRead && passed > mostPassed
  }

  /// The value of a column, which comes behind the others.
  func value(of name: String, like opened: LargeValue) -> LargeValue {
    let number = values.count
    values.append((name, opened.count))
    return unsafe LargeValue(isText: opened.isText, count: opened.count) { buffer, offset in
      unsafe try self.fill(buffer, at: offset, of: number)
    }
  }

  @unsafe
  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int,
    of number: Int
  ) throws(StoreError) {
    switch try cell(number) {
    case .text(let bytes) where bytes.count == values[number].count,
      .blob(let bytes) where bytes.count == values[number].count:
      unsafe buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + buffer.count)])
      )
    default:
      throw .damaged(path: database.name, place: table, details: "row \(place) has changed")
    }
  }

  private func cell(_ number: Int) throws(StoreError) -> Cell {
    if let read, read.number > number || read.count <= number { self.read = nil }
    var current: (statement: Statement, count: Int, number: Int)
    if let read { current = read } else { current = (try statement(), values.count, -1) }
    while current.number < number {
      guard try current.statement.step() else {
        throw .damaged(path: database.name, place: table, details: "row \(place) is missing")
      }
      current.number += 1
    }
    read = current
    return current.statement.cell(0)
  }

  private func statement() throws(StoreError) -> Statement {
    let cases = values.indices.map { "WHEN \($0) THEN t.\(quoted(values[$0].name))" }
    let numbers = values.indices.map { "(\($0))" }
    let statement = try database.statement(
      "SELECT CASE value.column1 \(cases.joined(separator: " ")) END FROM \(quoted(table)) AS t "
        + "CROSS JOIN (VALUES \(numbers.joined(separator: ", "))) AS value WHERE t.rowid = ?1",
      purpose: "read the rows of \(table)"
    )
    statement.bind(place, at: 1)
    return statement
  }
}

/// A text or bytes of a table, opened to be read in pieces.
@safe
final class OpenedValue {
  /// How many bytes it has.
  let count: Int
  private let handle: OpaquePointer
  private let database: Database
  private let table: String

  @unsafe
  init(_ handle: OpaquePointer, of database: Database, table: String) {
    unsafe self.handle = unsafe handle
    self.database = database
    self.table = table
    count = unsafe Int(sqlite3_blob_bytes(handle))
  }

  deinit { _ = unsafe sqlite3_blob_close(handle) }

  /// Fills the whole of a buffer with the bytes that begin at an offset.
  @unsafe
  func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StoreError) {
    let code = unsafe sqlite3_blob_read(
      handle,
      buffer.baseAddress,
      Int32(buffer.count),
      Int32(offset)
    )
    guard code == SQLITE_OK else { throw database.failure(code, "read the rows of \(table)") }
  }
}
