import CSQLite
package import GRDB
package import Records

/// A statement that runs once for each record, bound and read without values of GRDB's in between.
///
/// It stays GRDB's own, prepared once for all its uses. What is bound and what a column holds goes past
/// GRDB, which makes an object of each value and of each row. It is reset after its use, so that GRDB
/// finds it as it left it.
///
/// Parameters are counted from one, columns from zero. A column that holds a value of another kind than
/// the one asked for is damage.
@safe
package final class DirectStatement {
  private let statement: GRDB.Statement
  private let handle: OpaquePointer

  /// - Throws: What GRDB throws for a statement that cannot be prepared.
  package init(_ sql: String, in database: GRDB.Database) throws {
    statement = try database.cachedStatement(sql: sql)
    unsafe handle = unsafe statement.sqliteStatement
    _ = unsafe sqlite3_reset(handle)
  }

  deinit {
    _ = unsafe sqlite3_reset(handle)
    _ = unsafe sqlite3_clear_bindings(handle)
  }

  // MARK: - Parameters

  package func bind(_ number: Int64, at parameter: Int32) {
    check(unsafe sqlite3_bind_int64(handle, parameter, number))
  }

  package func bind(_ number: Int64?, at parameter: Int32) {
    if let number { bind(number, at: parameter) } else { bindNull(at: parameter) }
  }

  package func bind(_ text: String, at parameter: Int32) {
    var text = text
    let code = text.withUTF8 { bytes in
      unsafe withAddress(of: UnsafeRawBufferPointer(bytes)) {
        unsafe ferry_sqlite3_bind_copied_text(handle, parameter, $0, Int32(bytes.count))
      }
    }
    check(code)
  }

  package func bind(_ text: String?, at parameter: Int32) {
    if let text { bind(text, at: parameter) } else { bindNull(at: parameter) }
  }

  /// Binds the entity and the key of a record, one behind the other.
  package func bind(_ record: RecordID, at parameter: Int32) {
    bind(record.entity.text, at: parameter)
    bind(record.key, at: parameter + 1)
  }

  package func bind(_ digest: Digest, at parameter: Int32) { bind(digest.bytes, at: parameter) }

  package func bind(_ bytes: [UInt8], at parameter: Int32) {
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe withAddress(of: bytes) {
        unsafe ferry_sqlite3_bind_copied_blob(handle, parameter, $0, Int32(bytes.count))
      }
    }
    check(code)
  }

  package func bind(_ bytes: [UInt8]?, at parameter: Int32) {
    if let bytes { bind(bytes, at: parameter) } else { bindNull(at: parameter) }
  }

  private func bindNull(at parameter: Int32) { check(unsafe sqlite3_bind_null(handle, parameter)) }

  /// The address of bytes; of none, that of some byte, for SQLite takes no address for NULL.
  @unsafe
  private func withAddress(
    of bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeRawPointer) -> Int32
  ) -> Int32 {
    if let start = bytes.baseAddress { return unsafe body(start) }
    return unsafe withUnsafeBytes(of: UInt8(0)) { empty in
      guard let start = empty.baseAddress else { preconditionFailure("a byte has an address") }
      return unsafe body(start)
    }
  }

  /// Too large a value is reported by the next step, as any other trouble is.
  private func check(_ code: Int32) {
    precondition(
      code == SQLITE_OK || code == SQLITE_NOMEM || code == SQLITE_TOOBIG,
      "the statement has no such parameter, or is under way"
    )
  }

  // MARK: - Rows

  /// Goes to the next row; `false` after the last one, and the statement can be bound again.
  package func step() throws -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let connection = unsafe sqlite3_db_handle(handle)
    guard code == SQLITE_DONE else {
      let words = unsafe String(cString: sqlite3_errmsg(connection))
      let whole = unsafe sqlite3_extended_errcode(connection)
      reset()
      throw DatabaseError(resultCode: ResultCode(rawValue: whole), message: words)
    }
    reset()
    return false
  }

  /// Runs the statement once, and makes it ready to be bound again.
  package func run() throws { while try step() {} }

  /// Makes the statement ready to be bound and to run again, whatever rows are left.
  package func reset() { _ = unsafe sqlite3_reset(handle) }

  // MARK: - Columns

  /// - Throws: ``UnreadableColumn`` for NULL and for a value of another kind.
  package func integer(_ column: Int32) throws -> Int64 {
    guard let number = try integerOrNull(column) else { throw UnreadableColumn(name: "\(column)") }
    return number
  }

  /// - Throws: ``UnreadableColumn`` for a value of another kind.
  package func integerOrNull(_ column: Int32) throws -> Int64? {
    guard try holds(SQLITE_INTEGER, column) else { return nil }
    return unsafe sqlite3_column_int64(handle, column)
  }

  /// - Throws: ``UnreadableColumn`` for NULL and for a value of another kind.
  package func text(_ column: Int32) throws -> String {
    guard let text = try textOrNull(column) else { throw UnreadableColumn(name: "\(column)") }
    return text
  }

  /// - Throws: ``UnreadableColumn`` for a value of another kind.
  package func textOrNull(_ column: Int32) throws -> String? {
    guard try holds(SQLITE_TEXT, column) else { return nil }
    let start = unsafe sqlite3_column_text(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    guard let start = unsafe start else { return "" }
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Whether a column holds this text, byte for byte.
  package func holds(_ text: String, in column: Int32) -> Bool {
    guard unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT,
      let start = unsafe sqlite3_column_text(handle, column)
    else { return false }
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count == count else { return false }
      for index in 0..<count where unsafe bytes[index] != start[index] { return false }
      return true
    }
  }

  /// - Throws: ``UnreadableColumn`` for a value of another kind.
  package func bytesOrNull(_ column: Int32) throws -> [UInt8]? {
    guard try holds(SQLITE_BLOB, column) else { return nil }
    return unsafe withBlob(column) { unsafe Array($0) }
  }

  /// The digest in a column, or `nil` when it holds none.
  package func digest(_ column: Int32) -> Digest? {
    guard unsafe sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
    return unsafe withBlob(column) { unsafe Digest(bytes: $0) }
  }

  @unsafe
  private func withBlob<Value>(
    _ column: Int32,
    _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Whether a column holds a value of this kind, and not NULL.
  private func holds(_ kind: Int32, _ column: Int32) throws -> Bool {
    let found = unsafe sqlite3_column_type(handle, column)
    if found == kind { return true }
    guard found == SQLITE_NULL else { throw UnreadableColumn(name: "\(column)") }
    return false
  }
}
