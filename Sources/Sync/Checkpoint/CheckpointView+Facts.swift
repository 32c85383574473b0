import GRDB
package import Records
package import UploadPlanning

/// What a checkpoint holds, in numbers.
package struct CheckpointFacts: Hashable, Sendable {
  /// How many records of an entity have a place at the destination.
  package struct Holding: Hashable, Sendable {
    package let entity: EntityName
    package let atDestination: Int
    /// Known, and without a place there: an undo took them away.
    package let rolledBack: Int
  }

  package let format: Int
  package let holdings: [Holding]
  package let runs: [RunFacts]
}

/// A run, how many of its operations are in each state, and what its plan came to without an operation.
package struct RunFacts: Hashable, Sendable {
  package let run: RunRecord
  package let operations: [Operation.State: Int]
  /// How many records the plan refused, and how many it left in conflict.
  package let plannedRefusals: Int
  package let plannedConflicts: Int
  package let findingCount: Int

  package var operationCount: Int { operations.values.reduce(0, +) }

  /// How many records, or files, were refused, and how many a conflict kept from being sent.
  package var refusedCount: Int { plannedRefusals + operations[.rejected, default: 0] }
  package var conflictCount: Int { plannedConflicts + operations[.conflicted, default: 0] }

  /// How many operations the destination carried out, or had carried out before.
  package var doneCount: Int {
    operations[.confirmed, default: 0] + operations[.adopted, default: 0]
  }

  /// How many operations there is nothing left to do about.
  package var settledCount: Int {
    operations.reduce(0) { $0 + ($1.key.isSettled ? $1.value : 0) }
  }
}

extension CheckpointView {
  /// What is in the checkpoint, counted.
  package func facts() throws(CheckpointError) -> CheckpointFacts {
    try readRecords { database in
      CheckpointFacts(
        format: try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
        holdings: try DatabaseRow.fetchAll(
          database,
          sql: """
            SELECT entity, sum(server_id IS NOT NULL) AS there, sum(server_id IS NULL) AS gone
            FROM record GROUP BY entity ORDER BY entity
            """
        ).compactMap { row in
          try EntityName(row["entity"] as String).map {
            try .init(entity: $0, atDestination: row["there"], rolledBack: row["gone"])
          }
        },
        runs: try DatabaseRow.fetchAll(database, sql: "SELECT * FROM run ORDER BY number")
          .map(RunRecord.init(row:)).map { try Self.facts(of: $0, in: database) }
      )
    }
  }

  private static func facts(of run: RunRecord, in database: Database) throws -> RunFacts {
    var operations: [Operation.State: Int] = [:]
    let counts = try DatabaseRow.fetchAll(
      database,
      sql: "SELECT state, count(*) AS count FROM operation WHERE run = ? GROUP BY state",
      arguments: [run.number]
    )
    for row in counts {
      if let state = Operation.State(rawValue: try row["state"]) {
        operations[state] = try row["count"]
      }
    }
    func planned(_ bucket: RecordOutcome) throws -> Int {
      try Int.fetchOne(
        database,
        sql: "SELECT coalesce(sum(count), 0) FROM tally WHERE run = ? AND bucket = ?",
        arguments: [run.number, bucket.rawValue]
      ) ?? 0
    }
    return RunFacts(
      run: run,
      operations: operations,
      plannedRefusals: try planned(.rejected),
      plannedConflicts: try planned(.conflicted),
      findingCount: try Int.fetchOne(
        database,
        sql: "SELECT count(*) FROM finding WHERE run = ?",
        arguments: [run.number]
      ) ?? 0
    )
  }
}
