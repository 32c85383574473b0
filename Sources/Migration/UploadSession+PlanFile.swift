package import Checkpoint
import Planning
import Records
package import StageSupport

extension UploadSession {
  /// Plans, and saves the plan under `path` for a later upload.
  ///
  /// Only for a dry run: the plan is made in its private copy of the checkpoint.
  package func plan(
    savingTo path: String,
    interruption: CancellationToken
  ) async throws -> RunRecord {
    let before = try checkpoint.recordsDigest()
    let run = try await plan(interruption: interruption)
    let targets = try PlanTargets(of: run, in: checkpoint, package())
    try PlanFile.save(checkpoint, run, recordsBefore: before, targets: targets, to: path)
    return run
  }

  /// Plans, and gives the run when it is what a saved plan says.
  ///
  /// | of this plan there is | what is done |
  /// |---|---|
  /// | a run that has ended | it is given, and has nothing left to do |
  /// | a run that was interrupted | it is gone on with |
  /// | no run | everything is planned anew and held against the saved plan, and so is what it meets at the destination |
  ///
  /// - Throws: `MigrationError.planOutdated` when a plan made now says something
  ///   else; it is dropped, and nothing was sent.
  package func plan(
    asIn plan: PlanFile,
    interruption: CancellationToken
  ) async throws -> RunRecord {
    try plan.expect(package(), profile, in: checkpoint)
    if let done = try plan.finishedRun(in: checkpoint) { return done }
    let unfinished = try checkpoint.unfinishedRun()
    let isResumed =
      unfinished?.stage == .executing && unfinished?.package == plan.run.package
      && unfinished?.profile == plan.run.profile
    let before = try checkpoint.recordsDigest()
    let run = try await self.plan(goal: .executing, interruption: interruption)
    let now = try checkpoint.planDigests(of: run)
    let isAsSaved = isResumed ? now.operations == plan.digests.operations : now == plan.digests
    if isResumed, run.id == unfinished?.id {
      // What is gone on with has places and versions of its own making.
      if isAsSaved { return run }
      throw MigrationError.planOutdated(
        path: plan.path,
        moved: "another run, \(run.id), is unfinished"
      )
    }
    if isAsSaved, try PlanTargets(of: run, in: checkpoint, package()) == plan.targets { return run }
    try checkpoint.discardPlan(of: run)
    let moved =
      if isAsSaved {
        "records that the plan changes were changed at the destination since it was made"
      } else if isResumed {
        "another device has created records at the destination that were still to be created"
      } else if before == plan.recordsBefore {
        "the destination, or a flag that decides about it, is not as it was"
      } else {
        "the checkpoint is not as it was: a run has been made since"
      }
    throw MigrationError.planOutdated(path: plan.path, moved: moved)
  }
}
