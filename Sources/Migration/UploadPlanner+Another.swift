import Backends
import Checkpoint
import JSONText
import Profiles
import Records
import Synchronization
import UploadPlanning

// Records in whose place another one stands.

extension UploadPlanner {
  /// Makes a conflict of what would be done to a record, or be taken for it, where another stands in its place.
  func leavingAnother(
    _ decision: PlanDecision,
    _ record: LocalRecord,
    _ counterpart: Counterpart
  ) throws(MigrationError) -> PlanDecision {
    switch decision {
    case .create, .conflict, .leave: return decision
    case .adopt, .update, .unchanged, .yield, .trail, .contested, .delete:
      guard try isAnother(record, counterpart) else { return decision }
      unsent.insert(record.id)
      return .conflict(reason: .anotherStands)
    }
  }

  private func isAnother(
    _ record: LocalRecord,
    _ counterpart: Counterpart
  ) throws(MigrationError) -> Bool {
    let entity = record.id.entity
    let wire = desk.wires[entity]
    guard case .different(let serverID, _) = counterpart, serverID == record.serverID,
      desk.makesIdentities(of: entity), wire.hasLastingKey,
      let remote = try remote(serverID, of: record)
    else { return false }
    if let given = try given(record) { return wire.isAnother(remote.body, than: given) }
    do throws(WireRefusal) {
      return wire.isAnother(
        remote.body,
        than: try record.read.form(resolver.leavingOpen).whole
      )
    } catch {
      // It names what is not at the destination: the reading before it is sent decides.
      return false
    }
  }

  /// What the destination was given of a record; `nil` where nobody knows.
  private func given(_ record: LocalRecord) throws(MigrationError) -> [WireMember]? {
    guard let image = try base(of: record.id, record.known) else { return nil }
    let given = try lookingUp { () throws(WireFault) in
      try desk.wires[record.id.entity].given(image, of: record.known, resolver)
    }
    return given.members.members.filter { !given.unknown.contains($0.name) }
      .map { WireMember(name: $0.name, value: $0.value.canonicalBytes) }
  }
}

/// Records, as they are found.
final class NamedRecords: Sendable {
  private let records = Mutex<Set<RecordID>>([])

  var isEmpty: Bool { records.withLock { $0.isEmpty } }

  func insert(_ record: RecordID) { records.withLock { _ = $0.insert(record) } }

  func contains(_ record: RecordID) -> Bool { records.withLock { $0.contains(record) } }
}
