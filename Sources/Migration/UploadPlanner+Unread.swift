import Backends
import Checkpoint
import Profiles
import Records
import UploadPlanning

// Records whose version comes with a reading of them alone: what a list says of them cannot tell a change of
// somebody's from what the destination spells otherwise.

extension UploadPlanner {
  /// The most records of an entity that are read alone; of all others, the reading before they are sent
  /// decides.
  private static let mostReadAlone = 10_000

  /// Whether a record has to be read alone before it is decided about: it was changed here, its version is
  /// known, and what a list says of it is not what it was given.
  func isToBeRead(_ record: LocalRecord, in pass: EntityPass) throws(MigrationError) -> Bool {
    guard let known = record.known, let serverID = known.serverID, known.version != nil,
      record.claim.isDeleted || known.wire != record.plain.digest,
      !desk.wires.tellsVersions(of: pass.entity), pass.unread.count < Self.mostReadAlone
    else { return false }
    let policy = options.conflictPolicy ?? desk.wires[pass.entity].conflictPolicy
    if policy == .local { return false }
    return try isOtherThanGiven(serverID, record)
  }

  /// Reads the records that wait for it, and decides about them.
  func planUnread(
    _ pass: inout EntityPass,
    interruption: Interruption
  ) async throws(MigrationError) {
    let records = pass.unread
    pass.unread = []
    for var record in records {
      if interruption.isWished { throw .interrupted }
      if let serverID = record.known?.serverID {
        try await readAlone(serverID, of: record.id.entity)
      }
      record.isReadAlone = true
      try settle(record, in: &pass)
      if pass.step.weight >= Self.stepSize { try flush(&pass.step) }
    }
  }

  /// Puts what stands at the destination in the place of what a list said of it.
  private func readAlone(
    _ serverID: String,
    of entity: EntityName
  ) async throws(MigrationError) {
    let alone = try await desk.readingDestination { () async throws(DestinationError) in
      try await desk.destination.record(of: entity, serverID: serverID)
    }
    try checkpointing { () throws(CheckpointError) in
      let taker = try snapshot.taker(of: serverID, entity: entity)
      guard let alone else { return try snapshot.drop([serverID], of: entity) }
      try snapshot.add([(alone, nil)], of: entity)
      if let taker { try snapshot.take(serverID, of: entity, for: taker) }
    }
  }
}
