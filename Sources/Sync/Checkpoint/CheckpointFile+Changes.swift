import CheckedDatabases
import struct Foundation.Data
import GRDB
import Records
package import UploadPlanning
import Synchronization

extension CheckpointFile {
  /// Writes changes of operations down, all or none.
  ///
  /// A confirmation also moves what is known of the record: where it is, with which content, and
  /// one generation on.
  package func commit(_ changes: [OperationChange], now: Int64) throws(CheckpointError) {
    let recordedTo = pendingStates.withLock { $0?.recordedTo }
    try write { database in
      var rest = changes[...]
      while let first = rest.first {
        let series = rest.prefix(Self.seriesLength(of: rest))
        switch first {
        case .begin(_, nil, nil): try Self.begin(series, now: now, in: database)
        case .confirm: try Self.confirm(series, recordedTo, now: now, in: database)
        default: try Self.apply(first, recordedTo, now: now, in: database)
        }
        rest = rest.dropFirst(series.count)
      }
    }
    let last = changes.lazy.filter(\.settlesPlace).map(\.operation).max()
    if let last { pendingStates.withLock { $0 = $0?.behind(with: last) } }
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

  /// When the first of the requests left that have an unknown fate; `?1` is now.
  private static let firstBegun =
    "CASE WHEN state = 'planned' THEN ?1 ELSE coalesce(begun_at, ?1) END"

  /// Begins operations that overwrite nothing.
  private static func begin(
    _ series: ArraySlice<OperationChange>,
    now: Int64,
    in database: Database
  ) throws {
    guard let first = series.first, let last = series.last else { return }
    try database.cachedStatement(
      sql: """
        UPDATE operation SET state = 'begun', begun_at = \(firstBegun) WHERE number BETWEEN ?2 AND ?3
        """
    ).execute(arguments: [now, first.operation, last.operation])
  }

  private static func apply(
    _ change: OperationChange,
    _ recordedTo: Int64?,
    now: Int64,
    in database: Database
  ) throws {
    switch change {
    case .begin(let number, let before, let version):
      // Once an earlier request may have arrived, the earlier content it is the older reading.
      try database.cachedStatement(
        sql: """
          UPDATE operation SET state = 'begun', begun_at = \(firstBegun),
            resend_count = resend_count + (state <> 'planned'),
            before = CASE WHEN state = 'planned' THEN coalesce(?2, before)
              ELSE coalesce(before, ?2) END,
            version = coalesce(?3, version)
          WHERE number = ?4
          """
      ).execute(arguments: [now, before.map { $0.databaseBlob }, version, number])
    case .stage(let number, let serverID, let version):
      try database.cachedStatement(
        sql: "UPDATE operation SET server_id = ?, version = ? WHERE number = ?"
      ).execute(arguments: [serverID, version, number])
      try expectChange(of: number, else: "it is not there", in: database)
    case .confirm: try confirm([change], recordedTo, now: now, in: database)
    case .displace(let number, nil, _, let reason):
      try database.cachedStatement(
        sql: "UPDATE operation SET state = 'unknown' WHERE number = ?"
      ).execute(arguments: [number])
      try noteDisplacement(number, reason, in: database)
    case .displace(let number, let serverID, let version, let reason):
      let confirmed = OperationChange.confirm(number, serverID: serverID, version: version)
      try confirm([confirmed], recordedTo, now: now, in: database)
      try noteDisplacement(number, reason, in: database)
    case .adopt(let number, let serverID, let version):
      try database.cachedStatement(
        sql: """
          UPDATE operation SET state = 'adopted', server_id = ?, version = ?, code = NULL,
            reason = NULL, resend_count = 0, settled_at = ?
          WHERE number = ? AND length(content) = 32 AND length(request_digest) = 32
          """
      ).execute(arguments: [serverID, version, now, number])
      try expectChange(of: number, else: "it is not whole", in: database)
      try record(number...number, recordedTo, in: database)
    case .reject(let number, let code, let reason):
      try settle(number, as: .rejected, code: code, reason: reason, now: now, in: database)
    case .conflict(let number, let reason):
      try settle(number, as: .conflicted, code: nil, reason: reason, now: now, in: database)
    case .lose(let number, let reason):
      try database.cachedStatement(
        sql: "UPDATE operation SET state = 'unknown', reason = ? WHERE number = ?"
      ).execute(arguments: [reason, number])
    case .revoke(let number):
      // It overwrote nothing; what takes something back keeps what it puts there.
      try database.cachedStatement(
        sql: """
          UPDATE operation SET state = 'planned', reason = NULL,
            before = CASE WHEN action IN ('update', 'complete', 'delete') THEN NULL ELSE before END
          WHERE number = ?
          """
      ).execute(arguments: [number])
    case .absent(let number, let key):
      try database.cachedStatement(
        sql: """
          UPDATE operation SET state = 'planned', reason = NULL, code = NULL,
            resend_count = resend_count + 1, request_key = coalesce(?2, request_key)
          WHERE number = ?1
          """
      ).execute(arguments: [number, key])
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
    _ recordedTo: Int64?,
    now: Int64,
    in database: Database
  ) throws {
    guard let first = series.first, let last = series.last else { return }
    let statement = try DirectStatement(confirmation, in: database)
    statement.bind(now, at: 3)
    statement.bind(recordedTo ?? .max, at: 4)
    for case .confirm(let number, let serverID, let version) in series {
      statement.bind(serverID, at: 1)
      statement.bind(version, at: 2)
      statement.bind(number, at: 5)
      try statement.run()
      try expectChange(of: number, else: "it is not there", in: database)
    }
    try record(first.operation...last.operation, recordedTo, in: database)
  }

  /// What is still planned was found done: no request of it arrived.
  private static let confirmation = """
    UPDATE operation SET state = 'confirmed',
      server_id = coalesce(?1, server_id, \(PendingRecordStates.knownPlace(after: "?4"))),
      begun_at = CASE WHEN state <> 'planned' THEN begun_at END,
      precondition = version, version = ?2, code = NULL, reason = NULL, settled_at = ?3
    WHERE number = ?5
    """

  private static func expectChange(
    of number: Int64,
    else reason: String,
    in database: Database
  ) throws {
    guard database.changesCount == 1 else {
      throw DamagedPart(reason: "its operation \(number): \(reason)")
    }
  }

  /// Moves what settled operations make known into `record`, if they are not among those that wait.
  private static func record(
    _ numbers: ClosedRange<Int64>,
    _ recordedTo: Int64?,
    in database: Database
  ) throws {
    let last = min(numbers.upperBound, recordedTo ?? .max)
    guard last >= numbers.lowerBound else { return }
    try PendingRecordStates.move(after: numbers.lowerBound - 1, to: last, in: database)
  }
}

extension OperationChange {
  /// Whether it makes known where a record is.
  fileprivate var settlesPlace: Bool {
    switch self {
    case .confirm, .displace(_, _?, _, _), .adopt: true
    default: false
    }
  }
}

extension CheckpointFile {
  /// Brings `record` up to what the operations have come to.
  func catchUp() throws(CheckpointError) {
    guard let pendingStates = pendingStates.withLock({ $0 }), pendingStates.isBehind else { return }
    let now = try write { database in try pendingStates.caughtUp(in: database) }
    self.pendingStates.withLock { $0 = now }
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
