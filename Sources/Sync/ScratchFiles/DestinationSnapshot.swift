import CheckedDatabases
package import Checkpoint
import enum Crypto.ChaChaPoly
import struct Crypto.SymmetricKey
import Files
import Foundation
import JSONText
import GRDB
import Synchronization
package import Records
package import UploadPlanning

/// What the destination held when a plan or a verification read it: a scratch file, dropped
/// afterwards, so that memory does not grow with the account.
///
/// Records lie in the order in which they came, which is mostly that in which they are asked for: then
/// neighbours are found on the same page of the file.
///
/// Nothing here has to survive a crash: anyone who needs it reads the destination again. So all of it is
/// one transaction, which never ends: what is written stays in memory until there is no more space for it.
package final class DestinationSnapshot: Sendable {
  private let database: DatabaseQueue
  private let path: String
  /// What records are encrypted with where nothing of them may lie in the open; only this value knows
  /// it, and it is gone with it.
  private let key: SymmetricKey?
  private let isIndexed = Mutex(false)
  private let isSpellingIndexed = Mutex(false)
  private static let pageSize: Int64 = 1_000

  /// Makes an empty snapshot; a file that an earlier run left at `path` is replaced.
  ///
  /// - Parameters:
  ///   - path: The scratch file.
  ///   - isSealed: Whether the records in it are encrypted.
  /// - Throws: `CheckpointError` when it cannot be made.
  package init(path: String, isSealed: Bool = false) throws(CheckpointError) {
    self.path = path
    key = isSealed ? SymmetricKey(size: .bits256) : nil
    do {
      try Folder.remove(path)
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      configuration.prepareDatabase { database in
        // No other process opens it: its locks, and the look for a journal, cost more than most readings.
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try database.execute(sql: "PRAGMA journal_mode = OFF")
        try database.execute(sql: "PRAGMA synchronous = OFF")
        // Identities come in no order, so that each goes to another page of what they are found by: 16 MiB
        // of that are held in memory.
        try database.execute(sql: "PRAGMA cache_size = -16384")
        database.add(function: Self.spellingFunction)
      }
      database = try DatabaseQueue(path: path, configuration: configuration)
      try database.writeWithoutTransaction { database in
        try database.beginTransaction(.immediate)
        try database.execute(
          sql: """
            CREATE TABLE remote (
              number INTEGER PRIMARY KEY, entity TEXT NOT NULL, server_id TEXT NOT NULL,
              version TEXT, natural BLOB, taken_by TEXT, body BLOB NOT NULL,
              UNIQUE (entity, server_id)
            );
            CREATE TABLE gone (
              entity TEXT NOT NULL, server_id TEXT NOT NULL, PRIMARY KEY (entity, server_id)
            ) WITHOUT ROWID;
            """
        )
      }
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  deinit { try? Folder.remove(path) }

  /// Takes a page of records in; a record that is there already is replaced.
  package func add(
    _ records: [(record: RemoteRecord, natural: Digest?)],
    of entity: EntityName
  ) throws(CheckpointError) {
    try write { database in
      let statement = try DirectStatement(
        """
        INSERT OR REPLACE INTO remote (entity, server_id, version, natural, body)
        VALUES (?, ?, ?, ?, ?)
        """,
        in: database
      )
      statement.bind(entity.text, at: 1)
      for (record, natural) in records {
        statement.bind(record.serverID, at: 2)
        statement.bind(record.version, at: 3)
        statement.bind(natural?.bytes, at: 4)
        statement.bind(kept(record.body), at: 5)
        try statement.run()
      }
    }
  }

  /// Takes in the identities of records that the destination says are gone.
  package func addGone(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws(CheckpointError) {
    try forEach(
      serverIDs,
      of: entity,
      "INSERT OR IGNORE INTO gone (entity, server_id) VALUES (?, ?)"
    )
  }

  /// Drops records that a later page says are gone.
  package func drop(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws(CheckpointError) {
    try forEach(serverIDs, of: entity, "DELETE FROM remote WHERE entity = ? AND server_id = ?")
  }

  private func forEach(
    _ serverIDs: [String],
    of entity: EntityName,
    _ sql: String
  ) throws(CheckpointError) {
    guard !serverIDs.isEmpty else { return }
    try write { database in
      let statement = try database.cachedStatement(sql: sql)
      for serverID in serverIDs { try statement.execute(arguments: [entity.text, serverID]) }
    }
  }

  /// Whether the destination said of any record that it is gone.
  package func hasGone(of entity: EntityName) throws(CheckpointError) -> Bool {
    try read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT 1 FROM gone WHERE entity = ?)",
        arguments: [entity.text]
      ) ?? false
    }
  }

  /// Whether the destination said that the record is gone.
  package func isGone(
    _ serverID: String,
    of entity: EntityName
  ) throws(CheckpointError) -> Bool {
    try read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT 1 FROM gone WHERE entity = ? AND server_id = ?"
      )
      return try DatabaseRow.fetchOne(statement, arguments: [entity.text, serverID]) != nil
    }
  }

  /// The record of this identity, or `nil`.
  package func record(
    _ serverID: String,
    of entity: EntityName
  ) throws(CheckpointError) -> RemoteRecord? {
    try records("WHERE entity = ? AND server_id = ?") {
      $0.bind(entity.text, at: 1)
      $0.bind(serverID, at: 2)
    }.first
  }

  /// The records whose identities are spellings of this one, and that no one has taken yet.
  package func spelled(
    _ serverID: String,
    of entity: EntityName
  ) throws(CheckpointError) -> [RemoteRecord] {
    let isIndexed = isSpellingIndexed.withLock { isIndexed in
      defer { isIndexed = true }
      return isIndexed
    }
    if !isIndexed {
      try write { database in
        try database.execute(
          sql: "CREATE INDEX remote_by_spelling ON remote (entity, spelling(server_id))"
        )
      }
    }
    return try records(
      "INDEXED BY remote_by_spelling WHERE entity = ? AND spelling(server_id) = ? AND taken_by IS NULL LIMIT 2"
    ) {
      $0.bind(entity.text, at: 1)
      $0.bind(Self.spelling(of: serverID), at: 2)
    }
  }

  /// What all spellings of an identity have in common, as one text.
  private static func spelling(of serverID: String) -> String {
    serverID.identitySpelling.decomposedStringWithCanonicalMapping
  }

  private static let spellingFunction = DatabaseFunction("spelling", argumentCount: 1, pure: true) {
    values in
    values.first.flatMap { String.fromDatabaseValue($0) }.map { spelling(of: $0) }
  }

  /// The records of these identities that are there.
  package func records(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws(CheckpointError) -> RemoteRecords {
    try read { database in
      let statement = try DirectStatement(
        Self.selection + "WHERE entity = ? AND server_id = ?",
        in: database
      )
      statement.bind(entity.text, at: 1)
      var records = RemoteRecords()
      records.reserveCapacity(serverIDs.count)
      for serverID in serverIDs {
        statement.bind(serverID, at: 2)
        if try statement.step() { records[serverID] = try record(in: statement) }
        statement.reset()
      }
      return records
    }
  }

  /// Works out the natural keys of an entity's records that came without one.
  package func setNaturalKeys(
    of entity: EntityName,
    _ key: (_ body: [UInt8]) -> Digest?
  ) throws(CheckpointError) {
    var place = ""
    while true {
      let after = place
      let page = try records(
        "WHERE entity = ? AND server_id > ? AND natural IS NULL ORDER BY server_id LIMIT ?"
      ) {
        $0.bind(entity.text, at: 1)
        $0.bind(after, at: 2)
        $0.bind(Self.pageSize, at: 3)
      }
      guard let last = page.last else { return }
      place = last.serverID
      try write { database in
        let statement = try DirectStatement(
          "UPDATE remote SET natural = ? WHERE entity = ? AND server_id = ?",
          in: database
        )
        statement.bind(entity.text, at: 2)
        for record in page {
          guard let natural = key(record.body) else { continue }
          statement.bind(natural, at: 1)
          statement.bind(record.serverID, at: 3)
          try statement.run()
        }
      }
    }
  }

  /// Makes what records are found by, beside their identity: once all of them are there, and only for
  /// who asks for it.
  private func index() throws(CheckpointError) {
    let isIndexed = isIndexed.withLock { isIndexed in
      defer { isIndexed = true }
      return isIndexed
    }
    guard !isIndexed else { return }
    try write { database in
      try database.execute(
        sql: """
          CREATE INDEX remote_by_natural ON remote (entity, natural, taken_by, server_id);
          CREATE INDEX remote_by_taker ON remote (entity, taken_by);
          """
      )
    }
  }

  /// The records of a natural key that no one has taken yet, in the order of their identities.
  ///
  /// SQLite, which takes an entity for rare, would rather go through all of its records.
  package func candidates(
    naturalKey: Digest,
    of entity: EntityName,
    limit: Int = 100
  ) throws(CheckpointError) -> [RemoteRecord] {
    try index()
    return try records(
      """
      INDEXED BY remote_by_natural
      WHERE entity = ? AND natural = ? AND taken_by IS NULL ORDER BY server_id LIMIT ?
      """
    ) {
      $0.bind(entity.text, at: 1)
      $0.bind(naturalKey, at: 2)
      $0.bind(Int64(limit), at: 3)
    }
  }

  /// Gives a record of the destination to a record of the package, so that no other gets it.
  package func take(
    _ serverID: String,
    of entity: EntityName,
    for key: String
  ) throws(CheckpointError) {
    try write { database in
      let statement = try DirectStatement(
        "UPDATE remote SET taken_by = ? WHERE entity = ? AND server_id = ?",
        in: database
      )
      statement.bind(key, at: 1)
      statement.bind(entity.text, at: 2)
      statement.bind(serverID, at: 3)
      try statement.run()
    }
  }

  /// The key of the record of the package that a record of the destination was given to.
  package func taker(
    of serverID: String,
    entity: EntityName
  ) throws(CheckpointError) -> String? {
    try read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT taken_by FROM remote WHERE entity = ? AND server_id = ?"
      )
      return try String.fetchOne(statement, arguments: [entity.text, serverID])
    }
  }

  /// The record that was given to a record of the package.
  package func taken(
    by key: String,
    of entity: EntityName
  ) throws(CheckpointError) -> RemoteRecord? {
    try index()
    return try records("INDEXED BY remote_by_taker WHERE entity = ? AND taken_by = ?") {
      $0.bind(entity.text, at: 1)
      $0.bind(key, at: 2)
    }.first
  }

  /// Whether any record of the entity was read; of those that no one has taken, where it says so.
  package func hasAny(
    of entity: EntityName,
    isUntaken: Bool = false
  ) throws(CheckpointError) -> Bool {
    let condition = isUntaken ? " AND taken_by IS NULL" : ""
    return try read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT 1 FROM remote WHERE entity = ?\(condition))",
        arguments: [entity.text]
      ) ?? false
    }
  }

  /// The identities that no one has taken, in their order, a page at a time.
  package func untaken(
    of entity: EntityName,
    after serverID: String,
    limit: Int
  ) throws(CheckpointError) -> [RemoteRecord] {
    try records(
      """
      WHERE entity = ? AND server_id > ? AND taken_by IS NULL
      ORDER BY server_id LIMIT ?
      """
    ) {
      $0.bind(entity.text, at: 1)
      $0.bind(serverID, at: 2)
      $0.bind(Int64(limit), at: 3)
    }
  }

  private func kept(_ body: [UInt8]) -> [UInt8] {
    guard let key else { return body }
    guard let box = try? ChaChaPoly.seal(body, using: key) else {
      preconditionFailure("a key of 32 bytes seals what is smaller than 256 GiB")
    }
    return [UInt8](box.combined)
  }

  /// The records that a condition leads to.
  private func records(
    _ condition: String,
    _ bind: (DirectStatement) -> Void
  ) throws(CheckpointError) -> [RemoteRecord] {
    try read { database in
      let statement = try DirectStatement(Self.selection + condition, in: database)
      bind(statement)
      var records: [RemoteRecord] = []
      while try statement.step() { records.append(try record(in: statement)) }
      return records
    }
  }

  private static let selection = "SELECT server_id, version, body FROM remote "

  /// The record of a row that ``selection`` has led to.
  private func record(in statement: DirectStatement) throws -> RemoteRecord {
    var body = try statement.bytesOrNull(2) ?? []
    if let key {
      body = [UInt8](try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: body), using: key))
    }
    return RemoteRecord(
      serverID: try statement.text(0),
      version: try statement.textOrNull(1),
      body: body
    )
  }

  private func write(_ body: (Database) throws -> Void) throws(CheckpointError) {
    do { try database.writeWithoutTransaction(body) } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  private func read<Value>(
    _ body: (Database) throws -> Value
  ) throws(CheckpointError) -> Value {
    do {
      return try database.unsafeRead(body)
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }
}
