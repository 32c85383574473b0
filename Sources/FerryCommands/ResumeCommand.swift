import AgeEncryption
import ArgumentParser
import Checkpoint
import CommandOptions
import CommandOutput
import ExportPackage
import JSONText
import Reporting
import StageSupport

/// `ferry resume`: brings an interrupted run to its end.
struct ResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Bring an interrupted upload, migration or rollback to its end.",
    discussion: """
      EXAMPLES
        ferry resume 2735d6-1

      The run remembers its package, its destination, its profile, what was chosen for it and the \
      places of its credentials: nothing else is needed, from any folder. A flag that is given wins \
      over what is remembered. What the run sent already is not sent again. A migration goes on to its \
      end as `ferry migrate` does: what was sent is read back. A run whose rollback was interrupted is \
      rolled back to the end.

      EXIT STATUS
        0   Every record is at the destination, or the rollback is complete.
            Also for a run that has ended: nothing is left to do.
        3   Finished, but records were rejected or quarantined.
        5   Stopped by a passing fault, or a full disk; the same line resumes.
        6   Finished, but records are in conflict, something differs when read
            back, or records were kept by a rollback.
        7   The destination refuses: sign-in, rights, quota.
        11  Another run holds the checkpoint.
        12  Checkpoint, package or profile do not belong together.
        64  No run of this name is known, or it was given up for a newer plan.
      """
  )

  @Argument(help: "The run, as `ferry status` names it, or the only one that begins so.")
  var run: String

  @OptionGroup var failure: FailureOptions
  @OptionGroup var sending: SendingOptions

  func run() async throws {
    let context = sending.remote.context("resume", of: run)
    let identities = try sending.remote.identity.identities()
    try await context.run {
      let found = try FoundRun(run, inOrBelow: context.state)
      let resumed = context.about(found)
      if let undone = try found.runBeingRolledBack() {
        return try await finishRollback(of: undone, in: resumed, identities)
      }
      let isUnread = try found.isUnread()
      switch found.run.stage {
      case .finished where !isUnread: return end(found.run, in: resumed)
      case .abandoned:
        throw MigrationError.badChoice(
          reason: "run \(found.run.id) was given up for a newer plan",
          cure: "`ferry history` lists the runs that came later"
        )
      case .planning, .executing, .finished:
        return try await goOn(with: found, identities, in: resumed)
      }
    }
  }

  private func finishRollback(
    of run: String,
    in context: CommandContext,
    _ identities: [AgeIdentity]
  ) async throws -> ExitStatus {
    let rollback = RollingBack(
      context: context,
      found: try FoundRun(run, in: context.state),
      identities: identities,
      currentProfile: nil,
      destination: sending.remote.destination
    )
    return try await rollback.run(isRehearsal: false)
  }

  private func end(_ run: RunRecord, in context: CommandContext) -> ExitStatus {
    context.screen.result(["run \(run.id) has ended: nothing is left to do"])
    context.screen.result(.object(["type": "resume", "run": .string(run.id), "ended": true]))
    return .done
  }

  /// Goes on as the verb does that began the run: what a migration sent is read back as well.
  private func goOn(
    with found: FoundRun,
    _ identities: [AgeIdentity],
    in context: CommandContext
  ) async throws -> ExitStatus {
    let package = try found.package(identities: identities)
    let uploading = sending.uploading(
      found.packagePath,
      of: found,
      identities: identities,
      in: context
    )
    guard try found.isMigration() else {
      guard !failure.rollsBack else {
        throw MigrationError.badChoice(
          reason: "run \(found.run.id) is an upload, and --on-failure is about migrations",
          cure: "leave it out; `ferry rollback \(found.run.id)` rolls the run back"
        )
      }
      return try await uploading.upload()
    }
    let status = try await uploading.migrate(rollsBack: failure.rollsBack)
    let isWhole = package.manifest.entities.allSatisfy { $0.rejected == 0 }
    return isWhole ? status : .strongest([status, .finishedWithRejects])
  }
}
