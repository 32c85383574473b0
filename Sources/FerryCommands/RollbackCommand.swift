import AgeEncryption
import ArgumentParser
import Checkpoint
import CommandOptions
import CommandOutput
import Execution
import Migration
import Profiles
import Reporting
import Retrying
import StageSupport
import UploadPlanning

/// `ferry rollback`: rolls back what a run did.
struct RollbackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Remove what a run created and restore what it overwrote, newest first.",
    discussion: """
      EXAMPLES
        ferry rollback 2735d6-1 -n
        ferry rollback 2735d6-1

      The run remembers its destination, its profile and the places of its credentials: nothing else \
      is needed, from any folder. A flag that is given wins over what is remembered.

      Records that were at the account before the run are never touched, and what was changed \
      there since is left alone and listed as kept. In the end what was rolled back is read, and \
      what is still there is listed as failed. The same command again resumes, and tries again what \
      failed. A rollback does not restore records that the run deleted: it names each one, and \
      counts it as failed.

      The profile is the one that the run began with, as the checkpoint keeps it. If a route in \
      it is wrong or has moved, correct the profile's file and add --with-current-routes.

      EXIT STATUS
        0   Everything the run did is rolled back.
        5   Stopped by a passing fault, or a full disk; the same line resumes.
        6   Some records were kept, could not be rolled back, or were deleted by
            the run. --dry-run ends with it as well.
        7   The destination refuses: sign-in, rights, quota.
        11  Another run holds the checkpoint.
        12  A later run has to be rolled back first, or the package or the
            account is another one than the run's.
        64  No run of this name is known.
      """
  )

  @Argument(help: "The run, as `ferry status` names it, or the only one that begins so.")
  var run: String

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print what would be rolled back."
  )
  var isDryRun = false

  @Flag(
    help: ArgumentHelp(
      "Take the routes and the sign-in from the profile as it is today.",
      discussion: "All else stays as it was when the run began."
    )
  )
  var withCurrentRoutes = false

  @OptionGroup var remote: RemoteOptions

  func run() async throws {
    let context = remote.context("rollback", of: run)
    let identities = try remote.identity.identities()
    try await context.run {
      let found = try FoundRun(run, inOrBelow: context.state)
      if !withCurrentRoutes {
        try remote.profile.variables.expectThose(of: found)
      }
      let rollback = RollingBack(
        context: context.about(found),
        found: found,
        identities: identities,
        currentProfile: withCurrentRoutes ? try remote.profile.place(of: found) : nil,
        destination: remote.destination
      )
      return try await rollback.run(isRehearsal: isDryRun)
    }
  }
}

/// A rollback, once its arguments are understood.
struct RollingBack {
  let context: CommandContext
  let found: FoundRun
  let identities: [AgeIdentity]
  /// Where the profile is whose routes are taken; `nil` for those of the run's own.
  let currentProfile: ProfilePlace?
  let destination: DestinationOptions

  func run(isRehearsal: Bool) async throws -> ExitStatus {
    context.screen.expect([.plan, .rollback])
    var current: Profile?
    if let currentProfile { current = try context.profile(at: currentProfile) }
    let routes = current
    let profile = try found.profile(withRoutesOf: routes)
    return try await context.withReopeningDestination(
      destination,
      profile: profile,
      isRehearsal: isRehearsal,
      origin: found.binding.origin
    ) { destination, reopen in
      try found.expect(destination)
      var options = self.destination.sessionOptions(
        isRehearsal: isRehearsal,
        profile: profile,
        interruption: context.signals.interruption,
        earlier: try found.flags()
      )
      options.acceptsChangedProfile = true
      let session = try await UploadSession(
        profile: profile,
        store: found.binding.store,
        package: try found.package(identities: identities),
        destination: destination,
        state: context.state,
        options: options,
        clock: .system,
        progress: context.screen.reporter,
        currentRoutes: routes,
        reopen: reopen
      )
      let run = try await session.planRollback(
        of: found.run.id,
        interruption: context.signals.interruption
      )
      if isRehearsal {
        let summary = try session.summary(of: run)
        show(
          summary,
          title: "what a rollback of run \(found.run.id) would do, as far as the checkpoint shows:",
          isPlan: true
        )
        if summary.hasAny(.remaining) {
          context.screen.suggest(context.command("rollback", found.run))
        }
        return summary.hasAny(.rejected) || summary.hasAny(.conflicted) ? .differences : .done
      }
      let result = try await session.execute(run, interruption: context.signals.interruption)
      show(result.summary, title: "run \(found.run.id) rolled back by run \(run.id):")
      context.reportStop(result.conclusion)
      if ExitStatus(result.conclusion).mayRetry {
        context.screen.suggest(context.command("rollback", found.run))
      }
      return ExitStatus(result)
    }
  }

  private func show(_ summary: RunSummary, title: String, isPlan: Bool = false) {
    context.screen.result([title] + SummaryText.rollbackLines(of: summary, isPlan: isPlan))
    context.screen.result(SummaryJSON.value(of: summary, kind: "rollback"))
  }
}
