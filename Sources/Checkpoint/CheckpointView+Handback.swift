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
  /// key, a page at a time.
  package func handback(
    of run: RunRecord,
    after last: HandbackEntry?,
    limit: Int = 1_000
  ) throws(CheckpointError) -> [HandbackEntry] {
    try read { database in
      try DatabaseRow.fetchAll(
        database,
        sql: """
          SELECT * FROM (
            SELECT entity, key, server_id, version, synced_at, NULL AS reason,
              CASE WHEN server_id IS NOT NULL THEN 'synced'
                WHEN (SELECT action FROM operation WHERE operation.entity = record.entity
                  AND operation.key = record.key AND state = 'confirmed'
                  ORDER BY number DESC LIMIT 1) = 'delete' THEN 'deleted'
                ELSE 'withdrawn' END AS status
            FROM record
            UNION ALL
            SELECT entity, key, NULL, NULL, NULL, reason, state FROM operation
            WHERE run = :run AND action = 'create' AND state IN ('rejected', 'conflicted')
          )
          WHERE (entity, key) > (:entity, :key) AND entity NOT LIKE 'media:%'
          ORDER BY entity, key LIMIT :limit
          """,
        arguments: [
          "run": run.number, "entity": last?.record.entity.text ?? "",
          "key": last?.record.key ?? "", "limit": limit,
        ]
      ).compactMap(HandbackEntry.init(row:))
    }
  }
}

extension HandbackEntry {
  fileprivate init?(row: DatabaseRow) {
    guard let entity = EntityName(row["entity"] as String) else { return nil }
    self.init(
      record: RecordID(entity: entity, key: row["key"]),
      status: row["status"],
      serverID: row["server_id"],
      version: row["version"],
      syncedAt: row["synced_at"],
      reason: row["reason"]
    )
  }
}
