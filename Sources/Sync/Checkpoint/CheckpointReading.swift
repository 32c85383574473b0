package import GRDB
package import Records

/// What reads a checkpoint: the file that a run holds, or a view of one.
package protocol CheckpointReading {
  /// Runs `body` on the current state.
  func read<Value>(_ body: (Database) throws -> Value) throws(CheckpointError) -> Value
}

extension CheckpointFile: CheckpointReading {}

extension CheckpointView: CheckpointReading {}

extension CheckpointReading {
  /// What `make` makes of each row of a query; a row of which it makes nothing is left out.
  func rows<Value>(
    _ sql: String,
    _ arguments: StatementArguments = [],
    _ make: (DatabaseRow) throws -> Value?
  ) throws(CheckpointError) -> [Value] {
    try read { database in
      try DatabaseRow.fetchAll(database, sql: sql, arguments: arguments).compactMap(make)
    }
  }

  /// Whether a query for one truth value gives true; a query without a row does not.
  func isTrue(
    _ sql: String,
    _ arguments: StatementArguments
  ) throws(CheckpointError) -> Bool {
    try value(sql, arguments) ?? false
  }

  /// What a query for one value gives; `nil` without a row, and for `NULL`.
  func value<Value: DatabaseValueConvertible>(
    _ sql: String,
    _ arguments: StatementArguments
  ) throws(CheckpointError) -> Value? {
    try read { database in
      try Value.fetchOne(database.cachedStatement(sql: sql), arguments: arguments)
    }
  }

  /// The runs, oldest first.
  package func runs() throws(CheckpointError) -> [RunRecord] {
    try rows("SELECT * FROM run ORDER BY number", [], RunRecord.init(row:))
  }

  /// The findings of a run's plan and execution, at most `limit`.
  package func findings(of run: RunRecord, limit: Int) throws(CheckpointError) -> [Finding] {
    try findings(of: run, limit: limit, place: "rowid")
  }

  /// The findings of a run, of each group the first.
  func findings(
    of run: RunRecord,
    limit: Int,
    place: String,
    groups: String = ""
  ) throws(CheckpointError) -> [Finding] {
    try rows(
      "SELECT *, \(place) AS place FROM finding WHERE run = ? \(groups) ORDER BY place LIMIT ?",
      [run.number, limit]
    ) {
      try Finding(
        code: $0["code"],
        severity: Finding.Severity(rawValue: $0["severity"]) ?? .error,
        entity: ($0["entity"] as String?).flatMap { EntityName($0) },
        record: $0["key"],
        cause: $0["cause"],
        cure: $0["cure"]
      )
    }
  }

  /// The profile that a run began with; a run without one is damage.
  package func profile(of run: RunRecord) throws(CheckpointError) -> StoredProfile {
    try read { database in try StoredProfile(of: run, in: database) }
  }
}
