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
  /// The name under which the table has its rowid.
  private let rowID: String
  private let place: Int64
  /// The columns of the table that cells come from as they are, by their columns in the statement.
  private let names: [Int32: String]
  private let values: LargeRowValues
  /// Which texts and bytes are held, and which are opened; known from the first one that is asked for.
  private var parts: Parts?
  /// What lends the values that are held whatever their size.
  private var holders: [Statement] = []

  /// The texts and bytes of the row, by their columns in the statement.
  private struct Parts {
    /// Those that are read in pieces.
    var opened: [Int32: LargeValue] = [:]
    /// Those that are held together, by their columns in what lends them.
    var held: [Int32: Int32] = [:]
    /// Lends these: for one statement SQLite passes what lies before them once, and not once for each.
    var holder: Statement?
  }

  init(
    _ statement: Statement,
    of database: Database,
    table: String,
    rowID: String,
    place: Int64,
    names: [Int32: String]
  ) {
    self.statement = statement
    self.database = database
    self.table = table
    self.rowID = rowID
    self.place = place
    self.names = names
    values = LargeRowValues(of: table, where: rowID, is: place, in: database)
  }

  /// What is asked for in place of the value of a column: its kind, where it is a text or bytes.
  static func expression(_ column: String) -> String {
    "CASE WHEN typeof(\(column)) IN ('text', 'blob') THEN typeof(\(column)) ELSE \(column) END"
  }

  /// The value of a column of the statement; with `isHeld` it is held, however large it is.
  func cell(
    _ number: Int32,
    isHeld: Bool = false,
    arena: Arena
  ) throws(StoreError) -> Cell {
    guard let name = names[number], statement.type(number) == SQLITE_TEXT else {
      return statement.cell(number)
    }
    let parts = if let parts { parts } else { try divided() }
    if let place = parts.held[number], let holder = parts.holder { return holder.cell(place) }
    guard !isHeld, let value = parts.opened[number] else {
      return try held([name])?.cell(0) ?? .null
    }
    guard value.count <= Row.largestValue else {
      isTooLarge = true
      return .null
    }
    return arena.lend(try values.value(of: name, opened: value))
  }

  /// Looks at the sizes of all texts and bytes, from front to back.
  private func divided() throws(StoreError) -> Parts {
    var parts = Parts()
    var columns: [String] = []
    var heldCount = 0
    // Texts of UTF-16 are translated as a whole.
    let isTranslated = try !database.isUTF8()
    for (number, name) in names.sorted(by: { $0.key < $1.key })
    where statement.type(number) == SQLITE_TEXT {
      let isText = statement.string(number) == "text"
      let opened = database.openValue(table: table, column: name, row: place, isText: isText)
      guard let opened else { continue }
      if opened.count <= LargeValue.mostHeld(beside: heldCount) {
        heldCount += opened.count
        parts.held[number] = Int32(columns.count)
        columns.append(name)
      } else if !isText || !isTranslated {
        parts.opened[number] = opened
      }
    }
    if !columns.isEmpty { parts.holder = try held(columns) }
    self.parts = parts
    return parts
  }

  /// The values of columns, lent as long as the row is; `nil` where they are too large.
  private func held(_ columns: [String]) throws(StoreError) -> Statement? {
    let holder = try database.statement(
      "SELECT \(columns.map(quoted).joined(separator: ", ")) FROM \(quoted(table)) "
        + "WHERE \(rowID) = ?1",
      purpose: "read the rows of \(table)"
    )
    holder.bind(place, at: 1)
    switch try holder.stepUnlessTooLarge() {
    case .row: break
    case .end: throw .damaged(path: database.name, place: table, details: "row \(place) is missing")
    case .tooLarge:
      isTooLarge = true
      return nil
    }
    holders.append(holder)
    return holder
  }
}

/// The texts and bytes of a row that are read in pieces.
///
/// To come to an opened value, SQLite passes all bytes of the row before it. Where these are many times the
/// value's own, one statement reads it as a whole instead, and holds it until the next one is asked for. The
/// statement stays at the row and remembers where the row's pages are: what it passed once, it does not pass again.
private final class LargeRowValues {
  private struct Value {
    let column: String
    /// The number of its column in the table, and so its place in the row.
    let position: Int
    let opened: LargeValue
  }

  private let table: String
  private let rowID: String
  private let place: Int64
  private let database: Database
  private var values: [Value] = []
  /// The columns of the table, in their order.
  private var columns: [String] = []
  /// The statement that reads one value a step, and the number of the one that it holds.
  private var reading: (statement: Statement, number: Int)?

  /// A value with more bytes is never read as a whole.
  private static let mostRead = 8 << 20
  /// So many times its bytes lie at most before a value that is read in pieces.
  private static let mostPassed = 32

  init(of table: String, where rowID: String, is place: Int64, in database: Database) {
    (self.table, self.rowID, self.place, self.database) = (table, rowID, place, database)
  }

  /// The value of a column, which was opened.
  func value(of column: String, opened: LargeValue) throws(StoreError) -> LargeValue {
    if columns.isEmpty { try readColumns() }
    let position = columns.firstIndex { isSameName($0, column) } ?? 0
    let number = values.count
    values.append(Value(column: column, position: position, opened: opened))
    reading = nil
    return unsafe LargeValue(isText: opened.isText, count: opened.count) { buffer, offset in
      unsafe try self.fill(buffer, at: offset, of: number)
    }
  }

  private func readColumns() throws(StoreError) {
    let list = try database.statement(
      "PRAGMA table_info(\(quoted(table)))",
      purpose: "list the columns of \(table)"
    )
    while try list.step() { columns.append(list.string(1) ?? "") }
  }

  @unsafe
  private func fill(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int,
    of number: Int
  ) throws {
    let opened = values[number].opened
    guard isReadAsWhole(values[number]) else {
      guard unsafe opened.read(at: offset, into: buffer) else {
        throw opened.failure ?? hasChanged
      }
      return
    }
    switch try cell(number) {
    case .text(let bytes) where bytes.count == opened.count,
      .blob(let bytes) where bytes.count == opened.count:
      unsafe buffer.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + buffer.count)])
      )
    default: throw hasChanged
    }
  }

  /// Whether a value is read as a whole: one of up to 1 MiB, which is only too large beside the others, or one
  /// for which SQLite would pass too much.
  private func isReadAsWhole(_ value: Value) -> Bool {
    let count = value.opened.count
    if count <= LargeValue.mostHeld { return true }
    guard count <= Self.mostRead else { return false }
    let passed = values.lazy.filter { $0.position < value.position }
      .reduce(0) { $0 + $1.opened.count }
    return passed > Self.mostPassed * count
  }

  private func cell(_ number: Int) throws(StoreError) -> Cell {
    if let reading, reading.number == number { return reading.statement.cell(0) }
    database.wantedNumber = Int64(number)
    var next = reading?.statement
    reading = nil
    if let statement = next, try !statement.step() { next = nil }
    let statement = if let next { next } else { try firstStep() }
    reading = (statement, number)
    return statement.cell(0)
  }

  /// A statement that has as many steps as there are values, at the first of them.
  private func firstStep() throws(StoreError) -> Statement {
    let cases = values.enumerated().map { "WHEN \($0) THEN t.\(quoted($1.column))" }
    let steps = Array(repeating: "(0)", count: values.count)
    let statement = try database.statement(
      "SELECT CASE \(Database.wantedNumberFunction)() \(cases.joined(separator: " ")) END "
        + "FROM \(quoted(table)) AS t CROSS JOIN (VALUES \(steps.joined(separator: ", "))) "
        + "WHERE t.\(rowID) = ?1",
      purpose: "read the rows of \(table)"
    )
    statement.bind(place, at: 1)
    guard try statement.step() else {
      throw .damaged(path: database.name, place: table, details: "row \(place) is missing")
    }
    return statement
  }

  private var hasChanged: StoreError {
    .damaged(path: database.name, place: table, details: "row \(place) has changed")
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
