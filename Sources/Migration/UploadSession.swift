package import Checkpoint
package import DestinationKinds
package import DestinationModel
import Execution
package import ExportPackage
import Files
import LongTexts
import PackageStages
package import Planning
package import Profiles
package import Quarantine
import RecordMapping
import Records
import RequestMapping
package import Retrying
package import StageSupport
import SyncReading

/// A package, a destination and the checkpoint between them, held for the time of one command.
package struct UploadSession: Sendable {
  package private(set) var profile: Profile
  /// The profile as it is today; another than ``profile`` where an earlier run is ended or rolled back.
  let currentProfile: Profile
  /// Whether an earlier run is ended, or rolled back, by the routes of ``currentProfile``.
  let hasCurrentRoutes: Bool
  /// Where the long texts of records lie, here and at the destination, for which all have stand-ins.
  private let texts: LongTexts
  /// The package that is sent; a rollback can do without.
  let givenPackage: PackageReader?
  /// The destination, behind the gate.
  package private(set) var destination: any Destination
  /// Opens the same destination with another profile; `nil` where the one that is open serves any.
  private let reopen: DestinationReopening?
  /// The most requests that may be in flight: as a person requests, or the profile says.
  let concurrency: Int
  let gate: ConcurrencyLimiter
  package let account: String
  /// The same, and further names by which the app's own store may know it.
  let accountNames: [String]
  package private(set) var checkpoint: CheckpointFile
  let state: StateFolder
  private(set) var options: SessionOptions
  let clock: RunClock
  private(set) var progress: ProgressReporter
  /// What other checkpoints say of the same account.
  let neighbours: Neighbours
  /// Holds the private copy of the checkpoint of a dry run.
  private let rehearsal: PrivateFolder?

  /// Signs in, finds out whose data the destination serves unless that is known, and takes the checkpoint.
  ///
  /// - Throws: `MigrationError.otherAccount` when this store was moved
  ///   to another account of the same destination before, and `MigrationError.redacted` before
  ///   anybody is asked anything.
  package init(
    profile: Profile,
    store: String,
    package: PackageReader?,
    destination: any Destination,
    state: StateFolder,
    options: SessionOptions,
    clock: RunClock,
    progress: ProgressReporter,
    account known: StoreAccount? = nil,
    currentRoutes: Profile? = nil,
    reopen: DestinationReopening? = nil
  ) async throws {
    if let package, package.manifest.isRedacted { throw MigrationError.redacted(package.path) }
    self.profile = profile
    currentProfile = currentRoutes ?? profile
    hasCurrentRoutes = currentRoutes != nil
    self.reopen = reopen
    let texts = LongTexts()
    self.texts = texts
    givenPackage = package?.standingIn(texts)
    concurrency = max(1, options.concurrency ?? destination.traits.concurrency)
    gate = ConcurrencyLimiter(limit: concurrency, clock: clock)
    let destination = Self.bounded(destination, by: gate, texts)
    self.destination = destination
    options.interruption.onCancellation { [gate, destination] in
      gate.giveUpWaiting()
      destination.giveUpWaiting()
    }
    self.state = state
    self.options = options
    self.clock = clock
    self.progress = progress
    let patience = options.readPatience(on: clock)
    let needsNames =
      profile.account != nil || profile.entities.contains { $0.owner != nil }
    if let known {
      account = known.binding.account
    } else {
      account = try await patience.attempt { () async throws(DestinationError) in
        try await destination.account()
      }
    }
    var further: [String] = []
    if needsNames {
      further = try await patience.attempt { () async throws(DestinationError) in
        try await destination.accountNames()
      }
    }
    accountNames = [account] + further
    if let expected = options.expectedAccount, !AccountName.isSame(expected, account) {
      throw MigrationError.unexpectedAccount(expected: expected, now: account)
    }
    let binding = CheckpointBinding(
      store: store,
      origin: destination.traits.origin,
      account: account,
      profile: profile.app
    )
    // Read now, whatever is known of the account: runs of other stores may have ended since.
    neighbours = try Neighbours(of: binding, in: state.checkpoints)
    _ = try StoreAccount(
      binding,
      beside: neighbours,
      in: state,
      acceptsChange: options.acceptsChangedAccount
    )
    rehearsal = options.isRehearsal ? try PrivateFolder() : nil
    checkpoint = try Self.openCheckpoint(
      binding,
      state: state,
      rehearsal: rehearsal
    )
    try expectProfile()
  }

  /// Goes on with another profile of the same app.
  mutating func use(_ profile: Profile) throws {
    self.profile = profile
    guard let reopen else { return }
    destination = Self.bounded(try reopen(profile), by: gate, texts)
    options.interruption.onCancellation { [destination] in destination.giveUpWaiting() }
  }

  /// This session over a private copy of its checkpoint, to plan what no one carries out.
  func rehearsing(in copy: CheckpointFile) -> UploadSession {
    var session = self
    session.checkpoint = copy
    session.options.isRehearsal = true
    session.options.plan.listsChanges = false
    session.progress = ProgressReporter()
    return session
  }

  private static func bounded(
    _ destination: some Destination,
    by gate: ConcurrencyLimiter,
    _ texts: LongTexts
  ) -> any Destination {
    guard !destination.standIn(texts) else { return BoundedDestination(destination, gate: gate) }
    return BoundedDestination(StandInDestination(destination, texts), gate: gate)
  }

  private static func openCheckpoint(
    _ binding: CheckpointBinding,
    state: StateFolder,
    rehearsal: PrivateFolder?
  ) throws -> CheckpointFile {
    let real = state.checkpoints.file(for: binding)
    if rehearsal == nil { try Folder.makeLasting(state.checkpoints.path) }
    var path = real
    if let rehearsal {
      path = "\(rehearsal.path)/checkpoint.sqlite"
      if InputFile.isPresent(real) { try CheckpointView(real)?.copy(to: path) }
    }
    return try CheckpointFile(path: path, binding: binding)
  }

  // MARK: - The parts of a session

  /// The package, for what cannot be done without.
  func package() throws -> PackageReader {
    guard let givenPackage else { throw MigrationError.noPackage("of this run") }
    return givenPackage
  }

  func reader() throws -> SyncReader { try reader(of: givenPackage) }

  func context(findings: FindingCollector) throws -> OperationContext {
    OperationContext(reader: try reader(), findings: findings)
  }

  /// The same for a run that is given up: what it was to send lies in the package it was planned from.
  ///
  /// Where that is gone, or cannot be opened here, nothing says what it sent.
  func context(
    findings: FindingCollector,
    givingUp run: RunRecord
  ) throws -> OperationContext {
    guard run.kind == .upload, run.package != givenPackage?.digest.description else {
      return try context(findings: findings)
    }
    let own = try? PackageReader(run.packagePath, identities: givenPackage?.identities ?? [])
    let isOwn = own?.digest.description == run.package
    let package = isOwn ? own?.standingIn(texts) : nil
    return OperationContext(reader: try reader(of: package), findings: findings)
  }

  private func reader(of package: PackageReader?) throws -> SyncReader {
    let entities = (package ?? givenPackage)?.manifest.entities ?? []
    let mappings = RequestMappings(
      profile: profile,
      references: Dictionary(
        entities.map { ($0.name, $0.references.map(RecordReference.init)) },
        uniquingKeysWith: { first, _ in first }
      ),
      keyMembers: Dictionary(
        entities.map { ($0.name, $0.key) },
        uniquingKeysWith: { first, _ in first }
      ),
      queue: try queuedChanges(in: package ?? givenPackage),
      account: account,
      texts: texts
    )
    guard let mappings else { throw MigrationError.noDestination(profile.path) }
    return SyncReader(
      profile: profile,
      destination: destination,
      checkpoint: checkpoint,
      mappings: mappings,
      package: package,
      texts: texts,
      neighbours: neighbours,
      readPatience: options.readPatience(on: clock),
      concurrency: concurrency,
      gate: gate
    )
  }

  /// How runs of this session are gone through.
  var runPolicy: RunPolicy {
    RunPolicy(
      profile: profile,
      destination: destination,
      checkpoint: checkpoint,
      clock: clock,
      batchLimit: options.batchLimit,
      concurrency: concurrency,
      retry: options.retry,
      seed: options.seed
    )
  }

  /// What waited for the server in the package; what is quarantined as invalid steers nothing.
  private func queuedChanges(
    in package: PackageReader?
  ) throws -> QueuedChanges {
    guard let package, profile.entities.contains(where: { $0.queue != nil }) else {
      return .none
    }
    // A run is rolled back with what was quarantined when its package was sent.
    let kept =
      if let quarantine = options.quarantine { quarantine } else {
        try QuarantineFolder.all(in: state.quarantine).first { $0.package == package.digest }
      }
    let quarantined = try kept.map { kept in try QuarantinedRecords(kept) }
    // What a change says is read out of the texts of its entry.
    return try QueuedChanges(package.givingTexts, profile, quarantined: quarantined)
  }
}

/// The choices of a person that a session depends on.
package struct SessionOptions: Sendable {
  package var plan = PlanOptions()
  package var isRehearsal = false
  package var acceptsChangedProfile = false
  package var acceptsChangedAccount = false
  /// Whether a store without an identity of its own is taken for the one that was sent before,
  /// wherever it lies and whatever it holds.
  package var acceptsChangedStore = false
  package var batchLimit: Int?
  package var concurrency: Int?
  package var retry = RetryPolicy()
  package var seed: UInt64 = 0
  /// The flags that a run remembers for later commands about it.
  package var flags: [RunFlag] = []
  /// The records of the package that are quarantined and not sent.
  package var quarantine: QuarantineFolder?

  /// Where decisions about conflicts are read and written; in the state folder unless given.
  package var decisionsPath: String?
  /// Asks a person about a conflict at once; `nil` where no one is there to ask.
  package var prompt: AskedConflicts.Prompt?

  /// What ends the waiting for the destination.
  package var interruption = CancellationToken()

  /// The account that has to be signed in; `nil` for any.
  package var expectedAccount: String?

  package init() {}

  /// The choices of a person who made none: the profile's patience, and waits of its own.
  package init(profile: Profile) {
    retry = profile.api?.retry ?? RetryPolicy()
    seed = UInt64.random(in: .min ... .max)
  }

  package func readPatience(on clock: RunClock) -> ReadPatience {
    ReadPatience(policy: retry.forReading, interruption: interruption, clock: clock)
  }
}

extension RecordReference {
  fileprivate init(_ reference: PackageManifest.Reference) {
    self.init(member: reference.member, targets: reference.entities, isToMany: reference.isToMany)
  }
}
