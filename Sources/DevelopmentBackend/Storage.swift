import GRDB
import Synchronization

/// The rows of all accounts, in SQLite.
///
/// A file is kept in write-ahead mode with `synchronous=FULL`, so that what was answered survives
/// the end of the process and of the machine: <https://www.sqlite.org/pragma.html#pragma_synchronous>.
final class Storage: Sendable {
  private let queue: DatabaseQueue
  private let pages = PageMemory()

  /// Whether the changes of the current request are to be rolled back though it succeeded.
  @TaskLocal static var isPretending = false

  init(path: String?) throws(DevelopmentBackendError) {
    var configuration = GRDB.Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
    }
    do {
      if let path {
        configuration.journalMode = .wal
        queue = try DatabaseQueue(path: path, configuration: configuration)
      } else {
        queue = try DatabaseQueue(configuration: configuration)
      }
      try queue.write { database in
        for statement in Self.schema { try database.execute(sql: statement) }
      }
    } catch {
      throw .database(path: path, reason: "\(error)")
    }
  }

  /// Does the work of one request: all of it is committed, or none when it throws.
  func perform<Result: Sendable>(
    _ work: @escaping @Sendable (Transaction) throws -> Result
  ) async throws -> Result {
    let isPretending = Self.isPretending
    return try await queue.writeWithoutTransaction { database in
      var result: Swift.Result<Result, any Error>?
      try database.inTransaction(.immediate) {
        let transaction = Transaction(database, pages: pages)
        result = Swift.Result { try work(transaction) }
        guard case .success? = result, !isPretending else { return .rollback }
        try transaction.saveClock()
        return .commit
      }
      guard let result else { throw Refusal.internalError("the transaction did not run") }
      return try result.get()
    }
  }

  /// The same, before the server listens.
  func prepare(_ work: (Transaction) throws -> Void) throws {
    try queue.write { database in
      let transaction = Transaction(database, pages: pages)
      try work(transaction)
      try transaction.saveClock()
    }
  }

  private static let schema =
    [
      """
      CREATE TABLE IF NOT EXISTS accounts (
        id TEXT NOT NULL PRIMARY KEY, email TEXT NOT NULL UNIQUE COLLATE NOCASE,
        password TEXT NOT NULL, name TEXT, createdAt INTEGER NOT NULL, clock INTEGER NOT NULL)
      """,
      """
      CREATE TABLE IF NOT EXISTS sessions (
        token TEXT NOT NULL PRIMARY KEY, id TEXT NOT NULL,
        userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
        createdAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL) WITHOUT ROWID
      """,
      """
      CREATE TABLE IF NOT EXISTS usage (
        userId TEXT NOT NULL, operation TEXT NOT NULL, at INTEGER NOT NULL)
      """,
      "CREATE INDEX IF NOT EXISTS usageByAccount ON usage (userId, operation, at)",
    ]
    + Table.all.map(\.creationSQL)
    + ["heroes", "stories", "customEvents"].flatMap { name in
      [
        "CREATE INDEX IF NOT EXISTS \(name)ByCreation ON \(name) (userId, createdAt DESC, id)",
        "CREATE INDEX IF NOT EXISTS \(name)ByUpdate ON \(name) (userId, updatedAt)",
      ]
    }
    + [
      "CREATE INDEX IF NOT EXISTS storiesByHero ON stories (heroId)",
      "CREATE INDEX IF NOT EXISTS storiesByEvent ON stories (customEventId)",
      """
      CREATE TABLE IF NOT EXISTS collections (
        userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
        name TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (userId, name)) WITHOUT ROWID
      """,
      """
      CREATE TABLE IF NOT EXISTS records (
        userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
        collection TEXT NOT NULL, id TEXT NOT NULL,
        version INTEGER NOT NULL, updatedAt INTEGER NOT NULL, body TEXT,
        PRIMARY KEY (userId, collection, id)) WITHOUT ROWID
      """,
      """
      CREATE TABLE IF NOT EXISTS files (
        storageKey TEXT NOT NULL PRIMARY KEY,
        userId TEXT NOT NULL REFERENCES accounts(id) ON DELETE CASCADE,
        ticket TEXT NOT NULL UNIQUE, mimeType TEXT NOT NULL, category TEXT NOT NULL,
        fileSize INTEGER NOT NULL, createdAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL,
        storedSize INTEGER, sha256 TEXT, isConfirmed INTEGER NOT NULL DEFAULT 0, bytes BLOB)
      """,
    ] + Transaction.cloudSchema + Transaction.cloudAssetSchema + Transaction.syncSchema
    + Transaction.tastingSchema
    + Transaction.tieSchema + Transaction.imageSchema + Transaction.listSchema
}
