import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// What stands at the destination in place of a record, as far as the plan has read it.

extension UploadPlanner {
  func remote(
    _ serverID: String,
    of record: LocalRecord
  ) throws(MigrationError) -> RemoteRecord? {
    try checkpointing { () throws(CheckpointError) in
      try snapshot.record(serverID, of: record.id.entity)
    }
  }

  /// What a record says; what stands in for what is only now made stays.
  func statement(of record: LocalRecord) throws(MigrationError) -> WireStatement {
    do throws(WireRefusal) {
      let form = try record.read.form(resolver)
      return WireStatement(update: form.update, whole: form.whole)
    } catch {
      return try lookingUp { () throws(WireFault) in
        try desk.wires[record.id.entity].statement(record.plain, resolver)
      }
    }
  }

  /// The fields in which what stands at the destination is not what the record says.
  func whatStands(
    _ serverID: String,
    _ record: LocalRecord
  ) throws(MigrationError) -> JSONObject {
    let wire = desk.wires[record.id.entity]
    var sent = JSONObject()
    guard let remote = try remote(serverID, of: record), let body = wire.object(remote.body) else {
      return sent
    }
    let whole = try statement(of: record).whole
    do throws(WireRefusal) {
      for member in try wire.changes(from: remote.body, to: whole) {
        sent[member.name] = body[member.name] ?? .null
      }
    } catch {
      // It is an object, as was seen above.
      return JSONObject()
    }
    return sent
  }

  // MARK: - What was given last

  /// Whether the destination, which tells no version, holds something else than it was given last.
  ///
  /// A row of a list says nothing against a version that is known: whoever reads the record alone compares
  /// that. Where nobody can, the row is all that there is.
  func hasMoved(_ serverID: String, _ record: LocalRecord) throws(MigrationError) -> Bool {
    guard record.known?.version == nil || record.isReadAlone || !isAskedAlone(record.id.entity)
    else { return false }
    return try isOtherThanGiven(serverID, record)
  }

  /// Whether what was read without a version is something else than the destination was given last.
  ///
  /// Where nothing is known of what it was given, nobody can tell; and a list may leave out what a
  /// reading of the record alone has.
  func isOtherThanGiven(
    _ serverID: String,
    _ record: LocalRecord
  ) throws(MigrationError) -> Bool {
    guard let image = try base(of: record.id, record.known),
      let remote = try remote(serverID, of: record), remote.version == nil
    else { return false }
    return hasMoved(remote, from: image, record)
  }

  /// The same, told by the version where there is one.
  func hasMoved(_ remote: RemoteRecord, from image: RecordImage, _ record: LocalRecord) -> Bool {
    if let version = remote.version { return version != record.known?.version }
    return !isAsGiven(image, remote, of: record)
  }

  /// Whether the destination holds what it was given last, as far as a row of a list tells.
  func isAsGiven(_ image: RecordImage, _ remote: RemoteRecord, of record: LocalRecord) -> Bool {
    let brought = record.claim.isDeleted ? nil : Set(record.plain.update.map(\.name))
    return isAsGiven(image, remote, record.known, bringing: brought)
  }

  /// The same of any record that is known; `brought` are the members that a change brings, `nil` for a deletion.
  func isAsGiven(
    _ image: RecordImage,
    _ remote: RemoteRecord,
    _ known: KnownRecord?,
    bringing brought: Set<String>?
  ) -> Bool {
    let wire = desk.wires[image.record.entity]
    do throws(WireFault) {
      return wire.holds(
        try wire.given(image, of: known, resolver),
        of: wire.updated,
        remote.body,
        isWhole: false,
        bringing: brought
      )
    } catch {
      // What it names is not known just now; the reading before it is sent decides.
      return true
    }
  }

  /// Leaves what the plan did not see of a record, and what nobody changed here, as it stands there.
  func leaveUnseen(
    of record: LocalRecord,
    _ settled: inout SettledDecision
  ) throws(MigrationError) {
    let wire = desk.wires[record.id.entity]
    guard case .update(let serverID, _) = settled.decision,
      let image = try base(of: record.id, record.known), let base = wire.object(image.base),
      let remote = try remote(serverID, of: record), remote.version == nil,
      let row = wire.object(remote.body)
    else { return }
    let left = image.sent.flatMap { wire.object($0) } ?? JSONObject()
    let links = wire.program.fileLinks
    let plain = wire.program.image(of: record.plain.update)
    for member in plain.members where row[member.name] == nil {
      guard let before = base[member.name],
        wire.program.api.agree(before, member.value, of: member.name)
      else { continue }
      // The address of a file that was left is told from one that is missing.
      if links.contains(member.name), left[member.name]?.text != nil { continue }
      settled.sent[member.name] = .null
    }
  }

  /// The content that a change expects to find, where no row tells its version: what the plan saw, if that
  /// is not what a run left there, or if the store's own `wins` whatever is there.
  ///
  /// A deletion takes away what the plan did not see too: that may be anything only where a person said so.
  func expecting(
    _ decision: PlanDecision,
    _ record: LocalRecord,
    wins: Bool
  ) throws(MigrationError) -> PlanDecision {
    let serverID: String
    let version: String?
    var isAlone = wins
    switch decision {
    case .update(let place, let known):
      serverID = place
      version = known
    case .delete(let place, let known):
      serverID = place
      version = known
      isAlone = options.conflictPolicy == .local
    default: return decision
    }
    guard version == nil || wins,
      let remote = try remote(serverID, of: record), remote.version == nil,
      try wins ? true : isSeenAlone(serverID, record)
    else { return decision }
    let mark = desk.wires[record.id.entity].contentMark(of: remote.body, isAlone: isAlone).text
    if case .delete = decision { return .delete(serverID: serverID, version: mark) }
    return .update(serverID: serverID, version: mark)
  }

  /// Whether only what the plan saw tells what a change is made on.
  private func isSeenAlone(
    _ serverID: String,
    _ record: LocalRecord
  ) throws(MigrationError) -> Bool {
    guard try base(of: record.id, record.known) != nil else {
      return !desk.wires.tellsVersions(of: record.id.entity)
    }
    return try isOtherThanGiven(serverID, record)
  }

  /// Asks the checkpoint where the records and files are that something names.
  func lookingUp<Value>(
    _ body: () throws(WireFault) -> Value
  ) throws(MigrationError) -> Value {
    do throws(WireFault) { return try body() } catch {
      throw .checkpoint(.unreadable(path: checkpoint.path, reason: error.finding.cause))
    }
  }
}
