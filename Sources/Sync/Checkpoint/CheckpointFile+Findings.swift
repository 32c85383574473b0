import CheckedDatabases
import struct Foundation.Data
import GRDB
package import Records
package import UploadPlanning

extension CheckpointFile {
  /// Adds findings to a run.
  package func add(_ findings: [Finding], to run: RunRecord) throws(CheckpointError) {
    guard !findings.isEmpty else { return }
    try write { database in
      for finding in findings { try Self.insert(finding, run: run, in: database) }
    }
  }

  /// What the destination refused, or what another device had changed, as findings.
  package func refusals(of run: RunRecord, limit: Int) throws(CheckpointError) -> [Finding] {
    try refusals(of: run, limit: limit, place: "number")
  }

  /// The first finding and the first refusal of each rule that a run has.
  package func firstOfRules(of run: RunRecord) throws(CheckpointError) -> [Finding] {
    try findings(of: run, limit: -1, place: "min(rowid)", groups: "GROUP BY severity, entity, code")
      + refusals(of: run, limit: -1, place: "min(number)", groups: "GROUP BY entity, code, state")
  }

  /// The refusals of a run, of each group the one of the least number.
  ///
  /// A group's other columns are those of that row: https://sqlite.org/lang_select.html#bareagg
  private func refusals(
    of run: RunRecord,
    limit: Int,
    place: String,
    groups: String = ""
  ) throws(CheckpointError) -> [Finding] {
    let storeWins = try storeWins(in: run)
    return try rows(
      """
      SELECT entity, key, action, state, code, reason, \(place) AS place FROM operation
      WHERE run = ? AND state IN ('rejected','conflicted','unknown') AND \(Self.isOwnRefusal)
      \(groups) ORDER BY place LIMIT ?
      """,
      [run.number, limit]
    ) { row in
      let state: String = try row["state"]
      let (known, reason): (String?, String?) = (try row["code"], try row["reason"])
      let code = known ?? Self.refusalCode(state)
      return try Finding(
        code: code,
        severity: .error,
        entity: EntityName(row["entity"] as String),
        record: row["key"],
        cause: reason ?? "no reason was given",
        cure: run.kind == .rollback
          ? Self.cureOfUndo(code, state)
          : code == ItemOutcome.unnamed
            ? Self.cureOfUnnamed
            : Self.cureOfRefusal(row["action"], state, reason, storeWins: storeWins)
      )
    }
  }

  /// Whether a run warns that a queue of the app has changes of which it carries none, or lacks changes that a
  /// rollback reversed, and that no earlier run named.
  package func hasUnreplayedQueue(in run: RunRecord) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM finding WHERE run = ? AND severity = 'warning'
        AND code IN ('plan.queue-unreplayed', '\(ReversedChange.code)'))
      """,
      [run.number]
    )
  }

  /// How many findings and refusals of each rule a run has, however many are listed.
  package func ruleCounts(of run: RunRecord) throws(CheckpointError) -> [Finding.Rule: Int] {
    try read { database in
      let rows = try DatabaseRow.fetchAll(
        database,
        sql: """
          SELECT severity, entity, code, NULL AS state, count(*) AS count FROM finding
          WHERE run = ?1 GROUP BY severity, entity, code
          UNION ALL
          SELECT 'error', entity, code, state, count(*) FROM operation
          WHERE run = ?1 AND state IN ('rejected','conflicted','unknown') AND \(Self.isOwnRefusal)
          GROUP BY entity, code, state
          """,
        arguments: [run.number]
      )
      return try rows.reduce(into: [:]) { counts, row in
        guard let severity = Finding.Severity(rawValue: try row["severity"]) else { return }
        let (entity, code): (String?, String?) = (try row["entity"], try row["code"])
        let rule = Finding.Rule(
          code: try code ?? Self.refusalCode(row["state"]),
          severity: severity,
          entity: entity.flatMap { EntityName($0) }
        )
        counts[rule, default: 0] += try row["count"]
      }
    }
  }

  /// That a record was not completed is not reported where it was not made in the first place.
  private static let isOwnRefusal = """
    NOT (action = 'complete' AND EXISTS (
      SELECT 1 FROM operation AS made
      WHERE made.entity = operation.entity AND made.key = operation.key
        AND +made.run = operation.run AND made.action = 'create'
        AND made.state IN ('rejected','conflicted')))
    """

  private static func refusalCode(_ state: String) -> String {
    switch Operation.State(rawValue: state) {
    case .unknown: "upload.unknown"
    case .conflicted: "upload.conflict"
    default: "upload.rejected"
    }
  }

  /// Why a record stays at the destination for the sake of others.
  package static let dependents = "records that stay at the destination depend on it"

  /// Whether a person asked that the store's own wins in a run.
  private func storeWins(in run: RunRecord) throws(CheckpointError) -> Bool {
    try isTrue("SELECT words LIKE '%on-conflict local' FROM choice WHERE run = ?", [run.number])
  }

  /// What is done about a record that the destination made, as it answered, and that no look-up finds.
  package static let cureOfUnnamed =
    "look for it at the destination: it may spell what identifies the record otherwise (`natural-key`); where it is "
    + "not there, a run with `--on-conflict local` sends it again"

  private static func cureOfRefusal(
    _ action: String,
    _ state: String,
    _ reason: String?,
    storeWins: Bool
  ) -> String {
    switch Operation.State(rawValue: state) {
    case .unknown:
      "run the same command again: it looks up the request's outcome, and goes on"
    case .conflicted where reason == dependents:
      "delete these records in the app as well, or have them name another one; then run again"
    case .conflicted where storeWins:
      "run the same command again, which decides once more; or make the same change in the app"
    case .conflicted:
      "`--on-conflict local` sends the store's content; or make the same change in the app"
    default:
      action == Operation.Action.delete.rawValue
        ? "see first why the destination does not delete it, and run again: the route in the profile may be wrong"
        : "correct the record in the app, or the rule in the profile, and run again"
    }
  }

  private static func cureOfUndo(_ code: String, _ state: String) -> String {
    switch Operation.State(rawValue: state) {
    case .unknown:
      "run the same command again: it looks up the request's outcome, and goes on"
    case .rejected:
      "the same command again tries it again; see first why the destination "
        + (code.hasPrefix("rollback.")
          ? "did not do what it answered: the route in the profile may be wrong"
          : "refuses it")
    default:
      "it stays there as it is; if need be, remove it at the destination, after the records that depend on it"
    }
  }

  /// What a run was to make and another device had made before, by entity, as findings.
  package func foundThere(by run: RunRecord) throws(CheckpointError) -> [Finding] {
    try rows(
      """
      SELECT entity, count(*) AS count FROM operation WHERE run = ? AND state = 'adopted'
      GROUP BY entity ORDER BY entity
      """,
      [run.number]
    ) { row in
      let count: Int = try row["count"]
      let entity = EntityName(try row["entity"] as String)
      let isOfFiles = entity?.text.hasPrefix("media:") == true
      return Finding(
        code: "upload.already-exists",
        severity: .note,
        entity: entity,
        cause: isOfFiles
          ? "the destination had \(count.counted("file")) of the same content before, or another program "
            + "had begun to send them"
          : "another program made \(count.counted("record")) of the same content after the plan was made; "
            + "nothing was sent for them",
        cure: "no action is needed; a rollback leaves them, as they are not this run's"
      )
    }
  }

  /// Whether a record is at the destination because a run of this checkpoint made it.
  package func isMadeByRun(_ record: RecordID) throws(CheckpointError) -> Bool {
    try catchUp()
    return try isTrue(
      """
      SELECT origin = 'created' AND server_id IS NOT NULL FROM record
      WHERE entity = ? AND key = ?
      """,
      [record.entity.text, record.key]
    )
  }

  /// Whether a request of an operation was begun more than once, so that the destination may hold what
  /// it makes more than once.
  package func wasSentAgain(_ number: Int64) throws(CheckpointError) -> Bool {
    try isTrue(
      "SELECT resend_count > 0 FROM operation WHERE number = ?",
      [number]
    )
  }

  /// Whether any run placed a record of an entity at the destination, or removed one.
  package func hasRecords(of entity: EntityName) throws(CheckpointError) -> Bool {
    try catchUp()
    return try isTrue("SELECT EXISTS (SELECT 1 FROM record WHERE entity = ?)", [entity.text])
  }

  /// Whether any record of an entity is at the destination.
  package func hasPlaced(_ entity: EntityName) throws(CheckpointError) -> Bool {
    try catchUp()
    return try isTrue(
      "SELECT EXISTS (SELECT 1 FROM record WHERE entity = ? AND server_id IS NOT NULL)",
      [entity.text]
    )
  }

  /// How many records of an entity this checkpoint has at the destination.
  ///
  /// All of them are gone through: see ``hasPlaced(_:)`` for whether there are any.
  package func recordCount(of entity: EntityName) throws(CheckpointError) -> Int {
    try catchUp()
    return try value(
      "SELECT count(*) FROM record WHERE entity = ? AND server_id IS NOT NULL",
      [entity.text]
    ) ?? 0
  }

  /// How many records of an entity are at the destination in a place where another one is known already.
  package func doubleCount(of entity: EntityName) throws(CheckpointError) -> Int {
    try catchUpPlaces()
    return try value(
      """
      SELECT coalesce(sum(keys - 1), 0) FROM (
        SELECT count(*) AS keys FROM record
        WHERE entity = ? AND server_id IS NOT NULL GROUP BY server_id
      )
      """,
      [entity.text]
    ) ?? 0
  }

  /// Whether a run already has an operation on a record.
  package func hasOperation(
    on record: RecordID,
    in run: RunRecord
  ) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation WHERE entity = ? AND key = ? AND run = ?)
      """,
      [record.entity.text, record.key, run.number]
    )
  }

  /// Writes down what was found while operation `number` was carried out, once for its run.
  package func add(
    _ finding: Finding,
    ofRunOf number: Int64
  ) throws(CheckpointError) {
    try execute(
      """
      INSERT INTO finding (run, code, severity, entity, key, cause, cure)
      SELECT operation.run, ?1, ?2, ?3, ?4, ?5, ?6 FROM operation
      WHERE operation.number = ?7 AND NOT EXISTS (SELECT 1 FROM finding AS other
        WHERE other.run = operation.run AND other.code = ?1 AND other.entity IS ?3
          AND other.key IS ?4)
      """,
      [
        finding.code, finding.severity.rawValue, finding.entity?.text, finding.record,
        finding.cause, finding.cure, number,
      ]
    )
  }

  /// Remembers the versions that a verification read, of records whose content is as was sent.
  package func setVersions(
    _ versions: [(record: RecordID, version: String)]
  ) throws(CheckpointError) {
    guard !versions.isEmpty else { return }
    try catchUp()
    try write { database in
      let statement = try database.cachedStatement(
        sql: "UPDATE record SET version = ? WHERE entity = ? AND key = ?"
      )
      for (record, version) in versions {
        try statement.execute(arguments: [version, record.entity.text, record.key])
      }
    }
  }

  /// What this checkpoint knows of the records of an entity, in key order, a page at a time.
  package func records(
    of entity: EntityName,
    after key: String,
    limit: Int
  ) throws(CheckpointError) -> [SyncedRecord] {
    try catchUp()
    return try rows(
      "SELECT * FROM record WHERE entity = ? AND key > ? ORDER BY key LIMIT ?",
      [entity.text, key, limit]
    ) { row in
      // One that is no text is not as it was read, and would be come by again and again.
      guard key.utf8.lexicographicallyPrecedes((try row["key"] as String).utf8) else {
        throw CheckpointError.damaged(path: path, reason: "its records are out of order")
      }
      return try SyncedRecord(
        record: RecordID(entity: entity, key: row["key"]),
        serverID: row["server_id"],
        version: row["version"],
        isCreated: row["origin"] as String == "created",
        syncedAt: row["synced_at"]
      )
    }
  }

  /// The confirmed operations of a run, newest first, a page at a time.
  ///
  /// By number: through an index of runs, every page would sort all that is left of the run.
  package func confirmed(
    of run: RunRecord,
    before number: Int64,
    limit: Int
  ) throws(CheckpointError) -> [(operation: Operation, requestDigest: Digest)] {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT \(Operation.columns), request_digest FROM operation NOT INDEXED
        WHERE run = ? AND number < ? AND state = 'confirmed' ORDER BY number DESC LIMIT ?
        """,
        in: database
      )
      statement.bind(run.number, at: 1)
      statement.bind(number, at: 2)
      statement.bind(Int64(limit), at: 3)
      var operations: [(operation: Operation, requestDigest: Digest)] = []
      while try statement.step() {
        let operation = try Operation(statement)
        operations.append((operation, try operation.requestDigest(in: statement)))
      }
      return operations
    }
  }

  /// The files that a run began to send, and that no one confirmed; those that were refused are not
  /// among them.
  package func begunUploads(of run: RunRecord) throws(CheckpointError) -> [Operation] {
    try read { database in
      let statement = try DirectStatement(
        """
        SELECT \(Operation.columns) FROM operation
        WHERE run = ? AND action = 'upload' AND begun_at IS NOT NULL
          AND state IN ('planned', 'begun', 'unknown') ORDER BY number
        """,
        in: database
      )
      statement.bind(run.number, at: 1)
      var operations: [Operation] = []
      while try statement.step() { operations.append(try Operation(statement)) }
      return operations
    }
  }

  /// When the run of an operation began, in whole seconds since 1970; `nil` when it is missing.
  package func startOfRun(ofOperation number: Int64) throws(CheckpointError) -> Int64? {
    try value(
      """
      SELECT started_at FROM run WHERE number = (SELECT run FROM operation WHERE number = ?)
      """,
      [number]
    )
  }

  /// When the runs of operations began, in whole seconds since 1970, by the operations' numbers.
  package func startsOfRuns(ofOperations numbers: [Int64]) throws(CheckpointError) -> [Int64: Int64]
  {
    let list = "[\(numbers.map(String.init).joined(separator: ","))]"
    return try read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT operation.number, run.started_at FROM json_each(?) AS wanted
          JOIN operation ON operation.number = wanted.value
          JOIN run ON run.number = operation.run
          """,
        arguments: [list]
      )
      return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, $0[1] as Int64) })
    }
  }

  /// The key of the operation of this number, or `nil` when it is missing.
  package func key(ofOperation number: Int64) throws(CheckpointError) -> String? {
    try value("SELECT request_key FROM operation WHERE number = ?", [number])
  }

  /// The digest of the fields that the last confirmed operation on a record before `number` sent.
  package func requestDigest(
    of record: RecordID,
    before number: Int64
  ) throws(CheckpointError) -> Digest? {
    let bytes: Data? = try value(
      """
      SELECT request_digest FROM operation
      WHERE entity = ? AND key = ? AND number < ? AND state = 'confirmed'
      ORDER BY number DESC LIMIT 1
      """,
      [record.entity.text, record.key, number]
    )
    return bytes.flatMap { Digest(bytes: $0) }
  }

  /// Whether the run of operation `number` also made the record it is about.
  package func isCreated(
    _ record: RecordID,
    inRunOf number: Int64
  ) throws(CheckpointError) -> Bool {
    try isTrue(
      """
      SELECT EXISTS (SELECT 1 FROM operation WHERE entity = ? AND key = ?
        AND action = 'create' AND state = 'confirmed'
        AND run = (SELECT run FROM operation WHERE number = ?))
      """,
      [record.entity.text, record.key, number]
    )
  }

  /// The identity at the destination that a record had when a run deleted it, as the user had;
  /// `nil` where none did, and where a plan makes it again.
  ///
  /// A rollback does not restore a deleted record.
  package func placeOfDeleted(_ record: RecordID) throws(CheckpointError) -> String? {
    try value(
      """
      SELECT CASE WHEN action = 'delete' AND state = 'confirmed' THEN server_id END FROM operation
      WHERE entity = ? AND key = ? AND undoes IS NULL ORDER BY number DESC LIMIT 1
      """,
      [record.entity.text, record.key]
    )
  }

  /// The identity at the destination that a record had when a run last removed it, or a rollback; `nil` where none
  /// did.
  package func placeOfRemoved(_ record: RecordID) throws(CheckpointError) -> String? {
    try value(
      """
      SELECT server_id FROM operation INDEXED BY operation_by_record
      WHERE entity = ? AND key = ? AND action IN ('delete', 'uncreate')
        AND state IN ('confirmed', 'adopted')
      ORDER BY number DESC LIMIT 1
      """,
      [record.entity.text, record.key]
    )
  }
}
