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

  /// The changes of a record that the destination refused since both sides last agreed, oldest first, with the
  /// digest of the fields of each.
  package func refusedChanges(
    of record: RecordID
  ) throws(CheckpointError) -> [(change: Operation, requestDigest: Digest)] {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT \(Operation.columns), request_digest FROM operation INDEXED BY operation_by_record
        WHERE entity = ?1 AND key = ?2 AND \(Self.isOpenRefusal("operation"))
        ORDER BY number
        """,
        in: database
      )
      statement.bind(record, at: 1)
      var changes: [(change: Operation, requestDigest: Digest)] = []
      while try statement.step() {
        let operation = try Operation(statement)
        changes.append((operation, try operation.requestDigest(in: statement)))
      }
      return changes
    }
  }

  /// The keys of the records of an entity that a run was to change or delete and did not, and on which no run
  /// agreed since.
  package func keysWithFailure(of entity: EntityName) throws(CheckpointError) -> Set<String> {
    try read { database in
      try String.fetchSet(
        database,
        sql: "SELECT key \(Self.openFailures) AND entity = ?",
        arguments: [entity.text]
      )
    }
  }

  /// Whether the destination answered that it made a record, no look-up found it, and no run did anything else with
  /// it since.
  package func isUnnamed(_ record: RecordID) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation INDEXED BY operation_by_record
        WHERE entity = ?1 AND key = ?2 AND state = 'rejected' AND code = '\(ItemOutcome.unnamed)'
          AND number > coalesce((SELECT max(number) FROM operation INDEXED BY operation_by_record
            WHERE entity = ?1 AND key = ?2 AND state IN ('confirmed', 'adopted')), 0))
      """,
      [record.entity.text, record.key]
    )
  }

  /// Whether a record is one of those.
  package func hasFailure(of record: RecordID) throws(CheckpointError) -> Bool {
    try isTrue(
      "SELECT EXISTS (SELECT 1 \(Self.openFailures) AND entity = ? AND key = ?)",
      [record.entity.text, record.key]
    )
  }

  private static let openFailures = """
    FROM operation AS failed INDEXED BY failed_by_record
    WHERE \(isOfFailure) AND \(isOpen("failed"))
    """

  /// The operations that were to change or delete what is at the destination, and did not.
  static let isOfFailure =
    "state IN ('rejected', 'conflicted') AND action IN ('update', 'complete', 'delete')"

  /// Whether an operation is a change that the destination refused since both sides last agreed.
  static func isOpenRefusal(_ operation: String) -> String {
    """
    (\(operation).action IN ('update', 'complete') AND \(operation).state = 'rejected'
      AND \(isOpen(operation)))
    """
  }

  /// Whether both sides did not agree since an operation that was not carried out.
  private static func isOpen(_ operation: String) -> String {
    """
    (\(operation).number > coalesce((
      SELECT max(number) FROM operation AS done INDEXED BY operation_by_record
      WHERE done.entity = \(operation).entity AND done.key = \(operation).key
        AND done.state IN ('confirmed', 'adopted') AND done.action <> 'discard'), 0)
      AND NOT \(isSettledSince(operation)))
    """
  }

  /// Whether a run that came after an operation found that both sides agree about its record.
  ///
  /// Where the destination's content is as it was, only the time of the agreement says so.
  static func isSettledSince(_ operation: String) -> String {
    """
    (EXISTS (SELECT 1 FROM taken_over WHERE taken_over.entity = \(operation).entity
        AND taken_over.key = \(operation).key AND taken_over.run > \(operation).run)
      OR EXISTS (SELECT 1 FROM record AS agreed WHERE agreed.entity = \(operation).entity
        AND agreed.key = \(operation).key AND agreed.synced_at > \(operation).settled_at))
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
