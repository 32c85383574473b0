import Checkpoint
import ExportPackage
import Planning
import Records
import Retrying
import StageSupport
import SyncReading
import UploadPlanning

extension UploadSession {
  /// Goes on with an unfinished run, or clears it out of the way and gives `nil`.
  ///
  /// | unfinished run | package | what is done |
  /// |---|---|---|
  /// | still being planned | any | its plan is dropped |
  /// | an upload | the same, and the same choices | it is gone on with |
  /// | an upload | another, or other choices | it is given up |
  /// | an upload | any, and another device has made what it was still to make | it is given up |
  /// | an upload, with another profile | any | it is given up, as the other profile was accepted |
  /// | a rollback | any | refused: it has to come to its end first |
  ///
  /// Of a run that is given up, what it sent without an answer is looked up first, with the profile that it
  /// began with, and what it confirmed stays in force. What it left to the destination is decided
  /// anew, and reported by the run that does; of records that no one knew before it is, and is
  /// reported by the next run.
  func continued(
    _ run: RunRecord,
    _ package: PackageReader,
    _ findings: FindingCollector,
    _ interruption: CancellationToken
  ) async throws -> RunRecord? {
    if run.stage == .planning {
      try checkpoint.discardPlan(of: run)
      return nil
    }
    guard run.kind == .upload else { throw MigrationError.rollbackUnfinished(run.undoes ?? run.id) }
    if try !profile.isProfile(of: run, in: checkpoint) {
      progress.report(
        .note("run \(run.id) was planned with another profile: what is left of it is planned again")
      )
      try giveUpFiles(of: run, findings)
    } else if run.package == package.digest.description,
      try checkpoint.choice(of: run) == options.plan.text
    {
      guard !options.plan.isOffline,
        try await OvertakenRun(reader: try reader()).isOvertaken(run)
      else { return run }
      findings.add(.overtaken(run.id))
    }
    try await under(run).settle(run, interruption: interruption)
    return nil
  }

  /// The last run, where it left the destination's content in a conflict and the command ended before it
  /// reported that: the same line goes on with what is left of it, which is to read back.
  func unreportedRun() throws -> RunRecord? {
    guard !options.isRehearsal else { return nil }
    let run = try checkpoint.unreportedRun()
    guard let run, run.stage == .finished, try run.package == package().digest.description,
      try profile.isProfile(of: run, in: checkpoint),
      try checkpoint.choice(of: run) == options.plan.text
    else { return nil }
    return run
  }

  /// Notes that what a run came to was reported.
  package func setReported(_ result: RunResult) throws {
    guard result.run.stage == .finished, !options.isRehearsal else { return }
    try checkpoint.setReported(result.run)
  }

  /// Finds out what became of requests without an answer, and gives up what was only planned.
  func settle(_ run: RunRecord, interruption: CancellationToken) async throws {
    try checkpoint.doubtFiles(of: run)
    if try checkpoint.hasUnsettled(run) {
      let conclusion = try await drive(run, settlesOnly: true, interruption: interruption)
      guard conclusion == .done else { throw MigrationError.unsettled(run.id, conclusion) }
    }
    try checkpoint.abandon(run, now: clock.wallSeconds())
  }
}
