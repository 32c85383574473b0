import CheckedDatabases
import Files
package import GRDB
import Synchronization

/// One checkpoint, opened and held by this run.
///
/// Everything in it is written in SQLite transactions with `synchronous=FULL`, so what a call has
/// returned for is on the disk. The file is locked for the life of the value (`flock` on a file
/// beside it), and every transaction checks the epoch that this run wrote when it opened the file:
/// a run that was overtaken can write nothing more.
package final class CheckpointFile: Sendable {
  package let path: String
  package let binding: CheckpointBinding
  let database: DatabaseQueue
  private let epoch: Int64
  private let lock: HeldLock
  let pendingStates: Mutex<PendingRecordStates?>
  /// From so many operations on, what a run made known may be left to the next; see `PendingRecordStates`.
  let bulk: Int64

  /// Opens the checkpoint, or makes a new one.
  ///
  /// - Parameters:
  ///   - path: The file, in a folder that is there.
  ///   - binding: What the checkpoint has to belong to.
  ///   - bulk: From so many operations on, a run may leave what it made known of records to the next.
  /// - Throws: ``CheckpointError`` when it is locked, damaged, of another format, a link, or belongs elsewhere.
  package init(
    path: String,
    binding: CheckpointBinding,
    bulk: Int64? = nil
  ) throws(CheckpointError) {
    self.path = path
    self.binding = binding
    let bulk = bulk ?? PlaceIndex.bulk
    self.bulk = bulk
    try LinkCheck.run(path)
    try CheckedPages.expectOurs(at: path)
    self.lock = try HeldLock(path: path)
    do {
      // A run that was killed, or whose removal of it a power cut rolled back, left it.
      try Folder.remove(Self.snapshotPath(beside: path))
      try LogCheck.run(path)
      try UnwrittenCheckpoint.clear(path)
      if !InputFile.isPresent(path) {
        // SQLite would make it readable for others; its log takes the mode of the main file.
        _ = try OutputFile(creating: path).finishUnsynced()
      }
      database = try CheckedPages.open(path, Self.configuration)
      let (epoch, pendingStates) = try database.writeWithoutTransaction { database in
        try Self.prepare(database)
        var epoch: Int64 = 0
        try database.inTransaction(.immediate) {
          epoch = try Self.adopt(database, path: path, binding: binding)
          return .commit
        }
        return (epoch, try PendingRecordStates(database, bulk: bulk))
      }
      self.epoch = epoch
      self.pendingStates = Mutex(pendingStates)
    } catch {
      throw Self.translate(error, path: path)
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.foreignKeysEnabled = false
    // A reading may be held beyond one question; see ``holdReading()``.
    configuration.allowsUnsafeTransactions = true
    return configuration
  }

  private static func prepare(_ database: Database) throws {
    try database.execute(sql: "PRAGMA journal_mode = WAL")
    try database.execute(sql: "PRAGMA synchronous = FULL")
    // Both are no-ops where the system has no stronger sync than fsync.
    try database.execute(sql: "PRAGMA fullfsync = 1")
    try database.execute(sql: "PRAGMA checkpoint_fullfsync = 1")
    try database.execute(sql: "PRAGMA temp_store = FILE")
    // Records are known by keys in no order, so that each commit touches pages all over the table: they
    // are held in memory, 8 MiB of them, and go from the log into the file once for many commits.
    try database.execute(sql: "PRAGMA cache_size = -8192")
    try database.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
  }

  /// Makes the tables of a new file, or holds an old one against `binding`; gives the new epoch.
  private static func adopt(
    _ database: Database,
    path: String,
    binding: CheckpointBinding
  ) throws -> Int64 {
    let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if format == 0 {
      guard try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0 else {
        throw CheckpointError.notACheckpoint(path: path)
      }
      try CheckpointSchema.create(in: database, binding: binding)
    } else {
      try CheckpointSchema.expectOurs(in: database, at: path)
      try check(database, binding: binding)
    }
    try database.execute(
      sql: "UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE name = 'epoch'"
    )
    return try Self.epoch(in: database)
  }

  private static func check(_ database: Database, binding: CheckpointBinding) throws {
    let expectations = [
      ("store", binding.store), ("origin", binding.origin), ("account", binding.account),
      ("profile", binding.profile),
    ]
    for (name, now) in expectations {
      let recorded = try fact(name, in: database)
      guard recorded == now else {
        throw CheckpointError.belongsElsewhere(what: name, recorded: recorded, now: now)
      }
    }
  }

  package static func fact(_ name: String, in database: Database) throws -> String {
    let statement = try database.cachedStatement(sql: "SELECT value FROM meta WHERE name = ?")
    return try String.fetchOne(statement, arguments: [name]) ?? ""
  }

  private static func epoch(in database: Database) throws -> Int64 {
    Int64(try fact("epoch", in: database)) ?? 0
  }

  /// Runs `body` in one transaction, which is on the disk when this returns.
  package func write<Value>(
    _ body: (Database) throws -> Value
  ) throws(CheckpointError) -> Value {
    do {
      return try database.writeWithoutTransaction { database in
        if database.isInsideTransaction { try database.commit() }
        var value: Value?
        try database.inTransaction(.immediate) {
          guard try Self.epoch(in: database) == epoch else {
            throw CheckpointError.overtaken(path: path)
          }
          value = try body(database)
          return .commit
        }
        guard let value else { throw CheckpointError.damaged(path: path, reason: "no answer") }
        return value
      }
    } catch {
      throw Self.translate(error, path: path)
    }
  }

  /// Runs `body` on the current state.
  ///
  /// There is one connection, so nothing changes meanwhile; a transaction of its own, which GRDB
  /// would begin, cost more than most readings.
  package func read<Value>(
    _ body: (Database) throws -> Value
  ) throws(CheckpointError) -> Value {
    do {
      return try database.unsafeRead(body)
    } catch {
      throw Self.translate(error, path: path)
    }
  }

  /// Runs one statement in a transaction of its own.
  func execute(_ sql: String, _ arguments: StatementArguments) throws(CheckpointError) {
    try write { database in try database.execute(sql: sql, arguments: arguments) }
  }

  /// Lets the readings that follow be one transaction, until something is written: its locks cost more
  /// than most readings.
  package func holdReading() throws(CheckpointError) {
    try read { database in
      if !database.isInsideTransaction { try database.beginTransaction(.deferred) }
    }
  }

  /// Ends what ``holdReading()`` began, if nothing written has.
  package func endReading() throws(CheckpointError) {
    try read { database in
      if database.isInsideTransaction { try database.commit() }
    }
  }

  /// Where a run that holds the checkpoint at `path` may keep what it read at the destination, as long as it does.
  package static func snapshotPath(beside path: String) -> String { path + ".destination" }

  package static func translate(_ error: any Error, path: String) -> CheckpointError {
    if let error = error as? CheckpointError { return error }
    if let error = error as? FileError, !error.isOfTheSystem {
      return .unreadable(path: path, reason: error.description)
    }
    if let error = error as? FileError, error.isDiskFull { return .full(path: path) }
    if let error = error as? DamagedPart { return .damaged(path: path, reason: error.reason) }
    if let error = error as? UnreadableColumn {
      return .damaged(path: path, reason: "the column \(error.name) of a row cannot be read")
    }
    if error is RowDecodingError {
      return .damaged(path: path, reason: "a value in it cannot be read")
    }
    guard let error = error as? DatabaseError else {
      return .unwritable(path: path, reason: "\(error)")
    }
    if error.extendedResultCode == CheckedPages.fault {
      return .damaged(path: path, reason: CheckedPages.words(about: path))
    }
    let words = error.message ?? "SQLite result \(error.resultCode.rawValue)"
    switch error.resultCode {
    // The first is what SQLite says of a table or a column that is not there.
    case .SQLITE_ERROR, .SQLITE_CORRUPT, .SQLITE_NOTADB: return .damaged(path: path, reason: words)
    case .SQLITE_FULL: return .full(path: path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: return .locked(path: path, holder: nil)
    case .SQLITE_CANTOPEN where InputFile.isPresent(path) && !isReadable(path),
      .SQLITE_IOERR where readFaults.contains(error.extendedResultCode):
      return .unreadable(path: path, reason: words)
    default: return .unwritable(path: path, reason: words)
    }
  }
}

extension CheckpointFile {
  /// What SQLite says when the disk does not give what is there.
  /// <https://sqlite.org/rescode.html#extrc>
  private static let readFaults: [ResultCode] = [
    .SQLITE_IOERR_READ, .SQLITE_IOERR_FSTAT, .SQLITE_IOERR_ACCESS,
  ]

  /// Whether the system lets the file be read; for want of open files, it may.
  private static func isReadable(_ path: String) -> Bool {
    do throws(FileError) {
      _ = try InputFile(path).size()
      return true
    } catch {
      return error.isOfTheSystem
    }
  }
}

/// The lock beside a checkpoint, held for as long as the value lives.
private final class HeldLock: Sendable {
  private let file: LockFile

  /// How often the lock is tried before another run holds it, and how long is waited between.
  ///
  /// A process that only looks whether it is held (``CheckpointView/isHeld``) shares it for a moment.
  private static let (attempts, pauseMicroseconds): (Int, UInt32) = (50, 2_000)

  private static func take(_ path: String) throws(FileError) -> LockFile {
    for _ in 1..<attempts {
      if let file = try LockFile(taking: path) { return file }
      pause(microseconds: pauseMicroseconds)
    }
    guard let file = try LockFile(taking: path) else { throw FileError(.lock, path, number: 0) }
    return file
  }

  init(path: String) throws(CheckpointError) {
    let lockPath = path + ".lock"
    do throws(FileError) {
      file = try Self.take(lockPath)
    } catch {
      if error.isDiskFull { throw .full(path: path) }
      guard error.operation == .lock, error.number == 0 else {
        throw .unwritable(path: path, reason: error.description)
      }
      throw .locked(path: path, holder: LockFile.holder(of: lockPath))
    }
  }
}
