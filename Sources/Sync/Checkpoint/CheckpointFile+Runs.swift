import CheckedDatabases
import struct Foundation.Data
import GRDB
import Records
package import UploadPlanning
import Synchronization

extension CheckpointFile {
  /// The run that has not come to its end, if there is one.
  package func unfinishedRun() throws(CheckpointError) -> RunRecord? {
    try runs().last { $0.stage == .planning || $0.stage == .executing }
  }

  /// Writes down that a run begins, still without operations, and the profile that it begins with.
  package func beginRun(
    id: String,
    kind: RunRecord.Kind,
    package: String,
    packagePath: String,
    undoes: String?,
    profile: StoredProfile,
    choice: String = "",
    flags: [RunFlag] = [],
    now: Int64
  ) throws(CheckpointError) -> RunRecord {
    try catchUp()
    let (run, pendingStates) = try write { database in
      try profile.insert(in: database)
      try Self.dropUnnamedTexts(in: database)
      try database.execute(
        sql: """
          INSERT INTO run (id, kind, stage, package, package_path, undoes, profile, started_at)
          VALUES (?, ?, 'planning', ?, ?, ?, ?, ?)
          """,
        arguments: [id, kind.rawValue, package, packagePath, undoes, profile.digest, now]
      )
      let number = database.lastInsertedRowID
      if kind == .upload { try Self.carryConcessions(toRun: number, in: database) }
      if !choice.isEmpty {
        try database.execute(
          sql: "INSERT INTO choice (run, words) VALUES (?, ?)",
          arguments: [number, choice]
        )
      }
      try Self.insert(flags, ofRun: number, in: database)
      let run = RunRecord(
        id: id,
        number: number,
        kind: kind,
        stage: .planning,
        package: package,
        packagePath: packagePath,
        undoes: undoes,
        profile: profile.digest,
        startedAt: now,
        finishedAt: nil
      )
      return (run, try PendingRecordStates.begin(in: database, bulk: bulk))
    }
    self.pendingStates.withLock { $0 = pendingStates }
    return run
  }

  /// Writes down that a run goes on by these flags, in place of those that it began with.
  package func setFlags(_ flags: [RunFlag], of run: RunRecord) throws(CheckpointError) {
    guard try read({ try RunFlag.all(of: run, in: $0) }) != flags else { return }
    try write { database in
      try database.execute(sql: "DELETE FROM flag WHERE run = ?", arguments: [run.number])
      try Self.insert(flags, ofRun: run.number, in: database)
    }
  }

  private static func insert(
    _ flags: [RunFlag],
    ofRun number: Int64,
    in database: Database
  ) throws {
    for (place, flag) in flags.enumerated() {
      try database.execute(
        sql: "INSERT INTO flag (run, number, name, value) VALUES (?, ?, ?, ?)",
        arguments: [number, place, flag.name, flag.value]
      )
    }
  }

  /// What a person chose for a run; empty for nothing.
  package func choice(of run: RunRecord) throws(CheckpointError) -> String {
    try value("SELECT words FROM choice WHERE run = ?", [run.number]) ?? ""
  }

  /// Moves a run to another stage.
  package func setStage(
    _ stage: RunRecord.Stage,
    of run: RunRecord,
    now: Int64
  ) throws(CheckpointError) {
    try setStage(stage, of: run, now: now) { _ in }
  }

  /// Ends a run whose operations are all settled.
  ///
  /// - Throws: ``CheckpointError/damaged(path:reason:)`` when any is not, which no one would carry out any
  ///   more: it is in no phase that was gone through. The run stays as it was.
  package func finish(_ run: RunRecord, now: Int64) throws(CheckpointError) {
    try setStage(.finished, of: run, now: now) { database in
      let open = try DatabaseRow.fetchAll(
        database,
        sql: """
          SELECT entity, action, count(*) AS count FROM operation
          WHERE run = ? AND state IN ('planned','begun','unknown')
          GROUP BY entity, action ORDER BY entity, action
          """,
        arguments: [run.number]
      ).map { row in
        let entity: String = try row["entity"]
        let action: String = try row["action"]
        let count: Int = try row["count"]
        return "\(count) of \(entity) (\(action))"
      }
      guard open.isEmpty else {
        let list = open.joined(separator: ", ")
        throw CheckpointError.damaged(
          path: path,
          reason: "run \(run.id) ended with operations that are not settled: \(list)"
        )
      }
      try Self.noteUnreported(run, in: database)
    }
  }

  /// Moves a run to another stage after `first`, unless that throws.
  private func setStage(
    _ stage: RunRecord.Stage,
    of run: RunRecord,
    now: Int64,
    after first: (Database) throws -> Void
  ) throws(CheckpointError) {
    let isOver = stage == .finished || stage == .abandoned
    let pendingStates = pendingStates.withLock { $0 }
    let left = try write { database -> PendingRecordStates? in
      try first(database)
      try database.execute(
        sql: "UPDATE run SET stage = ?, finished_at = ? WHERE number = ?",
        arguments: [stage.rawValue, isOver ? now : nil, run.number]
      )
      guard isOver else { return nil }
      let end: ConcessionEnd = stage == .finished ? .agreed : .givenUp
      try Self.endConcessions(ofRun: run.number, end, in: database)
      try Self.returnImages(ofRun: run.number, in: database)
      return try pendingStates?.ended(in: database)
    }
    if isOver { self.pendingStates.withLock { $0 = left } }
  }

  /// Drops the plan of a run that never began, so that it can be planned anew.
  ///
  /// Records that it found and was still to complete are found once more, and what it left to the destination
  /// against the store's word is decided once more; all others that it found stay, and so does that another
  /// writer sent them.
  package func discardPlan(of run: RunRecord) throws(CheckpointError) {
    try write { database in
      try database.execute(
        sql: """
          DELETE FROM record WHERE origin = 'adopted'
            AND EXISTS (SELECT 1 FROM operation WHERE operation.entity = record.entity
              AND operation.key = record.key AND run = ?1 AND action = 'complete')
            AND NOT EXISTS (SELECT 1 FROM operation WHERE operation.entity = record.entity
              AND operation.key = record.key AND run <> ?1)
          """,
        arguments: [run.number]
      )
      try database.execute(sql: "DELETE FROM operation WHERE run = ?", arguments: [run.number])
      try Self.endConcessions(ofRun: run.number, .dropped, in: database)
      try Self.returnImages(ofRun: run.number, in: database)
      for table in Self.tablesOfPlan {
        try database.execute(sql: "DELETE FROM \(table) WHERE run = ?", arguments: [run.number])
      }
      try database.execute(sql: "DELETE FROM run WHERE number = ?", arguments: [run.number])
      try DifferingRecord.keep(afterRun: run.number, in: database)
      try StoredProfile.dropUnused(in: database)
      try Self.dropUnnamedTexts(in: database)
    }
  }

  /// The tables beside the operations that hold what a plan says, or what it saw.
  private static let tablesOfPlan = [
    "tally", "finding", "choice", "flag", "change", "remote_content", "queued_row", "left_out",
  ]

  /// Doubts every file that a run began to send and put off again: parts of it, or all of it, may lie
  /// at the destination.
  package func doubtFiles(of run: RunRecord) throws(CheckpointError) {
    try execute(
      """
      UPDATE operation SET state = 'unknown'
      WHERE run = ? AND state = 'planned' AND action = 'upload' AND begun_at IS NOT NULL
      """,
      [run.number]
    )
  }

  /// Doubts an operation that was found not to have arrived: its request came late after all.
  package func doubt(_ number: Int64) throws(CheckpointError) {
    try execute(
      "UPDATE operation SET state = 'unknown' WHERE number = ? AND state = 'planned'",
      [number]
    )
  }

  /// Gives up what a run had planned and not begun, and what it left to the destination against the store's
  /// word, but for records that were not known before; what it confirmed stays in force.
  package func abandon(_ run: RunRecord, now: Int64) throws(CheckpointError) {
    try setStage(.abandoned, of: run, now: now) { database in
      try database.execute(
        sql: "DELETE FROM operation WHERE run = ? AND state = 'planned'",
        arguments: [run.number]
      )
    }
  }

  /// The next unsettled operations of a phase, in their order.
  ///
  /// With `onlyBegun`, what was only planned is left out.
  package func operations(
    of run: RunRecord,
    phase: Int,
    after number: Int64,
    limit: Int,
    onlyBegun: Bool = false
  ) throws(CheckpointError) -> [Operation] {
    let states = onlyBegun ? "('begun','unknown')" : "('planned','begun','unknown')"
    return try read { database in
      let statement = try DirectStatement(
        """
        SELECT \(Operation.columns) FROM operation
        WHERE run = ? AND phase = ? AND number > ? AND state IN \(states)
        ORDER BY number LIMIT ?
        """,
        in: database
      )
      statement.bind(run.number, at: 1)
      statement.bind(Int64(phase), at: 2)
      statement.bind(number, at: 3)
      statement.bind(Int64(limit), at: 4)
      var operations: [Operation] = []
      while try statement.step() {
        operations.append(try Operation(statement, after: operations.last))
      }
      return operations
    }
  }

  /// Whether anything of a run was begun and is not settled.
  package func hasUnsettled(_ run: RunRecord) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation
      WHERE run = ? AND state IN ('begun','unknown'))
      """,
      [run.number]
    )
  }

  /// When the first request for a record left that a phase of a run has no answer to, in seconds since
  /// 1970, and how many there are; `nil` if it does not exist.
  package func unansweredCreates(
    of run: RunRecord,
    phase: Int
  ) throws(CheckpointError) -> (since: Int64, count: Int)? {
    try rows(
      """
      SELECT min(begun_at) AS since, count(*) AS count FROM operation
      WHERE run = ? AND phase = ? AND action = 'create' AND state IN ('begun','unknown')
      """,
      [run.number, phase]
    ) { row in
      try (row["since"] as Int64?).map { (since: $0, count: try row["count"] as Int) }
    }.first
  }

  /// Whether a run still has to carry out an action of this kind in a phase.
  package func hasUnsettled(
    _ action: Operation.Action,
    of run: RunRecord,
    phase: Int
  ) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation
      WHERE run = ? AND phase = ? AND action = ? AND state IN ('planned','begun','unknown'))
      """,
      [run.number, phase, action.rawValue]
    )
  }

  /// How many operations of a run are in each state, by entity and action.
  package func counts(of run: RunRecord) throws(CheckpointError) -> [OperationCount] {
    try read { database in try OperationCounts(of: run, in: database).sorted() }
  }

  /// The same, through a connection of its own, so that it can be read while the file is written; `nil`
  /// where that cannot be had.
  package func countsByOwnConnection(of run: RunRecord) -> [OperationCount]? {
    var configuration = Configuration()
    configuration.readonly = true
    return try? CheckedPages.open(path, configuration).unsafeRead { database in
      try OperationCounts(of: run, in: database).sorted()
    }
  }

  /// How many of a rollback's operations only free a record of what it names, before it is removed.
  package func freeings(of run: RunRecord) throws(CheckpointError) -> [OperationCount] {
    let condition = """
      action = 'restore' AND EXISTS (
        SELECT 1 FROM operation WHERE entity = counted.entity AND key = counted.key
          AND run = counted.run AND action = 'uncreate')
      """
    return try read { database in
      try OperationCounts(of: run, where: condition, in: database).sorted()
    }
  }

  /// How many of a run's operations complete a record that it found at the destination.
  ///
  /// The run changes nothing else of these records.
  package func completions(of run: RunRecord) throws(CheckpointError) -> [OperationCount] {
    let condition = """
      action = 'complete' AND NOT EXISTS (
        SELECT 1 FROM operation INDEXED BY operation_by_record
        WHERE operation.entity = counted.entity AND operation.key = counted.key
          AND +operation.run = counted.run AND action <> 'complete' AND state <> 'adopted')
      """
    return try read { database in
      try OperationCounts(of: run, where: condition, in: database).sorted()
    }
  }

  /// What a plan counted without making an operation of it.
  package func tallies(of run: RunRecord) throws(CheckpointError) -> [PlanTally] {
    try rows("SELECT * FROM tally WHERE run = ? ORDER BY entity, bucket", [run.number]) { row in
      try EntityName(row["entity"] as String).map {
        try PlanTally(entity: $0, bucket: row["bucket"], count: row["count"])
      }
    }
  }

  /// The operations of a run in their order, a page at a time.
  ///
  /// By number: through an index of runs, every page would sort all that is left of the run.
  package func settled(
    of run: RunRecord,
    after number: Int64,
    limit: Int
  ) throws(CheckpointError) -> [SettledRecord] {
    try rows(
      "SELECT * FROM operation NOT INDEXED WHERE run = ? AND number > ? ORDER BY number LIMIT ?",
      [run.number, number, limit]
    ) { row in
      try EntityName(row["entity"] as String).map { entity in
        try SettledRecord(
          operation: row["number"],
          record: RecordID(entity: entity, key: row["key"]),
          action: row["action"],
          state: row["state"],
          serverID: row["server_id"],
          version: row["version"],
          reason: row["reason"],
          settledAt: row["settled_at"]
        )
      }
    }
  }
}

extension RunFlag {
  /// The flags that a run remembers, in their order.
  static func all(of run: RunRecord, in database: Database) throws -> [RunFlag] {
    try DatabaseRow.fetchAll(
      database,
      sql: "SELECT name, value FROM flag WHERE run = ? ORDER BY number",
      arguments: [run.number]
    ).map { try RunFlag(name: $0["name"], value: $0["value"]) }
  }
}

extension RunRecord {
  init(row: DatabaseRow) throws {
    try self.init(
      id: row["id"],
      number: row["number"],
      kind: Kind(rawValue: row["kind"]) ?? .upload,
      stage: Stage(rawValue: row["stage"]) ?? .executing,
      package: row["package"],
      packagePath: row["package_path"],
      undoes: row["undoes"],
      profile: row["profile"],
      startedAt: row["started_at"],
      finishedAt: row["finished_at"]
    )
  }
}

extension Operation {
  /// The columns that an operation is read from, in their order.
  static let columns = """
    number, phase, entity, key, action, content, request_key, state, server_id, version, before, \
    file, offset, length, undoes, begun_at
    """
  static let columnCount: Int32 = 16

  /// The digest of the fields that it sent, in a row that has it behind ``columns``.
  func requestDigest(in row: DirectStatement) throws -> Digest {
    guard let digest = row.digest(Self.columnCount) else {
      throw DamagedPart(reason: "the digest of its operation \(number) cannot be read")
    }
    return digest
  }

  /// Reads an operation back from a row that begins with ``columns``; what cannot be one is damage.
  ///
  /// Most are as the one before, `previous`, in much of what they say.
  init(_ row: DirectStatement, after previous: Operation? = nil) throws {
    let number = try row.integer(0)
    func damaged(_ what: String) -> DamagedPart {
      DamagedPart(reason: "the \(what) of its operation \(number) cannot be read")
    }
    func read<Value>(
      _ column: Int32,
      _ what: String,
      _ likely: (value: Value, text: String)?,
      _ value: (String) -> Value?
    ) throws -> Value {
      if let likely, row.holds(likely.text, in: column) { return likely.value }
      guard let value = value(try row.text(column)) else { throw damaged(what) }
      return value
    }
    let entity = try read(
      2,
      "entity",
      previous.map { ($0.record.entity, $0.record.entity.text) },
      EntityName.init
    )
    let action = try read(
      4,
      "action",
      previous.map { ($0.action, $0.action.rawValue) },
      Action.init(rawValue:)
    )
    let state = try read(
      7,
      "state",
      previous.map { ($0.state, $0.state.rawValue) },
      State.init(rawValue:)
    )
    guard let content = row.digest(5) else { throw damaged("digest") }
    var source: RecordSource?
    if let file = try row.textOrNull(11), let offset = try row.integerOrNull(12),
      let length = try row.integerOrNull(13)
    {
      source = RecordSource(file: file, offset: offset, length: Int(length))
    }
    self.init(
      number: number,
      phase: Int(try row.integer(1)),
      record: RecordID(entity: entity, key: try row.text(3)),
      action: action,
      content: content,
      key: try row.text(6),
      state: state,
      serverID: try row.textOrNull(8),
      version: try row.textOrNull(9),
      before: try row.bytesOrNull(10),
      source: source,
      undoes: try row.integerOrNull(14),
      wasBegun: try row.integerOrNull(15) != nil
    )
  }
}
