import CheckedDatabases
import GRDB
package import Records
package import UploadPlanning

// What runs did to a record, of which the destination may have a state from before.

extension CheckpointFile {
  /// The last changes that runs sent to a record since it was made, or since a rollback put it back, newest
  /// first, with the digest of the fields that each sent.
  package func lastChanges(
    of record: RecordID,
    limit: Int
  ) throws(CheckpointError) -> [(change: Operation, requestDigest: Digest)] {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT \(Operation.columns), request_digest FROM operation INDEXED BY operation_by_record
        WHERE entity = ? AND key = ? AND state IN ('confirmed', 'adopted') AND action <> 'discard'
        ORDER BY number DESC LIMIT ?
        """,
        in: database
      )
      statement.bind(record, at: 1)
      statement.bind(Int64(limit), at: 3)
      var changes: [(change: Operation, requestDigest: Digest)] = []
      while try statement.step() {
        let operation = try Operation(statement)
        guard operation.action == .update else { break }
        changes.append((operation, try operation.requestDigest(in: statement)))
      }
      return changes
    }
  }

  /// The last thing that a run did to a record, where that is a change with these fields which the destination
  /// refused, and nothing was agreed on since.
  package func refusedChange(
    of record: RecordID,
    _ requestDigest: Digest
  ) throws(CheckpointError) -> Operation? {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT \(Operation.columns), request_digest = ?3 AND NOT \(Self.isSettledSince("operation"))
        FROM operation INDEXED BY operation_by_record
        WHERE entity = ?1 AND key = ?2 AND action <> 'discard' ORDER BY number DESC LIMIT 1
        """,
        in: database
      )
      statement.bind(record, at: 1)
      statement.bind(requestDigest, at: 3)
      guard try statement.step(), try statement.integer(Operation.columnCount) == 1 else {
        return nil
      }
      let last = try Operation(statement)
      let isChange = last.action == .update || last.action == .complete
      return isChange && last.state == .rejected ? last : nil
    }
  }

  /// Whether a run that came after an operation took the destination's content of its record for agreed.
  static func isSettledSince(_ operation: String) -> String {
    """
    EXISTS (SELECT 1 FROM taken_over WHERE taken_over.entity = \(operation).entity
      AND taken_over.key = \(operation).key AND taken_over.run > \(operation).run)
    """
  }

  /// The keys of the records of an entity that runs deleted, as the user had, and that are not there again as
  /// far as this checkpoint knows, in their order, a page at a time.
  package func deletedKeys(
    of entity: EntityName,
    after key: String,
    limit: Int
  ) throws(CheckpointError) -> [String] {
    try catchUpPlaces()
    return try read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT key FROM record WHERE entity = ? AND server_id IS NULL AND key > ?
            AND 'delete' = (
              SELECT action FROM operation INDEXED BY operation_by_record
              WHERE operation.entity = record.entity AND operation.key = record.key
                AND \(Self.isInForce) ORDER BY number DESC LIMIT 1)
          ORDER BY key LIMIT ?
          """,
        arguments: [entity.text, key, limit]
      )
    }
  }

  /// Whether an operation did something to its record, or is to.
  private static let isInForce =
    "(state NOT IN ('rejected', 'conflicted') AND action <> 'discard')"

  /// How a run deleted a record, as the user had; `nil` where something else was done to it since,
  /// or is to be.
  package func deletion(of record: RecordID) throws(CheckpointError) -> Operation? {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT \(Operation.columns) FROM operation INDEXED BY operation_by_record
        WHERE entity = ? AND key = ? AND \(Self.isInForce) ORDER BY number DESC LIMIT 1
        """,
        in: database
      )
      statement.bind(record, at: 1)
      guard try statement.step() else { return nil }
      let last = try Operation(statement)
      return last.action == .delete && last.state == .confirmed ? last : nil
    }
  }
}
