import CSQLite
package import Records
package import StoreFiles

/// A prepared statement; what its columns lend stays valid until the next step.
@safe
package final class Statement {
  private let handle: OpaquePointer
  private let database: Database
  private let purpose: String
  /// How many bytes a value may have that is read as a whole; see ``stepUnlessTooLarge()``.
  private let mostHeld: Int
  private var isDone = false

  @unsafe
  init(_ handle: OpaquePointer, of database: Database, mostHeld: Int, purpose: String) {
    unsafe self.handle = unsafe handle
    self.mostHeld = mostHeld
    self.database = database
    self.purpose = purpose
  }

  deinit { _ = unsafe sqlite3_finalize(handle) }

  /// Binds an integer to the parameter with this number, counted from one.
  package func bind(_ number: Int64, at parameter: Int32) {
    let code = unsafe sqlite3_bind_int64(handle, parameter, number)
    precondition(code == SQLITE_OK, "the statement has no parameter \(parameter)")
  }

  /// Binds what a column of another statement holds, as it is.
  func bindValue(
    of other: Statement,
    column: Int32,
    at parameter: Int32
  ) throws(StoreError) {
    let value = unsafe sqlite3_column_value(other.handle, column)
    let code = unsafe sqlite3_bind_value(handle, parameter, value)
    precondition(code != SQLITE_RANGE, "the statement has no parameter \(parameter)")
    guard code == SQLITE_OK else { throw database.failure(code, purpose) }
  }

  /// Makes the statement ready to run again.
  package func reset() {
    _ = unsafe sqlite3_reset(handle)
    isDone = false
  }

  /// Goes to the next row; `false` at the end, however often it is asked.
  package func step() throws(StoreError) -> Bool {
    switch try stepUnlessTooLarge() {
    case .row: return true
    case .end: return false
    case .tooLarge: throw database.failure(SQLITE_TOOBIG, purpose)
    }
  }

  /// What a step came to.
  enum Step {
    case row, end
    /// The next row has a value larger than the statement reads, and the statement is at its end.
    case tooLarge
  }

  /// Goes to the next row, and says so where that cannot be read for its size.
  func stepUnlessTooLarge() throws(StoreError) -> Step {
    // SQLite itself would begin anew.
    if isDone { return .end }
    database.limitValues(to: mostHeld)
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return .row }
    isDone = true
    if code == SQLITE_DONE { return .end }
    if code == SQLITE_TOOBIG { return .tooLarge }
    throw database.failure(code, purpose)
  }

  package func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  func isInteger(_ column: Int32) -> Bool { type(column) == SQLITE_INTEGER }

  /// One of `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` and `SQLITE_NULL`.
  package func type(_ column: Int32) -> Int32 {
    unsafe sqlite3_column_type(handle, column)
  }

  package func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(handle, column)
  }

  package func real(_ column: Int32) -> Double {
    unsafe sqlite3_column_double(handle, column)
  }

  /// Lends a column as a cell, by what it holds.
  ///
  /// The value is asked for once and then spoken to itself, which spares SQLite most of what it
  /// checks with each question about a column.
  package func cell(_ column: Int32) -> Cell {
    let value = unsafe sqlite3_column_value(handle, column)
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_value_double(value))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_value_text(value)
      let count = unsafe Int(sqlite3_value_bytes(value))
      return unsafe .text(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_value_blob(value)
      let count = unsafe Int(sqlite3_value_bytes(value))
      return unsafe .blob(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    default: return .null
    }
  }

  /// Lends the bytes of a text.
  @unsafe
  package func text(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_text(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  /// Lends the bytes of a blob.
  @unsafe
  package func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
  }

  /// The text of a column, bad bytes replaced, or `nil` for NULL.
  package func string(_ column: Int32) -> String? {
    guard !isNull(column) else { return nil }
    return unsafe String(decoding: text(column), as: UTF8.self)
  }

  /// The bytes of a column, or `nil` for NULL.
  package func bytes(_ column: Int32) -> [UInt8]? {
    guard !isNull(column) else { return nil }
    return unsafe Array(blob(column))
  }
}
