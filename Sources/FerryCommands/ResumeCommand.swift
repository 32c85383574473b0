import AgeEncryption
import ArgumentParser
import Checkpoint
import CommandOutput
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
      over what is remembered. What the run sent already is not sent again.

      EXIT STATUS
        0   Every record is at the destination, or the rollback is complete.
            Also for a run that has ended: nothing is left to do.
        3   Finished, but records were rejected or quarantined.
        5   Stopped by a passing fault, or a full disk; the same line resumes.
        6   Finished, but records are in conflict, or were kept by a rollback.
        7   The destination refuses this account.
        11  Another run holds the checkpoint.
        12  Checkpoint, package or profile do not belong together.
        64  No run of this name is known, or it was given up for a newer plan.
      """
  )

  @Argument(help: "The run, as `ferry status` names it, or the only one that begins so.")
  var run: String

  @Flag(help: "Go on even when the package has far fewer records than were sent before.")
  var allowEmptySource = false

  @OptionGroup(title: "Plan") var planning: PlanningOptions
  @OptionGroup(title: "Records that are not valid") var validity: ValidityOptions
  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Destination") var destination: DestinationOptions
  @OptionGroup(title: "Profile") var profile: ProfileOptions
  @OptionGroup(title: "Reports") var reports: ReportOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared, reports, "resume", of: run, limit: destination.limit)
    let identities = try identity.identities()
    try await context.run { () async throws(MigrationError) in
      let found = try FoundRun(run, in: context.state)
      switch (found.run.stage, found.run.undoes) {
      case (.finished, _): return end(found.run, in: context)
      case (.abandoned, _):
        throw .badChoice(
          reason: "run \(found.run.id) was given up for a newer plan",
          cure: "`ferry history` lists the runs that came later"
        )
      case (.planning, let undone?), (.executing, let undone?):
        let rollback = RollingBack(
          context: context,
          found: try FoundRun(undone, in: context.state),
          identities: identities,
          currentProfile: nil,
          destination: destination
        )
        return try await rollback.run(isRehearsal: false)
      case (.planning, nil), (.executing, nil):
        return try await uploading(found, identities, in: context).upload()
      }
    }
  }

  private func end(_ run: RunRecord, in context: CommandContext) -> ExitStatus {
    context.screen.result(["run \(run.id) has ended: nothing is left to do"])
    context.screen.result(.object(["type": "resume", "run": .string(run.id), "ended": true]))
    return .done
  }

  private func uploading(
    _ found: FoundRun,
    _ identities: [AgeIdentity],
    in context: CommandContext
  ) throws(MigrationError) -> Uploading {
    _ = try found.package(identities: identities)
    return Uploading(
      context: context,
      packagePath: found.packagePath,
      identity: identity,
      identities: identities,
      profilePlace: profile.place(beside: found.packagePath, of: found),
      run: found,
      destination: destination,
      validity: validity,
      planning: planning,
      allowsShrunkenSource: allowEmptySource
    )
  }
}
