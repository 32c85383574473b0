import Backends
import Checkpoint
import JSONText
import Profiles
import Records
import UploadPlanning

// Records that no run knows, that stand at the destination, and whose late references are still to be
// settled: what these name may be found, or made, only later.

extension UploadPlanner {
  /// What a record that is adopted still has to be given; `nil` where it is there as a whole.
  func lack(
    of record: LocalRecord,
    _ decision: PlanDecision,
    _ policy: ConflictPolicy
  ) throws(MigrationError) -> DraftMaker.Lack? {
    guard case .adopt(let serverID, _) = decision,
      !desk.wires[record.id.entity].program.lateReferences.isEmpty,
      let remote = try remote(serverID, of: record)
    else { return nil }
    do throws(WireRefusal) {
      let form = try record.read.form(resolver.leavingOpen)
      return lack(of: record, form, remote, policy)
    } catch {
      // It was compared with the destination before, so that this does not happen.
      return nil
    }
  }

  /// Whether a record that no run knows stands there but for its late references: each is as it is here,
  /// or not there at all, or names what nobody has found yet; that is none of it where the store's own is to
  /// win, for it may be another one than is named here.
  func lack(
    of record: LocalRecord,
    _ form: WireForm,
    _ remote: RemoteRecord,
    _ policy: ConflictPolicy
  ) -> DraftMaker.Lack? {
    let wire = desk.wires[record.id.entity]
    let late = Set(wire.program.lateReferences)
    guard !late.isEmpty, record.known?.serverID == nil, let there = wire.object(remote.body),
      wire.isSame(form.whole.filter { !late.contains($0.name) }, asRemote: remote.body)
    else { return nil }
    let unlike = form.whole.filter {
      late.contains($0.name) && !wire.isSame([$0], asRemote: remote.body)
    }
    guard unlike.allSatisfy({ there[$0.name]?.isNull ?? true }) else { return nil }
    if unlike.isEmpty, form.open.isEmpty { return nil }
    if form.open.allSatisfy({ there[$0]?.isNull ?? true }) { return .empty }
    return policy == .local ? nil : .unknown
  }
}
