import ArgumentParser
import Checkpoint
import CommandOptions
import CommandOutput
import DestinationModel
import Execution
import ExportPackage
import Files
import HTTPTransport
import Migration
import PackageStages
import Planning
import Profiles
import Reporting
import Retrying
import StageSupport
import StoreReading
import SyncReading
import UploadPlanning

/// `ferry migrate`: the one-shot command.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring a store to a destination: export, validate, plan, upload, verify.",
    discussion: """
      EXAMPLES
        ferry migrate default.store --to production -n
        ferry migrate default.store --to production -n --diff --show-values
        ferry migrate default.store --to production --report report.html

      Every stage remembers how far it came: the same command again resumes inside the stage where \
      it stopped.

      With --encrypt-to the package that is kept is encrypted. It is read again to be validated, \
      sent and compared, so --identity has to be given as well, for one of the recipients.

      EXIT STATUS
        0         Every record is at the destination, read back and equal.
        3         Finished, but records were refused. Or rows of the store, or
                  a database of the folder, could not be read. Or media that
                  --fetch-media asks for could not be fetched.
        4         The package breaks its schemas; nothing was sent.
        5         Stopped by a passing fault, or a full disk; the same line
                  resumes.
        6         The destination differs from the package, or records are in
                  conflict.
        7         The destination refuses: sign-in, rights, quota.
        8         More records are rejected than --max-rejects allows, or
                  would be deleted than --max-delete allows; nothing was sent.
        10        The store cannot be used, or has far fewer records than were
                  sent before.
        11        Another run holds the checkpoint.
        12        Checkpoint, package, profile or account do not belong
                  together.
        130, 143  Interrupted, saved; the same line resumes.
      """
  )

  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Option(
    name: [.short, .long],
    help: "Where the package is kept; in the state folder unless given.",
    completion: .file()
  )
  var output: String?

  @Option(help: "The app's container, where its media folders lie.", completion: .directory)
  var container: String?

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Do all but send; leave nothing behind."
  )
  var isDryRun = false

  @Option(help: "The account that has to be signed in; any other is refused.")
  var account: String?

  @OptionGroup(title: "Media from addresses") var fetching: FetchOptions
  @OptionGroup(title: "Encryption") var sealing: SealingOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Plan") var showing: DiffOptions
  @OptionGroup var failure: FailureOptions
  @OptionGroup var sending: SendingOptions

  func validate() throws {
    try fetching.check(sealing)
    try showing.check(sending.remote.shared.format)
    guard !showing.diff || isDryRun else {
      throw ValidationError("--diff needs -n here; `ferry show RUN` shows what a run did.")
    }
  }

  func run() async throws {
    let context = sending.remote.context("migrate", of: store)
    let keys = try PackageKeys(sealing, sending.remote.identity)
    try keys.checkReadingBack(to: "validated, sent and compared")
    let arguments = MigrateRunner(
      context: context,
      store: store,
      output: output,
      container: container,
      fetch: fetching.limits,
      account: account,
      rollsBack: failure.rollsBack,
      keys: keys,
      showsDiff: showing.diff,
      sending: sending
    )
    try await context.run {
      try NamedFile.expect(.store, at: store, sends: true)
      var runner = arguments
      runner.source = try await source.options(destination.credentials, context)
      return isDryRun ? try await runner.rehearse() : try await runner.run()
    }
  }

  private var destination: DestinationOptions { sending.remote.destination }
}

/// The whole way, once its arguments are understood.
struct MigrateRunner {
  let context: CommandContext
  let store: String
  let output: String?
  let container: String?
  let fetch: FetchLimits?
  let account: String?
  let rollsBack: Bool
  var source = Source.Options()
  let keys: PackageKeys
  let showsDiff: Bool
  let sending: SendingOptions

  private var destination: DestinationOptions { sending.remote.destination }

  /// Everything but sending, in a private folder that is gone afterwards.
  func rehearse() async throws -> ExitStatus {
    let folder = try PrivateFolder()
    defer { withExtendedLifetime(folder) {} }
    return try await withSession(into: .folder(folder.path), isRehearsal: true) { _, session, _ in
      let run = try await session.plan(interruption: context.signals.interruption)
      let summary = try session.summary(of: run)
      let forecast = try session.forecast(
        of: run,
        rate: session.profile.api?.rate(chosen: destination.rate),
        answerSeconds: context.meter.answerSeconds
      )
      context.screen.result(
        ["what a migration to \(session.account) would do:".plainForTerminal]
          + SummaryText.lines(of: summary, isPlan: true) + ForecastText.lines(of: summary, forecast)
      )
      context.screen.result(ForecastText.value(of: summary, forecast, isOffline: false))
      if showsDiff {
        try context.show { body in
          try session.forEachDiff(of: run, body)
        }
      }
      if summary.hasAny(.remaining) {
        context.screen.say("next: the same command without -n sends the records")
      }
      return ExitStatus(plan: summary)
    }
  }

  func run() async throws -> ExitStatus {
    let place = output.map { PackagePlace.path($0) } ?? .folder(context.state.packages)
    return try await withSession(into: place, isRehearsal: false) { pipeline, session, package in
      let migrated = try await pipeline.send(
        in: session,
        interruption: context.signals.interruption
      ) { context.show($0, at: session.checkpoint.binding) }
      context.notify(migrated, package: package, in: session)
      return ExitStatus(migrated)
    }
  }

  private func withSession(
    into place: PackagePlace,
    isRehearsal: Bool,
    _ body: (MigrationPipeline, UploadSession, String) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    context.screen.expect(
      (fetch == nil ? [] : [.fetch]) + [.export, .validate, .plan]
        + (isRehearsal ? [] : [.upload, .verify])
    )
    let profile = try context.profile(at: sending.remote.profile.place(beside: store))
    let pipeline = pipeline(profile, into: place, isRehearsal: isRehearsal)
    // A store that is not there is said so, before anything is asked of the destination.
    if !InputFile.isPresent(store) {
      _ = try await pipeline.export(interruption: context.signals.interruption)
    }
    return try await context.withReopeningDestination(
      destination,
      profile: profile,
      isRehearsal: isRehearsal
    ) { destination, reopen in
      let account = try await checkReadiness(of: destination, pipeline)
      let opened = try pipeline.open()
      let storeAccount = try pipeline.expect(account, at: destination, for: opened)
      let exported = try await pipeline.export(opened, interruption: context.signals.interruption)
      for line in ExportText.lines(of: exported, isRehearsal: isRehearsal) {
        context.screen.say(line)
      }
      context.screen.recorder.add(ExportText.value(of: exported))
      let checked = try await CheckedPackage(
        exported.package,
        sending.validity,
        in: context,
        isRehearsal: isRehearsal
      )
      let session = try await pipeline.session(
        sending: checked,
        to: destination,
        account: storeAccount,
        reopen: reopen
      )
      let status = try await body(pipeline, session, checked.package.path)
      return .strongest([status, ExitStatus(exported)])
    }
  }

  /// Signs in and compares the fields before a store is exported for nothing, and says what was not compared;
  /// gives the account.
  private func checkReadiness(
    of destination: any Destination,
    _ pipeline: MigrationPipeline
  ) async throws -> String {
    let readiness = try await pipeline.readiness(
      of: destination,
      packagesIn: output ?? context.state.packages
    )
    let space = readiness.freeBytes.map { ", \(Figures.bytes($0)) free on the disk" } ?? ""
    context.screen.say("signed in as \(readiness.account)\(space)")
    context.screen.say("  not asked: whether the account may write, and how much it may store")
    try await context.compareFields(
      of: pipeline.profile,
      with: destination,
      pipeline.options.plan.selection
    )
    return readiness.account
  }

  private func pipeline(
    _ profile: Profile,
    into place: PackagePlace,
    isRehearsal: Bool
  ) -> MigrationPipeline {
    var options = destination.sessionOptions(
      isRehearsal: isRehearsal,
      profile: profile,
      interruption: context.signals.interruption
    )
    let consent = sending.planning.consent(on: context.screen, until: context.signals.interruption)
    sending.planning.choose(
      in: &options,
      allowsShrunkenSource: sending.allowEmptySource,
      consent: consent
    )
    options.plan.listsChanges = isRehearsal
    options.expectedAccount = account
    var pipeline = MigrationPipeline(
      profile: profile,
      store: store,
      output: place,
      options: options,
      state: context.state,
      clock: .system,
      progress: context.screen.reporter
    )
    pipeline.container = container
    pipeline.fetch = fetch
    pipeline.source = source
    pipeline.keys = keys
    pipeline.allowsEmptySource = sending.allowEmptySource
    pipeline.validity = sending.validity.rule
    pipeline.rollsBackOnFailure = rollsBack
    pipeline.confirm = { plan in try consent.confirm(plan) }
    return pipeline
  }
}
