import AgeEncryption
import Checkpoint
import CommandOptions
import CommandOutput
import DestinationModel
import Execution
import ExportPackage
import Migration
import PackageStages
import Planning
import Profiles
import Records
import Reporting
import Retrying
import RunHistory
import StageSupport
import UploadPlanning

/// The verbs that bring a package to a destination, once their arguments are understood.
struct Uploading {
  let context: CommandContext
  let packagePath: String
  let remote: RemoteOptions
  /// What opens the package where it is encrypted.
  let identities: [AgeIdentity]
  /// Where the profile is; `nil` for that which `run` began with.
  let profilePlace: ProfilePlace?
  /// The run that is resumed or verified; `nil` where a package was named.
  var run: FoundRun?
  /// What happens to records that are not valid; `nil` where they are not held against schemas.
  var validity: ValidityOptions?
  let planning: PlanningOptions
  var allowsShrunkenSource = false
  var isDetailed = false
  var failsOnUnmapped = false
  /// Where a plan is saved.
  var planOutput: String?
  /// The saved plan that an upload is held to.
  var plan: PlanFile?
  /// Whether the destination is not asked.
  var isOffline = false
  /// Whether every operation is listed.
  var listsAll = false

  /// Plans and says what would happen.
  func rehearse() async throws -> ExitStatus {
    let consent = planning.consent(on: context.screen, until: context.signals.interruption)
    return try await withSession(isRehearsal: true, consent) { session in
      let interruption = context.signals.interruption
      let run =
        if let planOutput {
          try await session.plan(savingTo: planOutput, interruption: interruption)
        } else if let plan {
          try await session.plan(asIn: plan, interruption: interruption)
        } else { try await session.plan(interruption: interruption) }
      let summary = try session.summary(of: run)
      try validity?.rule.check(summary.count(.rejected), of: summary.total)
      let forecast = try session.forecast(
        of: run,
        rate: session.profile.api?.rate(chosen: remote.destination.rate),
        answerSeconds: isOffline ? nil : context.meter.answerSeconds
      )
      context.screen.result(
        [title(session).plainForTerminal] + SummaryText.lines(of: summary, isPlan: true)
          + ForecastText.lines(of: summary, forecast)
      )
      context.screen.result(ForecastText.value(of: summary, forecast, isOffline: isOffline))
      if listsAll {
        try context.show { body in
          try session.forEachDiff(of: run, body)
        }
      }
      if let planOutput {
        let flags =
          [remote.destination.flags(profilePath: profilePlace?.path, remote.profile.variables)]
          + remote.identity.words
        let words = ["ferry upload", planOutput.quotedForShell] + flags
        context.screen.suggest(words.joined(separator: " "))
      }
      return status(ofPlan: summary)
    }
  }

  private func title(_ session: UploadSession) -> String {
    isOffline
      ? "what an upload would do, as far as the package and the checkpoint show; "
        + "the destination was not asked:"
      : "what an upload to \(session.account) would do:"
  }

  private func status(ofPlan summary: RunSummary) -> ExitStatus {
    var statuses = [ExitStatus(plan: summary)]
    if isDetailed, summary.hasAny(.remaining) { statuses.append(.planHasChanges) }
    let isLossy = summary.findings.contains {
      $0.code == "plan.unmapped" && $0.severity == .warning
    }
    if failsOnUnmapped, isLossy { statuses.append(.differences) }
    return .strongest(statuses)
  }

  /// Plans and executes.
  func upload() async throws -> ExitStatus {
    let consent = planning.consent(on: context.screen, until: context.signals.interruption)
    context.screen.expect([.validate, .plan, .upload])
    return try await withSession(isRehearsal: false, consent) { session in
      let interruption = context.signals.interruption
      let run =
        if let plan {
          try await session.plan(asIn: plan, interruption: interruption)
        } else { try await session.plan(interruption: interruption) }
      let planned = try session.summary(of: run)
      try validity?.rule.check(planned.count(.rejected), of: planned.total)
      try consent.confirm(planned)
      let result = try await session.execute(run, after: planned, interruption: interruption)
      show(result.summary, kind: "upload", title: "run \(run.id) to \(session.account):")
      context.reportTotals()
      notify(result)
      context.reportedRun.take(result, in: session)
      return ExitStatus(result)
    }
  }

  /// Plans, executes and reads back, as a migration does once its store is exported; of a run that has
  /// sent everything, only the reading back is left.
  func migrate(rollsBack: Bool) async throws -> ExitStatus {
    let consent = planning.consent(on: context.screen, until: context.signals.interruption)
    context.screen.expect([.validate, .plan, .upload, .verify])
    let ended = run.flatMap { $0.run.stage == .finished ? $0.run : nil }
    let rule = SendingRule(
      validity: validity?.rule ?? ValidityRule(),
      rollsBackOnFailure: rollsBack,
      confirm: { plan in try consent.confirm(plan) }
    )
    return try await withSession(isRehearsal: false, consent) { session in
      let migrated = try await session.send(
        ended,
        by: rule,
        interruption: context.signals.interruption
      ) { context.show($0, at: session.checkpoint.binding) }
      context.notify(migrated, package: packagePath, in: session)
      return ExitStatus(migrated)
    }
  }

  private func notify(_ result: RunResult) {
    switch result.conclusion {
    case .done:
      context.screen.suggest(context.command("verify", result.run))
      let remark = SummaryText.undoRemark(result.summary)
      let undo = context.command("rollback", result.run)
      context.screen.say("undo: \(undo)\(remark)")
      context.screen.recorder.suggestUndo(undo)
      if !result.summary.findings.isEmpty {
        context.screen.say("details: \(context.command("history", result.run))")
      }
    case .passingFault, .refused, .interrupted: context.reportStop(result.conclusion)
    }
    if ExitStatus(result.conclusion).mayRetry {
      context.screen.suggest(context.command("resume", result.run))
    }
  }

  /// Reads back.
  func verify() async throws -> ExitStatus {
    try await withSession(isRehearsal: false) { session in
      let report = try await session.verifyAdopting(interruption: context.signals.interruption)
      context.screen.result(SummaryText.lines(of: report))
      context.screen.result(SummaryJSON.value(of: report, at: session.checkpoint.binding))
      return ExitStatus(report)
    }
  }

  private func show(_ summary: RunSummary, kind: String, title: String) {
    context.screen.result([title.plainForTerminal] + SummaryText.lines(of: summary))
    context.screen.result(SummaryJSON.value(of: summary, kind: kind))
  }

  /// The profile that is named or found, or that the run began with.
  private func profile() throws -> Profile {
    if let profilePlace { return try context.profile(at: profilePlace) }
    guard let run else { throw MigrationError.noProfile("profile.yaml") }
    try remote.profile.variables.expectThose(of: run)
    return try run.profile()
  }

  /// Says that records obey other schemas than those that the profile names, as in an older package.
  private func warn(ofOtherSchemasIn package: PackageReader, than profile: Profile) {
    let others = profile.entities.compactMap { entity -> String? in
      let found = package.manifest.entities.first { $0.name == entity.name }?.schema
      guard let found, let named = entity.schema, found != named else { return nil }
      return "\(entity.name) has \(found), and the profile names \(named)"
    }
    guard !others.isEmpty else { return }
    context.screen.warn(
      "ferry: the package \(packagePath) has other schemas than the profile:".plainForTerminal
    )
    for other in others { context.screen.warn("  \(other)".plainForTerminal) }
    context.screen.warn(
      "  cure: `ferry upgrade \(packagePath.quotedForShell) -o NEW` makes a package of the newest "
        + "schemas; or export the store again"
    )
  }

  private func withSession(
    isRehearsal: Bool,
    _ consent: Consent? = nil,
    _ body: (UploadSession) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    let profile = try profile()
    var options = remote.destination.sessionOptions(
      isRehearsal: isRehearsal,
      profile: profile,
      interruption: context.signals.interruption,
      earlier: try run?.flags() ?? []
    )
    planning.choose(in: &options, allowsShrunkenSource: allowsShrunkenSource, consent: consent)
    options.plan.isOffline = isOffline
    options.plan.listsChanges = isRehearsal && plan == nil
    let package = try PackageReader(packagePath, identities: identities)
    try package.refuseUnsendable()
    warn(ofOtherSchemasIn: package, than: profile)
    let chosen = options
    return try await context.withReopeningDestination(
      remote.destination,
      profile: profile,
      isRehearsal: isRehearsal,
      origin: run?.binding.origin
    ) { real, reopen in
      var destination = real
      if isOffline {
        destination = try OfflineDestination(real, package: package, profile, context.state)
      }
      // The sign-in and the account are checked before the files are read.
      let account = try await account(at: destination, of: package, profile, chosen)
      var options = chosen
      var checked: CheckedPackage?
      // The folder of a dry run's quarantine lives as long as this.
      defer { _ = checked }
      if let validity {
        // A run that is resumed by its name began with it.
        if run == nil, !isOffline {
          try await context.compareFields(of: profile, with: destination, options.plan.selection)
        }
        checked = try await CheckedPackage(package, validity, in: context, isRehearsal: isRehearsal)
        options.quarantine = checked?.quarantine
      } else {
        try package.refuseDamaged()
      }
      let session = try await UploadSession(
        profile: profile,
        store: package.manifest.source.store,
        package: package,
        destination: destination,
        state: context.state,
        options: options,
        clock: .system,
        progress: context.screen.reporter,
        account: account,
        reopen: isOffline ? nil : reopen
      )
      return try await body(session)
    }
  }

  /// Signs in, and refuses another account than the one that the store was sent to before, and a run beside
  /// another one of the same store.
  private func account(
    at destination: any Destination,
    of package: PackageReader,
    _ profile: Profile,
    _ options: SessionOptions
  ) async throws -> StoreAccount {
    let patience = options.readPatience(on: .system)
    let account = try await patience.attempt { () async throws(DestinationError) in
      try await destination.account()
    }
    let binding = CheckpointBinding(
      store: package.manifest.source.store,
      origin: destination.traits.origin,
      account: account,
      profile: profile.app
    )
    return try StoreAccount(
      binding,
      in: context.state,
      acceptsChange: options.acceptsChangedAccount,
      isRehearsal: options.isRehearsal
    )
  }
}
