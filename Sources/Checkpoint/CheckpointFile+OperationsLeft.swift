import GRDB
package import Records
package import UploadPlanning

/// Operations of one kind that a run has still to carry out, and the phase they are in.
package struct OperationsLeft: Hashable, Sendable {
  package let entity: EntityName
  package let action: Operation.Action
  /// What was done by the operations that these take back; `nil` where they take back nothing.
  package let undoes: Operation.Action?
  package let phase: Int
  /// Whether a request for them left and may have arrived; of files, whether they have a place at the
  /// destination: for the others see ``CheckpointFile/begunFiles(of:)``.
  package let isInDoubt: Bool

  package init(
    entity: EntityName,
    action: Operation.Action,
    undoes: Operation.Action? = nil,
    phase: Int,
    isInDoubt: Bool = false
  ) {
    self.entity = entity
    self.action = action
    self.undoes = undoes
    self.phase = phase
    self.isInDoubt = isInDoubt
  }
}

extension CheckpointFile {
  /// What a run has still to carry out, by kind and phase, and how many operations of each there are.
  ///
  /// Operations that follow each other mostly are of one kind.
  package func operationsLeft(
    of run: RunRecord
  ) throws(CheckpointError) -> [OperationsLeft: Int] {
    try read { database in
      let rows = try DirectStatement(OperationsLeft.query, in: database)
      rows.bind(run.number, at: 1)
      defer { rows.reset() }
      var counts: [OperationsLeft: Int] = [:]
      var last: OperationsLeft?
      var count = 0
      while try rows.step() {
        if let last, try last.isKind(of: rows) {
          count += 1
          continue
        }
        if let last { counts[last, default: 0] += count }
        last = try OperationsLeft(rows)
        count = 1
      }
      if let last { counts[last, default: 0] += count }
      return counts
    }
  }

  /// Brings what a run has left into other phases, all of it or nothing.
  package func move(
    _ phases: [OperationsLeft: Int],
    of run: RunRecord
  ) throws(CheckpointError) {
    try write { database in
      let statement = try database.cachedStatement(
        sql: """
          UPDATE operation SET phase = ?
          WHERE run = ? AND phase = ? AND entity = ? AND action = ? AND \(OperationsLeft.undone) IS ?
            AND state IN ('planned','begun','unknown')
          """
      )
      for (kind, phase) in phases {
        try statement.execute(arguments: [
          phase, run.number, kind.phase, kind.entity.text, kind.action.rawValue,
          kind.undoes?.rawValue,
        ])
      }
    }
  }

  /// The files that a run began to send and whose place at the destination nobody was told, by category
  /// and phase, and how many of each there are.
  package func begunFiles(of run: RunRecord) throws(CheckpointError) -> [OperationsLeft: Int] {
    try read { database in
      let rows = try DatabaseRow.fetchAll(
        database,
        sql: """
          SELECT entity, phase, count(*) AS count FROM operation
          WHERE run = ?1 AND \(OperationsLeft.isBegunFile) GROUP BY entity, phase
          """,
        arguments: [run.number]
      )
      var counts: [OperationsLeft: Int] = [:]
      for row in rows {
        guard let entity = EntityName(try row["entity"] as String) else {
          throw DamagedPart(reason: "the entity of one of its operations cannot be read")
        }
        let phase: Int = try row["phase"]
        let count: Int = try row["count"]
        counts[OperationsLeft(entity: entity, action: .upload, phase: phase)] = count
      }
      return counts
    }
  }

  /// Has those ``begunFiles(of:)`` that are of these categories wait as if they had never been begun.
  ///
  /// What `telling` says of each is written down with the run.
  package func giveUpFiles(
    of run: RunRecord,
    in categories: Set<EntityName>,
    _ telling: (RecordID) -> Finding?
  ) throws(CheckpointError) {
    guard !categories.isEmpty else { return }
    let condition = "run = ?1 AND entity = ?2 AND \(OperationsLeft.isBegunFile)"
    try write { database in
      for category in categories {
        let files = try DatabaseRow.fetchAll(
          database,
          sql: "SELECT key FROM operation WHERE \(condition) ORDER BY number",
          arguments: [run.number, category.text]
        )
        for file in files {
          let record = RecordID(entity: category, key: try file["key"])
          if let finding = telling(record) { try Self.insert(finding, run: run, in: database) }
        }
        try database.execute(
          sql: """
            UPDATE operation SET state = 'planned', begun_at = NULL, resend_count = 0, code = NULL,
              reason = NULL
            WHERE \(condition)
            """,
          arguments: [run.number, category.text]
        )
      }
    }
  }

  /// Writes down which version of the profile the checkpoint belongs to, where a change that was accepted
  /// is taken back.
  package func setProfileDigest(_ digest: String) throws(CheckpointError) {
    try write { database in
      try database.execute(
        sql: "UPDATE meta SET value = ? WHERE name = 'profile-digest'",
        arguments: [digest]
      )
    }
  }
}

extension OperationsLeft {
  /// The action of the operation that another one takes back.
  fileprivate static let undone = """
    (SELECT action FROM operation AS undone WHERE undone.number = operation.undoes)
    """

  /// A file that may lie at the destination, whole or in parts, and has no place there as far as is known.
  fileprivate static let isBegunFile = """
    action = 'upload' AND state IN ('planned','begun','unknown') AND begun_at IS NOT NULL
      AND server_id IS NULL
    """

  /// What was sent again may have arrived by its first request although it was put off.
  fileprivate static let query = """
    SELECT entity, action, \(undone), phase,
      CASE action WHEN 'upload' THEN begun_at IS NOT NULL AND server_id IS NOT NULL
        ELSE state <> 'planned' OR resend_count > 0 END
    FROM operation WHERE run = ? AND state IN ('planned','begun','unknown')
    ORDER BY phase, number
    """

  /// Reads a row of ``query``; what cannot be one is damage.
  fileprivate init(_ row: DirectStatement) throws {
    guard let entity = EntityName(try row.text(0)),
      let action = Operation.Action(rawValue: try row.text(1))
    else {
      throw DamagedPart(reason: "the entity or the action of one of its operations cannot be read")
    }
    self.init(
      entity: entity,
      action: action,
      undoes: try row.textOrNull(2).flatMap(Operation.Action.init(rawValue:)),
      phase: Int(try row.integer(3)),
      isInDoubt: try row.integer(4) != 0
    )
  }

  /// Whether a row of ``query`` is one of these.
  fileprivate func isKind(of row: DirectStatement) throws -> Bool {
    guard row.holds(entity.text, in: 0), row.holds(action.rawValue, in: 1),
      try row.integer(3) == Int64(phase), try (row.integer(4) != 0) == isInDoubt
    else { return false }
    guard let undoes else { return try row.textOrNull(2) == nil }
    return row.holds(undoes.rawValue, in: 2)
  }
}
