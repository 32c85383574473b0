package import Checkpoint
package import DestinationModel
package import Execution
import ExportPackage
import Files
import Planning
import Records
import ResultStages
import Retrying
package import StageSupport
import SyncReading
package import UploadPlanning
package import Verification

/// What an upload or a rollback came to.
package struct RunResult: Sendable {
  package let run: RunRecord
  package let conclusion: EngineConclusion
  package let summary: RunSummary
  /// Whose account it is instead, where the run ended because the destination serves another one.
  package var accountFault: DestinationError?
}

extension UploadSession {
  /// Decides what has to happen, and writes it down, without sending anything.
  ///
  /// A run that was interrupted with the same package and profile is gone on with, as it was
  /// planned. So is one that has ended and kept the destination's content in a conflict, as long as
  /// no command has reported that.
  package func plan(interruption: CancellationToken) async throws -> RunRecord {
    if let run = try unreportedRun() { return run }
    return try await plan(goal: .executing, interruption: interruption)
  }

  /// The same; with another `goal`, a plan that no one carries out, and that anyone who comes next drops.
  func plan(
    goal: RunRecord.Stage,
    interruption: CancellationToken
  ) async throws -> RunRecord {
    let package = try package()
    try options.plan.selection.check(profile, package)
    try checkSource(package)
    try OthersResults.refuse(in: package)
    try keepStorePath(of: package)
    let findings = FindingCollector()
    if let unfinished = try checkpoint.unfinishedRun() {
      if let run = try await continued(unfinished, package, findings, interruption) {
        if !options.flags.isEmpty { try checkpoint.setFlags(options.flags, of: run) }
        for finding in neighbours.unreported() { progress.report(.note(finding.cause)) }
        return run
      }
    }
    let reported = findings.all + neighbours.unreported()
    let asked = try AskedConflicts(
      path: decisionsPath,
      // The two sides' values would lie in the open.
      isWritten: !options.isRehearsal && !package.isSealed,
      decided: goal == .executing ? try await decisions(about: package, interruption) : [:]
    )
    let run = try await draft(goal, package, asked, reporting: reported, interruption)
    if goal == .executing { try await checkFileRoutes(of: run) }
    try reportAsked(asked)
    return run
  }

  /// Refuses a plan that sends files, before its first request, where the destination has no route for them.
  private func checkFileRoutes(of run: RunRecord) async throws {
    let counts = try checkpoint.counts(of: run)
    guard counts.contains(where: { $0.action == Operation.Action.upload.rawValue }) else { return }
    for check in await destination.fileChecks() where check.verdict == .unfit {
      try discardPlan(of: run)
      throw DestinationError.elsewhere(
        reason: check.detail,
        cure: check.cure ?? "correct api.media in the profile"
      )
    }
  }

  /// Plans a new run; no other one is unfinished.
  func draft(
    _ goal: RunRecord.Stage,
    _ package: PackageReader,
    _ asked: AskedConflicts,
    reporting reported: [Finding],
    _ interruption: CancellationToken
  ) async throws -> RunRecord {
    let rolledBackIDs = try rolledBackIDs()
    let digest = package.digest.description
    let number = try checkpoint.runs().count + 1
    let run = try checkpoint.beginRun(
      id: Self.runID(checkpoint.binding, number: number),
      kind: .upload,
      package: digest,
      packagePath: Folder.wholePath(of: package.path),
      undoes: nil,
      profile: storedProfile,
      choice: options.plan.text,
      flags: options.flags,
      now: clock.wallSeconds()
    )
    try checkpoint.add(reported, to: run)
    let reader = try reader()
    let planner = UploadPlanner(
      profile: profile,
      package: package,
      checkpoint: checkpoint,
      run: run,
      reader: reader,
      snapshot: try reader.snapshot(),
      quarantined: try options.quarantine.map { quarantine in
        try QuarantinedRecords(quarantine)
      },
      options: options.plan,
      names: try names(in: package),
      asked: asked,
      isAgreed: try beginAgreement(),
      rolledBackIDs: rolledBackIDs,
      goal: goal,
      clock: clock,
      progress: progress
    )
    try await planner.plan(interruption: interruption)
    var planned = run
    planned.stage = goal
    return planned
  }

  /// What rollbacks of other stores of the account took away, where all runs of this store were
  /// rolled back, or given up since: this store may have had it too; `nil` where that is not so.
  private func rolledBackIDs() throws -> RolledBackIDs? {
    let isRolledBack = try checkpoint.runs().filter { $0.stage != .abandoned }.areRolledBack
    return isRolledBack ? try RolledBackIDs.reading(neighbours.siblings) : nil
  }

  /// Finds out where the package's records are at the destination, where no run has stated so far: on
  /// a new machine, or after the checkpoint was lost; then compares what is there.
  ///
  /// What is planned for that is never carried out: a plan that was begun, by whomever, and not finished
  /// counts as none, and is dropped and made anew.
  package func verifyAdopting(
    interruption: CancellationToken
  ) async throws -> VerificationReport {
    let isNew = try checkpoint.runs().allSatisfy { $0.stage == .planning }
    guard isNew else { return try await verify(interruption: interruption) }
    let run = try await plan(goal: .planning, interruption: interruption)
    let report: VerificationReport
    do {
      report = try await verify(interruption: interruption, isAgreed: false)
    } catch {
      try discardPlan(of: run)
      throw error
    }
    // Till here, what it would leave to the destination is known to the records that name it.
    try discardPlan(of: run)
    return report
  }

  private func discardPlan(of run: RunRecord) throws {
    try checkpoint.discardPlan(of: run)
  }

  /// Executes what is left of a run; of one that has ended, nothing is.
  ///
  /// `before` is what the run comes to so far, where that has been counted.
  ///
  /// - Throws: `CheckpointError` also when anything of it would be left that is in no phase.
  package func execute(
    _ run: RunRecord,
    after before: RunSummary? = nil,
    interruption: CancellationToken
  ) async throws -> RunResult {
    let before = if let before { before } else { try summary(of: run) }
    guard run.stage != .finished else {
      return RunResult(run: run, conclusion: .done, summary: before)
    }
    for finding in before.findings where finding.code == Finding.deletionsCode {
      progress.report(.warning(finding.cause))
    }
    for finding in before.findings where finding.code == Finding.finalRemovalCode {
      progress.report(.warning("\(finding.cause); \(finding.cure)"))
    }
    if before.settledCount > 0 {
      let (done, total) = (before.settledCount.grouped, before.operationCount.grouped)
      progress.report(.note("resuming run \(run.id): \(done) of \(total) done"))
    }
    let stage: ProgressEvent.Stage = run.kind == .upload ? .upload : .rollback
    progress.report(.stageBegan(stage))
    progress.expect(before.operationCount, done: before.settledCount, stage: stage)
    var conclusion = try await drive(run, settlesOnly: false, interruption: interruption)
    if conclusion == .done, run.kind == .rollback {
      let verifier = RollbackVerifier(reader: try reader(), secondLook: options.retry.first)
      conclusion = try await verifier.readBack(run, interruption: interruption)
    }
    // Nothing is in flight any more.
    let begun = clock.now()
    var ended = run
    // What it came to is counted while the checkpoint is at work on what it made known.
    let isLarge = conclusion == .done && before.operationCount >= Self.large
    async let counted = isLarge ? checkpoint.countsByOwnConnection(of: run) : nil
    if conclusion == .done {
      try checkpoint.finish(run, now: clock.wallSeconds())
      ended.stage = .finished
    }
    let after = try summary(of: ended, counted: await counted)
    if conclusion == .done { try settleAgreement(of: run, after) }
    progress.heldUp(clock.now() - begun)
    progress.report(.stageEnded(stage))
    var result = RunResult(run: ended, conclusion: conclusion, summary: after)
    if case .refused = conclusion { result.accountFault = await destination.accountFault() }
    return result
  }

  func drive(
    _ run: RunRecord,
    settlesOnly: Bool,
    interruption: CancellationToken
  ) async throws -> EngineConclusion {
    let layout = PhaseLayout(profile: profile, takesMedia: destination.traits.takesMedia)
    let phases = run.kind == .upload ? layout.phases : layout.phases.reversed()
    let findings = FindingCollector()
    if !settlesOnly, let reason = try runPolicy.displacement(in: run, phases) {
      return .refused(reason: reason)
    }
    let unproven = try runPolicy.unproven(in: run, phases)
    var context =
      settlesOnly
      ? try context(findings: findings, givingUp: run) : try context(findings: findings)
    context.givesUp = settlesOnly
    context.unproven = Set(unproven.map { phases[$0].entity })
    let driver = RunDriver(
      checkpoint: checkpoint,
      run: run,
      policy: runPolicy.policy(
        for: phases,
        forgotten: try runPolicy.forgottenKeys(of: run, phases, findings),
        unproven: unproven,
        settlesOnly: settlesOnly
      ),
      context: context,
      clock: clock,
      progress: progress
    )
    let conclusion = try await driver.drive(interruption: interruption)
    try checkpoint.add(findings.all, to: run)
    return conclusion
  }

  /// From so many operations on, they take longer to be counted than a connection takes to be opened.
  private static let large = 10_000

  /// What a run came to so far, from the checkpoint alone.
  package func summary(of run: RunRecord) throws -> RunSummary {
    try summary(of: run, counted: nil)
  }

  private func summary(
    of run: RunRecord,
    counted: [OperationCount]?
  ) throws -> RunSummary {
    try RunSummary(run: run, checkpoint: checkpoint, counted: counted)
  }

  /// A name that is short enough to type and never the same twice for one store and account.
  static func runID(_ binding: CheckpointBinding, number: Int) -> String {
    "\(StateFolder.runName(of: binding))-\(number)"
  }
}
