import GRDB
package import Records

/// What the app has to know of one record after a run.
package struct HandbackEntry: Hashable, Sendable {
  package let record: RecordID
  /// `synced`, `withdrawn`, `rejected` or `conflicted`.
  package let status: String
  package let serverID: String?
  package let version: String?
  /// In whole seconds since 1970.
  package let syncedAt: Int64?
  package let reason: String?
}

extension CheckpointFile {
  /// The records of a checkpoint as they stand now, with what `run` could not send, in the order of
  /// entity and key, a page at a time. The checkpoint is read without being taken.
  package static func handback(
    of run: RunRecord, inFileAt path: String, after last: HandbackEntry?, limit: Int = 1_000
  ) throws(CheckpointError) -> [HandbackEntry] {
    do {
      return try reading(path) { database in
        try DatabaseRow.fetchAll(
          database,
          sql: """
            SELECT * FROM (
              SELECT entity, key, server_id, version, synced_at, NULL AS reason,
                CASE WHEN server_id IS NULL THEN 'withdrawn' ELSE 'synced' END AS status
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
    } catch {
      throw translate(error, path: path)
    }
  }

  /// The runs of the checkpoint at `path`, oldest first, read without taking it.
  package static func runs(inFileAt path: String) throws(CheckpointError) -> [RunRecord] {
    do {
      return try reading(path) { database in
        try DatabaseRow.fetchAll(database, sql: "SELECT * FROM run ORDER BY number")
          .map(RunRecord.init(row:))
      }
    } catch {
      throw translate(error, path: path)
    }
  }
}

extension HandbackEntry {
  fileprivate init?(row: DatabaseRow) {
    guard let entity = EntityName(row["entity"] as String) else { return nil }
    self.init(
      record: RecordID(entity: entity, key: row["key"]), status: row["status"],
      serverID: row["server_id"], version: row["version"], syncedAt: row["synced_at"],
      reason: row["reason"])
  }
}
