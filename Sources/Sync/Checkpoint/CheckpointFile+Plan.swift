import CheckedDatabases
import GRDB
package import Records
package import UploadPlanning
import Synchronization

/// An operation that is being planned; the checkpoint gives it its number.
package struct OperationDraft: Hashable, Sendable {
  package let phase: Int
  package let record: RecordID
  package let action: Operation.Action
  package let content: Digest
  package let requestDigest: Digest
  package let key: String
  package let serverID: String?
  package let version: String?
  package let before: [UInt8]?
  package let source: RecordSource?
  package let undoes: Int64?

  package init(
    phase: Int,
    record: RecordID,
    action: Operation.Action,
    content: Digest,
    requestDigest: Digest,
    key: String,
    serverID: String? = nil,
    version: String? = nil,
    before: [UInt8]? = nil,
    source: RecordSource? = nil,
    undoes: Int64? = nil
  ) {
    self.phase = phase
    self.record = record
    self.action = action
    self.content = content
    self.requestDigest = requestDigest
    self.key = key
    self.serverID = serverID
    self.version = version
    self.before = before
    self.source = source
    self.undoes = undoes
  }
}

/// What one step of planning adds to the checkpoint, in one transaction.
package struct PlanStep: Sendable {
  package struct Adoption: Hashable, Sendable {
    package let record: RecordID
    /// `nil` where the destination has the record no more.
    package let serverID: String?
    package let version: String?
    package let content: Digest
    package let requestDigest: Digest
    /// Whether the run reports that it took the destination's state as agreed; what was known before is kept until
    /// the run ends.
    package var isConcession = false

    package init(
      record: RecordID,
      serverID: String?,
      version: String?,
      content: Digest,
      requestDigest: Digest
    ) {
      self.record = record
      self.serverID = serverID
      self.version = version
      self.content = content
      self.requestDigest = requestDigest
    }

    /// A record that was deleted here, and that another deleted at the destination.
    package static func gone(_ record: RecordID, _ known: SyncState) -> Adoption {
      var adoption = Adoption(
        record: record,
        serverID: nil,
        version: nil,
        content: known.content,
        requestDigest: known.requestDigest
      )
      adoption.isConcession = true
      return adoption
    }
  }

  package var operations: [OperationDraft] = []
  package var adoptions: [Adoption] = []
  package var findings: [Finding] = []
  package var images: [RecordImage] = []
  /// What the destination has and the app does not, of records that were decided about.
  package var contents: [RemoteContent] = []
  /// Records that were decided about and of which the app has all that the destination has.
  package var settled: [RecordID] = []
  package var queuedRows: [QueuedRow] = []
  package var leftRecords: [LeftRecord] = []
  /// Records that need no operation, by entity and bucket.
  package var tallies: [EntityName: [RecordOutcome: Int]] = [:]

  package init() {}

  package var weight: Int {
    operations.count + adoptions.count + findings.count + images.count + contents.count
      + settled.count + queuedRows.count + leftRecords.count
  }
}

/// The records that earlier runs were to make, and that the destination refused.
///
/// A destination that remembers keys would give the same answer again to a request of the same key.
private struct RefusedRequests {
  private let statement: DirectStatement

  /// Gives `nil` for the first run, which has none before it.
  init?(before run: RunRecord, in database: Database) throws {
    guard run.number > 1 else { return nil }
    statement = try DirectStatement(
      """
      SELECT request_key, state = 'rejected' AND content = ? FROM operation
      WHERE entity = ? AND key = ? AND run < ? AND action = 'create'
      ORDER BY number DESC LIMIT 1
      """,
      in: database
    )
    statement.bind(run.number, at: 4)
  }

  /// Another key for a record that was refused the last time as it is now; `nil` where it was not.
  func key(for draft: OperationDraft) throws -> String? {
    guard draft.action == .create else { return nil }
    statement.bind(draft.content, at: 1)
    statement.bind(draft.record, at: 2)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return try statement.integer(1) == 1 ? OperationKey.following(try statement.text(0)) : nil
  }
}

extension CheckpointFile {
  /// Adds a step of planning.
  package func add(_ step: PlanStep, to run: RunRecord, now: Int64) throws(CheckpointError) {
    // What is adopted and kept here is beside what is known by now.
    try catchUp()
    pendingStates.withLock { $0 = $0?.planned(step.operations.lazy.map(\.record.entity)) }
    try write { database in
      try Self.insert(step.operations, run: run, in: database)
      for adoption in step.adoptions {
        if adoption.isConcession { try Self.keepKnown(of: adoption.record, run, in: database) }
        try Self.noteTakenOver(adoption, run, in: database)
        try Self.noteSuperseded(adoption, run, in: database)
        try Self.adopt(adoption, now: now, in: database)
      }
      try Self.insertImages(of: step, run: run, in: database)
      try Self.insertRemoteContent(of: step, run: run, in: database)
      try Self.insert(step.leftRecords, run: run, in: database)
      for finding in step.findings { try Self.insert(finding, run: run, in: database) }
      for (entity, buckets) in step.tallies {
        for (bucket, count) in buckets {
          try database.execute(
            sql: """
              INSERT INTO tally (run, entity, bucket, count) VALUES (?, ?, ?, ?)
              ON CONFLICT DO UPDATE SET count = count + excluded.count
              """,
            arguments: [run.number, entity.text, bucket.rawValue, count]
          )
        }
      }
    }
  }

  private static func insert(
    _ drafts: [OperationDraft],
    run: RunRecord,
    in database: Database
  ) throws {
    guard !drafts.isEmpty else { return }
    let statement = try DirectStatement(
      """
      INSERT INTO operation (run, phase, entity, key, action, content, request_digest, request_key, state,
        server_id, version, before, file, offset, length, undoes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?, ?, ?)
      """,
      in: database
    )
    statement.bind(run.number, at: 1)
    let refusals = try RefusedRequests(before: run, in: database)
    for draft in drafts {
      statement.bind(Int64(draft.phase), at: 2)
      statement.bind(draft.record, at: 3)
      statement.bind(draft.action.rawValue, at: 5)
      statement.bind(draft.content, at: 6)
      statement.bind(draft.requestDigest, at: 7)
      statement.bind(try refusals?.key(for: draft) ?? draft.key, at: 8)
      statement.bind(draft.serverID, at: 9)
      statement.bind(draft.version, at: 10)
      statement.bind(draft.before, at: 11)
      statement.bind(draft.source?.file, at: 12)
      statement.bind(draft.source?.offset, at: 13)
      statement.bind(draft.source.map { Int64($0.length) }, at: 14)
      statement.bind(draft.undoes, at: 15)
      try statement.run()
    }
  }

  static func adopt(
    _ adoption: PlanStep.Adoption,
    now: Int64,
    in database: Database
  ) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO record (entity, key, server_id, version, content, request_digest, origin, generation,
          synced_at)
        VALUES (?, ?, ?, ?, ?, ?, 'adopted', 0, ?)
        ON CONFLICT DO UPDATE SET server_id = excluded.server_id, version = excluded.version,
          content = excluded.content, request_digest = excluded.request_digest, synced_at = excluded.synced_at,
          origin = CASE WHEN record.server_id IS excluded.server_id THEN record.origin
            ELSE 'adopted' END
        """
    )
    try statement.execute(arguments: [
      adoption.record.entity.text, adoption.record.key, adoption.serverID, adoption.version,
      adoption.content.data, adoption.requestDigest.data, now,
    ])
  }

  /// Keeps a finding; what it quotes of a record's values is not kept.
  static func insert(_ finding: Finding, run: RunRecord, in database: Database) throws {
    // A text ends here at its first zero character: what is left would name another record.
    let record = finding.record?.replacing("\u{0}", with: "\\u{0}")
    try database.execute(
      sql: """
        INSERT INTO finding (run, code, severity, entity, key, cause, cure)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        run.number, finding.code, finding.severity.rawValue, finding.entity?.text, record,
        finding.cause, finding.cure,
      ]
    )
  }

  /// What is known of a record.
  package func known(_ record: RecordID) throws(CheckpointError) -> SyncState? {
    let pendingStates = pendingStates.withLock { $0 }
    return try read { database in
      let statements = try KnownStatements(pendingStates, in: database)
      return try statements.known(record)
    }
  }

  /// What is known of each of some records, all at one moment; `nil` of those that are not known.
  package func known(_ records: [RecordID]) throws(CheckpointError) -> [SyncState?] {
    let pendingStates = pendingStates.withLock { $0 }
    return try read { database in
      // One transaction: its locks cost more than a reading.
      let isHeld = database.isInsideTransaction
      if !isHeld { try database.beginTransaction(.deferred) }
      defer { if !isHeld { try? database.commit() } }
      let statements = try KnownStatements(pendingStates, in: database)
      return try records.map { try statements.known($0) }
    }
  }

  /// Where the last plan found a record that no run knows, and that it changes there, whatever becomes of
  /// that change.
  package func plannedPlace(of record: RecordID) throws(CheckpointError) -> String? {
    try value(
      """
      SELECT CASE WHEN action = 'update' THEN server_id END FROM operation
      WHERE entity = ? AND key = ? ORDER BY number DESC LIMIT 1
      """,
      [record.entity.text, record.key]
    )
  }

  /// Writes down which identities are at the account before a run's own operations.
  package func addSeen(
    _ serverIDs: [String],
    of entity: EntityName
  ) throws(CheckpointError) {
    try write { database in
      let statement = try database.cachedStatement(
        sql: "INSERT OR IGNORE INTO seen (entity, server_id) VALUES (?, ?)"
      )
      for serverID in serverIDs {
        try statement.execute(arguments: [entity.text, serverID])
      }
    }
  }

  /// Whether an identity was at the account before this checkpoint's runs, or came by them.
  package func isAccountedFor(
    _ serverID: String,
    of entity: EntityName
  ) throws(CheckpointError) -> Bool {
    try untracked(among: CollectionOfOne(serverID), of: entity).isEmpty
  }

  /// Those of some identities that neither were at the account before this checkpoint's runs nor came by
  /// them.
  package func untracked(
    among serverIDs: some Collection<String>,
    of entity: EntityName
  ) throws(CheckpointError) -> [String] {
    try catchUpPlaces()
    return try read { database in
      let statement = try DirectStatement(
        """
        SELECT EXISTS (SELECT 1 FROM record WHERE entity = ?1 AND server_id = ?2)
          OR EXISTS (SELECT 1 FROM seen WHERE entity = ?1 AND server_id = ?2)
        """,
        in: database
      )
      statement.bind(entity.text, at: 1)
      return try serverIDs.filter { serverID in
        statement.bind(serverID, at: 2)
        defer { statement.reset() }
        return try !statement.step() || statement.integer(0) == 0
      }
    }
  }

  /// Whether this checkpoint's records hold an identity of the destination.
  package func holds(_ serverID: String, of entity: EntityName) throws(CheckpointError) -> Bool {
    try !keys(at: serverID, of: entity).isEmpty
  }

  /// The keys of the records that have this identity at the destination.
  package func keys(
    at serverID: String,
    of entity: EntityName
  ) throws(CheckpointError) -> [String] {
    try catchUpPlaces()
    return try read { database in
      try String.fetchAll(
        database,
        sql: "SELECT key FROM record WHERE entity = ? AND server_id = ?",
        arguments: [entity.text, serverID]
      )
    }
  }

  /// The destination's own mark of the last whole reading of an entity.
  package func mark(of entity: EntityName) throws(CheckpointError) -> String? {
    try value("SELECT value FROM mark WHERE entity = ?", [entity.text])
  }

  /// Remembers the destination's mark, after the last page was taken in.
  package func setCursor(_ mark: String?, of entity: EntityName) throws(CheckpointError) {
    try write { database in
      guard let mark else {
        try database.execute(sql: "DELETE FROM mark WHERE entity = ?", arguments: [entity.text])
        return
      }
      try database.execute(
        sql: "INSERT OR REPLACE INTO mark (entity, value) VALUES (?, ?)",
        arguments: [entity.text, mark]
      )
    }
  }
}

/// What asks for a record that is known.
private struct KnownStatements {
  private let pendingStates: PendingRecordStates?
  /// What waits to be moved into `record`, while anything may wait.
  private let waiting: DirectStatement?
  private let recorded: DirectStatement

  init(_ pendingStates: PendingRecordStates?, in database: Database) throws {
    self.pendingStates = pendingStates
    recorded = try DirectStatement(
      """
      SELECT server_id, version, content, request_digest, generation FROM record
      WHERE entity = ? AND key = ?
      """,
      in: database
    )
    guard let pendingStates, pendingStates.isBehind else {
      waiting = nil
      return
    }
    let waiting = try DirectStatement(PendingRecordStates.known, in: database)
    waiting.bind(pendingStates.recordedTo, at: 3)
    self.waiting = waiting
  }

  func known(_ record: RecordID) throws -> SyncState? {
    if let waiting, pendingStates?.mayWait(record.entity) == true,
      let known = try Self.known(record, waiting)
    {
      return known
    }
    return try Self.known(record, recorded)
  }

  private static func known(
    _ record: RecordID,
    _ statement: DirectStatement
  ) throws -> SyncState? {
    statement.bind(record, at: 1)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    guard let content = statement.digest(2), let requestDigest = statement.digest(3) else {
      throw DamagedPart(reason: "the digest of its record \(record) is not whole")
    }
    return SyncState(
      serverID: try statement.textOrNull(0),
      version: try statement.textOrNull(1),
      content: content,
      requestDigest: requestDigest,
      generation: try statement.integer(4)
    )
  }
}
