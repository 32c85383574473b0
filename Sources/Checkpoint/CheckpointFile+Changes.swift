import struct Foundation.Data
import GRDB
import Records
package import UploadPlanning

extension CheckpointFile {
  /// Writes changes of operations down, all or none.
  ///
  /// A confirmation also moves what is known of the record: where it is, with which content, and
  /// one generation on.
  package func commit(_ changes: [OperationChange], now: Int64) throws(CheckpointError) {
    try write { database in
      var rest = changes[...]
      while let first = rest.first {
        let series = rest.prefix(Self.seriesLength(of: rest))
        switch first {
        case .begin(_, nil, nil): try Self.begin(series, now: now, in: database)
        case .confirm: try Self.confirm(series, now: now, in: database)
        default: try Self.apply(first, now: now, in: database)
        }
        rest = rest.dropFirst(series.count)
      }
    }
  }

  /// How many changes at the beginning are of one kind that SQLite can do in one go, of operations
  /// that follow each other; 1 where they cannot.
  private static func seriesLength(of changes: ArraySlice<OperationChange>) -> Int {
    guard let first = changes.first else { return 0 }
    let number = first.operation
    return changes.enumerated().first { offset, change in
      guard change.operation == number + Int64(offset) else { return true }
      switch (first, change) {
      case (.begin(_, nil, nil), .begin(_, nil, nil)), (.confirm, .confirm): return false
      default: return offset > 0
      }
    }?.offset ?? changes.count
  }

  /// Begins operations that overwrite nothing.
  private static func begin(
    _ series: ArraySlice<OperationChange>,
    now: Int64,
    in database: Database
  ) throws {
    guard let first = series.first, let last = series.last else { return }
    try database.cachedStatement(
      sql: "UPDATE operation SET state = 'begun', begun_at = ? WHERE number BETWEEN ? AND ?"
    ).execute(arguments: [now, first.operation, last.operation])
  }

  private static func apply(
    _ change: OperationChange,
    now: Int64,
    in database: Database
  ) throws {
    switch change {
    case .begin(let number, let before, let version):
      // Once an earlier request may have arrived, what stood before it is the older reading.
      try database.cachedStatement(
        sql: """
          UPDATE operation SET state = 'begun', begun_at = ?1,
            before = CASE WHEN state = 'planned' THEN coalesce(?2, before)
              ELSE coalesce(before, ?2) END,
            version = coalesce(?3, version)
          WHERE number = ?4
          """
      ).execute(arguments: [now, before.map { $0.databaseBlob }, version, number])
    case .confirm: try confirm([change], now: now, in: database)
    case .adopt(let number, let serverID, let version):
      try adopt(number, serverID: serverID, version: version, now: now, in: database)
    case .reject(let number, let code, let reason):
      try settle(number, as: .rejected, code: code, reason: reason, now: now, in: database)
    case .conflict(let number, let reason):
      try settle(number, as: .conflicted, code: nil, reason: reason, now: now, in: database)
    case .lose(let number, let reason):
      try database.cachedStatement(
        sql: "UPDATE operation SET state = 'unknown', reason = ? WHERE number = ?"
      ).execute(arguments: [reason, number])
    case .revoke(let number):
      try database.cachedStatement(
        sql: "UPDATE operation SET state = 'planned', reason = NULL WHERE number = ?"
      ).execute(arguments: [number])
    case .absent(let number):
      try database.cachedStatement(
        sql: """
          UPDATE operation SET state = 'planned', reason = NULL, code = '\(sentAgain)'
          WHERE number = ?
          """
      ).execute(arguments: [number])
    }
  }

  private static func settle(
    _ number: Int64,
    as state: Operation.State,
    code: String?,
    reason: String,
    now: Int64,
    in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        UPDATE operation SET state = ?, code = ?, reason = ?, settled_at = ? WHERE number = ?
        """
    ).execute(arguments: [state.rawValue, code, reason, now, number])
  }

  private static func confirm(
    _ series: ArraySlice<OperationChange>,
    now: Int64,
    in database: Database
  ) throws {
    guard let first = series.first, let last = series.last else { return }
    let statement = try database.cachedStatement(
      sql: """
        UPDATE operation SET state = 'confirmed', server_id = coalesce(?, server_id),
          version = ?, code = CASE WHEN code = '\(sentAgain)' THEN code END, reason = NULL,
          settled_at = ?
        WHERE number = ?
        """
    )
    for case .confirm(let number, let serverID, let version) in series {
      try statement.execute(arguments: [serverID, version, now, number])
      guard database.changesCount == 1 else {
        throw CheckpointError.damaged(path: "operation \(number)", reason: "it is not there")
      }
    }
    try database.cachedStatement(sql: recordsOfConfirmations)
      .execute(arguments: [now, first.operation, last.operation])
  }

  private static func adopt(
    _ number: Int64,
    serverID: String,
    version: String?,
    now: Int64,
    in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        UPDATE operation SET state = 'adopted', server_id = ?, version = ?, code = NULL,
          reason = NULL, settled_at = ?
        WHERE number = ?
        """
    ).execute(arguments: [serverID, version, now, number])
    let statement = try database.cachedStatement(
      sql: "SELECT \(Operation.columns), wire FROM operation WHERE number = ?"
    )
    guard let row = try DatabaseRow.fetchOne(statement, arguments: [number]),
      let wire = try Digest(row, at: Operation.columnCount)
    else {
      throw CheckpointError.damaged(path: "operation \(number)", reason: "it is not whole")
    }
    let operation = try Operation(row: row)
    let adoption = PlanStep.Adoption(
      record: operation.record,
      serverID: serverID,
      version: version,
      content: operation.content,
      wire: wire
    )
    try adopt(adoption, now: now, in: database)
  }

  /// Moves what is known of records to what confirmed operations made of them, inside SQLite.
  private static let recordsOfConfirmations = """
    INSERT INTO record (entity, key, server_id, version, content, wire, origin, generation,
      synced_at)
    SELECT entity, key, CASE WHEN action IN (\(actions { $0.removes })) THEN NULL
      ELSE coalesce(server_id, (SELECT known.server_id FROM record AS known
        WHERE known.entity = operation.entity AND known.key = operation.key)) END,
      version, content, wire,
      CASE WHEN action IN (\(actions { $0 == .create || $0 == .upload })) THEN 'created'
        ELSE 'adopted' END,
      1, ?
    FROM operation
    WHERE number BETWEEN ? AND ? AND action <> '\(Operation.Action.discard.rawValue)'
    ORDER BY number
    ON CONFLICT DO UPDATE SET server_id = excluded.server_id, version = excluded.version,
      content = excluded.content, wire = excluded.wire, synced_at = excluded.synced_at,
      origin = CASE WHEN excluded.origin = 'created' THEN 'created' ELSE record.origin END,
      generation = record.generation + 1
    """

  /// The code of an operation that was begun, found not to have arrived, and begun again.
  static let sentAgain = "sent-again"

  /// The actions of one kind, as a list in SQL.
  private static func actions(_ isWanted: (Operation.Action) -> Bool) -> String {
    Operation.Action.allCases.filter(isWanted).map { "'\($0.rawValue)'" }.joined(separator: ", ")
  }
}

extension Digest {
  /// The 32 bytes as SQLite takes them.
  var data: Data { Data(bytes) }
}

extension [UInt8] {
  /// The bytes as SQLite takes them.
  var databaseBlob: Data { Data(self) }
}
