package import Checkpoint
package import DestinationModel
package import ExportPackage
package import HTTPTransport
package import PackageStages
package import Profiles
package import Retrying
package import StageSupport
package import StoreReading
import UploadPlanning
package import Verification

/// The whole way from a store to a backend: what `ferry migrate` goes, and an app that embeds Ferry.
///
/// Its parts are called one after the other: ``export(interruption:)``, then
/// ``check(_:interruption:tell:)``, ``session(sending:to:reopen:)`` and ``send(in:interruption:tell:)``. Each
/// remembers how far it came, and goes on there when the same crossing is begun again.
package struct Crossing: Sendable {
  package let profile: Profile
  package let store: String
  /// What stands for the path of a store without an identity of its own; the whole path unless given.
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
  /// Whether a run is taken back when verification fails or its retries are spent.
  package var takesBackOnFailure = false
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

  /// Reads the store and writes the package, or goes on with one that was begun.
  package func export(
    interruption: Interruption
  ) async throws(MigrationError) -> ExportResult {
    try await ExportStage(
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
    ).run(interruption: interruption)
  }

  /// Holds every record against its schema.
  package func check(
    _ package: PackageReader,
    interruption: Interruption,
    tell: (ValidationReport) -> Void = { _ in }
  ) async throws(MigrationError) -> CheckedPackage {
    try await CheckedPackage(
      package,
      rule: validity,
      state: state,
      isRehearsal: options.isRehearsal,
      progress: progress,
      interruption: interruption,
      tell: tell
    )
  }

  /// Signs in and takes the checkpoint.
  package func session(
    sending checked: CheckedPackage,
    to destination: any Destination,
    reopen: DestinationReopening? = nil
  ) async throws(MigrationError) -> UploadSession {
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
      reopen: reopen
    )
  }

  /// Something that has come to its end on the way.
  package enum Step: Sendable {
    case sent(RunResult)
    case verified(VerificationReport)
    case takingBack(RunRecord)
    case takenBack(RunRecord, RunResult)
  }

  /// Plans, executes, reads back; takes back where that is wanted and something is wrong.
  ///
  /// Whoever calls reports what was read back, and then has the session note that.
  package func send(
    in session: UploadSession,
    interruption: Interruption,
    tell: (Step) -> Void = { _ in }
  ) async throws(MigrationError) -> Arrival {
    let run = try await session.plan(interruption: interruption)
    let planned = try session.summary(of: run)
    try validity.check(planned)
    let result = try await session.execute(run, after: planned, interruption: interruption)
    tell(.sent(result))
    var arrival = Arrival(result: result)
    switch result.conclusion {
    case .interrupted, .refused: return arrival
    case .passingFault:
      if takesBackOnFailure {
        arrival.undo = try await takeBack(run, in: session, interruption: interruption, tell: tell)
      }
      return arrival
    case .done: break
    }
    let report: VerificationReport
    do throws(MigrationError) {
      report = try await session.verify(interruption: interruption)
    } catch {
      guard case .interrupted = error else { throw error }
      // Everything is there; only the reading back is left.
      arrival.isUnread = true
      return arrival
    }
    arrival.verification = report
    tell(.verified(report))
    if !report.isClean, takesBackOnFailure {
      arrival.undo = try await takeBack(run, in: session, interruption: interruption, tell: tell)
    }
    return arrival
  }

  /// Takes a run back, in the session that made it.
  package func takeBack(
    _ run: RunRecord,
    in session: UploadSession,
    interruption: Interruption,
    tell: (Step) -> Void = { _ in }
  ) async throws(MigrationError) -> RunResult {
    tell(.takingBack(run))
    let undo = try await session.planRollback(of: run.id, interruption: interruption)
    let result = try await session.execute(undo, interruption: interruption)
    tell(.takenBack(run, result))
    return result
  }
}

/// What a crossing came to.
package struct Arrival: Sendable {
  package let result: RunResult
  /// What reading everything back showed; `nil` when the run did not come so far.
  package internal(set) var verification: VerificationReport?
  /// Whether somebody asked for an end when everything was sent and not all of it read back.
  package internal(set) var isUnread = false
  /// The rollback, where one was made.
  package internal(set) var undo: RunResult?
}
