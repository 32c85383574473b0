import Checkpoint
import DestinationModel
import ExportPackage
import Records
import Retrying
package import StageSupport
import UploadPlanning

extension UploadSession {
  func unfinishedRun() throws(MigrationError) -> RunRecord? {
    try checkpointing { () throws(CheckpointError) in try checkpoint.unfinishedRun() }
  }

  /// Goes on with an unfinished run, or clears it out of the way and gives `nil`.
  ///
  /// | unfinished run | package | what is done |
  /// |---|---|---|
  /// | still being planned | any | its plan is dropped |
  /// | an upload | the same, and the same choices | it is gone on with |
  /// | an upload | another, or other choices | it is given up |
  /// | an upload | any, and somebody else has made what it was still to make | it is given up |
  /// | an upload, with another profile | any | it is given up, as the other profile was accepted |
  /// | a rollback | any | refused: it has to come to its end first |
  ///
  /// Of a run that is given up, what it sent without an answer is looked up first, with the profile that it
  /// began with, and what it confirmed stands. What it left to the destination is decided anew, and told by the run that does; of
  /// records that nobody knew before it stands, and is told by the next run.
  func continued(
    _ run: RunRecord,
    _ package: PackageReader,
    _ findings: FindingCollector,
    _ interruption: Interruption
  ) async throws(MigrationError) -> RunRecord? {
    if run.stage == .planning {
      try checkpointing { () throws(CheckpointError) in try checkpoint.discardPlan(of: run) }
      return nil
    }
    guard run.kind == .upload else { throw .rollbackUnfinished(run.undoes ?? run.id) }
    if try !isOfThisProfile(run) {
      progress.report(
        .note("run \(run.id) was planned with another profile: what is left of it is planned anew")
      )
      try giveUpFiles(of: run, findings)
    } else if run.package == package.digest.description,
      try options(of: run) == options.plan.text
    {
      guard try await isOvertaken(run) else { return run }
      findings.add(.overtaken(run.id))
    }
    try await under(run).settle(run, interruption: interruption)
    return nil
  }

  /// The last run, where it left the destination's content in a conflict and the command ended before it
  /// reported that: the same line goes on with what is left of it, which is to read back.
  func unreportedRun() throws(MigrationError) -> RunRecord? {
    guard !options.isRehearsal else { return nil }
    let run = try checkpointing { () throws(CheckpointError) in try checkpoint.unreportedRun() }
    guard let run, run.stage == .finished, try run.package == package().digest.description,
      try isOfThisProfile(run), try options(of: run) == options.plan.text
    else { return nil }
    return run
  }

  /// Notes that what a run came to was reported.
  package func setReported(_ result: RunResult) throws(MigrationError) {
    guard result.run.stage == .finished, !options.isRehearsal else { return }
    try checkpointing { () throws(CheckpointError) in try checkpoint.setReported(result.run) }
  }

  /// Finds out what became of requests without an answer, and gives up what was only planned.
  func settle(_ run: RunRecord, interruption: Interruption) async throws(MigrationError) {
    let isUnsettled = try checkpointing { () throws(CheckpointError) in
      try checkpoint.doubtFiles(of: run)
      return try checkpoint.hasUnsettled(run)
    }
    if isUnsettled {
      let conclusion = try await drive(run, settlesOnly: true, interruption: interruption)
      guard conclusion == .done else { throw .unsettled(run.id, conclusion) }
    }
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.abandon(run, now: clock.wallSeconds())
    }
  }

  // MARK: - What another device brought in between

  /// Whether the destination has records that a run is still to make, and that are not its own.
  ///
  /// Where the destination gives each record an identity of its own and refuses none, they would be
  /// made twice. Another device of the same person brings such records while a run is interrupted.
  private func isOvertaken(_ run: RunRecord) async throws(MigrationError) -> Bool {
    guard !options.plan.isOffline else { return false }
    let reader = try reader()
    let strange = UnaccountedRecords(
      reader: reader,
      snapshot: try reader.snapshot(),
      countsSiblings: true
    )
    let layout = PhaseLayout(profile: profile, takesMedia: destination.traits.takesMedia)
    for (number, phase) in layout.phases.enumerated() where phase.kind == .send {
      guard strange.canTell(phase.entity), try hasCreates(run, phase: number) else { continue }
      let canTell = destination.traits.canTellChangesSince[phase.entity] == true
      let mark = try checkpointing { () throws(CheckpointError) in
        try checkpoint.mark(of: phase.entity)
      }
      guard try await strange.read(phase.entity, since: canTell ? mark : nil) else { continue }
      // What was sent without an answer has the first claim to what is there.
      // Mostly that is all there is, and the long plan need not be gone through.
      for isPlanned in [false, true] where try strange.isAnyUntaken(of: phase.entity) {
        if try isOvertaken(run, phase: number, isPlanned: isPlanned, by: strange) { return true }
      }
    }
    return false
  }

  private func hasCreates(_ run: RunRecord, phase: Int) throws(MigrationError) -> Bool {
    try checkpointing { () throws(CheckpointError) in
      try checkpoint.hasUnsettled(.create, of: run, phase: phase)
    }
  }

  /// Holds the records that a run is still to make, or those that it sent without an answer, against
  /// what came to the account.
  private func isOvertaken(
    _ run: RunRecord,
    phase: Int,
    isPlanned: Bool,
    by strange: UnaccountedRecords
  ) throws(MigrationError) -> Bool {
    var last: Int64 = 0
    while true {
      let after = last
      let page = try checkpointing { () throws(CheckpointError) in
        try checkpoint.operations(
          of: run,
          phase: phase,
          after: after,
          limit: 1_000,
          onlyBegun: !isPlanned
        )
      }
      guard let end = page.last else { return false }
      last = end.number
      for operation in page
      where operation.action == .create && (operation.state == .planned) == isPlanned {
        if try isOvertaken(operation, by: strange) { return true }
      }
    }
  }

  private func isOvertaken(
    _ operation: Operation,
    by strange: UnaccountedRecords
  ) throws(MigrationError) -> Bool {
    let form: WireForm
    do throws(WireRefusal) {
      form = try strange.reader.form(of: operation)
    } catch {
      // Its parent is not at the destination as far as anybody knows, so neither is it.
      return false
    }
    let found = try strange.like(form, of: operation.record.entity)
    guard let own = found.same.first, try mayHaveCome(operation) else {
      return !found.same.isEmpty || !found.other.isEmpty
    }
    try strange.take(own, for: operation.record)
    if operation.state == .planned {
      try checkpointing { () throws(CheckpointError) in try checkpoint.doubt(operation.number) }
    }
    return false
  }

  /// Whether a request for an operation left that may have come late.
  private func mayHaveCome(_ operation: Operation) throws(MigrationError) -> Bool {
    guard operation.state == .planned else { return true }
    return try checkpointing { () throws(CheckpointError) in
      try checkpoint.wasSentAgain(operation.number)
    }
  }
}

extension Finding {
  /// A run that was interrupted, and that somebody else got ahead of.
  fileprivate static func overtaken(_ run: String) -> Finding {
    Finding(
      code: "plan.overtaken",
      severity: .note,
      cause:
        "after run \(run) was interrupted, somebody else made records that it was still to make",
      cure:
        "nothing has to be done: what was left of it is planned anew, in this run; to take all of "
        + "it back, roll this run back, and then \(run)"
    )
  }
}
