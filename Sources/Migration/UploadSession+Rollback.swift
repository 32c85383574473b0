package import Checkpoint
import Execution
import Planning
import Records
import Retrying
package import StageSupport
import SyncReading
import UploadPlanning

extension UploadSession {
  /// Plans the inverse of a run: what it made is removed, what it overwrote is put back, newest
  /// first.
  ///
  /// A rollback of the same run that was interrupted is gone on with. One that came to its end and could
  /// not take everything back is followed by another, of what is left.
  ///
  /// A run that was not finished is first paused: what it sent without an answer is
  /// looked up, and what it had only planned is given up.
  ///
  /// The profile of the session is the one that the run began with.
  package func planRollback(
    of runID: String,
    interruption: CancellationToken
  ) async throws -> RunRecord {
    let runs = try checkpoint.runs()
    guard let target = runs.last(where: { $0.id == runID }) else {
      throw MigrationError.unknownRun(runID)
    }
    let earlier = runs.last { $0.undoes == runID && $0.stage != .abandoned }
    if let earlier {
      guard try isBegunAgain(after: earlier) else { return earlier }
    }
    if let later = try laterRun(than: target, among: runs) {
      throw MigrationError.laterRun(later.id)
    }
    let findings = FindingCollector()
    if let unfinished = runs.last(where: { $0.stage == .executing || $0.stage == .planning }) {
      try await bringToRest(unfinished, findings, interruption: interruption)
    }
    progress.report(.stageBegan(.plan))
    let number = try checkpoint.runs().count + 1
    var run = try checkpoint.beginRun(
      id: Self.runID(checkpoint.binding, number: number),
      kind: .rollback,
      package: "",
      packagePath: target.packagePath,
      undoes: runID,
      profile: storedProfile,
      flags: options.flags,
      now: clock.wallSeconds()
    )
    let reported = findings.all + neighbours.unreported()
    try checkpoint.add(reported, to: run)
    let planner = RollbackPlanner(reader: try reader())
    try planner.add(PlanStep(countingConflicts: findings.all), to: run)
    _ = try beginAgreement()
    try planner.draftInverse(of: target, into: run, isFirst: earlier == nil)
    try await planner.draftCopies(of: target, into: run)
    try planner.reportFinalRemovals(in: run)
    try checkpoint.setStage(.executing, of: run, now: clock.wallSeconds())
    run.stage = .executing
    progress.report(.stageEnded(.plan))
    return run
  }

  /// Whether a rollback is planned anew after an earlier one of the same run: one whose plan was not
  /// whole, which is dropped, or one that failed to take something back, or left it for the sake of what
  /// may be gone by now.
  private func isBegunAgain(after earlier: RunRecord) throws -> Bool {
    switch earlier.stage {
    case .planning:
      try checkpoint.discardPlan(of: earlier)
      return true
    case .executing, .abandoned: return false
    case .finished:
      return try checkpoint.hasRejected(earlier, orLeftFor: OperationContext.passingReasons)
    }
  }

  /// The last run after `target` that changed something and was not rolled back.
  ///
  /// What a later run made may depend on what this one made, and a destination may take it along in
  /// silence; runs are therefore rolled back in the reverse of their order.
  private func laterRun(
    than target: RunRecord,
    among runs: [RunRecord]
  ) throws -> RunRecord? {
    let undone = Set(
      runs.filter { $0.kind == .rollback && $0.stage == .finished }.compactMap(\.undoes)
    )
    for run in runs.reversed() where run.number > target.number && run.kind == .upload {
      guard !undone.contains(run.id) else { continue }
      let confirmed = try checkpoint.confirmed(of: run, before: .max, limit: 1)
      if !confirmed.isEmpty { return run }
    }
    return nil
  }

  private func bringToRest(
    _ run: RunRecord,
    _ findings: FindingCollector,
    interruption: CancellationToken
  ) async throws {
    if run.stage == .planning {
      try checkpoint.discardPlan(of: run)
    } else if run.kind == .rollback {
      throw MigrationError.rollbackUnfinished(run.undoes ?? run.id)
    } else {
      if hasCurrentRoutes { try giveUpFiles(of: run, findings) }
      let before = Set(try checkpoint.conflicts(of: run))
      try await under(run).settle(run, interruption: interruption)
      for conflict in try checkpoint.conflicts(of: run)
      where !before.contains(conflict) {
        findings.add(.leftInDoubt(conflict))
      }
    }
  }
}
