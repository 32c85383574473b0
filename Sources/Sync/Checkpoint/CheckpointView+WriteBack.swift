import CheckedDatabases
import struct Foundation.Data
import GRDB
package import Records

/// What the app has to know of one record after a run.
package struct WriteBackEntry: Hashable, Sendable {
  package let record: RecordID
  package let status: Status
  package let serverID: String?
  package let version: String?
  /// In whole seconds since 1970.
  package let syncedAt: Int64?
  package let reason: String?
  /// The values of the app's attributes, as a plan kept them; see ``RemoteContent/values``.
  package let values: [UInt8]?

  /// What the app does with its record.
  package enum Status: String, Hashable, Sendable, CaseIterable {
    /// Both sides agree.
    case synced
    /// The destination's content is to be taken.
    case replace
    /// A deletion was not carried out: the record is there again.
    case restore
    /// The record is no longer at the destination, after a rollback.
    case withdrawn
    /// The record is gone at both ends.
    case deleted
    /// The record, or its last change, did not get there.
    case failed
    /// Both sides changed it, and no one decided, or the verification found it different, gone or not deleted.
    case conflicted
    /// The run left it out.
    case skipped
  }
}

/// A row of the app's queue of changes after a run.
package struct WriteBackOperation: Hashable, Sendable {
  package let row: RecordID
  /// The record that the change is about, where it names one that is carried.
  package let target: RecordID?
  package let outcome: QueuedRow.Outcome
  package let reason: String?
}

extension CheckpointView {
  /// The records as they are now, with what `run` could not send, in the order of entity and
  /// key, a page at a time: up to `limit`, which is at least 2.
  package func writeBack(
    of run: RunRecord,
    after last: WriteBackEntry?,
    limit: Int = 1_000
  ) throws(CheckpointError) -> [WriteBackEntry] {
    try readRecords { database in
      var places: [String: (any DatabaseValueConvertible)?] = [
        "entity": last?.record.entity.text ?? "", "key": last?.record.key ?? "",
        "limit": limit + 1,
      ]
      // What was refused is looked for as far as this page goes, so that no page goes through the rest.
      let end = try DatabaseRow.fetchOne(
        database,
        sql: """
          SELECT entity, key FROM record
          WHERE (entity, key) > (:entity, :key) AND \(Self.isRecord)
          ORDER BY entity, key LIMIT 1 OFFSET :limit
          """,
        arguments: StatementArguments(places)
      )
      // Where this page has all that is left, it ends behind any text, as every blob is.
      places["lastEntity"] = end?["entity"] ?? Data().databaseValue
      places["lastKey"] = end?["key"] ?? Data().databaseValue
      places["run"] = run.number
      var page = try DatabaseRow.fetchAll(
        database,
        sql: Self.page,
        arguments: StatementArguments(places)
      ).map(WriteBackEntry.init(row:))
      // A key that is no text is not the one that was read, and would be come by again and again.
      if let last, let first = page.first, !first.record.follows(last.record) {
        throw CheckpointError.damaged(path: path, reason: "its records are out of order")
      }
      // The next page begins behind a record, so one that comes twice is not cut in two.
      if page.count > limit, let next = page.popLast() {
        while page.last?.record == next.record { page.removeLast() }
      }
      return page
    }
  }

  private static let isRecord = "entity NOT LIKE 'media:%'"

  /// Whether a row is one of the page that is read.
  private static let inPage =
    "(entity, key) > (:entity, :key) AND (entity, key) <= (:lastEntity, :lastKey)"

  /// Whether the operation `unmade` was to make its record in this run, and no one has made it since.
  private static let isUnmadeOperation = """
    +unmade.run = :run AND action = 'create' AND state NOT IN ('confirmed', 'adopted')
      AND NOT EXISTS (SELECT 1 FROM operation AS later INDEXED BY operation_by_record
        WHERE later.entity = unmade.entity AND later.key = unmade.key
          AND +later.number > unmade.number AND later.state IN ('confirmed', 'adopted'))
    """

  /// Whether this run was to make the record that a row of `table` is about, and did not.
  private static func isUnmade(_ table: String) -> String {
    """
    EXISTS (SELECT 1 FROM operation AS unmade INDEXED BY operation_by_record
      WHERE unmade.entity = \(table).entity AND unmade.key = \(table).key
        AND \(isUnmadeOperation))
    """
  }

  /// Whether a row of the destination's content says that the record, which its user deleted, is not there.
  private static let isGone = "remote.status IN ('deleted', 'skipped')"

  /// Whether a row of the destination's content is an entry where no run knows its record.
  private static let hasContent = "(remote.server_id <> '' OR \(isGone))"

  /// Why a record differs at the destination that a conflict left as it existed, in this run or before.
  private static let kept = """
    (SELECT CASE WHEN code IN ('plan.conflict-kept-remote', 'plan.decided') THEN cause END FROM finding
      WHERE finding.entity = record.entity AND finding.key = record.key
        AND \(CheckpointFile.isOfConflict) AND EXISTS (
          SELECT 1 FROM image WHERE image.entity = record.entity AND image.key = record.key
            AND image.content = record.content AND image.request_digest = record.request_digest AND sent IS NOT NULL)
      ORDER BY run DESC LIMIT 1)
    """

  /// The records of a page, each with its last change, and with what kept this run from one.
  ///
  /// A change that was not carried out is settled once a later run finds that both sides agree.
  private static let known = """
    SELECT record.*, coalesce(conflict.cause, \(kept)) AS cause, refusal,
      (SELECT reason FROM left_out WHERE left_out.run = :run AND left_out.entity = record.entity
        AND left_out.key IN (record.key, '') ORDER BY left_out.key DESC LIMIT 1) AS left_reason,
      \(DifferingRecord.difference(of: "record")) AS difference,
      (SELECT max(number) FROM operation WHERE operation.entity = record.entity
        AND operation.key = record.key AND action IN ('update', 'complete', 'delete')
        AND (state IN ('confirmed', 'adopted')
          OR NOT \(CheckpointFile.isSettledSince("operation")))) AS change
    FROM record LEFT JOIN (
      SELECT entity, key, min(CASE WHEN code = 'plan.conflict' THEN cause END) AS cause,
        min(CASE WHEN severity = 'error' AND code <> 'plan.conflict' THEN cause END) AS refusal
      FROM finding
      WHERE run = :run AND \(inPage) AND key IS NOT NULL
        AND (code = 'plan.conflict' OR code LIKE 'record.%' OR code LIKE 'request.%')
      GROUP BY entity, key
    ) AS conflict USING (entity, key)
    WHERE \(inPage) AND \(isRecord) AND NOT \(isUnmade("record"))
    ORDER BY entity, key LIMIT :limit
    """

  /// Whether the destination's content of a record counts: no operation since it was seen has failed, and
  /// none gave the record another content.
  private static let counts = """
    (remote.status IS NOT NULL AND remote.server_id IN ('', known.server_id)
      AND known.content IS remote.content
      AND NOT (\(isWritten) AND operation.state NOT IN ('confirmed', 'adopted')))
    """

  /// Whether this run left out a record that runs sent: what it says now, the destination may lack.
  ///
  /// It does not count one that the app restores, although the store has no row of it.
  private static let isLeft = """
    (left_reason IS NOT NULL AND known.server_id IS NOT NULL
      AND NOT (\(counts) AND remote.status = 'restore'))
    """

  /// Whether the verification saw a record at the destination that a run deleted there, or found gone.
  private static let isUndeleted = """
    (difference IS NOT NULL
      AND (known.server_id IS NULL OR (\(counts) AND \(isGone))))
    """

  /// Whether a run gave the record something beside the destination's content that counts, and so another revision.
  private static let isWritten = "(change IS NOT NULL AND operation.run >= remote.run)"

  /// Whether the app would take content over, and the verification did not see there what was sent beside it.
  private static let isUntaken =
    "(difference IS NOT NULL AND remote.status = 'replace' AND \(isWritten))"

  /// A record whose last change did not get there is at the destination, and not synced.
  private static let page = """
    SELECT * FROM (
      SELECT known.entity, known.key,
        CASE WHEN \(counts) AND \(isGone) THEN NULL ELSE known.server_id END
          AS server_id,
        CASE WHEN \(counts) AND NOT \(isWritten) THEN coalesce(remote.version, known.version)
          ELSE known.version END AS version,
        synced_at,
        CASE WHEN \(isLeft) THEN left_reason
          WHEN refusal IS NOT NULL THEN refusal
          WHEN \(isUndeleted) THEN difference
          WHEN known.server_id IS NULL THEN CASE WHEN \(counts) AND \(isGone) THEN remote.reason END
          WHEN \(counts) AND \(isUntaken) THEN difference
          WHEN \(counts) THEN coalesce(remote.reason, cause)
          WHEN cause IS NOT NULL THEN cause
          WHEN state NOT IN ('confirmed', 'adopted')
            THEN coalesce(operation.reason, 'its last change was not carried out yet')
          ELSE difference END AS reason,
        CASE WHEN \(isLeft) THEN 'skipped'
          WHEN refusal IS NULL AND \(isUndeleted) THEN 'conflicted'
          WHEN known.server_id IS NULL THEN CASE
            WHEN \(counts) AND \(isGone) THEN remote.status
            WHEN (SELECT action FROM operation WHERE operation.entity = known.entity
              AND operation.key = known.key AND state = 'confirmed'
              ORDER BY number DESC LIMIT 1) = 'delete' THEN 'deleted'
            ELSE 'withdrawn' END
          WHEN refusal IS NOT NULL THEN 'failed'
          WHEN \(counts) AND \(isUntaken) THEN 'conflicted'
          WHEN \(counts) THEN remote.status
          WHEN cause IS NOT NULL OR state = 'conflicted' THEN 'conflicted'
          WHEN state NOT IN ('confirmed', 'adopted') THEN 'failed'
          WHEN difference IS NOT NULL THEN 'conflicted'
          ELSE 'synced' END AS status,
        CASE WHEN \(counts) AND NOT \(isLeft) AND refusal IS NULL THEN app_values END AS app_values
      FROM (\(known)) AS known LEFT JOIN operation ON number = change
        LEFT JOIN remote_content AS remote
          ON remote.entity = known.entity AND remote.key = known.key
      ORDER BY known.entity, known.key
    )
    UNION ALL
    SELECT * FROM (
      SELECT entity, key, NULL, NULL, NULL, coalesce(reason, 'it was not carried out yet'),
        CASE state WHEN 'conflicted' THEN state ELSE 'failed' END, NULL
      FROM operation AS unmade INDEXED BY operation_by_record
      WHERE \(inPage) AND \(isUnmadeOperation) AND \(isRecord)
      ORDER BY entity, key LIMIT :limit
    )
    UNION ALL
    SELECT * FROM (
      SELECT entity, key, nullif(server_id, ''), version, NULL,
        CASE WHEN \(isGone) THEN coalesce(difference, reason) ELSE reason END,
        CASE WHEN \(isGone) AND difference IS NOT NULL THEN 'conflicted' ELSE status END,
        app_values
      FROM (SELECT *, \(DifferingRecord.difference(of: "remote")) AS difference
        FROM remote_content AS remote WHERE \(hasContent) AND \(inPage)) AS remote
      WHERE NOT EXISTS (SELECT 1 FROM record
          WHERE record.entity = remote.entity AND record.key = remote.key)
        AND NOT \(isUnmade("remote"))
      ORDER BY entity, key LIMIT :limit
    )
    UNION ALL
    SELECT * FROM (
      SELECT entity, key, NULL, NULL, NULL, min(cause),
        CASE WHEN max(code = 'plan.conflict') THEN 'conflicted' ELSE 'failed' END, NULL
      FROM finding
      WHERE run = :run AND severity = 'error' AND key IS NOT NULL
        AND \(inPage)
        AND \(isRecord)
        AND NOT EXISTS (SELECT 1 FROM record
          WHERE record.entity = finding.entity AND record.key = finding.key)
        AND NOT EXISTS (SELECT 1 FROM remote_content AS remote
          WHERE remote.entity = finding.entity AND remote.key = finding.key
            AND \(hasContent))
        AND NOT \(isUnmade("finding"))
      GROUP BY entity, key ORDER BY entity, key LIMIT :limit
    )
    UNION ALL
    SELECT * FROM (
      SELECT entity, key, NULL, NULL, NULL, reason, 'skipped', NULL
      FROM left_out
      WHERE run = :run AND key <> ''
        AND \(inPage)
        AND NOT EXISTS (SELECT 1 FROM record
          WHERE record.entity = left_out.entity AND record.key = left_out.key)
        AND NOT EXISTS (SELECT 1 FROM remote_content AS remote
          WHERE remote.entity = left_out.entity AND remote.key = left_out.key
            AND \(hasContent))
        AND NOT EXISTS (SELECT 1 FROM finding WHERE finding.run = :run AND severity = 'error'
          AND finding.entity = left_out.entity AND finding.key = left_out.key)
        AND NOT \(isUnmade("left_out"))
      ORDER BY entity, key LIMIT :limit
    )
    ORDER BY entity, key LIMIT :limit
    """

  // MARK: - The queue of changes

  /// The rows of the app's queue that the package of `run` had, in the order of entity and key.
  ///
  /// A row counts as carried once the change of its record is confirmed, until a rollback reverses that. They
  /// are held in memory, as a queue is what one person did without a network.
  package func writeBackOperations(
    of run: RunRecord
  ) throws(CheckpointError) -> [WriteBackOperation] {
    try rows(Self.operations, [run.number], WriteBackOperation.init(row:))
  }

  /// The last operation of a run about the record of a queued change.
  private static let operations = """
    SELECT queued.entity, queued.key, queued.outcome, queued.reason,
      queued.target_entity, queued.target_key,
      last.state AS state, last.reason AS obstacle, \(QueuedRow.isReversed) AS is_reversed,
      (SELECT min(cause) FROM finding WHERE finding.run = queued.run AND severity = 'error'
        AND finding.entity = queued.target_entity AND finding.key = queued.target_key) AS fault
    FROM queued_row AS queued LEFT JOIN operation AS last ON last.number = (
      SELECT max(number) FROM operation INDEXED BY operation_by_record
      WHERE operation.entity = queued.target_entity AND operation.key = queued.target_key
        AND +operation.run = \(QueuedRow.carrier))
    WHERE queued.run = ?
    ORDER BY queued.entity, queued.key
    """
}

extension WriteBackEntry {
  fileprivate init(row: DatabaseRow) throws {
    guard let entity = EntityName(try row["entity"] as String) else {
      throw UnreadableColumn(name: "entity")
    }
    try self.init(
      record: RecordID(entity: entity, key: row["key"]),
      status: Self.status(row["status"]),
      serverID: row["server_id"],
      version: row["version"],
      syncedAt: row["synced_at"],
      reason: row["reason"],
      values: (row["app_values"] as Data?).map { [UInt8]($0) }
    )
  }

  private static func status(_ text: String) throws -> Status {
    guard let status = Status(rawValue: text) else { throw UnreadableColumn(name: "status") }
    return status
  }
}

extension WriteBackOperation {
  fileprivate init(row: DatabaseRow) throws {
    guard let entity = EntityName(try row["entity"] as String),
      let planned = QueuedRow.Outcome(rawValue: try row["outcome"])
    else { throw UnreadableColumn(name: "outcome") }
    let state = try row["state"] as String?
    let isOpen = state.map { !["confirmed", "adopted"].contains($0) } ?? false
    let isReversed = try row["is_reversed"] as Bool
    let wasPlanned = planned == .carried || planned == .folded
    let planReason = try row["reason"] as String?
    let reason: String? =
      if wasPlanned, isReversed {
        "a rollback reversed the change of its record"
      } else if wasPlanned, isOpen {
        try row["obstacle"] as String? ?? "the change of its record was not carried out yet"
      } else if planned == .notCarried, let fault = try row["fault"] as String? {
        planReason.map { "\($0): \(fault)" } ?? fault
      } else {
        planReason
      }
    try self.init(
      row: RecordID(entity: entity, key: row["key"]),
      target: QueuedRow.target(of: row),
      outcome: wasPlanned && (isReversed || isOpen) ? .notCarried : planned,
      reason: reason
    )
  }
}

extension RecordID {
  /// Whether it is behind another, as SQLite orders texts.
  fileprivate func follows(_ other: RecordID) -> Bool {
    let (entity, before) = (entity.text.utf8, other.entity.text.utf8)
    return before.elementsEqual(entity)
      ? other.key.utf8.lexicographicallyPrecedes(key.utf8)
      : before.lexicographicallyPrecedes(entity)
  }
}
