import struct Foundation.Data
import GRDB
package import Records

/// What the app has to know of one record after a run.
package struct WriteBackEntry: Hashable, Sendable {
  package let record: RecordID
  /// `synced`, `withdrawn`, `deleted`, `rejected` or `conflicted`.
  package let status: String
  package let serverID: String?
  package let version: String?
  /// In whole seconds since 1970.
  package let syncedAt: Int64?
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

  /// Why a record differs at the destination that a conflict left as it existed, in this run or before.
  private static let kept = """
    (SELECT CASE WHEN code IN ('plan.conflict-kept-remote', 'plan.decided') THEN cause END FROM finding
      WHERE finding.entity = record.entity AND finding.key = record.key
        AND \(CheckpointFile.isOfConflict) AND EXISTS (
          SELECT 1 FROM image WHERE image.entity = record.entity AND image.key = record.key
            AND image.content = record.content AND image.request_digest = record.request_digest AND sent IS NOT NULL)
      ORDER BY run DESC LIMIT 1)
    """

  /// The records of a page, each with its last change, and with the conflict that kept this run from one.
  private static let known = """
    SELECT record.*, coalesce(conflict.cause, \(kept)) AS cause,
      (SELECT max(number) FROM operation WHERE operation.entity = record.entity
        AND operation.key = record.key AND action IN ('update', 'complete', 'delete')) AS change
    FROM record LEFT JOIN (
      SELECT entity, key, min(cause) AS cause FROM finding
      WHERE run = :run AND code = 'plan.conflict' GROUP BY entity, key
    ) AS conflict USING (entity, key)
    WHERE (entity, key) > (:entity, :key) AND \(isRecord)
    ORDER BY entity, key LIMIT :limit
    """

  /// A record whose last change did not get there is at the destination, and not synced.
  private static let page = """
    SELECT * FROM (
      SELECT known.entity, known.key, known.server_id, known.version, synced_at,
        CASE WHEN known.server_id IS NULL THEN NULL
          WHEN cause IS NOT NULL THEN cause
          WHEN state NOT IN ('confirmed', 'adopted')
            THEN coalesce(reason, 'its last change was not carried out yet') END AS reason,
        CASE WHEN known.server_id IS NULL THEN CASE
            WHEN (SELECT action FROM operation WHERE operation.entity = known.entity
              AND operation.key = known.key AND state = 'confirmed'
              ORDER BY number DESC LIMIT 1) = 'delete' THEN 'deleted'
            ELSE 'withdrawn' END
          WHEN cause IS NOT NULL OR state = 'conflicted' THEN 'conflicted'
          WHEN state NOT IN ('confirmed', 'adopted') THEN 'rejected'
          ELSE 'synced' END AS status
      FROM (\(known)) AS known LEFT JOIN operation ON number = change
      ORDER BY known.entity, known.key
    )
    UNION ALL
    SELECT * FROM (
      SELECT entity, key, NULL, NULL, NULL, reason, state
      FROM operation INDEXED BY operation_by_record
      WHERE (entity, key) > (:entity, :key) AND (entity, key) <= (:lastEntity, :lastKey)
        AND +run = :run AND action = 'create' AND state IN ('rejected', 'conflicted')
        AND \(isRecord)
      ORDER BY entity, key LIMIT :limit
    )
    ORDER BY entity, key LIMIT :limit
    """
}

extension WriteBackEntry {
  fileprivate init(row: DatabaseRow) throws {
    guard let entity = EntityName(try row["entity"] as String) else {
      throw UnreadableColumn(name: "entity")
    }
    try self.init(
      record: RecordID(entity: entity, key: row["key"]),
      status: row["status"],
      serverID: row["server_id"],
      version: row["version"],
      syncedAt: row["synced_at"],
      reason: row["reason"]
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
