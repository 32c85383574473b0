import struct Foundation.Data
import GRDB
package import Records
package import UploadPlanning

/// An operation of a run, with all that a checkpoint holds of its record's fields.
///
/// The fields are JSON objects with stand-ins for long texts, kept as the package is: in the open, or encrypted
/// to its recipients.
package struct RecordedOperation: Hashable, Sendable {
  /// The place in the checkpoint, counted from one.
  package let number: Int64
  package let record: RecordID
  package let action: Operation.Action
  package let state: Operation.State
  /// Why it was refused, or left in conflict.
  package let reason: String?
  /// The names of the fields that an update changes; `nil` where no plan looked.
  package let changed: [String]?
  /// What these fields held at the destination when the update was planned.
  package let planned: [UInt8]?
  /// The record at the destination right before the request, as the destination gave it.
  package let before: [UInt8]?
  /// What the record says, with references as the package has them.
  package let said: [UInt8]?
  /// The fields in which the destination is given something else.
  package let sent: [UInt8]?

  init?(row: DatabaseRow) throws {
    guard let entity = EntityName(try row["entity"] as String),
      let action = Operation.Action(rawValue: try row["action"]),
      let state = Operation.State(rawValue: try row["state"])
    else { return nil }
    func bytes(_ name: String) throws -> [UInt8]? {
      (try row[name] as Data?).map { KeptValue(column: [UInt8]($0)).value }
    }
    number = try row["number"]
    record = RecordID(entity: entity, key: try row["key"])
    (self.action, self.state) = (action, state)
    reason = try row["reason"]
    changed = (try row["members"] as String?)?.split(separator: "\n").map(String.init)
    planned = try bytes("planned")
    before = try bytes("before")
    said = try bytes("base")
    sent = try bytes("sent")
  }
}

/// Which operations of a run are given.
package struct OperationFilter: Hashable, Sendable {
  /// Only those of this entity.
  package let entity: EntityName?
  /// Only those of this record of it.
  package let key: String?

  package static let all = OperationFilter()

  package init(entity: EntityName? = nil, key: String? = nil) {
    self.entity = entity
    self.key = key
  }
}

extension CheckpointReading {
  /// The operations of a run in their order, a page at a time.
  ///
  /// What completes a record that the same run makes belongs to that operation, and is left out.
  package func recorded(
    of run: RunRecord,
    _ filter: OperationFilter = .all,
    after number: Int64,
    limit: Int
  ) throws(CheckpointError) -> [RecordedOperation] {
    try rows(
      """
        SELECT operation.number, operation.entity, operation.key, action, state, reason,
          operation.before, change.members, change.before AS planned, image.base, image.sent
        FROM operation NOT INDEXED
        LEFT JOIN change ON action = 'update' AND change.run = operation.run
          AND change.entity = operation.entity AND change.key = operation.key
        LEFT JOIN image ON image.entity = operation.entity AND image.key = operation.key
          AND image.content = operation.content
        WHERE operation.run = ?1 AND operation.number > ?2
          AND (?3 IS NULL OR operation.entity = ?3) AND (?4 IS NULL OR operation.key = ?4)
          AND NOT (action = 'complete' AND EXISTS (
            SELECT 1 FROM operation AS made INDEXED BY operation_by_record
            WHERE made.entity = operation.entity AND made.key = operation.key
              AND made.run = operation.run AND made.action = 'create'))
        ORDER BY operation.number LIMIT ?5
      """,
      [run.number, number, filter.entity?.text, filter.key, limit],
      RecordedOperation.init(row:)
    )
  }
}

extension CheckpointView {
  /// Where a record is at the destination; `nil` where that is not known.
  package func serverID(of record: RecordID) throws(CheckpointError) -> String? {
    try readRecords { database in
      try String.fetchOne(
        database.cachedStatement(sql: "SELECT server_id FROM record WHERE entity = ? AND key = ?"),
        arguments: [record.entity.text, record.key]
      )
    }
  }
}
