import AgeEncryption
import ArgumentParser
import Checkpoint
import CommandOptions
import CommandOutput
import DestinationKinds
import DestinationModel
import ExportPackage
import Files
import Foundation
import Migration
import PackageStages
import Planning
import PostgreSQL
import Profiles
import Records
import Reporting
import Retrying
import RunHistory
import StageSupport
import Subprocess

/// What every verb works with, once its arguments are understood.
struct CommandContext {
  let screen: Screen
  private(set) var state: StateFolder
  let signals: Signals
  /// Counts what is asked of the destination.
  let meter = RequestMeter()
  /// Whether the command draws a diagram when that is the form asked for.
  private let draws: Bool
  private let reports: ReportWriting?
  /// Whether results are printed in colours.
  let coloursOutput: Bool
  let metricsPath: String?
  let reportedRun = ReportedRun()
  private let typed = TypedSecrets()

  /// Begins a command, which saves and ends once the time of `limit` is over.
  init(
    _ options: SharedOptions,
    draws: Bool = false,
    reports: ReportWriting? = nil,
    limit: Duration? = nil
  ) {
    self.draws = draws
    self.reports = reports
    coloursOutput = options.coloursOutput
    screen = options.screen(isReported: reports?.options.isWanted ?? false)
    state = options.state
    metricsPath = options.metrics
    screen.watch { [meter] in meter.readings.values.reduce(0) { $0 + $1.bytes } }
    screen.log?.began(CommandLineReader.command)
    signals = Signals(screen: screen)
    if let limit { signals.end(after: limit) }
  }

  /// The same for a command that can write reports about its subject.
  init(
    _ options: SharedOptions,
    _ reports: ReportOptions,
    _ command: String,
    of subject: String?,
    limit: Duration? = nil
  ) {
    let reports = ReportWriting(reports, command: command, subject: subject)
    self.init(options, reports: reports, limit: limit)
  }

  /// The same for a run, with the state folder that it was found in.
  func about(_ found: FoundRun) -> CommandContext {
    var context = self
    context.state = found.state
    return context
  }

  /// A command about a run, to type next; the run remembers the rest.
  func command(_ verb: String, _ run: RunRecord) -> String {
    RunCommand(verb, run.id, state: state, isUsual: isUsualState).text
  }

  /// How runs are listed.
  var runList: RunListText { RunListText(state: state, isUsual: isUsualState) }

  /// Whether a verb looks into the state folder of this one without a flag.
  private var isUsualState: Bool { state == SharedOptions.state(at: nil) }

  /// Runs `body`; an error becomes a sentence, a next step and a status.
  func run(
    _ next: @autoclosure () -> String? = nil,
    _ body: () async throws -> ExitStatus
  ) async throws -> Never {
    guard screen.format != .mermaid || draws else {
      throw ValidationError("--format takes text, json or ndjson here; only inspect draws.")
    }
    PrivateFolder.removeLeft()
    let status: ExitStatus
    var failure: (any Error)?
    let result = await screen.announcingWaits {
      await TextTable.$width.withValue(TerminalWidth.columns(of: STDOUT_FILENO)) {
        await MessageValues.$areQuoted.withValue(quotesValues) {
          () async -> Result<ExitStatus, any Error> in
          do {
            try state.refuseLinks()
            return .success(try await body())
          } catch {
            return .failure(error)
          }
        }
      }
    }
    do {
      status = try result.get()
    } catch {
      failure = error
      status = wasInterrupted(error) ? signals.status : ExitStatus(error)
      MessageValues.$areQuoted.withValue(quotesValues) { explain(error) }
      if mayRetry(status) { screen.warn("ferry: running the same command again resumes") }
    }
    var final = status == .interrupted ? signals.status : status
    if let next = next(), final == .done { screen.suggest(next) }
    let reported =
      reports?.write(
        screen,
        end: (final, mayRetry(final)),
        error: failure,
        next: screen.recorder.next
      ) ?? .done
    let written = ExitStatus.strongest([reported, notify(final, failure)])
    if final == .done { final = written }
    final = ResultOutput.settled(final)
    if written == .done { final = .strongest([final, noteReported()]) }
    screen.end(
      "ferry: \(final.name) (exit status \(final.rawValue))",
      isGood: final == .done || final == .planHasChanges
    )
    throw CommandExit(status: final)
  }

  /// Notes that the command's run was reported; gives what that comes to.
  private func noteReported() -> ExitStatus {
    do {
      try reportedRun.note()
      return .done
    } catch {
      explain(error)
      return ExitStatus(error)
    }
  }

  /// Whether a command ended for the request of a person: by itself, or while it waited for a destination.
  private func wasInterrupted(_ error: any Error) -> Bool {
    if ExitStatus(error) == .interrupted { return true }
    return signals.interruption.isCancelled && (error as? DestinationError)?.isPassing == true
  }

  /// Whether a user asked for values of records in what is said.
  var quotesValues: Bool { reports?.options.showValues ?? false }

  /// Whether reports are written.
  var isReported: Bool { reports?.options.isWanted ?? false }

  /// Whether the same line goes on where this one stopped; after a limit of time it does.
  func mayRetry(_ status: ExitStatus) -> Bool {
    status.mayRetry || status == .limitReached && signals.isOutOfTime
  }

  private func explain(_ error: any Error) {
    let failure = Failure(error)
    screen.alarm("ferry: \(failure.message)".plainLines)
    if case MigrationError.invalid(let findings, _) = error {
      for line in SummaryText.findings(findings) { screen.warn(line) }
    }
    if let cure = failure.cure { screen.warn("  cure: \(cure)".plainForTerminal) }
  }

  // MARK: - Things that verbs need

  /// Reads a profile; one that was found and not named is taken only when no other user may write it.
  func profile(at place: ProfilePlace) throws -> Profile {
    let path = place.path
    if place.isFound, InputFile.isPresent(path), let reason = FoundFile.distrust(of: path) {
      throw MigrationError.badChoice(
        reason: "the profile \(path) was found beside what is read, and \(reason)",
        cure: "name it with --profile \(path) if it is meant, or remove it"
      )
    }
    try NamedFile.expect(.profile, at: path)
    var profile = try Profile(at: path, given: place.given)
    profile.isFound = place.isFound
    return profile
  }

  /// Lends a destination, and closes its connections afterwards.
  func withDestination<Value>(
    _ options: DestinationOptions,
    profile: Profile,
    isRehearsal: Bool,
    origin: String? = nil,
    _ body: (any Destination) async throws -> Value
  ) async throws -> Value {
    try await withReopeningDestination(
      options,
      profile: profile,
      isRehearsal: isRehearsal,
      origin: origin
    ) { destination, _ in
      try await body(destination)
    }
  }

  /// The same, with what opens the destination as another profile speaks to it.
  func withReopeningDestination<Value>(
    _ options: DestinationOptions,
    profile: Profile,
    isRehearsal: Bool,
    origin: String? = nil,
    _ body: (any Destination, @escaping DestinationReopening) async throws -> Value
  ) async throws -> Value {
    var choice = try DestinationChoice(
      in: profile,
      named: options.to,
      origin: origin,
      rate: options.rate,
      timeout: options.longestRequest,
      isRehearsal: isRehearsal,
      kinds: Self.kinds
    )
    choice.meter = meter
    warnOfOpenAddresses(of: choice)
    return try await choice.lendReopening(credentials: try reader(of: options.credentials), body)
  }

  /// Asks a destination what its own collections are.
  func remoteSchema(
    of api: Api,
    at address: String,
    credentials: [String]
  ) async throws -> RemoteSchemaAnswer {
    var choice = DestinationChoice(api, at: address, kinds: Self.kinds)
    choice.meter = meter
    warnOfOpenAddresses(of: choice)
    return try await choice.lend(
      credentials: try reader(of: credentials)
    ) { destination in
      try await destination.remoteSchema()
    }
  }

  static let kinds = OpenableKinds(adding: [PostgreSQLDestination.self])

  private func warnOfOpenAddresses(of choice: DestinationChoice) {
    for address in choice.openAddresses {
      let words =
        "ferry: \(address) is not encrypted (http). Anyone on the network path can read the "
        + "records and the sign-in; name it with https"
      screen.warn(words.plainForTerminal)
    }
  }

  private func reader(of credentials: [String]) throws(DestinationError) -> CredentialReader {
    var references: [CredentialReference] = []
    for text in credentials { references.append(try CredentialReference(parsing: text)) }
    return CredentialReader(
      references,
      environment: ProcessInfo.processInfo.environment,
      runCommand: { [references] command throws(DestinationError) in
        try await Waits.during(.command, atMost: nil) { () async throws(DestinationError) in
          try await Self.output(ofCommand: command, hiding: references)
        }
      },
      ask: Consent.canType ? typed.secret(named:) : nil
    )
  }

  /// What is known of the credentials of these names, without a program being run or a question asked.
  func checks(
    ofCredentials names: [String],
    given: [String]
  ) throws -> [DestinationCheck] {
    OfflineChecks.credentials(names, in: try reader(of: given))
  }

  /// The key that encrypted Realm files are opened with, where one of the credentials is that.
  func realmKey(among credentials: [String]) async throws -> [UInt8]? {
    let stored = try await reader(of: credentials).storedBytes(named: RealmKey.name)
    guard let stored else { return nil }
    return try RealmKey.bytes(stored: stored)
  }

  /// What a credential command prints; it is split at spaces and run without a shell, through `env`,
  /// which takes a name to be looked for as well as a path.
  ///
  /// The variables that hold secrets are not its own.
  private static func output(
    ofCommand text: String,
    hiding references: [CredentialReference]
  ) async throws(DestinationError) -> [UInt8] {
    var hidden: [Environment.Key: String?] = [:]
    for case .environment(let variable) in references.map(\.place) {
      guard let key = Environment.Key(rawValue: variable) else { continue }
      hidden.updateValue(nil, forKey: key)
    }
    let words = text.split(separator: " ").map(String.init)
    guard let program = words.first else {
      throw .misconfigured(reason: "the credential command is empty", cure: "name a program")
    }
    do {
      let result = try await Subprocess.run(
        .name("env"),
        arguments: Arguments(words),
        environment: .inherit.updating(hidden),
        output: .bytes(limit: 1 << 16),
        error: .discarded
      )
      guard result.terminationStatus.isSuccess else {
        throw DestinationError.misconfigured(
          reason: "the credential command \(program) failed",
          cure: "run it by hand to see why"
        )
      }
      return result.standardOutput
    } catch let error as DestinationError {
      throw error
    } catch {
      throw .misconfigured(
        reason: "the credential command \(program) could not be run",
        cure: "check that it is there and may be run"
      )
    }
  }
}
