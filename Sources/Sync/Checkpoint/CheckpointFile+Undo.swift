import CheckedDatabases
import struct Foundation.Data
import GRDB
package import Records
package import UploadPlanning

/// An undo, or a deletion, that the destination confirmed, and that reading shows not to have been carried out.
package struct RefutedUndo: Hashable, Sendable {
  package let operation: Int64
  package let code: String
  package let reason: String
  /// The version of what is there, where there is one.
  package let version: String?

  package init(operation: Int64, code: String, reason: String, version: String?) {
    self.operation = operation
    self.code = code
    self.reason = reason
    self.version = version
  }
}

/// What a run left of a record.
package struct RunOutcome: Hashable, Sendable {
  /// What the run, or a rollback of it, did to the record last.
  package let lastAction: Operation.Action
  /// Whether the known revision is that of content which runs of this store sent.
  ///
  /// It is not where a later run took other content for agreed, found the record as it was to be, or put back
  /// what it had overwritten: that may all be the content of another client.
  package let isOwn: Bool

  package init(lastAction: Operation.Action, isOwn: Bool) {
    self.lastAction = lastAction
    self.isOwn = isOwn
  }
}

extension CheckpointFile {
  /// What the run of operation `number` left of its record.
  package func outcome(
    of record: RecordID,
    inRunOf number: Int64
  ) throws(CheckpointError) -> RunOutcome {
    try read { database in
      let statement = try database.cachedStatement(
        sql: """
          WITH undone AS (
            SELECT number, id FROM run
            WHERE number = (SELECT run FROM operation WHERE operation.number = ?3)),
          own AS (SELECT number FROM run WHERE number IN (SELECT number FROM undone)
            OR undoes IN (SELECT id FROM undone)),
          done AS (SELECT number, run, action, state, before
            FROM operation INDEXED BY operation_by_record
            WHERE entity = ?1 AND key = ?2 AND state IN ('confirmed', 'adopted')
              AND action <> 'discard')
          SELECT
            (SELECT action FROM done WHERE run IN (SELECT number FROM own)
              ORDER BY number DESC LIMIT 1) AS action,
            NOT EXISTS (SELECT 1 FROM taken_over WHERE entity = ?1 AND key = ?2
              AND run > (SELECT number FROM undone))
            AND NOT EXISTS (SELECT 1 FROM done WHERE run > (SELECT number FROM undone)
              AND run NOT IN (SELECT number FROM own) AND (state = 'adopted' OR action = 'restore'
                OR action IN ('update', 'complete') AND before IS NULL)) AS is_own
          """
      )
      let row = try DatabaseRow.fetchOne(
        statement,
        arguments: [record.entity.text, record.key, number]
      )
      let action: String? = try row?["action"]
      return RunOutcome(
        lastAction: action.flatMap { Operation.Action(rawValue: $0) } ?? .create,
        isOwn: try row?["is_own"] ?? false
      )
    }
  }

  /// The confirmed deletions of an entity's records by the last upload, in their order.
  ///
  /// Only the phases that delete are gone through, of which the first operation is a deletion.
  package func deletions(
    of entity: EntityName,
    after number: Int64,
    limit: Int
  ) throws(CheckpointError) -> [Operation] {
    try read { database in
      let statement = try DirectStatement(
        """
        WITH RECURSIVE
          last(run) AS (SELECT max(number) FROM run WHERE kind = 'upload' AND stage <> 'planning'),
          each(phase) AS (
            SELECT min(phase) FROM operation INDEXED BY operation_by_run WHERE run = (SELECT run FROM last)
            UNION ALL
            SELECT (SELECT min(phase) FROM operation INDEXED BY operation_by_run
              WHERE run = (SELECT run FROM last) AND phase > each.phase)
            FROM each WHERE each.phase IS NOT NULL)
        SELECT \(Operation.columns) FROM operation INDEXED BY operation_by_run
        WHERE run = (SELECT run FROM last) AND phase IN (
            SELECT phase FROM each WHERE 'delete' = (
              SELECT action FROM operation AS first INDEXED BY operation_by_run
              WHERE first.run = (SELECT run FROM last) AND first.phase = each.phase
              ORDER BY first.number LIMIT 1))
          AND entity = ? AND action = 'delete' AND state = 'confirmed' AND number > ?
        ORDER BY number LIMIT ?
        """,
        in: database
      )
      statement.bind(entity.text, at: 1)
      statement.bind(number, at: 2)
      statement.bind(Int64(limit), at: 3)
      var deletions: [Operation] = []
      while try statement.step() {
        deletions.append(try Operation(statement, after: deletions.last))
      }
      return deletions
    }
  }

  /// Counts confirmed undos, or deletions, as failed.
  ///
  /// What is known of their records is again what the operation before them left, or what a plan had found, at the
  /// place that they were sent to. The version that the undo left is kept where it is the one that is there: it
  /// is of this checkpoint's making as well.
  package func refute(_ undos: [RefutedUndo], now: Int64) throws(CheckpointError) {
    guard !undos.isEmpty else { return }
    try catchUp()
    try write { database in
      for undo in undos {
        try database.cachedStatement(
          sql: """
            UPDATE operation SET state = 'rejected', code = ?, reason = ?, settled_at = ?
            WHERE number = ? AND state = 'confirmed'
            """
        ).execute(arguments: [undo.code, undo.reason, now, undo.operation])
        guard database.changesCount == 1 else {
          throw DamagedPart(reason: "its operation \(undo.operation) is not confirmed")
        }
        try Self.reinstate(undo, in: database)
      }
    }
  }

  private static func reinstate(_ undo: RefutedUndo, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        UPDATE record SET server_id = undo.server_id, content = coalesce(earlier.content, record.content),
          request_digest = coalesce(earlier.request_digest, record.request_digest),
          version = CASE WHEN record.version = ?2 THEN record.version ELSE earlier.version END
        FROM operation AS undo LEFT JOIN operation AS earlier ON earlier.number = (
          SELECT max(number) FROM operation
          WHERE entity = undo.entity AND key = undo.key AND number < undo.number
            AND state IN ('confirmed', 'adopted') AND action <> 'discard')
        WHERE undo.number = ?1 AND undo.action <> 'discard'
          AND record.entity = undo.entity AND record.key = undo.key
        """
    ).execute(arguments: [undo.operation, undo.version])
  }

  /// Lends the places of all operations on an entity in the run of operation `number`.
  package func forEachPlace(
    of entity: EntityName,
    inRunOf number: Int64,
    _ body: (_ serverID: String?, _ version: String?) -> Void
  ) throws(CheckpointError) {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT server_id, version FROM operation
        WHERE run = (SELECT run FROM operation WHERE number = ?) AND entity = ?
        """,
        in: database
      )
      statement.bind(number, at: 1)
      statement.bind(entity.text, at: 2)
      while try statement.step() {
        body(try statement.textOrNull(0), try statement.textOrNull(1))
      }
    }
  }

  /// Whether a run carried out an operation on a record behind `number`.
  package func isConfirmed(
    after number: Int64,
    on record: RecordID,
    in run: RunRecord
  ) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation INDEXED BY operation_by_record
        WHERE entity = ? AND key = ? AND run = ? AND number > ? AND state = 'confirmed')
      """,
      [record.entity.text, record.key, run.number, number]
    )
  }

  /// Whether an undo of an operation was confirmed and in force.
  package func isUndone(_ operation: Operation) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation INDEXED BY operation_by_record
        WHERE entity = ? AND key = ? AND undoes = ? AND state = 'confirmed'
          AND action <> 'discard')
      """,
      [operation.record.entity.text, operation.record.key, operation.number]
    )
  }

  /// What rollbacks put back at the place of a record, where that was the last thing that was done
  /// to it; `nil` where it was anything else.
  ///
  /// Of several in a row it is the content there before the first of their runs, as long as each
  /// run found what the rollback before it had put back.
  package func restored(_ record: RecordID) throws(CheckpointError) -> RestoredContent? {
    try read { database in
      var restored: RestoredContent?
      var next = Int64.max
      while let row = try DatabaseRow.fetchOne(
        database,
        sql: Self.lastOfRecord,
        arguments: [record.entity.text, record.key, next]
      ) {
        let action: String = try row["action"]
        let left: String? = try row["version"]
        guard action == Operation.Action.restore.rawValue, let undone: Int64 = try row["undoes"]
        else {
          let revision = restored?.revision
          restored?.isOurs = revision != nil && revision == left
          break
        }
        if let restored, restored.revision == nil || restored.revision != left { break }
        restored = RestoredContent(revision: try row["precondition"])
        next = undone
      }
      return restored
    }
  }

  private static let lastOfRecord = """
    SELECT action, version, undoes,
      (SELECT precondition FROM operation AS undone WHERE undone.number = undo.undoes) AS precondition
    FROM operation AS undo INDEXED BY operation_by_record
    WHERE entity = ? AND key = ? AND number < ?
      AND state IN ('confirmed', 'adopted') AND action <> 'discard'
    ORDER BY number DESC LIMIT 1
    """

  /// Whether any operation of a run was refused, or was found not to have been carried out, or was left for
  /// a reason that is like one of these `patterns` of SQL.
  package func hasRejected(
    _ run: RunRecord,
    orLeftFor patterns: [String] = []
  ) throws(CheckpointError) -> Bool {
    try read { database in
      let likenesses = patterns.map { _ in " OR state = 'conflicted' AND reason LIKE ?" }
      return try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM operation WHERE run = ? AND (state = 'rejected'
            \(likenesses.joined())))
          """,
        arguments: StatementArguments([run.number]) + StatementArguments(patterns)
      ) ?? false
    }
  }
}

/// What a rollback put back at the destination.
package struct RestoredContent: Hashable, Sendable {
  /// The revision in which it existed before a run overwrote it; `nil` where it had none.
  package let revision: String?
  /// Whether that revision is the one that an operation of ours left, so that the content is what the destination
  /// made of what it was sent.
  package internal(set) var isOurs = false
}
