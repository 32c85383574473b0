import Backends
import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// Records that no run knows, that stand at the destination, and of which something is settled only later:
// whom they name may be found, or made, only then, and so may the addresses of their files.

/// How a record at the destination is to the one here.
enum Likeness: Hashable {
  case same
  /// The same but for what is still to come.
  case lacking(DraftMaker.Lack)
  case different
}

extension UploadPlanner {
  /// What a record that is adopted still has to be given; `nil` where it is there as a whole.
  func lack(
    of record: LocalRecord,
    _ decision: PlanDecision,
    _ policy: ConflictPolicy
  ) throws(MigrationError) -> DraftMaker.Lack? {
    guard case .adopt(let serverID, _) = decision, hasLateMembers(record.id.entity),
      let remote = try remote(serverID, of: record)
    else { return nil }
    let form: WireForm
    do throws(WireRefusal) {
      form = try record.read.form(resolver.leavingOpen)
    } catch {
      // It was compared with the destination before, so that this does not happen.
      return nil
    }
    guard case .lacking(let lack) = try likeness(of: record, form, remote, policy) else {
      return nil
    }
    return lack
  }

  private func hasLateMembers(_ entity: EntityName) -> Bool {
    let program = desk.wires[entity].program
    return !program.lateReferences.isEmpty || program.namesFiles
  }

  /// How a record at the destination is to the one here.
  ///
  /// One that no run knows may lack its late references, and the addresses of its files: each of them is as
  /// it is here, or not there at all, or may be what is meant here. Where the store's own is to win, what may
  /// be another one is another one.
  func likeness(
    of record: LocalRecord,
    _ form: WireForm,
    _ remote: RemoteRecord,
    _ policy: ConflictPolicy
  ) throws(MigrationError) -> Likeness {
    let wire = desk.wires[record.id.entity]
    guard record.known?.serverID == nil, hasLateMembers(record.id.entity) else {
      let isSame = form.open.isEmpty && wire.isSame(form.whole, asRemote: remote.body)
      return isSame ? .same : .different
    }
    guard let there = wire.object(remote.body) else { return .different }
    let late = Set(wire.program.lateReferences).union(wire.program.fileLinks)
      .subtracting(untellable(record, there, policy))
    let firm = form.whole.filter { member in
      !late.contains(member.name) && !wire.program.fileLinks.contains(member.name)
    }
    guard wire.isSame(firm, asRemote: remote.body) else { return .different }
    let unlike = form.whole.filter {
      late.contains($0.name) && !wire.isSame([$0], asRemote: remote.body)
    }
    func isThere(_ name: String) -> Bool { there[name].map { !$0.isNull } ?? false }
    guard !unlike.contains(where: { isThere($0.name) }) else { return .different }
    let open = form.open + (try unsent(record).filter(late.contains))
    if unlike.isEmpty, open.isEmpty { return .same }
    if !open.contains(where: isThere) { return .lacking(.empty) }
    return policy == .local ? .different : .lacking(.unknown)
  }

  // MARK: - Addresses of files

  /// The members that are to have the addresses of files that no run has sent.
  private func unsent(
    _ record: LocalRecord
  ) throws(MigrationError) -> [String] {
    var unsent: [String] = []
    for link in record.read.fileLinks where try address(of: link.file, of: record) == nil {
      unsent.append(link.name)
    }
    return unsent
  }

  private func address(
    of file: RecordMedia,
    of record: LocalRecord
  ) throws(MigrationError) -> String? {
    let id = RecordID(entity: .media(file.rule.category), key: file.key(of: record.id))
    if let address = found.address(of: id) { return address }
    return try checkpointing { () throws(CheckpointError) in try checkpoint.known(id)?.version }
  }

  /// The members in which a record at the destination has addresses of files of which nobody can tell what
  /// lies there: they stay, unless the store's own is to win and can be brought there.
  private func untellable(
    _ record: LocalRecord,
    _ there: JSONObject,
    _ policy: ConflictPolicy
  ) -> Set<String> {
    guard !desk.destination.traits.keepsAddresses else { return [] }
    let links = record.read.fileLinks.filter { link in
      (policy != .local || link.isFixed) && there[link.name]?.text != nil
    }
    return Set(links.map(\.name))
  }

  /// Takes the addresses that a record has at the destination for those of its files, where nobody can tell
  /// what lies there; a file of which another address is known keeps that, and the record its own.
  func takeAddresses(
    of record: LocalRecord,
    _ settled: inout SettledDecision,
    _ policy: ConflictPolicy,
    in pass: inout EntityPass
  ) throws(MigrationError) {
    let serverID: String
    switch settled.decision {
    case .adopt(let place, _), .update(let place, _): serverID = place
    default: return
    }
    guard record.known?.serverID == nil, !record.read.fileLinks.isEmpty,
      let remote = try remote(serverID, of: record),
      let there = desk.wires[record.id.entity].object(remote.body)
    else { return }
    let untellable = untellable(record, there, policy)
    for (name, file, _) in record.read.fileLinks where untellable.contains(name) {
      guard let address = there[name]?.text else { continue }
      if let other = try self.address(of: file, of: record) {
        if other != address { settled.sent[name] = .string(address) }
        continue
      }
      let id = RecordID(entity: .media(file.rule.category), key: file.key(of: record.id))
      found.keep(address, of: id)
      pass.takenAddresses += 1
      pass.step.adoptions.append(
        PlanStep.Adoption(
          record: id,
          serverID: address,
          version: address,
          content: file.digest,
          wire: file.digest
        )
      )
    }
  }
}
