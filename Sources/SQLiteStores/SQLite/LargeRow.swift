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

  init(_ statement: Statement, of database: Database, table: String, place: Int64) {
    self.statement = statement
    self.database = database
    self.table = table
    self.place = place
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
    guard value.count > LargeValue.mostHeld(beside: heldCount) else {
      heldCount += value.count
      return try held(name)
    }
    guard value.count <= Row.largestValue else {
      isTooLarge = true
      return .null
    }
    return arena.lend(value)
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
