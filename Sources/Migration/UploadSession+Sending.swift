package import Checkpoint
package import Execution
package import PackageStages
package import StageSupport
import UploadPlanning
package import Verification

/// How a migration sends what is in its package.
package struct SendingRule: Sendable {
  package var validity: ValidityRule
  /// Whether a run is rolled back when verification fails or its retries are spent.
  package var rollsBackOnFailure: Bool
  /// Sees what a plan comes to before anything of it is sent; what it throws ends the run.
  package var confirm: @Sendable (RunSummary) throws -> Void

  package init(
    validity: ValidityRule,
    rollsBackOnFailure: Bool,
    confirm: @escaping @Sendable (RunSummary) throws -> Void
  ) {
    self.validity = validity
    self.rollsBackOnFailure = rollsBackOnFailure
    self.confirm = confirm
  }
}

/// Something of a migration that has come to its end.
package enum SendingStep: Sendable {
  case sent(RunResult)
  case verified(VerificationReport)
  case rollingBack(RunRecord)
  case rolledBack(RunRecord, RunResult)
}

extension UploadSession {
  /// Plans, executes, reads back; rolls back where that is wanted and something is wrong.
  ///
  /// Anyone who calls reports what was read back, and then has the session note that. `ended` is a run that
  /// has sent everything and is only to be read back; `nil` to plan.
  package func send(
    _ ended: RunRecord? = nil,
    by rule: SendingRule,
    interruption: CancellationToken,
    notify: (SendingStep) -> Void = { _ in }
  ) async throws -> MigrationResult {
    let run = if let ended { ended } else { try await plan(interruption: interruption) }
    let planned = try summary(of: run)
    try rule.validity.check(planned.count(.rejected), of: planned.total)
    if ended == nil { try rule.confirm(planned) }
    let result = try await execute(run, after: planned, interruption: interruption)
    notify(.sent(result))
    var migrated = MigrationResult(result: result)
    switch result.conclusion {
    case .interrupted, .refused: return migrated
    case .passingFault:
      if rule.rollsBackOnFailure {
        migrated.undo = try await rollBack(run, interruption: interruption, notify: notify)
      }
      return migrated
    case .done: break
    }
    let report: VerificationReport
    do {
      report = try await verify(interruption: interruption)
    } catch MigrationError.interrupted {
      // Everything is there; only the reading back is left.
      migrated.isUnread = true
      return migrated
    }
    migrated.verification = report
    notify(.verified(report))
    if !report.isClean, rule.rollsBackOnFailure {
      migrated.undo = try await rollBack(run, interruption: interruption, notify: notify)
    }
    return migrated
  }

  /// Rolls a run back, in the session that made it.
  package func rollBack(
    _ run: RunRecord,
    interruption: CancellationToken,
    notify: (SendingStep) -> Void = { _ in }
  ) async throws -> RunResult {
    notify(.rollingBack(run))
    let undo = try await planRollback(of: run.id, interruption: interruption)
    let result = try await execute(undo, interruption: interruption)
    notify(.rolledBack(run, result))
    return result
  }
}
