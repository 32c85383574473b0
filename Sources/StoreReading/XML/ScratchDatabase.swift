import CSQLite
import StoreFiles

/// A private database that is filled once, in one transaction, and read afterwards.
///
/// Nothing in it has to survive a crash: no journal is kept, and nothing waits for the disk.
@safe
final class ScratchDatabase {
  private let name: String
  private let handle: OpaquePointer

  /// Makes the file; `name` is the source's path, for messages.
  init(path: String, name: String) throws(StoreError) {
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle = unsafe opened, code == SQLITE_OK else {
      _ = unsafe sqlite3_close_v2(opened)
      throw .database(path: name, doing: "make \(path)", code: code, message: "it was refused")
    }
    unsafe self.handle = unsafe handle
    self.name = name
    for pragma in [
      "journal_mode = OFF", "synchronous = OFF", "cache_size = -8192", "locking_mode = EXCLUSIVE",
    ] {
      try run("PRAGMA \(pragma)")
    }
  }

  deinit { _ = unsafe sqlite3_close_v2(handle) }

  /// Runs one statement to its end.
  func run(_ sql: String) throws(StoreError) {
    let insertion = try insertion(sql)
    try insertion.run()
  }

  /// How many rows the last statement changed.
  var changeCount: Int { unsafe Int(sqlite3_changes(handle)) }

  func insertion(_ sql: String) throws(StoreError) -> ScratchStatement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &prepared, nil)
    guard let statement = unsafe prepared, code == SQLITE_OK else { throw failure(code) }
    return unsafe ScratchStatement(statement, of: self)
  }

  func failure(_ code: Int32) -> StoreError {
    let words = unsafe sqlite3_errmsg(handle).flatMap { unsafe String(validatingCString: $0) }
    return .database(
      path: name,
      doing: "index it in a private database",
      code: code,
      message: words ?? "no message"
    )
  }
}

/// A statement that is run many times with other values.
@safe
final class ScratchStatement {
  private let handle: OpaquePointer
  private let database: ScratchDatabase

  @unsafe
  init(_ handle: OpaquePointer, of database: ScratchDatabase) {
    unsafe self.handle = unsafe handle
    self.database = database
  }

  deinit { _ = unsafe sqlite3_finalize(handle) }

  /// Runs the statement with these integers, and with bytes and a text behind them.
  func run(
    _ numbers: [Int64],
    _ blob: [UInt8],
    text: UnsafeRawBufferPointer
  ) throws(StoreError) {
    bind(numbers)
    let place = Int32(numbers.count + 1)
    let code = unsafe blob.withUnsafeBytes { buffer in
      let bound = unsafe bind(buffer, at: place)
      return bound == SQLITE_OK ? unsafe step(place + 1, text: text) : bound
    }
    guard code == SQLITE_OK else { throw database.failure(code) }
  }

  /// Runs the statement with these integers, and with a value behind them where there is one.
  func run(_ numbers: [Int64] = [], _ value: HeldValue? = nil) throws(StoreError) {
    bind(numbers)
    let place = Int32(numbers.count + 1)
    var code = SQLITE_OK
    switch value {
    case nil: code = step()
    case .null?:
      _ = unsafe sqlite3_bind_null(handle, place)
      code = step()
    case .integer(let number)?:
      _ = unsafe sqlite3_bind_int64(handle, place, number)
      code = step()
    case .real(let number)?:
      _ = unsafe sqlite3_bind_double(handle, place, number)
      code = step()
    case .text(let bytes)?, .json(let bytes)?:
      code = unsafe bytes.withUnsafeBytes { unsafe step(place, text: $0) }
    case .blob(let bytes)?:
      code = unsafe bytes.withUnsafeBytes { buffer in
        let bound = unsafe bind(buffer, at: place)
        return bound == SQLITE_OK ? step() : bound
      }
    }
    guard code == SQLITE_OK else { throw database.failure(code) }
  }

  private func bind(_ numbers: [Int64]) {
    for (index, number) in numbers.enumerated() {
      _ = unsafe sqlite3_bind_int64(handle, Int32(index + 1), number)
    }
  }

  /// Binds bytes, which are not copied.
  private func bind(_ bytes: UnsafeRawBufferPointer, at place: Int32) -> Int32 {
    let count = sqlite3_uint64(bytes.count)
    // No bytes are bytes too, and a null pointer would be no value at all.
    return unsafe bytes.baseAddress == nil
      ? sqlite3_bind_zeroblob(handle, place, 0)
      : sqlite3_bind_blob64(handle, place, bytes.baseAddress, count, nil)
  }

  /// Runs the statement with a text in this place, which is not copied.
  private func step(_ place: Int32, text: UnsafeRawBufferPointer) -> Int32 {
    let start = unsafe text.baseAddress?.assumingMemoryBound(to: CChar.self)
    let count = sqlite3_uint64(text.count)
    // No bytes are a text too, and a null pointer would be no value at all.
    let bound =
      unsafe start == nil
      ? sqlite3_bind_text(handle, place, "", 0, nil)
      : sqlite3_bind_text64(handle, place, start, count, nil, UInt8(SQLITE_UTF8))
    return bound == SQLITE_OK ? step() : bound
  }

  /// The one number the statement gives with this text, zero when it gives none.
  func number(of text: [UInt8]) -> Int64 {
    unsafe text.withUnsafeBytes { buffer in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      _ = unsafe sqlite3_bind_text(handle, 1, start, Int32(clamping: buffer.count), nil)
      let code = unsafe sqlite3_step(handle)
      let number = code == SQLITE_ROW ? unsafe sqlite3_column_int64(handle, 0) : 0
      _ = unsafe sqlite3_reset(handle)
      return number
    }
  }

  /// Runs to the end, and makes ready for the next run.
  private func step() -> Int32 {
    var code = SQLITE_ROW
    while code == SQLITE_ROW { code = unsafe sqlite3_step(handle) }
    let reset = unsafe sqlite3_reset(handle)
    return code == SQLITE_DONE ? reset : code
  }
}
