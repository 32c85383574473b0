import CPrivateFiles
import CSQLite
import JSONText
package import Records
package import StoreFiles

/// A connection to the private copy of a store, hardened against what a hostile file may hold.
///
/// It opens, deletes and looks for no file but the database, its journal and its log, whatever path
/// they name. Of the functions of SQL only those are run that cost no more than what they are given;
/// a schema can call the others in its indexes and computed columns. They are replaced before the
/// schema is read, so a schema may name any function.
///
/// A schema of a newer SQLite can have triggers, views or tables that this one cannot parse. They are
/// passed over, and `unparsed` has them.
///
/// https://sqlite.org/security.html
@safe
package final class Database {
  /// The path for messages: the source, not the copy.
  package let name: String
  private let handle: OpaquePointer
  /// What the connection reaches the disk through.
  private let files: OpaquePointer
  /// The declarations of the schema that this SQLite cannot parse.
  private(set) var unparsed: [UnparsedDeclaration] = []
  /// What SQLite said of a schema that it could not parse.
  private var schemaFault: StoreError?
  /// How many bytes a value may have that SQLite reads now.
  private var valueLimit = Row.largestValue
  /// What ``wantedNumberFunction`` gives to a statement of our own at its next step.
  var wantedNumber: Int64 = 0
  static let wantedNumberFunction = "ferry_wanted_number"

  package init(path: String, name: String) throws(StoreError) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    unsafe (handle, files) = unsafe try Self.open(path, flags, name, doing: "open the copy")
    self.name = name
    try harden()
    try run("PRAGMA query_only = ON", purpose: "configure the connection")
    try allowOnlyReading()
  }

  /// Makes a new database of our own, which needs no journal; messages name the source.
  init(creating path: String, name: String) throws(StoreError) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    unsafe (handle, files) = unsafe try Self.open(
      path,
      flags,
      name,
      doing: "make a database for what can be rescued"
    )
    self.name = name
    for pragma in ["journal_mode = MEMORY", "synchronous = OFF", "foreign_keys = OFF"] {
      try run("PRAGMA \(pragma)", purpose: "configure the connection")
    }
    try harden()
  }

  deinit {
    // Every statement holds the database, so none is left that would keep the connection open.
    _ = unsafe sqlite3_close_v2(handle)
    unsafe ferry_private_files_end(files)
  }

  @unsafe
  private static func open(
    _ path: String,
    _ flags: Int32,
    _ name: String,
    doing purpose: String
  ) throws(StoreError) -> (handle: OpaquePointer, files: OpaquePointer) {
    var opened: OpaquePointer?
    var code = SQLITE_NOMEM
    let made = unsafe ferry_private_files_make()
    if let files = unsafe made {
      let way = unsafe ferry_private_files_name(files)
      code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_EXRESCODE, way)
      if let handle = unsafe opened, code == SQLITE_OK { return unsafe (handle, files) }
      _ = unsafe sqlite3_close_v2(opened)
      unsafe ferry_private_files_end(files)
    }
    throw .database(path: name, doing: purpose, code: code, message: words(for: code))
  }

  /// Runs what the schema of the database has a part in, for at most so long.
  ///
  /// - Throws: `StoreError.database(path:doing:code:message:)` with `SQLITE_INTERRUPT` when the time
  ///   is over.
  func within<Value>(
    _ limit: Duration,
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let deadline = Deadline(after: limit)
    unsafe sqlite3_progress_handler(
      handle,
      Self.stepsBetweenLooks,
      { pointer in
        guard let pointer = unsafe pointer else { return 0 }
        return unsafe Unmanaged<Deadline>.fromOpaque(pointer).takeUnretainedValue().isOver ? 1 : 0
      },
      Unmanaged.passUnretained(deadline).toOpaque()
    )
    defer {
      unsafe sqlite3_progress_handler(handle, 0, nil, nil)
      withExtendedLifetime(deadline) {}
    }
    return try body()
  }

  private static let stepsBetweenLooks: Int32 = 200

  /// Prepares one statement; `StoreError` names `purpose` when SQLite refuses.
  ///
  /// The statement reads no value with more bytes than `mostHeld`.
  package func statement(
    _ sql: String,
    mostHeld: Int = Row.largestValue,
    purpose: String
  ) throws(StoreError) -> Statement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &prepared, nil)
    guard let statement = unsafe prepared, code == SQLITE_OK else {
      throw failure(code, purpose)
    }
    return unsafe Statement(statement, of: self, mostHeld: mostHeld, purpose: purpose)
  }

  /// Has SQLite refuse to read a value of more bytes, for the statement that steps next.
  func limitValues(to count: Int) {
    guard count != valueLimit else { return }
    valueLimit = count
    _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(count))
  }

  /// Opens a text or bytes to be read in pieces; `nil` where SQLite does not: for another kind of value, and
  /// in a table without rowids or with computed columns.
  package func openValue(
    table: String,
    column: String,
    row: Int64,
    isText: Bool
  ) -> LargeValue? {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_blob_open(handle, "main", table, column, row, 0, &opened)
    guard let value = unsafe opened, code == SQLITE_OK else { return nil }
    let open = unsafe OpenedValue(value, of: self, table: table)
    return unsafe LargeValue(isText: isText, count: open.count) { buffer, offset in
      unsafe try open.fill(buffer, at: offset)
    }
  }

  /// Has SQLite hold 2 MiB of pages: rows that are read in their order need few pages again.
  package func readInOrder() throws(StoreError) {
    try run("PRAGMA cache_size = -2048", purpose: "read the header")
  }

  /// Whether the texts of the database are in UTF-8; else they are in UTF-16.
  func isUTF8() throws(StoreError) -> Bool {
    let encoding = try statement("PRAGMA encoding", purpose: "read the header")
    return try encoding.step() && encoding.string(0) == "UTF-8"
  }

  /// Runs a statement to its end.
  func run(_ sql: String, purpose: String) throws(StoreError) {
    let statement = try statement(sql, purpose: purpose)
    while try statement.step() {}
  }

  /// The number of rows of an ordinary table.
  package func rowCount(of table: String, where condition: String? = nil) throws(StoreError) -> Int
  {
    let rows = try statement(
      "SELECT count(*) FROM \(quoted(table)) AS t NOT INDEXED"
        + (condition.map { " WHERE \($0)" } ?? ""),
      purpose: "count the rows of \(table)"
    )
    return try rows.step() ? Int(rows.integer(0)) : 0
  }

  /// What a column of an ordinary table is declared to be compared by.
  func collation(
    of column: String,
    in table: String
  ) throws(StoreError) -> SQLiteCollation {
    var name: UnsafePointer<CChar>?
    let code = unsafe sqlite3_table_column_metadata(
      handle,
      nil,
      table,
      column,
      nil,
      &name,
      nil,
      nil,
      nil
    )
    guard code == SQLITE_OK else { throw failure(code, "look at the columns of \(table)") }
    let text = unsafe name.flatMap { unsafe String(validatingCString: $0) }
    return text.map { SQLiteCollation(name: $0) } ?? .binary
  }

  /// Gives SQLite the order of the bytes for one that only the app has, before it first asks for it.
  ///
  /// A table that is kept in that order can then be read from the front. Nothing can be looked for
  /// in it, and the check for damage would find it damaged.
  func placeholder(for collation: SQLiteCollation) throws(StoreError) {
    let code = unsafe sqlite3_create_collation_v2(
      handle,
      collation.name,
      SQLITE_UTF8,
      nil,
      { _, leftCount, left, rightCount, right in
        let one = unsafe UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let other = unsafe UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        if unsafe one.lexicographicallyPrecedes(other) { return -1 }
        return unsafe other.lexicographicallyPrecedes(one) ? 1 : 0
      },
      nil
    )
    guard code == SQLITE_OK else { throw failure(code, "configure the connection") }
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
    try refuseFunctions()
    try addWantedNumber()
    for (option, isOn) in [
      (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
      let code = unsafe ferry_sqlite3_db_config_flag(handle, option, isOn ? 1 : 0)
      guard code == SQLITE_OK else { throw failure(code, "configure the connection") }
    }
    for (limit, value) in [
      (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LENGTH, Int32(Row.largestValue)),
      (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] as [(Int32, Int32)] {
      _ = unsafe sqlite3_limit(handle, limit, value)
    }
    for pragma in [
      "locking_mode = EXCLUSIVE", "cell_size_check = ON", "mmap_size = 0", "temp_store = FILE",
      "cache_size = -16384",
      // What rows must be like is the app's matter, and their check would run what the schema says.
      "ignore_check_constraints = ON",
    ] {
      try runParsing("PRAGMA \(pragma)", purpose: "read the header")
    }
    try runParsing("SELECT count(*) FROM sqlite_schema", purpose: "read the schema")
    if let schemaFault { unparsed = try unparsedDeclarations(else: schemaFault) }
  }

  /// Runs a statement for which SQLite may parse the schema; where it cannot parse all of it, the rest
  /// counts.
  ///
  /// The option that takes a schema in part would also let it be written to, which the defensive mode
  /// refuses.
  private func runParsing(_ sql: String, purpose: String) throws(StoreError) {
    do throws(StoreError) {
      try run(sql, purpose: purpose)
    } catch {
      guard schemaFault == nil, case .damaged(_, _, let details) = error,
        details.hasPrefix("malformed database schema")
      else { throw error }
      schemaFault = error
      let code = unsafe ferry_sqlite3_db_config_flag(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
      guard code == SQLITE_OK else { throw failure(code, "configure the connection") }
      // The first statement still fails, and the next finds all that was parsed.
      do throws(StoreError) { try run(sql, purpose: purpose) } catch {}
      try run(sql, purpose: purpose)
    }
  }

  /// The declarations that were not parsed, each with the reason.
  ///
  /// Each is prepared once more, and never run: one that was parsed is said to exist already.
  ///
  /// - Throws: `error` when the schema is at fault for another reason.
  private func unparsedDeclarations(
    else error: StoreError
  ) throws(StoreError) -> [UnparsedDeclaration] {
    var found: [UnparsedDeclaration] = []
    let rows = try statement(
      "SELECT type, name, sql FROM sqlite_schema",
      purpose: "read the schema"
    )
    while try rows.step() {
      guard let type = rows.string(0), let name = rows.string(1), let sql = rows.string(2) else {
        continue
      }
      if type == "table", isTable(name) { continue }
      guard sql.lowercased().hasPrefix("create") else { throw error }
      var prepared: OpaquePointer?
      let code = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &prepared, nil)
      _ = unsafe sqlite3_finalize(prepared)
      guard code != SQLITE_OK, case .database(_, _, _, let reason) = failure(code, "") else {
        throw error
      }
      if reason.hasSuffix("already exists") { continue }
      guard !reason.hasPrefix("object name reserved") else { throw error }
      found.append(UnparsedDeclaration(type: type, name: name, reason: reason))
    }
    guard !found.isEmpty else { throw error }
    return found
  }

  /// Whether the schema that was parsed has a table of the name.
  private func isTable(_ name: String) -> Bool {
    unsafe sqlite3_table_column_metadata(handle, nil, name, nil, nil, nil, nil, nil, nil)
      == SQLITE_OK
  }

  /// Gives SQLite the function by which a running statement is asked for one of its values; no schema calls it.
  private func addWantedNumber() throws(StoreError) {
    let code = unsafe sqlite3_create_function_v2(
      handle,
      Self.wantedNumberFunction,
      0,
      SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passUnretained(self).toOpaque(),
      { context, _, _ in
        guard let database = unsafe sqlite3_user_data(context) else { return }
        let number = unsafe Unmanaged<Database>.fromOpaque(database).takeUnretainedValue()
          .wantedNumber
        unsafe sqlite3_result_int64(context, number)
      },
      nil,
      nil,
      nil
    )
    guard code == SQLITE_OK else { throw failure(code, "configure the connection") }
  }

  /// Puts a refusal in the place of every function that is not known to be cheap.
  ///
  /// The authorizer is asked about our own statements alone. Before its version 3.41 SQLite took no
  /// schema that calls a function for JSON, unless the schema is trusted; that is why the refusals
  /// are there before the schema is read.
  private func refuseFunctions() throws(StoreError) {
    var names: Set<String> = []
    let list = try statement("PRAGMA function_list", purpose: "configure the connection")
    while try list.step() {
      if let name = list.string(0)?.lowercased() { names.insert(name) }
    }
    for name in names.subtracting(Self.functions).subtracting(Self.schemaFunctions).sorted() {
      let code = unsafe sqlite3_create_function_v2(
        handle,
        name,
        -1,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        nil,
        { context, _, _ in
          unsafe sqlite3_result_error(context, "the schema calls a function that is not run", -1)
        },
        nil,
        nil,
        nil
      )
      guard code == SQLITE_OK else { throw failure(code, "configure the connection") }
    }
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
    "coalesce", "count", wantedNumberFunction, "length", "max", "min", "row_number", "substr",
    "sum", "typeof",
  ]
  /// What schemas may call besides: what gives no more than it takes, and takes one look at it.
  private static let schemaFunctions: Set<String> = [
    "abs", "ifnull", "iif", "lower", "nullif", "round", "unicode", "upper",
  ]
  private static let pragmas: Set<String> = [
    "cache_size", "encoding", "foreign_key_list", "index_info", "index_list", "index_xinfo",
    "integrity_check", "quick_check", "table_info", "table_xinfo",
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

/// A declaration of the schema that the SQLite here cannot parse, mostly for a newer one made it.
struct UnparsedDeclaration: Hashable {
  /// `table`, `index`, `view` or `trigger`.
  let type: String
  let name: String
  /// What SQLite says of it.
  let reason: String

  /// The version of the SQLite here.
  static var sqliteVersion: String {
    unsafe String(validatingCString: sqlite3_libversion()) ?? ""
  }

  var description: String { "\(type) \(name.prefix(200)) (\(reason))" }
}

/// A time after which something is given up.
private final class Deadline {
  private let end: ContinuousClock.Instant

  init(after limit: Duration) { end = .now + limit }

  var isOver: Bool { .now >= end }
}

/// A name as SQL wants it.
package func quoted(_ name: String) -> String {
  "\"" + name.replacing(scalar: "\"", with: "\"\"") + "\""
}
