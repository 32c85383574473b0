import GRDB
package import Records

/// How a conflict about a record ended, and in which run.
package struct ConflictOutcome: Hashable, Sendable {
  /// The code of the finding that reports it.
  package let code: String
  /// Whether the last upload of this checkpoint settled it.
  package let isOfLastUpload: Bool

  /// Whether the destination's content stayed by policy, so that the two sides differ.
  package var keptRemote: Bool { code == "plan.conflict-kept-remote" }
  /// Whether a person decided that.
  package var isDecided: Bool { code == "plan.decided" }
}

extension CheckpointFile {
  /// The findings that report how a conflict ended.
  static let isOfConflict = "code IN ('plan.conflict-kept-remote','plan.merged','plan.decided')"

  /// How the last conflict about a record ended; `nil` where there was none.
  package func conflictOutcome(of record: RecordID) throws(CheckpointError) -> ConflictOutcome? {
    try read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT code, run = (SELECT max(number) FROM run WHERE kind = 'upload'
            AND stage IN ('executing', 'finished')) AS is_last
          FROM finding WHERE entity = ? AND key = ? AND \(Self.isOfConflict) ORDER BY run DESC LIMIT 1
          """
      )
      return try DatabaseRow.fetchOne(
        statement,
        arguments: [record.entity.text, record.key]
      ).map { try ConflictOutcome(code: $0["code"], isOfLastUpload: $0["is_last"] ?? false) }
    }
  }

  /// How many records of an entity differ at the destination because an earlier conflict kept its
  /// content, and this run does nothing about them.
  package func keptRemoteCount(
    of entity: EntityName,
    before run: RunRecord
  ) throws(CheckpointError) -> Int {
    try catchUp()
    return try value(
      """
      SELECT count(*) FROM (
        SELECT key, code, max(run) AS last FROM finding
        WHERE entity = ?1 AND \(Self.isOfConflict) GROUP BY key
      ) AS outcome
      WHERE code IN ('plan.conflict-kept-remote','plan.decided') AND last < ?2 AND EXISTS (
        SELECT 1 FROM record JOIN image USING (entity, key, content)
        WHERE record.entity = ?1 AND record.key = outcome.key AND record.server_id IS NOT NULL
          AND image.sent IS NOT NULL AND image.request_digest = record.request_digest)
        AND NOT EXISTS (SELECT 1 FROM operation WHERE operation.entity = ?1
          AND operation.key = outcome.key AND operation.run = ?2)
      """,
      [entity.text, run.number]
    ) ?? 0
  }

  // MARK: - Content that no run sent

  /// Notes that a run takes the destination's content of a record for agreed that another writer sent.
  ///
  /// The version that is known from then on is that writer's: no rollback of what was done before may take it
  /// for what a run left there. Without versions, it is content that no run sent.
  static func noteTakenOver(
    _ adoption: PlanStep.Adoption,
    _ run: RunRecord,
    in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT OR IGNORE INTO taken_over (entity, key, run) SELECT entity, key, ?1 FROM record
        WHERE entity = ?2 AND key = ?3 AND server_id = ?4 AND (version IS NOT ?5
          OR version IS NULL AND request_digest <> ?6 AND content <> ?7)
        """
    ).execute(arguments: [
      run.number, adoption.record.entity.text, adoption.record.key, adoption.serverID,
      adoption.version, adoption.requestDigest.data, adoption.content.data,
    ])
  }

  /// Whether a run saw another writer's content of a record since the deletion of the record `parent` was first
  /// tried, and sent the record no change of the store's after that.
  ///
  /// The user deleted `parent` without that content: a revision that the store has by now says nothing of it.
  /// What the store had already in the run that first tried counts only where it was in conflict there. An
  /// attempt before a run that agreed on `parent` belongs to a deletion that the app took back.
  package func hasOthersContent(
    _ record: RecordID,
    sinceDeletionOf parent: RecordID
  ) throws(CheckpointError) -> Bool {
    try read { database in
      try Bool.fetchOne(
        database.cachedStatement(sql: Self.hasOthersContent),
        arguments: [record.entity.text, record.key, parent.entity.text, parent.key]
      ) ?? false
    }
  }

  private static let hasOthersContent = """
    SELECT EXISTS (
      SELECT 1 FROM (
        SELECT run, 0 AS is_conflict FROM taken_over WHERE entity = ?1 AND key = ?2
        UNION ALL
        SELECT run, 1 FROM finding WHERE entity = ?1 AND key = ?2 AND \(isOfConflict))
      WHERE run + is_conflict > (
        SELECT min(run) FROM operation AS attempt INDEXED BY operation_by_record
        WHERE entity = ?3 AND key = ?4 AND action = 'delete' AND number > coalesce((
          SELECT max(number) FROM operation INDEXED BY operation_by_record
          WHERE entity = ?3 AND key = ?4 AND state IN ('confirmed', 'adopted')), 0)
          AND NOT \(isSettledSince("attempt")))
      AND run >= coalesce((
        SELECT max(run) FROM operation INDEXED BY operation_by_record
        WHERE entity = ?1 AND key = ?2 AND state IN ('confirmed', 'adopted')), 0))
    """

  // MARK: - What the store had before

  /// Notes that a run takes other content of the store for agreed than was, without sending it: the store took
  /// it over, or the destination's stays against its word.
  ///
  /// It may be the store's own where a request was to bring it, since the last agreement, that was refused, met
  /// a conflict or has no answer. And an older copy that gives way supersedes nothing.
  static func noteSuperseded(
    _ adoption: PlanStep.Adoption,
    _ run: RunRecord,
    in database: Database
  ) throws {
    if adoption.isConcession,
      try isSuperseded(adoption.record, adoption.requestDigest, in: database)
    {
      return
    }
    try database.cachedStatement(
      sql: """
        INSERT INTO superseded (entity, key, run, earlier, agreed)
        SELECT entity, key, ?1, request_digest, ?5 FROM record
        WHERE entity = ?2 AND key = ?3 AND server_id = ?4 AND request_digest <> ?5 AND content <> ?6
          AND NOT EXISTS (SELECT 1 FROM operation AS own INDEXED BY operation_by_record
            WHERE own.entity = ?2 AND own.key = ?3 AND own.request_digest = ?5
              AND own.state IN ('rejected', 'conflicted', 'unknown')
              AND own.run > coalesce((SELECT max(run) FROM superseded WHERE entity = ?2 AND key = ?3), 0)
              AND own.number > coalesce((
                SELECT max(number) FROM operation AS agreed INDEXED BY operation_by_record
                WHERE agreed.entity = ?2 AND agreed.key = ?3
                  AND agreed.state IN ('confirmed', 'adopted')), 0))
        """
    ).execute(arguments: [
      run.number, adoption.record.entity.text, adoption.record.key, adoption.serverID,
      adoption.requestDigest.data, adoption.content.data,
    ])
  }

  /// Whether fields of a record, by their digest, were last agreed on before a run took others for agreed
  /// without sending them.
  ///
  /// A store that has them again may be an older copy.
  package func isSuperseded(
    _ record: RecordID,
    _ requestDigest: Digest
  ) throws(CheckpointError) -> Bool {
    try read { try Self.isSuperseded(record, requestDigest, in: $0) }
  }

  private static func isSuperseded(
    _ record: RecordID,
    _ requestDigest: Digest,
    in database: Database
  ) throws -> Bool {
    let row = try DatabaseRow.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT EXISTS (SELECT 1 FROM superseded WHERE entity = ?1 AND key = ?2
              AND (length(earlier) <> 32 OR length(agreed) <> 32)) AS is_torn,
            max(run) < (SELECT max(run) FROM superseded WHERE entity = ?1 AND key = ?2) AS is_superseded
          FROM (
            SELECT run FROM superseded WHERE entity = ?1 AND key = ?2 AND agreed = ?3
            UNION ALL
            SELECT run - 1 FROM superseded WHERE entity = ?1 AND key = ?2 AND earlier = ?3
            UNION ALL
            SELECT run FROM operation AS sent INDEXED BY operation_by_record
            WHERE entity = ?1 AND key = ?2 AND request_digest = ?3
              AND state IN ('confirmed', 'adopted') AND undoes IS NULL AND NOT EXISTS (
                SELECT 1 FROM operation AS undo INDEXED BY operation_by_record
                WHERE undo.entity = ?1 AND undo.key = ?2 AND undo.undoes = sent.number
                  AND undo.state IN ('confirmed', 'adopted') AND undo.action <> 'discard'))
          """
      ),
      arguments: [record.entity.text, record.key, requestDigest.data]
    )
    guard let row, try row["is_torn"] == false else {
      throw DamagedPart(reason: "an earlier digest of its record \(record) is not whole")
    }
    return try row["is_superseded"] ?? false
  }

  // MARK: - Runs that no report mentions

  private static let unreported = "unreported-run"
  /// A migration that sent everything, and has not read it back.
  static let unread = "unread-run"

  /// Notes that a run which kept the destination's content in a conflict ended, and that no command
  /// has reported that yet; of a migration as well that what it sent is still to be read back.
  ///
  /// The next plan finds a conflict that is still open again, and takes what a person decided meanwhile.
  static func noteUnreported(_ run: RunRecord, in database: Database) throws {
    guard run.kind == .upload else { return }
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO meta (name, value) SELECT ?1, ?2
        WHERE EXISTS (SELECT 1 FROM finding WHERE run = ?3 AND code = 'plan.conflict-kept-remote')
        """,
      arguments: [unreported, "\(run.number)", run.number]
    )
    try database.execute(
      sql: """
        INSERT OR REPLACE INTO meta (name, value) SELECT ?1, ?2
        WHERE EXISTS (SELECT 1 FROM flag WHERE run = ?3 AND name = ?4)
        """,
      arguments: [unread, "\(run.number)", run.number, RunFlag.store]
    )
  }

  /// The last run, where its end was not reported before the command that made it was.
  package func unreportedRun() throws(CheckpointError) -> RunRecord? {
    try lastRun(named: Self.unreported)
  }

  /// Notes that the end of a run was reported.
  package func setReported(_ run: RunRecord) throws(CheckpointError) {
    try execute(
      "DELETE FROM meta WHERE name IN (?, ?) AND value = ?",
      [Self.unreported, Self.unread, "\(run.number)"]
    )
  }
}

extension CheckpointView {
  /// The last run, where it is a migration that sent everything and ended before that was read back.
  package func unreadRun() throws(CheckpointError) -> RunRecord? {
    try lastRun(named: CheckpointFile.unread)
  }
}

extension CheckpointReading {
  /// The last run, where it is the one that a fact of the file names.
  fileprivate func lastRun(named fact: String) throws(CheckpointError) -> RunRecord? {
    let number = try read { database in try CheckpointFile.fact(fact, in: database) }
    guard let last = try runs().last, "\(last.number)" == number else { return nil }
    return last
  }
}
