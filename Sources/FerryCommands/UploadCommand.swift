import ArgumentParser
import Checkpoint
import CommandOptions
import PackageStages
import Reporting
import RunHistory
import StageSupport

/// `ferry upload`: brings a package to a destination.
struct UploadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upload",
    abstract: "Plan, and carry the plan out; the same command again resumes.",
    discussion: """
      EXAMPLES
        ferry upload heroes.ferry --to production
        ferry plan heroes.ferry --to production -o heroes.plan
        ferry upload heroes.plan --to production

      A saved plan is carried out as it is, or refused when the package, the checkpoint or \
      the destination is no longer what it was made for.

      EXIT STATUS
        0   Every record is at the destination.
        3   Finished, but records were rejected or quarantined.
        4   The package breaks its schemas; nothing was sent.
        5   Stopped by a passing fault, or a full disk; the same line resumes.
        6   Finished, but records are in conflict.
        7   The destination refuses: sign-in, rights, quota.
        8   More records are rejected than --max-rejects allows, or would be
            deleted than --max-delete allows; nothing was sent.
        10  The package has far fewer records than were sent before.
        11  Another run holds the checkpoint.
        12  Checkpoint, package or profile do not belong together, or the plan
            is out of date.
      """
  )

  @Argument(help: "The package, or a plan that `ferry plan -o` saved.", completion: .file())
  var package: String

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Plan only; leave nothing behind."
  )
  var isDryRun = false

  @OptionGroup(title: "Plan") var showing: DiffOptions
  @OptionGroup var sending: SendingOptions

  func run() async throws {
    let context = sending.remote.context("upload", of: package)
    let identities = try sending.remote.identity.identities()
    try await context.run {
      try NamedFile.expect(.packageOrPlan, at: package, sends: true)
      let plan = PlanFile.isPlan(package) ? try PlanFile(package) : nil
      let path = plan?.run.packagePath ?? package
      var uploading = sending.uploading(path, identities: identities, in: context)
      uploading.plan = plan
      uploading.listsAll = showing.diff
      return isDryRun ? try await uploading.rehearse() : try await uploading.upload()
    }
  }
}

extension UploadCommand {
  func validate() throws {
    try showing.check(sending.remote.shared.format)
    guard !showing.diff || isDryRun else {
      throw ValidationError("--diff needs -n here; `ferry show RUN` shows what a run did.")
    }
  }
}

/// `ferry plan`: what an upload would do.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what an upload would do; the destination is only read.",
    discussion: """
      EXAMPLES
        ferry plan heroes.ferry --to production --detailed-exitcode
        ferry plan heroes.ferry --to production -o heroes.plan
        ferry plan heroes.ferry --offline --diff

      With --offline, records that are at the destination already and that no run sent there \
      are counted as new, and conflicts are not seen.

      Nothing is left behind but what --output and --report name: no checkpoint, no lock.

      EXIT STATUS
        0   The plan is made.
        2   It has changes (--detailed-exitcode only).
        3   Records would be refused.
        4   The package breaks its schemas.
        5   The destination could not be reached, or asks to wait.
        6   Records are in conflict, or the destination has no place for
            something that the profile does not accept (--fail-on-unmapped
            only).
        7   The destination refuses: sign-in, rights, quota.
        8   More records would be rejected than --max-rejects allows, or
            deleted than --max-delete allows.
        10  The package has far fewer records than were sent before.
        12  Checkpoint, package or profile do not belong together.
      """
  )

  @Argument(help: "The package.", completion: .file())
  var package: String

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Save the plan, for `ferry upload` to carry out.", valueName: "file"),
    completion: .file()
  )
  var output: String?

  @Flag(help: "Plan from the package and the checkpoint alone; the destination is not asked.")
  var offline = false

  @Flag(help: "End with status 2 when the plan has changes.")
  var detailedExitcode = false

  @Flag(
    help:
      "End with status 6 when the destination has no place for something the profile does not accept."
  )
  var failOnUnmapped = false

  @OptionGroup(title: "Plan") var showing: DiffOptions
  @OptionGroup var sending: SendingOptions

  func run() async throws {
    let context = sending.remote.context("plan", of: package)
    let identities = try sending.remote.identity.identities()
    var uploading = sending.uploading(package, identities: identities, in: context)
    uploading.isDetailed = detailedExitcode
    uploading.failsOnUnmapped = failOnUnmapped
    uploading.planOutput = output
    uploading.isOffline = offline
    uploading.listsAll = showing.diff
    let rehearsal = uploading
    try await context.run {
      try NamedFile.expect(.package, at: package)
      return try await rehearsal.rehearse()
    }
  }

  func validate() throws {
    try OutputForm.json.check(output, of: "--output")
    if offline, output != nil {
      throw ValidationError(
        "--offline and --output contradict each other: a plan is carried out only as the destination "
          + "was found."
      )
    }
    if offline, sending.remote.destination.refresh {
      throw ValidationError("--offline and --full contradict each other.")
    }
    try showing.check(sending.remote.shared.format)
  }
}

/// `ferry verify`: reads everything back.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read every record back and compare its content with the package.",
    discussion: """
      EXAMPLES
        ferry verify heroes.ferry --to production
        ferry verify 2735d6-1

      A run remembers its package, its destination, its profile and the places of its credentials: \
      nothing else is needed. A flag that is given wins over what is remembered.

      EXIT STATUS
        0   The destination holds what the package says.
        5   The destination could not be reached, or asks to wait.
        6   Something differs, is missing, is there twice, or is not shown. Or
            the last run kept the destination's content in a conflict.
        7   The destination refuses: sign-in, rights, quota.
        11  Another run holds the checkpoint.
        12  Checkpoint, package or profile do not belong together. Or a
            rollback was interrupted; the message names the command that
            finishes it.
        64  No run of this name is known.
      """
  )

  @Argument(help: "The package, or a run.", completion: .file())
  var package: String

  @OptionGroup(title: "Plan") var planning: PlanningOptions
  @OptionGroup var remote: RemoteOptions

  func run() async throws {
    let context = remote.context("verify", of: package)
    let identities = try remote.identity.identities()
    try await context.run {
      let run = RememberedRun.isRun(package) ? try FoundRun(package, inOrBelow: context.state) : nil
      if run == nil { try NamedFile.expect(.package, at: package) }
      let uploading = Uploading(
        context: run.map(context.about) ?? context,
        packagePath: run?.packagePath ?? package,
        remote: remote,
        identities: identities,
        profilePlace: remote.profile.place(beside: package, of: run),
        run: run,
        planning: planning,
        allowsShrunkenSource: true
      )
      return try await uploading.verify()
    }
  }
}
