import Checkpoint
import CommandOutput
import DestinationModel
import Execution
import Migration
import Planning
import Profiles
import Reporting
import StageSupport
import SyncReading
import UploadPlanning

extension CommandContext {
  /// Compares the fields that the profile sends with the destination's own, and says what was not compared.
  ///
  /// - Throws: `DestinationError` for a field of a chosen entity that the destination has no place for.
  func compareFields(
    of profile: Profile,
    with destination: any Destination,
    _ selection: Selection
  ) async throws {
    let checks = await Preflight.comparison(of: profile, with: destination)
      .filter { check in
        check.verdict != .fits && !(check.entity.map { selection.leavesOut($0) } ?? false)
      }
    for line in PreflightText.lines(of: checks) { screen.say(line) }
    if let unfit = checks.first(where: { $0.verdict == .unfit && $0.entity != nil }) {
      throw DestinationError.elsewhere(
        reason: unfit.detail,
        cure: unfit.cure ?? "see what `ferry preflight` says of it"
      )
    }
  }

  /// Prints what a part of a migration came to.
  func show(_ step: SendingStep, at binding: CheckpointBinding) {
    switch step {
    case .sent(let result):
      screen.result(
        ["run \(result.run.id) to \(binding.account.plainForTerminal):"]
          + SummaryText.lines(of: result.summary)
      )
      screen.result(SummaryJSON.value(of: result.summary, kind: "upload"))
      reportStop(result.conclusion)
    case .verified(let report):
      screen.result(["read back:"] + SummaryText.lines(of: report))
      screen.result(SummaryJSON.value(of: report, at: binding))
    case .rollingBack(let run):
      screen.say("rolling run \(run.id) back, as --on-failure rollback asks")
    case .rolledBack(let run, let result):
      screen.result(
        ["run \(run.id) rolled back by run \(result.run.id):"]
          + SummaryText.rollbackLines(of: result.summary)
      )
      screen.result(SummaryJSON.value(of: result.summary, kind: "rollback"))
    }
  }

  /// Says what to type next, and takes the run to be noted as reported once it is read back.
  func notify(_ migrated: MigrationResult, package: String, in session: UploadSession) {
    if migrated.verification != nil { reportedRun.take(migrated.result, in: session) }
    reportTotals()
    let run = migrated.result.run
    guard migrated.result.conclusion == .done else {
      let isOver = migrated.undo != nil || migrated.result.conclusion == .interrupted
      let isOutOfTime = signals.isOutOfTime && migrated.undo == nil
      if isOutOfTime || !isOver, ExitStatus(migrated).mayRetry {
        let resume = command("resume", run)
        screen.say("next: run the same command again, or \(resume); both go on")
      }
      return
    }
    if migrated.isUnread {
      screen.say("next: run the same command again, or \(command("resume", run)); both read back")
    }
    screen.say("package:  \(package)")
    screen.say("verify:   \(command("verify", run))")
    if !migrated.result.summary.findings.isEmpty {
      screen.say("details:  \(command("history", run))")
    }
    guard migrated.result.summary.operationCount > 0 else { return }
    screen.say("write-back: \(command("write-back", run)) -o write-back.json")
    let remark = SummaryText.undoRemark(migrated.result.summary)
    let undo = command("rollback", run)
    screen.say("undo:     \(undo)\(remark)")
    screen.recorder.suggestUndo(undo)
  }
}
