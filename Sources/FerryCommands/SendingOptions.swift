import AgeEncryption
import ArgumentParser
import CommandOptions
import Reporting
import StageSupport

/// What each verb takes that speaks to a destination about a package or a run.
struct RemoteOptions: ParsableArguments {
  @OptionGroup(title: "Encryption") var identity: IdentityOptions
  @OptionGroup(title: "Destination") var destination: DestinationOptions
  @OptionGroup(title: "Profile") var profile: ProfileOptions
  @OptionGroup(title: "Reports") var reports: ReportOptions
  @OptionGroup(title: "Every verb") var shared: SharedOptions

  /// Begins a command, which can write reports about its subject.
  func context(_ command: String, of subject: String) -> CommandContext {
    CommandContext(shared, reports, command, of: subject, limit: destination.limit)
  }
}

/// What each verb takes that plans or sends what is in a package.
struct SendingOptions: ParsableArguments {
  @Flag(
    help: "Go on even when the source holds no record, or far fewer than were sent before."
  )
  var allowEmptySource = false

  @OptionGroup(title: "Plan") var planning: PlanningOptions
  @OptionGroup(title: "Records that are not valid") var validity: ValidityOptions
  @OptionGroup var remote: RemoteOptions

  /// The work of the verb about the package at a path, once its arguments are understood; `run` is the run
  /// that is gone on with, if any.
  func uploading(
    _ package: String,
    of run: FoundRun? = nil,
    identities: [AgeIdentity],
    in context: CommandContext
  ) -> Uploading {
    Uploading(
      context: context,
      packagePath: package,
      remote: remote,
      identities: identities,
      profilePlace: remote.profile.place(beside: package, of: run),
      run: run,
      validity: validity,
      planning: planning,
      allowsShrunkenSource: allowEmptySource
    )
  }
}

/// What a migration does about a run that fails.
struct FailureOptions: ParsableArguments {
  @Option(
    help:
      "What happens when verification fails or retries are spent: keep unless given, or rollback.",
    completion: .list(["keep", "rollback"])
  )
  var onFailure = "keep"

  var rollsBack: Bool { onFailure == "rollback" }

  func validate() throws {
    guard ["keep", "rollback"].contains(onFailure) else {
      throw ValidationError("--on-failure takes keep or rollback, not “\(onFailure)”.")
    }
  }
}
