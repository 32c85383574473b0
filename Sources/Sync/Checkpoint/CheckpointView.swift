import CheckedDatabases
import Files
package import GRDB
package import Records
import Synchronization

/// A checkpoint that is read without being taken: nothing of it is locked, changed or added to.
///
/// SQLite leaves files beside a database in WAL mode that it only reads. A checkpoint that is at
/// rest, which has no log, is therefore read as a private copy; one that a run has open, or that
/// a killed run left with its log, is read where it is, for those files are there already.
package final class CheckpointView: Sendable {
  package let path: String
  package let binding: CheckpointBinding
  private let database: DatabaseQueue
  /// The file that is read.
  private let place: String
  /// Holds the private copy for as long as the view lives.
  private let folder: PrivateFolder?
  /// When, and at which version of the file, it was last seen whether `record` is behind.
  private let shade = Mutex<Shade?>(nil)
  private static let patience = Duration.milliseconds(200)

  /// Opens a checkpoint for reading; gives `nil` for one that holds nothing yet, because the run
  /// that was making it was killed, or is not done with that.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - followsLink: Whether it may be a symbolic link, as a file may that a person names.
  /// - Throws: ``CheckpointError`` for one that cannot be read.
  package init?(_ path: String, followsLink: Bool = false) throws(CheckpointError) {
    self.path = path
    if !followsLink {
      try LinkCheck.run(path)
      try CheckedPages.expectOurs(at: path)
    }
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = .timeout(5)
      if try UnwrittenCheckpoint.isThere(path) { return nil }
      let hasLog = try LogCheck.isWritten(beside: path)
      if hasLog { try LogCheck.run(path) }
      folder = hasLog ? nil : try PrivateFolder()
      let place = folder.map { $0.path + "/checkpoint.sqlite" } ?? path
      if folder != nil {
        try WholeFile.copy(path, to: place, isLasting: false)
      }
      self.place = place
      database = try CheckedPages.open(place, configuration)
      let found = try database.read { database -> CheckpointBinding? in
        guard try !CheckpointSchema.isMissing(in: database) else { return nil }
        try CheckedPages.expect(at: place, calledAs: path)
        try CheckpointSchema.expectPlain(in: database, at: path)
        return try Self.binding(in: database)
      }
      guard let found else { return nil }
      binding = found
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  private static func binding(in database: Database) throws -> CheckpointBinding {
    CheckpointBinding(
      store: try CheckpointFile.fact("store", in: database),
      origin: try CheckpointFile.fact("origin", in: database),
      account: try CheckpointFile.fact("account", in: database),
      profile: try CheckpointFile.fact("profile", in: database)
    )
  }

  /// What a checkpoint at rest belongs to, without a copy of it; `nil` where only a whole look can know.
  ///
  /// That never changes, anyone who takes the checkpoint meanwhile. What is the matter with one is
  /// reported by the whole look.
  static func bindingAtRest(_ path: String) -> CheckpointBinding? {
    do {
      try LinkCheck.run(path)
      guard try !UnwrittenCheckpoint.isThere(path), try !LogCheck.isWritten(beside: path) else {
        return nil
      }
      var configuration = Configuration()
      configuration.readonly = true
      return try CheckedPages.open(path, configuration, isImmutable: true).read {
        database -> CheckpointBinding? in
        try CheckpointSchema.expectOurs(in: database, at: path)
        try CheckpointSchema.expectPlain(in: database, at: path)
        return try Self.binding(in: database)
      }
    } catch {
      return nil
    }
  }

  /// Whether its records hold an identity of the destination.
  package func holds(
    _ serverID: String,
    of entity: EntityName
  ) throws(CheckpointError) -> Bool {
    try readRecords(byPlace: true) { database in
      let statement = try database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM record WHERE entity = ? AND server_id = ?)"
      )
      return try Bool.fetchOne(statement, arguments: [entity.text, serverID]) ?? false
    }
  }

  /// The flags of the command that began a run, in their order; none for a run of an app.
  package func flags(of run: RunRecord) throws(CheckpointError) -> [RunFlag] {
    try read { database in try RunFlag.all(of: run, in: database) }
  }

  /// Whether a process has the checkpoint open for a run.
  package var isHeld: Bool { LockFile.isHeld(path + ".lock") }

  /// The identities of records that rollbacks removed and that was at the destination till then, in the order
  /// of their operations, a page at a time.
  package func removals(
    after number: Int64,
    limit: Int
  ) throws(CheckpointError) -> [(number: Int64, entity: EntityName, serverID: String)] {
    try rows(
      """
      SELECT number, entity, server_id FROM operation NOT INDEXED
      WHERE number > ? AND action = 'uncreate' AND state = 'confirmed'
        AND before IS NOT NULL AND server_id IS NOT NULL
      ORDER BY number LIMIT ?
      """,
      [number, limit]
    ) { row in
      try EntityName(row["entity"] as String).map { entity in
        (try row["number"], entity, try row["server_id"])
      }
    }
  }

  /// Writes the whole checkpoint to another file, as it is now.
  package func copy(to target: String) throws(CheckpointError) {
    do {
      try database.backup(to: CheckedPages.open(target))
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  /// Refuses a checkpoint of which a page is not what was written, wherever in it that is.
  package func expectWhole() throws(CheckpointError) {
    var pages = try damagedPages()
    if pages.isEmpty { pages = try damagedPagesBesideLog() }
    guard let page = pages.first else { return }
    throw .damaged(path: path, reason: CheckedPages.words(page: page))
  }

  /// The pages that are not what was written, where nothing of the checkpoint is in a log.
  package func damagedPages() throws(CheckpointError) -> [Int] {
    do throws(FileError) {
      if try LogCheck.isWritten(beside: place) { return [] }
      return try CheckedPages.damages(in: place)
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  /// The same where a log lies beside it: those that are not in the log as well, where they hold.
  ///
  /// A run that is under way may be moving pages from the log to the file: what is amiss only once
  /// is no damage.
  private func damagedPagesBesideLog() throws(CheckpointError) -> [Int] {
    do throws(FileError) {
      guard try LogCheck.isWritten(beside: place) else { return [] }
      var found: Set<Int>?
      for _ in 1...2 {
        let logged = try LogCheck.pages(beside: place)
        var amiss = Set(try CheckedPages.damages(in: place, limit: .max)).subtracting(logged)
        guard !amiss.isEmpty else { return [] }
        amiss.subtract(try LogCheck.pages(beside: place))
        found = found?.intersection(amiss) ?? amiss
      }
      return found?.sorted() ?? []
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  package func isOfWritableForm() throws(CheckpointError) -> Bool {
    do throws(FileError) {
      return try CheckedPages.isOfWritableForm(place)
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  package func read<Value>(_ body: (Database) throws -> Value) throws(CheckpointError) -> Value {
    do {
      return try database.unsafeRead(body)
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }

  // MARK: - Records

  /// The earlier content `record` when it was last looked at.
  private struct Shade {
    let version: Int64?
    let time: ContinuousClock.Instant
    let isByPlace: Bool
  }

  /// Runs `body` where `record` is all that is known of records, what waits to be moved there included.
  ///
  /// With `byPlace`, they can be looked for by their identities at the destination.
  package func readRecords<Value>(
    byPlace: Bool = false,
    _ body: (Database) throws -> Value
  ) throws(CheckpointError) -> Value {
    try read { database in
      try shade(database, byPlace)
      return try body(database)
    }
  }

  /// Has a table of this connection's own are before `record` while that is behind, or lacks the
  /// index that is asked for.
  ///
  /// A run that is under way settles more meanwhile: the table is made anew when the checkpoint has
  /// changed, and not more often than ``patience`` says.
  private func shade(_ database: Database, _ byPlace: Bool) throws {
    let version = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version"))
    let now = ContinuousClock.now
    let isFresh = shade.withLock { shade in
      guard let shade, shade.isByPlace || !byPlace else { return false }
      return shade.version == version || shade.time.advanced(by: Self.patience) > now
    }
    guard !isFresh else { return }
    // At one moment: a run that is under way may move them meanwhile.
    try database.inTransaction(.deferred) {
      try database.execute(sql: "DROP TABLE IF EXISTS temp.record")
      let pendingStates = try PendingRecordStates(database).flatMap {
        try $0.waits(in: database) ? $0 : nil
      }
      guard try pendingStates != nil || (byPlace && !PlaceIndex.isThere(in: database)) else {
        return .commit
      }
      try database.execute(sql: "CREATE TEMP TABLE record \(CheckpointSchema.recordColumns)")
      try database.execute(sql: "INSERT INTO temp.record SELECT * FROM main.record")
      if let pendingStates {
        try PendingRecordStates.move(
          after: pendingStates.recordedTo,
          to: .max,
          into: .temporary,
          in: database
        )
      }
      if byPlace {
        try database.execute(
          sql: "CREATE INDEX temp.shaded_by_server ON record (entity, server_id)"
        )
      }
      return .commit
    }
    shade.withLock { $0 = Shade(version: version, time: now, isByPlace: byPlace) }
  }
}
