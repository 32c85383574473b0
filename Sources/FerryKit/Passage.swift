import Checkpoint
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
struct Passage {
  let migration: StoreMigration
  let consent: Consent
  let signIn: SignIn
  let relay: ProgressRelay
  let wishes: Wishes

  func go() async throws(MigrationError) -> MigrationOutcome {
    let choice = try DestinationChoice(
      in: migration.profile,
      named: migration.options.destination
    )
    try hold(consent.destination == choice.address, "another destination")
    let crossing = try crossing()
    let exported = try await crossing.export(interruption: wishes.interruption)
    try hold(exported.package.manifest.source.store == consent.store, "another store")
    let checked = try await crossing.check(exported.package, interruption: wishes.interruption)
    relay.show(.signIn)
    return try await choice.lendReopening(credentials: signIn.credentials.source) {
      destination,
      reopen throws(MigrationError) in
      let session = try await crossing.session(sending: checked, to: destination, reopen: reopen)
      return try await send(crossing, in: session, after: exported)
    }
  }

  private func send(
    _ crossing: Crossing,
    in session: UploadSession,
    after exported: ExportResult
  ) async throws(MigrationError) -> MigrationOutcome {
    let arrival = try await crossing.send(in: session, interruption: wishes.interruption)
    var undo = arrival.undo
    if wishes.isCancelled, arrival.isUnread || arrival.result.conclusion == .interrupted {
      // The wish to end is fulfilled; what follows has to come to its own end.
      undo = try await crossing.takeBack(
        arrival.result.run,
        in: session,
        interruption: Interruption()
      )
    }
    if arrival.verification != nil { try session.setReported(arrival.result) }
    return MigrationOutcome(arrival, undo: undo, of: exported)
  }

  private func hold(_ isAgreed: Bool, _ what: String) throws(MigrationError) {
    guard !isAgreed else { return }
    wishes.refuse(FerryError(.notAgreed, "the person agreed to \(what)", cure: "ask them again"))
    throw .interrupted
  }

  private func crossing() throws(MigrationError) -> Crossing {
    let options = migration.options
    var session = options.session(migration.profile)
    session.interruption = wishes.impatience
    session.expectedAccount = signIn.account
    session.plan.selection = Selection(
      only: [],
      skips: consent.leavingOut.sorted().compactMap(Selection.Skip.init)
    )
    var crossing = Crossing(
      profile: migration.profile,
      store: options.store,
      output: .folder(migration.state.packages),
      options: session,
      state: migration.state,
      clock: .system,
      progress: relay.reporter
    )
    // The system gives an app another container with each installation.
    crossing.place = options.store.split(separator: "/").suffix(2).joined(separator: "/")
    crossing.container = options.container
    crossing.fetch = try options.fetching()
    crossing.allowsEmptySource = options.allowsEmptyStore
    crossing.validity = try options.validity()
    crossing.takesBackOnFailure = options.failure == .rollBack
    return crossing
  }
}

/// The way back of one run.
struct TakingBack {
  let migration: StoreMigration
  let run: String
  let signIn: SignIn
  let relay: ProgressRelay
  let wishes: Wishes

  func go() async throws(MigrationError) -> MigrationOutcome {
    let found = try FoundRun(run, in: migration.state)
    // A run is rolled back with the profile that it began with.
    let profile = try found.profile()
    let choice = try DestinationChoice(
      in: profile,
      named: migration.options.destination,
      origin: found.binding.origin
    )
    var options = migration.options.session(profile)
    options.interruption = wishes.impatience
    options.expectedAccount = signIn.account
    options.acceptsChangedProfile = true
    let chosen = options
    relay.show(.signIn)
    return try await choice.lendReopening(credentials: signIn.credentials.source) {
      destination,
      reopen throws(MigrationError) in
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
      let undo = try await session.planRollback(of: run, interruption: wishes.interruption)
      let result = try await session.execute(undo, interruption: wishes.interruption)
      return MigrationOutcome(rollback: result)
    }
  }
}
