import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// What stands at the destination, held against what runs left there.

extension UploadPlanner {
  /// Whether the destination holds a record as a run left it, whatever its version.
  func isAsLeft(
    _ record: LocalRecord,
    _ form: WireForm,
    _ remote: RemoteRecord
  ) throws(MigrationError) -> Bool {
    let wire = desk.wires[record.id.entity]
    guard let known = record.known, known.serverID == remote.serverID,
      let there = wire.object(remote.body)
    else { return false }
    let isIncomplete = form.complete.allSatisfy { there[$0.name]?.isNull ?? true }
    if known.wire == record.plain.createDigest, wire.isSame(form.create, asRemote: remote.body) {
      // A run made it that could not complete it.
      return isIncomplete
    }
    // What was sent is known by its digest alone: that of the record as it is now, but for the members in
    // which the destination differs, is it where these are what was sent.
    guard let differing = differing(record, form, remote) else { return false }
    func isSent(_ members: [WireMember]) -> Bool {
      let sent = members.compactMap { member -> WireMember? in
        guard differing.contains(member.name) else { return member }
        // A link is left out while there is no file.
        if there[member.name]?.isNull ?? true, wire.program.fileLinks.contains(member.name) {
          return nil
        }
        return WireMember(name: member.name, value: (there[member.name] ?? .null).canonicalBytes)
      }
      return wire.program.digest(of: sent) == known.wire
    }
    if isSent(record.plain.whole) { return true }
    // A run made it that could not complete it, and it was changed here since.
    return isIncomplete && isSent(record.plain.create)
  }

  /// Whether what stands at the destination is what a rollback put back, and somebody else's work: a run had
  /// overwritten it, and its version is known for that reason alone.
  ///
  /// Where the app keeps what it knows of the server, that says which change has to go out. Where nothing
  /// else tells what the run overwrote, what was sent before it has to be recognized in what stands there,
  /// which the destination may spell otherwise.
  func isSomebodysPutBack(
    _ record: LocalRecord,
    _ form: WireForm,
    _ remote: RemoteRecord
  ) throws(MigrationError) -> Bool {
    guard let known = record.known, known.version == remote.version, known.version != nil,
      record.claim.meaning == nil, record.claim.base == nil, record.read.queued == nil
    else { return false }
    let words = try checkpointing { () throws(CheckpointError) in
      try checkpoint.choiceOfPutBack(record.id)
    }
    guard let words else { return false }
    if let image = try base(of: record.id, known) {
      return !isAsGiven(image, remote, of: record)
    }
    if let choice = RunChoice(words: words), try overwroteOwn(record.id, choice) { return false }
    let program = desk.wires[record.id.entity].program
    let links = Set(program.links.map(\.member)).union(program.fileLinks)
    // Which record or file it named then, nobody knows where the one here names another.
    guard let differing = differing(record, form, remote), differing.isDisjoint(with: links)
    else { return false }
    return try !isAsLeft(record, form, remote)
  }

  /// Whether a run that made this choice can have changed a record only where the destination held what the
  /// store had brought there.
  ///
  /// Where nobody's change is overwritten, none goes out but onto the version that is known; and that is of
  /// the store's own making where nothing was ever left to the destination, of which an image would tell.
  private func overwroteOwn(
    _ record: RecordID,
    _ choice: RunChoice
  ) throws(MigrationError) -> Bool {
    guard choice.profile == profile.digest.description else { return false }
    let chosen = PlanOptions.conflictPolicy(in: choice.options)
    switch chosen ?? desk.wires[record.entity].conflictPolicy {
    case .fail, .server:
      return try checkpointing { () throws(CheckpointError) in
        try !checkpoint.leftAnything(of: record)
      }
    case .local, .newest, .merge, .ask: return false
    }
  }

  /// The members in which the destination's record is not the one here; `nil` where it cannot be read.
  private func differing(
    _ record: LocalRecord,
    _ form: WireForm,
    _ remote: RemoteRecord
  ) -> Set<String>? {
    do throws(WireRefusal) {
      let changes = try desk.wires[record.id.entity].changes(from: remote.body, to: form.whole)
      return Set(changes.map(\.name))
    } catch {
      return nil
    }
  }
}
