import Checkpoint
package import DestinationKinds
package import DestinationModel
package import Execution
package import ExportPackage
package import HTTPTransport
package import PackageStages
package import Profiles
package import Retrying
package import StageSupport
import StoreFiles
package import StoreReading
import SyncReading
import UploadPlanning
package import Verification

/// The whole way from a store to a backend: what `ferry migrate` goes, and an app that embeds Ferry.
///
/// Its parts are called one after the other: ``readiness(of:packagesIn:)``, ``open()``, ``expect(_:at:for:)``,
/// ``export(_:interruption:)``, then ``check(_:interruption:notify:)``, ``session(sending:to:account:reopen:)`` and
/// ``send(in:interruption:notify:)``. Each remembers how far it came, and goes on there when the
/// same migration is begun again.
package struct MigrationPipeline: Sendable {
  package let profile: Profile
  package let store: String
  /// The text for the path of a store without an identity of its own; the whole path unless given.
  package var place: String?
  /// The app's container, where its media folders lie.
  package var container: String?
  /// How much of what rows name by address is fetched; nothing unless given.
  package var fetch: FetchLimits?
  package var output: PackagePlace
  package var source = Source.Options()
  package var allowsEmptySource = false
  /// Whom the package is encrypted to, and what opens it again.
  package var keys = PackageKeys.none
  package var validity = ValidityRule()
  /// Whether a run is rolled back when verification fails or its retries are spent.
  package var rollsBackOnFailure = false
  /// Sees what a plan comes to before anything of it is sent; what it throws ends the run.
  package var confirm: @Sendable (RunSummary) throws -> Void = { _ in }
  package var options: SessionOptions
  package let state: StateFolder
  package let clock: RunClock
  package let progress: ProgressReporter

  package init(
    profile: Profile,
    store: String,
    output: PackagePlace,
    options: SessionOptions,
    state: StateFolder,
    clock: RunClock,
    progress: ProgressReporter
  ) {
    self.profile = profile
    self.store = store
    self.output = output
    self.options = options
    self.state = state
    self.clock = clock
    self.progress = progress
  }

  /// Signs in before a store is read for nothing, and looks how much space there is where packages are written,
  /// or in another folder.
  ///
  /// - Throws: `DestinationError`, or `MigrationError.unexpectedAccount` where the account is another than the
  ///   expected one.
  package func readiness(
    of destination: any Destination,
    packagesIn folder: String? = nil
  ) async throws -> Readiness {
    let written =
      switch output {
      case .path(let path), .folder(let path): path
      }
    let readiness = try await Readiness(
      of: destination,
      packagesIn: folder ?? written,
      patience: options.readPatience(on: clock)
    )
    if let expected = options.expectedAccount, !AccountName.isSame(expected, readiness.account) {
      throw MigrationError.unexpectedAccount(expected: expected, now: readiness.account)
    }
    return readiness
  }

  /// Copies and opens the store.
  package func open() throws -> OpenedSource { try exporting.open() }

  /// Refuses to bring the store to another account than before, or beside another run of the same store, which
  /// is known before any of it is read.
  ///
  /// - Throws: `MigrationError.otherAccount`, or `CheckpointError.locked` while another run is at work.
  package func expect(
    _ account: String,
    at destination: any Destination,
    for opened: OpenedSource
  ) throws -> StoreAccount {
    let binding = CheckpointBinding(
      store: opened.source.store.identity.uuid,
      origin: destination.traits.origin,
      account: account,
      profile: profile.app
    )
    return try StoreAccount(
      binding,
      in: state,
      acceptsChange: options.acceptsChangedAccount,
      isRehearsal: options.isRehearsal
    )
  }

  /// Reads the store, as it is open or is opened now, and writes the package, or goes on with one that was
  /// begun.
  package func export(
    _ opened: OpenedSource? = nil,
    interruption: CancellationToken
  ) async throws -> ExportResult {
    try await exporting.run(interruption: interruption, opened: opened)
  }

  private var exporting: ExportStage {
    ExportStage(
      profile: profile,
      store: store,
      place: place,
      container: container,
      fetch: fetch,
      output: output,
      toolVersion: FerryVersion.text,
      allowsEmptySource: allowsEmptySource,
      options: source,
      keys: keys,
      progress: progress
    )
  }

  /// Holds every record against its schema.
  package func check(
    _ package: PackageReader,
    interruption: CancellationToken,
    notify: (ValidationReport) -> Void = { _ in }
  ) async throws -> CheckedPackage {
    try await CheckedPackage(
      package,
      rule: validity,
      state: state,
      isRehearsal: options.isRehearsal,
      progress: progress,
      interruption: interruption,
      notify: notify
    )
  }

  /// Takes the checkpoint of the account.
  package func session(
    sending checked: CheckedPackage,
    to destination: any Destination,
    account: StoreAccount,
    reopen: DestinationReopening? = nil
  ) async throws -> UploadSession {
    var options = options
    options.quarantine = checked.quarantine
    return try await UploadSession(
      profile: profile,
      store: checked.package.manifest.source.store,
      package: checked.package,
      destination: destination,
      state: state,
      options: options,
      clock: clock,
      progress: progress,
      account: account,
      reopen: reopen
    )
  }

  /// Plans, executes, reads back; rolls back where that is wanted and something is wrong.
  ///
  /// Anyone who calls reports what was read back, and then has the session note that.
  package func send(
    in session: UploadSession,
    interruption: CancellationToken,
    notify: (SendingStep) -> Void = { _ in }
  ) async throws -> MigrationResult {
    let rule = SendingRule(
      validity: validity,
      rollsBackOnFailure: rollsBackOnFailure,
      confirm: confirm
    )
    return try await session.send(by: rule, interruption: interruption, notify: notify)
  }
}

/// What a migration came to.
package struct MigrationResult: Sendable {
  package let result: RunResult
  /// What reading everything back showed; `nil` when the run did not come so far.
  package internal(set) var verification: VerificationReport?
  /// Whether cancellation was requested when everything was sent and not all of it read back.
  package internal(set) var isUnread = false
  /// The rollback, where one was made.
  package internal(set) var undo: RunResult?
}
