import ArgumentParser
import Backends
import Checkpoint
import ExportPackage
import Files
import Migration
import Profiles
import Reports
import StoreReading
import UploadPlanning

/// `ferry migrate`: the one-shot command.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring a store to a destination: export, validate, plan, upload, verify.",
    discussion: """
      ferry migrate default.store --to production -n
      ferry migrate default.store --to production --report report.html

      Every stage remembers how far it came: the same line again resumes inside the stage where
      it stopped.

      EXIT STATUS
        0   Every record is at the destination, read back and equal.
        3   Finished, but records were refused.
        4   The package breaks its schemas; nothing was sent.
        8   More records are rejected than --max-rejects allows, or would be deleted than
            --max-delete allows; nothing was sent.
        5   Stopped by a passing fault; the same line resumes.
        6   The destination differs from the package, or records are in conflict.
        7   The destination refuses this account.
        10  The store cannot be used.
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

  @Option(
    help: "What happens when verification fails or retries are spent: keep or rollback.",
    completion: .list(["keep", "rollback"])
  )
  var onFailure = "keep"

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Do all but send; leave nothing behind."
  )
  var isDryRun = false

  @Flag(help: "Go on even when the store holds no record, or far fewer than were sent before.")
  var allowEmptySource = false

  @OptionGroup var source: SourceOptions
  @OptionGroup var planning: PlanningOptions
  @OptionGroup var validity: ValidityOptions
  @OptionGroup var destination: DestinationOptions
  @OptionGroup var profile: ProfileOptions
  @OptionGroup var reports: ReportOptions
  @OptionGroup var shared: SharedOptions

  func validate() throws {
    guard ["keep", "rollback"].contains(onFailure) else {
      throw ValidationError("--on-failure takes keep or rollback, not “\(onFailure)”.")
    }
  }

  func run() async throws {
    let context = CommandContext(
      shared,
      reports: ReportWriting(reports, command: "migrate", subject: store)
    )
    let migrating = Migrating(
      context: context,
      store: store,
      output: output,
      container: container,
      profilePath: profile.path(beside: store),
      rollsBack: onFailure == "rollback",
      allowsEmptySource: allowEmptySource,
      source: source.options,
      planning: planning,
      validity: validity,
      destination: destination
    )
    try await context.run { () async throws(MigrationError) in
      isDryRun ? try await migrating.rehearse() : try await migrating.run()
    }
  }
}

/// The whole way, once its arguments are understood.
struct Migrating {
  let context: CommandContext
  let store: String
  let output: String?
  let container: String?
  let profilePath: String
  let rollsBack: Bool
  let allowsEmptySource: Bool
  let source: Source.Options
  let planning: PlanningOptions
  let validity: ValidityOptions
  let destination: DestinationOptions

  /// Everything but sending, in a private folder that is gone afterwards.
  func rehearse() async throws(MigrationError) -> ExitStatus {
    let folder: PrivateFolder
    do throws(FileError) {
      folder = try PrivateFolder()
    } catch {
      throw .file(error)
    }
    let profile = try context.profile(at: profilePath)
    let package = try export(profile, to: .folder(folder.path))
    let checked = try await CheckedPackage(package, validity, in: context, isRehearsal: true)
    return try await withSession(profile, checked, isRehearsal: true) {
      session throws(MigrationError) in
      let run = try await session.plan(interruption: context.signals.interruption)
      let summary = try session.summary(of: run)
      let forecast = try session.forecast(
        of: run,
        rate: destination.rate ?? profile.api?.rate,
        answerSeconds: context.meter.answerSeconds
      )
      context.screen.result(
        ["what a migration to \(session.account) would do:".plainForTerminal]
          + SummaryText.lines(of: summary) + ForecastText.lines(of: summary, forecast)
      )
      context.screen.result(ForecastText.value(of: summary, forecast, isOffline: false))
      return .done
    }
  }

  func run() async throws(MigrationError) -> ExitStatus {
    let profile = try context.profile(at: profilePath)
    let place = output.map { PackagePlace.path($0) } ?? .folder(context.state.packages)
    let package = try export(profile, to: place)
    let checked = try await CheckedPackage(package, validity, in: context, isRehearsal: false)
    return try await withSession(profile, checked, isRehearsal: false) {
      session throws(MigrationError) in
      try await send(package, in: session)
    }
  }

  private func export(
    _ profile: Profile,
    to place: PackagePlace
  ) throws(MigrationError) -> PackageReader {
    let stage = ExportStage(
      profile: profile,
      store: store,
      container: container,
      output: place,
      toolVersion: FerryVersion.text,
      allowsEmptySource: allowsEmptySource,
      options: source,
      progress: context.screen.reporter
    )
    let result = try stage.run(interruption: context.signals.interruption)
    for line in ExportText.lines(of: result) { context.screen.say(line) }
    context.screen.recorder.add(ExportText.value(of: result))
    return result.package
  }

  private func withSession(
    _ profile: Profile,
    _ checked: CheckedPackage,
    isRehearsal: Bool,
    _ body: (UploadSession) async throws(MigrationError) -> ExitStatus
  ) async throws(MigrationError) -> ExitStatus {
    var options = destination.sessionOptions(isRehearsal: isRehearsal, profile: profile)
    options.quarantine = checked.quarantine
    planning.choose(
      in: &options,
      allowsShrunkenSource: allowsEmptySource,
      screen: context.screen
    )
    options.plan.tellsChanges = isRehearsal
    return try await context.withDestination(
      destination,
      profile: profile,
      isRehearsal: isRehearsal
    ) { destination throws(MigrationError) in
      let session = try await UploadSession(
        profile: profile,
        store: checked.package.manifest.source.store,
        package: checked.package,
        destination: destination,
        state: context.state,
        options: options,
        clock: context.clock,
        progress: context.screen.reporter
      )
      return try await body(session)
    }
  }

  private func send(
    _ package: PackageReader,
    in session: UploadSession
  ) async throws(MigrationError) -> ExitStatus {
    let interruption = context.signals.interruption
    let run = try await session.plan(interruption: interruption)
    try validity.budget?.check(try session.summary(of: run))
    let result = try await session.execute(run, interruption: interruption)
    let lines = ["run \(run.id) to \(session.account):"] + SummaryText.lines(of: result.summary)
    context.screen.result(lines)
    context.screen.result(SummaryJSON.value(of: result.summary, kind: "upload"))
    var status = ExitStatus(result)
    switch result.conclusion {
    case .interrupted: return status
    case .refused(let reason), .passingFault(let reason):
      context.screen.stopped(reason)
      if rollsBack, ExitStatus(result.conclusion) == .passingFault {
        try await takeBack(run, in: session)
      } else if status.mayRetry {
        context.screen.say("next: the same line again; it resumes")
      }
      return status
    case .done: break
    }
    let report = try await session.verify(interruption: interruption)
    context.screen.result(["read back:"] + SummaryText.lines(of: report))
    context.screen.result(SummaryJSON.value(of: report))
    if !report.isClean {
      // What was refused is missing for a known reason; anything else is a difference.
      if status == .done || !report.isExplainedByRejects {
        status = .strongest([status, .differences])
      }
      if rollsBack { try await takeBack(run, in: session) }
    }
    suggest(after: run, package: package, hasOperations: result.summary.operationCount > 0)
    return status
  }

  private func takeBack(
    _ run: RunRecord,
    in session: UploadSession
  ) async throws(MigrationError) {
    context.screen.say("taking run \(run.id) back, as --on-failure rollback asks")
    let undo = try await session.planRollback(
      of: run.id,
      interruption: context.signals.interruption
    )
    let result = try await session.execute(undo, interruption: context.signals.interruption)
    context.screen.result(
      ["run \(run.id) taken back by run \(undo.id):"]
        + SummaryText.rollbackLines(of: result.summary)
    )
    context.screen.result(SummaryJSON.value(of: result.summary, kind: "rollback"))
  }

  private func suggest(after run: RunRecord, package: PackageReader, hasOperations: Bool) {
    let flags = destination.flags(profilePath: profilePath)
    context.screen.say("package:  \(package.path)")
    context.screen.say("verify:   ferry verify \(package.path.quotedForShell) \(flags)")
    guard hasOperations else { return }
    context.screen.say("handback: ferry handback \(run.id) -o handback.json")
    context.screen.say("undo:     ferry rollback \(run.id) \(flags)")
  }
}
