import CheckedDatabases
import struct Foundation.Data
import GRDB
package import Records

/// What the destination has in the place of a record and the app does not have, as a plan saw it.
///
/// It stays until a later plan decides about the record again and finds that both agree.
package struct RemoteContent: Hashable, Sendable {
  package let record: RecordID
  package let status: Status
  /// The destination's identity of the record; empty where the run makes it.
  package let serverID: String
  /// The destination's revision of that content, where it has one.
  package let version: String?
  /// The digest of the record's line with which the content counts; `nil` where no run knows the record.
  package let content: Digest?
  /// The values of the app's attributes in JSON, kept as the package is kept.
  package let values: [UInt8]
  package let reason: String?

  /// What the app does with the content.
  package enum Status: String, Hashable, Sendable, CaseIterable {
    /// It takes the content in the place of its own.
    case replace
    /// It makes the record again that its user deleted.
    case restore
    /// It keeps its own content, and may show both.
    case conflicted
    /// It removes the row that it had marked as deleted: the destination has no such record.
    case deleted
    /// It keeps the row that it had marked as deleted, for live ones name it: the destination has no such record.
    case skipped
  }

  package init(
    record: RecordID,
    status: Status,
    serverID: String,
    version: String?,
    content: Digest?,
    values: [UInt8],
    reason: String?
  ) {
    self.record = record
    self.status = status
    self.serverID = serverID
    self.version = version
    self.content = content
    self.values = values
    self.reason = reason
  }
}

/// A row of the app's queue of changes, and what a plan made of it.
package struct QueuedRow: Hashable, Sendable {
  package let row: RecordID
  package let outcome: Outcome
  /// The record that the change is about, where it names one.
  package let target: RecordID?
  package let reason: String?
  /// The number of the earlier run that carried it; `nil` where it is this run's.
  package let carriedBy: Int64?

  /// What became of a queued change.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The record that it changes carried it, or the server had taken it before.
    case carried
    /// The record carried it together with a later change of the same record.
    case folded
    /// It was older than the app keeps such changes.
    case expired
    /// It was not carried, for the reason given.
    case notCarried = "not-carried"
  }

  package init(
    row: RecordID,
    outcome: Outcome,
    target: RecordID?,
    reason: String?,
    carriedBy: Int64? = nil
  ) {
    self.row = row
    self.outcome = outcome
    self.target = target
    self.reason = reason
    self.carriedBy = carriedBy
  }

  fileprivate init(_ id: RecordID, _ row: DatabaseRow) throws {
    guard let outcome = Outcome(rawValue: try row["outcome"]) else {
      throw UnreadableColumn(name: "outcome")
    }
    try self.init(
      row: id,
      outcome: outcome,
      target: Self.target(of: row),
      reason: row["reason"],
      carriedBy: row["carried_by"] as Int64? ?? row["run"]
    )
  }

  /// The record that a row of the table names as the one that the change is about.
  static func target(of row: DatabaseRow) throws -> RecordID? {
    guard let entity = try (row["target_entity"] as String?).flatMap(EntityName.init),
      let key = try row["target_key"] as String?
    else { return nil }
    return RecordID(entity: entity, key: key)
  }

  /// The run that carried `queued`, or is to.
  static let carrier = "coalesce(queued.carried_by, queued.run)"

  /// Whether the last thing that was done to the record of `queued` reversed an operation.
  static let isReversed = """
    ((SELECT undoes FROM operation INDEXED BY operation_by_record
      WHERE operation.entity = queued.target_entity AND operation.key = queued.target_key
        AND state = 'confirmed' ORDER BY number DESC LIMIT 1) IS NOT NULL)
    """
}

/// A queued change that a run carried, and that a rollback reversed.
package struct ReversedChange: Hashable, Sendable {
  package let row: RecordID
  package let target: RecordID
  /// The destination's identity of the record that a run created for the change, which the app may use as its
  /// key since.
  package let createdID: String?
  /// Whether a later plan named the record already.
  package let isNamed: Bool

  /// The code of the finding that names the record.
  package static let code = "plan.queue-reversed"

  /// The findings of that code.
  static let isOfReversed = "code = '\(code)'"
}

extension CheckpointFile {
  /// Whether the destination has content of any record of an entity that the app does not have.
  package func hasRemoteContent(of entity: EntityName) throws(CheckpointError) -> Bool {
    try isTrue("SELECT EXISTS (SELECT 1 FROM remote_content WHERE entity = ?)", [entity.text])
  }

  /// What the app does with content of a record that the destination has and the app does not; `nil` where there is
  /// none, or an operation on the record followed since a plan saw it.
  package func unansweredContent(
    of record: RecordID
  ) throws(CheckpointError) -> RemoteContent.Status? {
    let status: String? = try value(
      """
      SELECT status FROM remote_content AS remote
      WHERE entity = ?1 AND key = ?2 AND NOT EXISTS (
        SELECT 1 FROM operation INDEXED BY operation_by_record
        WHERE operation.entity = ?1 AND operation.key = ?2 AND +operation.run >= remote.run)
      """,
      [record.entity.text, record.key]
    )
    return status.flatMap(RemoteContent.Status.init(rawValue:))
  }

  /// What the last run before `run` that settled a queued change noted of it; `nil` where none did, or a
  /// rollback reversed that.
  package func settledRow(
    _ row: RecordID,
    before run: RunRecord
  ) throws(CheckpointError) -> QueuedRow? {
    try read { database in
      try DatabaseRow.fetchOne(
        database,
        sql: """
          SELECT * FROM queued_row AS queued
          WHERE entity = ? AND key = ? AND run < ? AND outcome IN ('carried', 'folded')
            AND NOT \(QueuedRow.isReversed) AND coalesce(
              (SELECT state FROM operation INDEXED BY operation_by_record
                WHERE operation.entity = target_entity AND operation.key = target_key
                  AND +operation.run = \(QueuedRow.carrier) ORDER BY number DESC LIMIT 1),
              'confirmed') IN ('confirmed', 'adopted')
          ORDER BY run DESC LIMIT 1
          """,
        arguments: [row.entity.text, row.key, run.number]
      ).map { try QueuedRow(row, $0) }
    }
  }

  /// What the last run before `run` that saw a queued change noted of it.
  package func lastOutcome(
    of row: RecordID,
    before run: RunRecord
  ) throws(CheckpointError) -> QueuedRow.Outcome? {
    let outcome: String? = try value(
      "SELECT outcome FROM queued_row WHERE entity = ? AND key = ? AND run < ? ORDER BY run DESC LIMIT 1",
      [row.entity.text, row.key, run.number]
    )
    return outcome.flatMap(QueuedRow.Outcome.init(rawValue:))
  }

  /// The changes of a queue that runs before `run` carried, and whose records a rollback reversed last.
  ///
  /// A record that a run knows by the identity that the destination had given it is no longer in question: the
  /// app has a row of it.
  package func reversedChanges(
    of queue: EntityName,
    before run: RunRecord
  ) throws(CheckpointError) -> [ReversedChange] {
    try read { database in
      try DatabaseRow.fetchAll(
        database,
        sql: """
          SELECT *,
            EXISTS (SELECT 1 FROM finding WHERE \(ReversedChange.isOfReversed)
              AND finding.entity = target_entity AND finding.key = target_key
              AND finding.run > reversed.run AND finding.run < ?2) AS is_named
          FROM (SELECT *,
              (SELECT server_id FROM operation INDEXED BY operation_by_record
                WHERE operation.entity = target_entity AND operation.key = target_key
                  AND action = 'create' AND state = 'confirmed' ORDER BY number DESC LIMIT 1) AS created_id
            FROM queued_row AS queued
            WHERE entity = ?1 AND run < ?2 AND outcome IN ('carried', 'folded')
              AND \(QueuedRow.isReversed)) AS reversed
          WHERE NOT EXISTS (SELECT 1 FROM record WHERE record.entity = target_entity
            AND record.key = created_id AND record.key <> target_key)
          """,
        arguments: [queue.text, run.number]
      ).compactMap { row in
        guard let target = try QueuedRow.target(of: row) else { return nil }
        return try ReversedChange(
          row: RecordID(entity: queue, key: row["key"]),
          target: target,
          createdID: row["created_id"],
          isNamed: row["is_named"]
        )
      }
    }
  }

  static func insertRemoteContent(
    of step: PlanStep,
    run: RunRecord,
    in database: Database
  ) throws {
    for record in step.settled {
      try database.cachedStatement(
        sql: "DELETE FROM remote_content WHERE entity = ? AND key = ?"
      ).execute(arguments: [record.entity.text, record.key])
    }
    for content in step.contents {
      try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO remote_content
            (entity, key, run, status, server_id, version, content, app_values, reason)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: [
        content.record.entity.text, content.record.key, run.number, content.status.rawValue,
        content.serverID, content.version, content.content?.data, Data(content.values),
        content.reason,
      ])
    }
    for queued in step.queuedRows {
      try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO queued_row
            (run, entity, key, outcome, target_entity, target_key, reason, carried_by)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: [
        run.number, queued.row.entity.text, queued.row.key, queued.outcome.rawValue,
        queued.target?.entity.text, queued.target?.key, queued.reason, queued.carriedBy,
      ])
    }
  }
}
