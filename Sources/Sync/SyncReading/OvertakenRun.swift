package import Checkpoint
import DestinationModel
import Profiles
import Records
import RequestMapping
import UploadPlanning

/// Looks whether another device made at the destination what an interrupted run is still to make.
package struct OvertakenRun {
  package let reader: SyncReader

  package init(reader: SyncReader) { self.reader = reader }

  private var profile: Profile { reader.profile }
  private var destination: any Destination { reader.destination }
  private var checkpoint: CheckpointFile { reader.checkpoint }

  /// Whether the destination has records that a run is still to make, and that are not its own.
  ///
  /// Where the destination gives each record an identity of its own and refuses none, they would be
  /// made twice. Another device of the same person brings such records while a run is interrupted.
  package func isOvertaken(_ run: RunRecord) async throws -> Bool {
    let untracked = UntrackedRecords(
      reader: reader,
      snapshot: try reader.snapshot(),
      countsSiblings: true
    )
    let layout = PhaseLayout(profile: profile, takesMedia: reader.traits.takesMedia)
    for (number, phase) in layout.phases.enumerated() where phase.kind == .send {
      guard untracked.canJudge(phase.entity),
        try checkpoint.hasUnsettled(.create, of: run, phase: number)
      else { continue }
      let canJudge = reader.traits.listsChangesSince[phase.entity] == true
      let mark = try checkpoint.mark(of: phase.entity)
      guard try await untracked.read(phase.entity, since: canJudge ? mark : nil) else { continue }
      // What was sent without an answer has the first claim to what is there.
      // Mostly that is all there is, and the long plan need not be gone through.
      for isPlanned in [false, true] where try untracked.isAnyUntaken(of: phase.entity) {
        if try isOvertaken(run, phase: number, isPlanned: isPlanned, by: untracked) { return true }
      }
    }
    return false
  }

  /// Holds the records that a run is still to make, or those that it sent without an answer, against
  /// what came to the account.
  private func isOvertaken(
    _ run: RunRecord,
    phase: Int,
    isPlanned: Bool,
    by untracked: UntrackedRecords
  ) throws -> Bool {
    var last: Int64 = 0
    while true {
      let after = last
      let page = try checkpoint.operations(
        of: run,
        phase: phase,
        after: after,
        limit: 1_000,
        onlyBegun: !isPlanned
      )
      guard let end = page.last else { return false }
      last = end.number
      for operation in page
      where operation.action == .create && (operation.state == .planned) == isPlanned {
        if try isOvertaken(operation, by: untracked) { return true }
      }
    }
  }

  private func isOvertaken(
    _ operation: Operation,
    by untracked: UntrackedRecords
  ) throws -> Bool {
    let form: RequestFieldSet
    do throws(MappingError) {
      form = try untracked.reader.form(of: operation)
    } catch {
      // Its parent is not at the destination as far as anybody knows, so neither is it.
      return false
    }
    let found = try untracked.like(form, of: operation.record.entity)
    guard let own = found.same.first, try mayHaveCome(operation) else {
      return !found.same.isEmpty || !found.other.isEmpty
    }
    try untracked.take(own, for: operation.record)
    if operation.state == .planned {
      try checkpoint.doubt(operation.number)
    }
    return false
  }

  /// Whether a request for an operation left that may have come late.
  private func mayHaveCome(_ operation: Operation) throws -> Bool {
    guard operation.state == .planned else { return true }
    return try checkpoint.wasSentAgain(operation.number)
  }
}
