import CheckedDatabases
import GRDB
package import Records

/// A record that a verification found missing at the destination, different there, or not deleted.
package struct DifferingRecord: Hashable, Sendable {
  package let record: RecordID
  package let reason: String

  package init(_ record: RecordID, reason: String) {
    self.record = record
    self.reason = reason
  }
}

extension CheckpointFile {
  /// A mark behind what verifications of any entity found so far; see ``forgetDiffering(of:upTo:)``.
  package func lastDiffering() throws(CheckpointError) -> Int64 {
    try value("SELECT max(number) FROM differing", []) ?? 0
  }

  /// Remembers what a verification found.
  ///
  /// A write-back says it until another upload is carried out, which looks at the destination itself, or
  /// until a rollback of the record.
  package func addDiffering(_ records: [DifferingRecord]) throws(CheckpointError) {
    guard !records.isEmpty else { return }
    try write { database in
      // Bound with its length: GRDB would end a key at its first zero character.
      let statement = try DirectStatement(
        """
        INSERT OR REPLACE INTO differing (entity, key, run, reason)
        VALUES (?, ?, \(DifferingRecord.lastRun), ?)
        """,
        in: database
      )
      for differing in records {
        statement.bind(differing.record, at: 1)
        statement.bind(differing.reason, at: 3)
        try statement.run()
      }
    }
  }

  /// Forgets what earlier verifications of an entity found, once a later one has gone through all of it.
  ///
  /// Not before: a verification that is killed would leave a record that one found missing as synced.
  package func forgetDiffering(
    of entity: EntityName,
    upTo mark: Int64
  ) throws(CheckpointError) {
    try execute("DELETE FROM differing WHERE entity = ? AND number <= ?", [entity.text, mark])
  }
}

extension DifferingRecord {
  /// The last run that was carried out, or begun; 0 where a verification planned one for itself alone.
  static let lastRun = "(SELECT coalesce(max(number), 0) FROM run WHERE stage <> 'planning')"

  /// Why the verification found another state of the record in `table`; null where it found none, or where
  /// a run acted since.
  static func difference(of table: String) -> String {
    """
    (SELECT reason FROM differing WHERE differing.entity = \(table).entity
      AND differing.key = \(table).key AND differing.run >= (
        SELECT max(number) FROM run WHERE kind = 'upload' AND stage <> 'planning')
      AND NOT EXISTS (SELECT 1 FROM operation INDEXED BY operation_by_record
        WHERE operation.entity = differing.entity AND operation.key = differing.key
          AND +operation.run > differing.run AND state = 'confirmed'))
    """
  }

  /// Gives what was found after a run that is dropped, which sent nothing, to the run before it.
  static func keep(afterRun number: Int64, in database: Database) throws {
    try database.execute(
      sql: "UPDATE differing SET run = \(lastRun) WHERE run = ?",
      arguments: [number]
    )
  }
}
