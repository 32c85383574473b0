import Checkpoint
import DestinationKinds
import Execution
import Migration
import PackageStages
import Planning
import Profiles
import Records
import Retrying
import StageSupport
import StoreFiles

/// The migration of one store to one backend, for an app that runs it behind screens of its own.
///
/// It is the way that `ferry migrate` goes, with the same guarantees: the store is never written,
/// nothing is dropped in silence, and a process that ends at any moment loses nothing and duplicates
/// nothing. To resume after a restart, make the same value again and go the same steps.
public struct StoreMigration: Sendable {
  let options: MigrationOptions
  let profile: Profile
  let state: StateFolder

  /// Reads the profile; nothing else is touched yet.
  ///
  /// - Throws: ``FerryError`` when there is no profile, or it has faults.
  public init(_ options: MigrationOptions) throws(FerryError) {
    self.options = options
    state = StateFolder(path: options.stateFolder)
    profile = try translating(Profile(at: options.profile))
  }

  /// Looks at the store: what would be carried, how much of it, and what earlier runs came to.
  ///
  /// The store is read through a private copy, which is gone afterwards; nothing leaves the device.
  @concurrent public func detect() async throws(FerryError) -> DetectedStore {
    try translating {
      let preview = try MigrationPreview(
        of: options.store,
        profile: profile,
        container: options.container
      )
      let choice = try DestinationChoice(
        in: profile,
        named: options.destination,
        kinds: .ofApps
      )
      return DetectedStore(preview, destination: choice.address, runs: try knownRuns(preview))
    }
  }

  private func knownRuns(_ preview: MigrationPreview) throws -> [KnownRun] {
    let (runs, unread) = try FoundRun.all(in: state)
    let own = runs.filter {
      $0.binding.store == preview.identity.uuid && $0.binding.profile == profile.app
    }
    // Of a store that no other checkpoint knows, those of its app that cannot be read may.
    let doubtful = unread.first { state.checkpoints.mayBe($0.path, of: profile.app) }
    if own.isEmpty, let doubtful { throw doubtful.error }
    return own.map(KnownRun.init)
  }

  /// Signs in, and looks by reading alone whether the destination fits.
  ///
  /// - Throws: ``FerryError`` of the kind ``FerryError/Kind/refused`` when the account is not let in
  ///   or something there does not fit, ``FerryError/Kind/passingFault`` when it cannot be reached.
  @concurrent public func signIn(
    _ credentials: Credentials
  ) async throws(FerryError) -> SignIn {
    let preflight: Preflight
    do {
      preflight = try await self.preflight(credentials)
    } catch {
      throw FerryError(error)
    }
    return try SignIn(preflight, credentials)
  }

  private func preflight(
    _ credentials: Credentials
  ) async throws -> Preflight {
    let choice = try DestinationChoice(
      in: profile,
      named: options.destination,
      isRehearsal: true,
      kinds: .ofApps
    )
    return try await choice.lend(credentials: credentials.source) {
      destination in
      await Preflight(
        profile: profile,
        destination: destination,
        patience: options.session(profile).readPatience(on: .system)
      )
    }
  }

  /// Goes the whole way: export, validate, plan, upload, verify; goes on with a run that was stopped.
  ///
  /// - Parameters:
  ///   - consent: What the person agreed to; anything else is refused before it is sent.
  ///   - signIn: The account that it goes to.
  /// - Returns: The run, which has begun.
  public func start(_ consent: Consent, as signIn: SignIn) -> MigrationRun {
    MigrationRun { relay, requests in
      try await MigrationTask(
        migration: self,
        consent: consent,
        signIn: signIn,
        relay: relay,
        requests: requests
      ).go()
    }
  }

  /// Takes a run back: what it created is removed, what it overwrote is put back.
  ///
  /// What another device changed at the destination since is left alone and counted as conflicted. A
  /// rollback that was stopped is gone on with.
  public func rollBack(_ run: String, as signIn: SignIn) -> MigrationRun {
    MigrationRun { relay, requests in
      try await RollbackTask(
        migration: self,
        run: run,
        signIn: signIn,
        relay: relay,
        requests: requests
      ).go()
    }
  }

  /// Gives the app what it has to write into its own store after a run, in pages of up to 1,000.
  ///
  /// - Throws: ``FerryError``, or what `apply` throws.
  @concurrent public func applyWriteBack(
    of run: String,
    _ apply: ([WriteBackRecord]) async throws -> Void
  ) async throws {
    let writeBack = try translating(self.writeBack(of: run))
    var last: WriteBackEntry?
    while true {
      let page = try translating(writeBack.page(after: last))
      guard let end = page.last else { return }
      last = end
      try await apply(
        translating(
          page.map { entry in
            WriteBackRecord(entry, try writeBack.values(of: entry))
          }
        )
      )
    }
  }

  /// The rows of the app's queue of changes after a run, and what became of each.
  ///
  /// - Throws: ``FerryError`` when the run is not known or its checkpoint cannot be read.
  public func queuedChanges(of run: String) throws(FerryError) -> [QueuedChangeOutcome] {
    try translating(writeBack(of: run).operations()).map(QueuedChangeOutcome.init)
  }

  /// The records of a run's package that ``applyWriteBack(of:_:)`` gives no entry for, by entity and reason.
  ///
  /// - Throws: ``FerryError`` when the run is not known or its checkpoint cannot be read.
  public func recordsWithoutEntry(of run: String) throws(FerryError) -> [RecordsWithoutEntry] {
    try translating(writeBack(of: run).recordsWithoutEntry()).map(RecordsWithoutEntry.init)
  }

  /// Writes the same into a file that obeys the schema `ferry.write-back.v1`; gives how many records it
  /// names.
  public func saveWriteBack(of run: String, to path: String) throws(FerryError) -> Int {
    try translating(writeBack(of: run).write(to: path))
  }

  private func writeBack(of run: String) throws -> WriteBack {
    try FoundRun(run, in: state).writeBack()
  }
}
