import Checkpoint
import JSONText
import Reconciliation
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning

// Records whose version comes with a reading of them alone: what a list says of them cannot know a change of
// another device's from what the destination spells otherwise.

extension UploadPlanner {
  /// The most records of an entity that are read alone; of all others, the reading before they are sent
  /// decides.
  private static let mostReadAlone = 10_000

  /// Whether a record can be read alone before it is decided about.
  func canRead(_ record: LocalRecord, in pass: EntityPass) -> Bool {
    !record.isReadAlone && !options.isOffline && pass.unread.count < Self.mostReadAlone
      && isAskedAlone(pass.entity)
  }

  func policy(of entity: EntityName) -> ConflictPolicy {
    options.conflictPolicy ?? reader.mappings[entity].conflictPolicy
  }

  /// Reads the records that wait for it, and decides about them.
  ///
  /// Only where they are is held in memory till then.
  func planUnread(
    _ pass: inout EntityPass,
    interruption: CancellationToken
  ) async throws {
    var unread = pass.unread[...]
    pass.unread = []
    while !unread.isEmpty {
      if interruption.isCancelled { throw MigrationError.interrupted }
      let portion = unread.prefix(SyncReader.readTogether)
      unread = unread.dropFirst(portion.count)
      let faults = try await reader.readAlone(
        portion.map(\.serverID),
        of: pass.entity,
        into: snapshot
      )
      pass.isEmpty = false
      // A reading that was cut short says nothing of its record.
      if interruption.isCancelled { throw MigrationError.interrupted }
      for record in portion {
        if let fault = faults[JSONName(record.serverID)] {
          refuse(record, fault, in: &pass)
        } else {
          try settle(record, in: &pass)
        }
        if pass.step.weight >= Self.stepSize { try flush(&pass.step) }
      }
    }
  }

  /// Counts a record that could not be read alone: its row does not say what is to become of it, and has to
  /// come again.
  private func refuse(
    _ unread: UnreadRecord,
    _ fault: any Error,
    in pass: inout EntityPass
  ) {
    pass.isTroubled = true
    pass.holdsCursor = true
    if pass.queued[unread.id] != nil { pass.queued[unread.id] = .missed(.unsent) }
    pass.refuse(
      unread.id.key,
      MappingError(
        code: "destination.keeps-failing",
        reason: "the record at the destination cannot be read: \(fault)"
      )
    )
  }

  /// Decides about a record that was read alone, which is read from the package once more.
  private func settle(
    _ unread: UnreadRecord,
    in pass: inout EntityPass
  ) throws {
    let line = try package.record(at: unread.source)
    let known = try checkpoint.known(unread.id)
    let read: MappedRecord
    let plain: RequestFieldSet
    do throws(MappingError) {
      let own = try reader.mappings[pass.entity].record(line)
      read = try reader.mappings[pass.entity].record(line, carriedAs: known) ?? own
      plain = try read.form(.planning)
    } catch {
      pass.isTroubled = true
      return pass.reject(unread.id.key, error)
    }
    let record = LocalRecord(
      id: unread.id,
      read: read,
      plain: plain,
      content: OperationKey.digest(of: line),
      source: unread.source,
      known: known,
      claim: try located(read.claim, unread.id),
      isReadAlone: true
    )
    try settle(record, in: &pass)
  }
}
