import CSQLite
import Records

/// A connection to the private copy of a store, hardened against what a hostile file may hold.
///
/// https://sqlite.org/security.html
@safe
final class Database {
  /// The path for messages: the source, not the copy.
  let name: String
  private let handle: OpaquePointer

  init(path: String, name: String) throws(StoreError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle = unsafe opened, code == SQLITE_OK else {
      _ = unsafe sqlite3_close_v2(opened)
      throw .database(
        path: name,
        doing: "open the copy",
        code: code,
        message: Self.words(for: code)
      )
    }
    unsafe self.handle = unsafe handle
    self.name = name
    try harden()
    try run("PRAGMA query_only = ON", purpose: "configure the connection")
    try allowOnlyReading()
  }

  /// Makes a new database of our own, which needs no journal; messages name the source.
  init(creating path: String, name: String) throws(StoreError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle = unsafe opened, code == SQLITE_OK else {
      _ = unsafe sqlite3_close_v2(opened)
      throw .database(
        path: name,
        doing: "make a database for what can be rescued",
        code: code,
        message: Self.words(for: code)
      )
    }
    unsafe self.handle = unsafe handle
    self.name = name
    for pragma in [
      "journal_mode = MEMORY", "synchronous = OFF", "ignore_check_constraints = ON",
      "foreign_keys = OFF",
    ] {
      try run("PRAGMA \(pragma)", purpose: "configure the connection")
    }
    try harden()
  }

  deinit { _ = unsafe sqlite3_close_v2(handle) }

  /// Has rows with a larger value than ``Row/largestValue`` refused instead of read.
  func limitValues() {
    _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(Row.largestValue))
  }

  /// Prepares one statement; ``StoreError`` names `purpose` when SQLite refuses.
  func statement(_ sql: String, purpose: String) throws(StoreError) -> Statement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &prepared, nil)
    guard let statement = unsafe prepared, code == SQLITE_OK else {
      throw failure(code, purpose)
    }
    return unsafe Statement(statement, of: self, purpose: purpose)
  }

  /// Runs a statement to its end.
  func run(_ sql: String, purpose: String) throws(StoreError) {
    let statement = try statement(sql, purpose: purpose)
    while try statement.step() {}
  }

  /// The error for a result code.
  func failure(_ code: Int32, _ purpose: String) -> StoreError {
    let words = unsafe sqlite3_errmsg(handle).flatMap { unsafe String(validatingCString: $0) }
    let message = words ?? Self.words(for: code)
    if code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB {
      return .damaged(path: name, place: purpose, details: message)
    }
    return .database(path: name, doing: purpose, code: code, message: message)
  }

  /// Everything off that reading tables does not need; then recovery.
  ///
  /// The exclusive lock keeps the index of the log in memory instead of a file of its own.
  private func harden() throws(StoreError) {
    for (option, isOn) in [
      (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
      let code = unsafe ferry_sqlite3_db_config_flag(handle, option, isOn ? 1 : 0)
      guard code == SQLITE_OK else { throw failure(code, "configure the connection") }
    }
    for (limit, value) in [
      (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LENGTH, 1 << 30),
      (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] as [(Int32, Int32)] {
      _ = unsafe sqlite3_limit(handle, limit, value)
    }
    for pragma in [
      "cell_size_check = ON", "mmap_size = 0", "locking_mode = EXCLUSIVE", "temp_store = FILE",
      "cache_size = -16384",
    ] {
      try run("PRAGMA \(pragma)", purpose: "read the header")
    }
    try run("SELECT count(*) FROM sqlite_schema", purpose: "read the schema")
  }

  /// From here on SQLite prepares nothing but what reading tables needs.
  ///
  /// https://sqlite.org/c3ref/set_authorizer.html
  private func allowOnlyReading() throws(StoreError) {
    let code = unsafe sqlite3_set_authorizer(
      handle,
      { _, action, first, second, _, _ in
        switch action {
        case SQLITE_SELECT, SQLITE_READ: SQLITE_OK
        case SQLITE_FUNCTION: unsafe Database.allows(second, among: Database.functions)
        case SQLITE_PRAGMA: unsafe Database.allows(first, among: Database.pragmas)
        default: SQLITE_DENY
        }
      },
      nil
    )
    guard code == SQLITE_OK else { throw failure(code, "configure the connection") }
  }

  private static let functions: Set<String> = [
    "coalesce", "count", "glob", "hex", "instr", "length", "like", "lower", "max", "min", "substr",
    "sum", "typeof", "upper",
  ]
  private static let pragmas: Set<String> = [
    "foreign_key_list", "index_info", "index_list", "integrity_check", "table_info",
    "table_xinfo",
  ]

  @unsafe
  private static func allows(_ name: UnsafePointer<CChar>?, among names: Set<String>) -> Int32 {
    let text = unsafe name.flatMap { unsafe String(validatingCString: $0) } ?? ""
    return names.contains(text.lowercased()) ? SQLITE_OK : SQLITE_DENY
  }

  private static func words(for code: Int32) -> String {
    unsafe sqlite3_errstr(code).flatMap { unsafe String(validatingCString: $0) } ?? "no message"
  }
}

/// A name as SQL wants it.
func quoted(_ name: String) -> String {
  "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    + "\""
}
