import struct Foundation.Data
import GRDB
package import Records

/// What the app has to know of one record after a run.
package struct HandbackEntry: Hashable, Sendable {
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
  /// The records as they stand now, with what `run` could not send, in the order of entity and
  /// key, a page at a time: up to `limit`, which is at least 2.
  package func handback(
    of run: RunRecord,
    after last: HandbackEntry?,
    limit: Int = 1_000
  ) throws(CheckpointError) -> [HandbackEntry] {
    try readRecords { database in
      var (entity, key) = (last?.record.entity.text ?? "", last?.record.key ?? "")
      while true {
        let (page, end) = try page(of: run, after: (entity, key), limit: limit, in: database)
        // A key that is no text is not the one that was read, and would be come by again and again.
        if let last, let first = page.first, !first.record.follows(last.record) {
          throw CheckpointError.damaged(path: path, reason: "its records are not in their order")
        }
        guard page.isEmpty, let end else { return page }
        // Of all these there is nothing to be said yet.
        (entity, key) = end
      }
    }
  }

  /// The entries of a page, and its last record, where there are more.
  private func page(
    of run: RunRecord,
    after place: (entity: String, key: String),
    limit: Int,
    in database: Database
  ) throws -> (entries: [HandbackEntry], end: (entity: String, key: String)?) {
    var places: [String: (any DatabaseValueConvertible)?] = [
      "entity": place.entity, "key": place.key, "limit": limit + 1,
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
    ).map(HandbackEntry.init(row:))
    // The next page begins behind a record, so one that comes twice is not cut in two.
    if page.count > limit, let next = page.popLast() {
      while page.last?.record == next.record { page.removeLast() }
    }
    return (page, try end.map { (try $0["entity"], try $0["key"]) })
  }

  private static let isRecord = "entity NOT LIKE 'media:%'"

  /// What became of the last change to a record that is at the destination; one that did not get there leaves
  /// the app's own change to be sent.
  private static let lastChange = """
    SELECT state FROM operation WHERE record.server_id IS NOT NULL
      AND operation.entity = record.entity AND operation.key = record.key
      AND action IN ('update', 'complete', 'delete') ORDER BY number DESC LIMIT 1
    """

  private static let page = """
    SELECT * FROM (
      SELECT entity, key, server_id, version, synced_at, NULL AS reason,
        CASE WHEN server_id IS NOT NULL THEN 'synced'
          WHEN (SELECT action FROM operation WHERE operation.entity = record.entity
            AND operation.key = record.key AND state = 'confirmed'
            ORDER BY number DESC LIMIT 1) = 'delete' THEN 'deleted'
          ELSE 'withdrawn' END AS status
      FROM record WHERE (entity, key) > (:entity, :key)
        AND (entity, key) <= (:lastEntity, :lastKey) AND \(isRecord)
        AND coalesce((\(lastChange)), 'confirmed') IN ('confirmed', 'adopted')
        AND (entity, key) NOT IN (
          SELECT entity, key FROM finding
          WHERE run = :run AND code = 'plan.conflict' AND entity IS NOT NULL AND key IS NOT NULL)
      ORDER BY entity, key LIMIT :limit
    )
    UNION ALL
    SELECT * FROM (
      SELECT entity, key, NULL, NULL, NULL, reason, state
      FROM operation INDEXED BY operation_by_record
      WHERE (entity, key) > (:entity, :key) AND (entity, key) <= (:lastEntity, :lastKey)
        AND +run = :run AND state IN ('rejected', 'conflicted') AND \(isRecord)
        AND (action = 'create' OR (action IN ('update', 'complete', 'delete')
          AND number = (SELECT max(number) FROM operation AS later
            WHERE later.entity = operation.entity AND later.key = operation.key
              AND later.action IN ('update', 'complete', 'delete'))))
      ORDER BY entity, key LIMIT :limit
    )
    ORDER BY entity, key LIMIT :limit
    """
}

extension HandbackEntry {
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
  /// Whether it stands behind another, as SQLite orders texts.
  fileprivate func follows(_ other: RecordID) -> Bool {
    let (entity, before) = (entity.text.utf8, other.entity.text.utf8)
    return before.elementsEqual(entity)
      ? other.key.utf8.lexicographicallyPrecedes(key.utf8)
      : before.lexicographicallyPrecedes(entity)
  }
}
