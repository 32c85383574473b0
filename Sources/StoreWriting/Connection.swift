import CSQLite

/// A connection to the copy of a store that is written to.
@safe
final class Connection {
  private let handle: OpaquePointer

  /// What SQLite says of a refusal.
  struct Refusal: Error {
    let reason: String
  }

  init(path: String) throws(Refusal) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard let handle = unsafe opened, code == SQLITE_OK else {
      let words = unsafe sqlite3_errstr(code).flatMap { unsafe String(validatingCString: $0) }
      _ = unsafe sqlite3_close_v2(opened)
      throw Refusal(reason: words ?? "SQLite cannot open it")
    }
    unsafe self.handle = unsafe handle
    // A hostile schema runs nothing that its table does not need.
    for (option, isOn) in [
      (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
      _ = unsafe ferry_sqlite3_db_config_flag(handle, option, isOn ? 1 : 0)
    }
  }

  deinit { _ = unsafe sqlite3_close_v2(handle) }

  /// Runs a statement to its end; gives how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: [CellValue] = []) throws(Refusal) -> Int {
    _ = try table(sql, values)
    return Int(unsafe sqlite3_changes(handle))
  }

  /// The first column of each row that a statement gives.
  func rows(_ sql: String, _ values: [CellValue] = []) throws(Refusal) -> [CellValue] {
    try table(sql, values).compactMap(\.first)
  }

  /// Each row that a statement gives.
  func table(_ sql: String, _ values: [CellValue] = []) throws(Refusal) -> [[CellValue]] {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard let statement = unsafe prepared, code == SQLITE_OK else { throw refusal() }
    defer { _ = unsafe sqlite3_finalize(statement) }
    for (place, value) in values.enumerated() {
      unsafe Self.bind(value, at: Int32(place + 1), of: statement)
    }
    var found: [[CellValue]] = []
    let columns = unsafe 0..<sqlite3_column_count(statement)
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW:
        found.append(columns.map { unsafe Self.value(of: statement, at: $0) })
      case SQLITE_DONE: return found
      default: throw refusal()
      }
    }
  }

  @unsafe
  private static func bind(_ value: CellValue, at place: Int32, of statement: OpaquePointer) {
    switch value {
    case .null: _ = unsafe sqlite3_bind_null(statement, place)
    case .integer(let number): _ = unsafe sqlite3_bind_int64(statement, place, number)
    case .real(let number): _ = unsafe sqlite3_bind_double(statement, place, number)
    case .text(let text):
      _ = unsafe Array(text.utf8).withUnsafeBytes { bytes in
        unsafe ferry_sqlite3_bind_copied_text(
          statement,
          place,
          bytes.baseAddress ?? empty,
          Int32(bytes.count)
        )
      }
    case .blob(let bytes):
      _ = unsafe bytes.withUnsafeBytes { bytes in
        unsafe ferry_sqlite3_bind_copied_blob(
          statement,
          place,
          bytes.baseAddress ?? empty,
          Int32(bytes.count)
        )
      }
    }
  }

  /// Where nothing is: SQLite takes a null address for NULL.
  private static var empty: UnsafeRawPointer {
    guard let address = unsafe UnsafeRawPointer(bitPattern: 1) else {
      preconditionFailure("1 is not 0")
    }
    return unsafe address
  }

  @unsafe
  private static func value(of statement: OpaquePointer, at column: Int32) -> CellValue {
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      return .text(unsafe String(decoding: bytes(of: statement, at: column), as: UTF8.self))
    case SQLITE_BLOB: return .blob(unsafe bytes(of: statement, at: column))
    default: return .null
    }
  }

  @unsafe
  private static func bytes(of statement: OpaquePointer, at column: Int32) -> [UInt8] {
    let start = unsafe sqlite3_column_blob(statement, column)
    let count = unsafe Int(sqlite3_column_bytes(statement, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  private func refusal() -> Refusal {
    let words = unsafe sqlite3_errmsg(handle).flatMap { unsafe String(validatingCString: $0) }
    return Refusal(reason: words ?? "SQLite gives no reason")
  }
}
