import struct Foundation.Data
import GRDB
package import Records
package import UploadPlanning

/// Which fields an update of a plan changes.
package struct RecordChange: Hashable, Sendable {
  package let record: RecordID
  /// The names of the fields at the destination.
  package let members: [String]
  /// What the fields held at the destination when it was planned, as a JSON object, kept as the package is;
  /// `nil` where no one asked for that.
  package let before: [UInt8]?

  package init(record: RecordID, members: [String], before: [UInt8]? = nil) {
    self.record = record
    self.members = members
    self.before = before
  }
}

/// Operations of one kind that are still to be done, counted and weighed.
package struct OperationWeight: Hashable, Sendable {
  package let phase: Int
  package let entity: EntityName
  package let action: Operation.Action
  package let count: Int
  /// The bytes of their records in the package.
  package let bytes: Int64
}

extension CheckpointFile {
  /// Writes down which fields updates change.
  package func add(_ changes: [RecordChange], of run: RunRecord) throws(CheckpointError) {
    guard !changes.isEmpty else { return }
    try write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT OR REPLACE INTO change (run, entity, key, members, before)
          VALUES (?, ?, ?, ?, ?)
          """
      )
      for change in changes {
        try statement.execute(arguments: [
          run.number, change.record.entity.text, change.record.key,
          change.members.joined(separator: "\n"), change.before.map { $0.databaseBlob },
        ])
      }
    }
  }

  /// Hands out which fields the updates of a run change, record by record.
  package func forEachChange(
    of run: RunRecord,
    _ body: (RecordChange) -> Void
  ) throws(CheckpointError) {
    try read { database in
      let rows = try DatabaseRow.fetchCursor(
        database,
        sql: "SELECT entity, key, members, before FROM change WHERE run = ? ORDER BY entity, key",
        arguments: [run.number]
      )
      while let row = try rows.next() {
        guard let entity = EntityName(try row["entity"] as String) else { continue }
        let members = (try row["members"] as String).split(separator: "\n").map(String.init)
        let record = RecordID(entity: entity, key: try row["key"])
        let before = (try row["before"] as Data?).map { [UInt8]($0) }
        body(RecordChange(record: record, members: members, before: before))
      }
    }
  }

  /// What is left to be done of a run, by phase, entity and action.
  package func weights(of run: RunRecord) throws(CheckpointError) -> [OperationWeight] {
    try rows(
      """
      SELECT phase, entity, action, count(*) AS count, coalesce(sum(length), 0) AS bytes
      FROM operation WHERE run = ? AND state IN ('planned', 'begun', 'unknown')
      GROUP BY phase, entity, action ORDER BY phase, entity, action
      """,
      [run.number]
    ) { row in
      guard let entity = EntityName(try row["entity"] as String),
        let action = Operation.Action(rawValue: try row["action"])
      else { return nil }
      return try OperationWeight(
        phase: row["phase"],
        entity: entity,
        action: action,
        count: row["count"],
        bytes: row["bytes"]
      )
    }
  }
}
