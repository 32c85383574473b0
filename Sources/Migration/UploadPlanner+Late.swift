import Backends
import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// Records that no run knows, that stand at the destination, and of which something is settled only later:
// whom they name may be found, or made, only then, and so may the addresses of their files; see
// UploadPlanner+Addresses.swift.

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
      guard form.open.isEmpty, wire.isSame(form.whole, asRemote: remote.body),
        try !isEmptiedUnseen(record, remote)
      else { return .different }
      return .same
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
}
