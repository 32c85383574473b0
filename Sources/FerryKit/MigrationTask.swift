import Checkpoint
import DestinationKinds
import ExportPackage
import Migration
import PackageStages
import Planning
import Retrying
import StageSupport
import Synchronization
import SyncReading
import UploadPlanning

/// The whole way, once a person agreed and signed in.
struct MigrationTask {
  let migration: StoreMigration
  let consent: Consent
  let signIn: SignIn
  let relay: ProgressRelay
  let requests: CancellationRequests

  func go() async throws -> MigrationOutcome {
    let choice = try DestinationChoice(
      in: migration.profile,
      named: migration.options.destination,
      kinds: .ofApps
    )
    try hold(consent.destination == choice.address, "another destination")
    let pipeline = try pipeline()
    relay.show(.signIn)
    return try await choice.lendReopening(credentials: signIn.credentials.source) {
      destination,
      reopen in
      let account = try await pipeline.readiness(of: destination).account
      let opened = try pipeline.open()
      let storeAccount = try pipeline.expect(account, at: destination, for: opened)
      try hold(storeAccount.binding.store == consent.store, "another store")
      let exported = try await pipeline.export(opened, interruption: requests.interruption)
      let checked = try await pipeline.check(exported.package, interruption: requests.interruption)
      let session = try await pipeline.session(
        sending: checked,
        to: destination,
        account: storeAccount,
        reopen: reopen
      )
      return try await send(pipeline, in: session, after: exported)
    }
  }

  private func send(
    _ pipeline: MigrationPipeline,
    in session: UploadSession,
    after exported: ExportResult
  ) async throws -> MigrationOutcome {
    let migrated = try await pipeline.send(in: session, interruption: requests.interruption)
    var undo = migrated.undo
    if requests.isCancelled, migrated.isUnread || migrated.result.conclusion == .interrupted {
      // The cancellation request is fulfilled; what follows has to come to its own end.
      undo = try await session.rollBack(
        migrated.result.run,
        interruption: CancellationToken()
      )
    }
    if migrated.verification != nil { try session.setReported(migrated.result) }
    return MigrationOutcome(migrated, undo: undo, of: exported)
  }

  private func hold(_ isAgreed: Bool, _ what: String) throws {
    guard !isAgreed else { return }
    requests.refuse(FerryError(.notAgreed, "the person agreed to \(what)", cure: "ask them again"))
    throw MigrationError.interrupted
  }

  private func pipeline() throws -> MigrationPipeline {
    let options = migration.options
    var session = options.session(migration.profile)
    session.interruption = requests.urgentCancellation
    session.expectedAccount = signIn.account
    session.plan.selection = Selection(
      only: [],
      skips: consent.leavingOut.sorted().compactMap(Selection.Skip.init)
    )
    var pipeline = MigrationPipeline(
      profile: migration.profile,
      store: options.store,
      output: .folder(migration.state.packages),
      options: session,
      state: migration.state,
      clock: .system,
      progress: relay.reporter
    )
    // The system gives an app another container with each installation.
    pipeline.place = options.store.split(separator: "/").suffix(2).joined(separator: "/")
    pipeline.container = options.container
    pipeline.fetch = try options.fetching()
    pipeline.allowsEmptySource = options.allowsEmptyStore
    pipeline.validity = try options.validity()
    pipeline.rollsBackOnFailure = options.failure == .rollBack
    return pipeline
  }
}

/// The way back of one run.
struct RollbackTask {
  let migration: StoreMigration
  let run: String
  let signIn: SignIn
  let relay: ProgressRelay
  let requests: CancellationRequests

  func go() async throws -> MigrationOutcome {
    let found = try FoundRun(run, in: migration.state)
    // A run is rolled back with the profile that it began with.
    let profile = try found.profile()
    let choice = try DestinationChoice(
      in: profile,
      named: migration.options.destination,
      origin: found.binding.origin,
      kinds: .ofApps
    )
    var options = migration.options.session(profile)
    options.interruption = requests.urgentCancellation
    options.expectedAccount = signIn.account
    options.acceptsChangedProfile = true
    let chosen = options
    relay.show(.signIn)
    return try await choice.lendReopening(credentials: signIn.credentials.source) {
      destination,
      reopen in
      try found.expect(destination)
      let session = try await UploadSession(
        profile: profile,
        store: found.binding.store,
        package: try found.package(),
        destination: destination,
        state: migration.state,
        options: chosen,
        clock: .system,
        progress: relay.reporter,
        reopen: reopen
      )
      let undo = try await session.planRollback(of: run, interruption: requests.interruption)
      let result = try await session.execute(undo, interruption: requests.interruption)
      return MigrationOutcome(rollback: result)
    }
  }
}
