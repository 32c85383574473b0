import CheckedDatabases
import GRDB
package import Records

/// A record of the package that a plan left out, or all those of an entity.
package struct LeftRecord: Hashable, Sendable {
  package let entity: EntityName
  /// `nil` for every record of the entity, none of which was looked at.
  package let key: String?
  package let reason: String
  package let count: Int

  /// One record.
  package init(_ record: RecordID, reason: String) {
    (entity, key, count) = (record.entity, record.key, 1)
    self.reason = reason
  }

  /// All records of an entity.
  package init(every entity: EntityName, reason: String, count: Int) {
    (self.entity, key) = (entity, nil)
    self.reason = reason
    self.count = count
  }
}

extension CheckpointFile {
  /// Keeps what a plan left out; of the runs before, only the last one keeps its own.
  static func insert(_ records: [LeftRecord], run: RunRecord, in database: Database) throws {
    guard !records.isEmpty else { return }
    try database.execute(
      sql: """
        DELETE FROM left_out
        WHERE run < (SELECT max(run) FROM left_out WHERE run < ?)
        """,
      arguments: [run.number]
    )
    // Bound with its length: GRDB would end a key at its first zero character.
    let statement = try DirectStatement(
      "INSERT OR REPLACE INTO left_out (run, entity, key, reason, count) VALUES (?, ?, ?, ?, ?)",
      in: database
    )
    statement.bind(run.number, at: 1)
    for record in records {
      statement.bind(record.entity.text, at: 2)
      statement.bind(record.key ?? "", at: 3)
      statement.bind(record.reason, at: 4)
      statement.bind(Int64(record.count), at: 5)
      try statement.run()
    }
  }
}

extension CheckpointView {
  /// The records of the package of `run` that have no entry in its write-back: those of entities of which it
  /// took no record, and those without a key.
  package func recordsWithoutEntry(of run: RunRecord) throws(CheckpointError) -> [LeftRecord] {
    try rows(
      """
      SELECT entity, reason, count FROM left_out WHERE run = :run AND key = ''
      UNION ALL
      SELECT entity, cause, count(*) FROM finding
      WHERE run = :run AND severity = 'error' AND key IS NULL AND entity IS NOT NULL
        AND code LIKE 'record.%'
      GROUP BY entity, cause
      ORDER BY entity, reason
      """,
      ["run": run.number]
    ) { row in
      try EntityName(row["entity"] as String).map {
        try LeftRecord(every: $0, reason: row["reason"], count: row["count"])
      }
    }
  }
}
