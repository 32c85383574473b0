import Checkpoint
import DestinationModel
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning
import ScratchFiles

// What the destination has again although a run changed or deleted it since: a backup of it may have been
// restored, or a person have undone it. Nothing shows which of both it was, so that it stays unless a person
// asks for something else.

extension UploadPlanner {
  /// Whether a person asks that the store's own wins, and has everything read.
  private var overridesRemote: Bool { options.conflictPolicy == .local && options.refreshes }

  /// What was at the destination before an operation, as far as that was kept and can be read.
  func before(_ operation: Operation) -> [UInt8]? {
    do throws(MappingError) { return try reader.before(of: operation) } catch { return nil }
  }

  // MARK: - What was deleted

  /// Counts the records that runs deleted, as the user had, and that the destination has again.
  func noteReturned(_ pass: inout EntityPass) throws {
    guard !pass.isEmpty else { return }
    // What is planned of a record shows that it is to be there again.
    try flush(&pass.step)
    var count = 0
    try forEachReturned(pass.entity) { _, _ in count += 1 }
    pass.returned = count
  }

  /// Plans to delete again, where a person asks for that, what is the very same as when a run deleted it, and
  /// what the store still lacks.
  ///
  /// That `--delete` was given says nothing of what another device made anew since.
  func deleteReturned(
    _ entity: EntityName,
    besides present: ScratchKeys,
    _ layout: PhaseLayout
  ) throws {
    guard overridesRemote else { return }
    var step = PlanStep()
    let mapping = reader.mappings[entity]
    try forEachReturned(entity) { deletion, remote in
      let isPresent = try present.contains(deletion.record.key, of: entity)
      guard !isPresent, let before = before(deletion), mapping.isReturned(remote.body, as: before)
      else { return }
      let version = remote.version ?? mapping.contentMark(of: remote.body, isAlone: false).text
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
  /// person identifies that record by has to be the same, or all of it.
  private func forEachReturned(
    _ entity: EntityName,
    _ body: (Operation, RemoteRecord) throws -> Void
  ) throws {
    var place = ""
    while true {
      let after = place
      let keys = try checkpoint.deletedKeys(of: entity, after: after, limit: 1_000)
      guard let last = keys.last else { return }
      place = last
      for key in keys {
        let record = RecordID(entity: entity, key: key)
        guard let (deletion, remote) = try existing(whereDeleted: record) else { continue }
        if isTheDeleted(deletion, remote) { try body(deletion, remote) }
      }
    }
  }

  /// What is where a run deleted a record, unless it is that of another record of the store.
  private func existing(
    whereDeleted record: RecordID
  ) throws -> (Operation, RemoteRecord)? {
    guard let deletion = try checkpoint.deletion(of: record), let serverID = deletion.serverID,
      let remote = try snapshot.record(serverID, of: record.entity),
      try snapshot.taker(of: serverID, entity: record.entity) == nil,
      try checkpoint.keys(at: serverID, of: record.entity).isEmpty
    else { return nil }
    return (deletion, remote)
  }

  private func isTheDeleted(_ deletion: Operation, _ remote: RemoteRecord) -> Bool {
    let entity = deletion.record.entity
    if case .id = reader.traits.replay[entity] { return true }
    guard let before = before(deletion) else { return false }
    let mapping = reader.mappings[entity]
    return mapping.isNamedAs(remote.body, before) || mapping.isReturned(remote.body, as: before)
  }
}

extension Finding {
  /// Records that runs deleted, as the user had, and that the destination has again.
  static func returned(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.returned",
      severity: .warning,
      entity: entity,
      cause:
        "the destination has \(count.counted("record")) of \(entity) again that the store and a run deleted: "
        + "another device created them again, or a backup was restored",
      cure: "`--delete` with --full and --on-conflict local deletes those that are as they were "
        + "and of which the store has no row; check any others at the destination"
    )
  }
}
