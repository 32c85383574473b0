import CheckedDatabases
import GRDB
package import Records

/// A record that a verification found missing at the destination, or different there.
package struct DifferingRecord: Hashable, Sendable {
  package let record: RecordID
  package let reason: String

  package init(_ record: RecordID, reason: String) {
    self.record = record
    self.reason = reason
  }
}

extension CheckpointFile {
  /// Remembers what a verification of these entities found, in the place of what an earlier one did.
  ///
  /// A write-back says it until another upload begins, which looks at the destination itself.
  package func setDiffering(
    _ records: [DifferingRecord],
    of entities: [EntityName]
  ) throws(CheckpointError) {
    try write { database in
      for entity in entities {
        try database.execute(
          sql: "DELETE FROM differing WHERE entity = ?",
          arguments: [entity.text]
        )
      }
      // Bound with its length: GRDB would end a key at its first zero character.
      let statement = try DirectStatement(
        """
        INSERT OR REPLACE INTO differing (entity, key, run, reason)
        VALUES (?, ?, coalesce(\(DifferingRecord.lastUpload), 0), ?)
        """,
        in: database
      )
      for differing in records {
        statement.bind(differing.record.entity.text, at: 1)
        statement.bind(differing.record.key, at: 2)
        statement.bind(differing.reason, at: 3)
        try statement.run()
      }
    }
  }
}

extension DifferingRecord {
  static let lastUpload = "(SELECT max(number) FROM run WHERE kind = 'upload')"
}
