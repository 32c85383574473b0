import Backends
import Checkpoint
import Profiles
import Records
import UploadPlanning

// What the destination has again although a run changed or deleted it since: a backup of it may have been
// brought back, or somebody have undone it. Which of both it was nothing tells, so that it stays unless a person
// asks for something else.

extension UploadPlanner {
  /// How many changes of a record are looked back on.
  private static let lookBack = 20

  /// Leaves a record that is, at the destination, as it was before a run changed it; sends it again where a
  /// person asks that the store's own wins and has everything read.
  func takeUpReverted(
    _ settled: inout SettledDecision,
    _ record: LocalRecord,
    _ counterpart: Counterpart,
    in pass: inout EntityPass
  ) throws(MigrationError) {
    guard settled.decision == .unchanged, !record.claim.isDeleted,
      let serverID = record.known?.serverID,
      try isReverted(record, counterpart)
    else { return }
    if takesBack {
      settled = SettledDecision(
        decision: .update(serverID: serverID, version: counterpart.version)
      )
    } else {
      pass.reverted += 1
    }
  }

  /// Whether a person asks that the store's own wins, and has everything read.
  private var takesBack: Bool { options.conflictPolicy == .local && options.refreshes }

  private func isReverted(
    _ record: LocalRecord,
    _ counterpart: Counterpart
  ) throws(MigrationError) -> Bool {
    guard let known = record.known, known.wire == record.plain.digest,
      record.claim.meaning != .synced,
      case .different(let serverID, let version) = counterpart, serverID == known.serverID,
      let remote = try remote(serverID, of: record)
    else { return false }
    let isTold = version != nil && known.version != nil
    if isTold, version == known.version { return false }
    // What was left to the destination, and stands there.
    if !isTold, let image = try base(of: record.id, known), isAsGiven(image, remote, of: record) {
      return false
    }
    let changes = try checkpointing { () throws(CheckpointError) in
      try checkpoint.lastChanges(of: record.id, limit: Self.lookBack)
    }
    let wire = desk.wires[record.id.entity]
    let members = try statement(of: record).whole
    for (place, last) in changes.enumerated() {
      guard let before = before(last.change) else { continue }
      guard wire.isReverted(remote.body, to: before, from: members) else { continue }
      // It was sent again already, and no version tells of anything since: the destination spells it its own way.
      let isInVain =
        !isTold && place == 0 && changes.count > 1 && changes[1].wire == last.wire
      return !isInVain
    }
    return false
  }

  /// What stood at the destination before an operation, as far as that was kept and can be read.
  private func before(_ operation: Operation) -> [UInt8]? {
    do throws(WireRefusal) { return try desk.before(of: operation) } catch { return nil }
  }

  // MARK: - What was deleted

  /// Counts the records that runs deleted, as the user had, and that the destination has again.
  func noteReturned(_ pass: inout EntityPass) throws(MigrationError) {
    guard !pass.isEmpty else { return }
    // What is planned of a record tells that it is to be there again.
    try flush(&pass.step)
    var count = 0
    try forEachReturned(pass.entity) { _, _ throws(MigrationError) in count += 1 }
    pass.returned = count
  }

  /// Plans to delete again, where a person asks for that, what is the very same as when a run deleted it, and
  /// what the store still lacks.
  ///
  /// That `--delete` was given says nothing of what somebody made anew since.
  func deleteReturned(
    _ entity: EntityName,
    besides present: ScratchKeys,
    _ layout: PhaseLayout
  ) throws(MigrationError) {
    guard takesBack else { return }
    var step = PlanStep()
    let wire = desk.wires[entity]
    try forEachReturned(entity) { deletion, remote throws(MigrationError) in
      let isPresent = try checkpointing { () throws(CheckpointError) in
        try present.contains(deletion.record.key, of: entity)
      }
      guard !isPresent, let before = before(deletion), wire.isReturned(remote.body, as: before)
      else { return }
      let version = remote.version ?? wire.contentMark(of: remote.body, isAlone: false).text
      let synced = SyncedRecord(
        record: deletion.record,
        serverID: remote.serverID,
        version: version,
        isCreated: false,
        syncedAt: nil
      )
      step.operations.append(try removal(of: synced, layout))
      if step.weight >= Self.stepSize { try flush(&step) }
    }
    try flush(&step)
  }

  /// Lends each record that a run deleted and that the destination has again, with how it was deleted.
  ///
  /// A destination that makes its identities up may have given one to another record meanwhile: there, what a
  /// person tells the record by has to be the same, or all of it.
  private func forEachReturned(
    _ entity: EntityName,
    _ body: (Operation, RemoteRecord) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    var place = ""
    while true {
      let after = place
      let keys = try checkpointing { () throws(CheckpointError) in
        try checkpoint.deletedKeys(of: entity, after: after, limit: 1_000)
      }
      guard let last = keys.last else { return }
      place = last
      for key in keys {
        let record = RecordID(entity: entity, key: key)
        guard let (deletion, remote) = try standing(whereDeleted: record) else { continue }
        if isTheDeleted(deletion, remote) { try body(deletion, remote) }
      }
    }
  }

  /// What stands where a run deleted a record, unless it is that of another record of the store.
  private func standing(
    whereDeleted record: RecordID
  ) throws(MigrationError) -> (Operation, RemoteRecord)? {
    try checkpointing { () throws(CheckpointError) -> (Operation, RemoteRecord)? in
      guard let deletion = try checkpoint.deletion(of: record), let serverID = deletion.serverID,
        let remote = try snapshot.record(serverID, of: record.entity),
        try snapshot.taker(of: serverID, entity: record.entity) == nil,
        try checkpoint.keys(at: serverID, of: record.entity).isEmpty
      else { return nil }
      return (deletion, remote)
    }
  }

  private func isTheDeleted(_ deletion: Operation, _ remote: RemoteRecord) -> Bool {
    let entity = deletion.record.entity
    if case .id = desk.destination.traits.replay[entity] { return true }
    guard let before = before(deletion) else { return false }
    let wire = desk.wires[entity]
    return wire.isNamedAs(remote.body, before) || wire.isReturned(remote.body, as: before)
  }
}

extension Finding {
  /// Records that the destination has as they were before a run changed them.
  static func reverted(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.reverted",
      severity: .warning,
      entity: entity,
      cause: "\(count) record(s) of \(entity) are, at the destination, as they were before a run "
        + "changed them, and stay so: somebody undid that, or a backup was brought back",
      cure: "`ferry upload` with --full and --on-conflict local sends the store's own again"
    )
  }

  /// Records that runs deleted, as the user had, and that the destination has again.
  static func returned(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.returned",
      severity: .warning,
      entity: entity,
      cause: "\(count) record(s) of \(entity) were deleted here and by a run, and the destination "
        + "has them again: somebody made them anew, or a backup was brought back",
      cure: "`--delete` with --full and --on-conflict local deletes those that are as they were "
        + "and of which the store has no row; see to any others at the destination"
    )
  }
}
