import ArgumentParser
import Checkpoint
import CommandOptions
import CommandOutput
import Files
import Foundation
import JSONText
import Migration
import Planning
import ProfileSettings
import Profiles
import Reconciliation
import Reporting
import Retrying
import RunHistory
import StageSupport
import UploadPlanning

/// What every command takes: how it speaks, and where it remembers.
struct SharedOptions: ParsableArguments {
  @Option(
    help:
      "The form of the result on standard output: text unless given, json or ndjson; for inspect mermaid too.",
    completion: .list(["text", "json", "ndjson"])
  )
  var format: String = "text"

  @Option(
    help: "How progress is shown on standard error: auto unless given, plain or none.",
    completion: .list(["auto", "plain", "none"])
  )
  var progress: String = "auto"

  @Flag(name: [.short, .long], help: "Say only what went wrong.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "The folder Ferry remembers in.",
      discussion: "FERRY_STATE_DIR, or ferry in the user's state folder, unless given."
    ),
    completion: .directory
  )
  var stateDir: String?

  @Option(
    help: ArgumentHelp(
      "The settings file; ferry.yaml beside a profile that is named, or in the current folder, unless given.",
      discussion: "Each flag can be a key of it, or a variable: FERRY_RATE represents --rate.",
      valueName: "file"
    ),
    completion: .file()
  )
  var config: String?

  @Option(
    help: "Whether colours are used: auto unless given, always or never. NO_COLOR turns them off.",
    completion: .list(["auto", "always", "never"])
  )
  var color = "auto"

  @Option(
    help: ArgumentHelp(
      "Add what happens to a private file, a JSON object a line.",
      discussion: "Never a value of a record, what a destination said, or a secret.",
      valueName: "file"
    ),
    completion: .file()
  )
  var logFile: String?

  @Option(
    help: ArgumentHelp("Write the figures of the run as OpenMetrics text.", valueName: "file"),
    completion: .file()
  )
  var metrics: String?

  func validate() throws {
    guard Screen.Colours(rawValue: color) != nil else {
      throw ValidationError("--color takes auto, always or never, not “\(color)”.")
    }
    for (name, path) in [("--log-file", logFile), ("--metrics", metrics)] {
      if let path, !Folder.exists(Folder.parentPath(of: path)) {
        throw ValidationError("\(name): there is no folder \(Folder.parentPath(of: path)).")
      }
    }
    try OutputForm.log.check(logFile, of: "--log-file")
    try OutputForm.metrics.check(metrics, of: "--metrics")
    guard Screen.Format(rawValue: format) != nil else {
      throw ValidationError("--format takes text, json or ndjson, not “\(format)”.")
    }
    guard Screen.Progress(rawValue: progress) != nil else {
      throw ValidationError("--progress takes auto, plain or none, not “\(progress)”.")
    }
  }

  /// Where the command prints; with `isReported` it keeps what report files will need.
  func screen(isReported: Bool = false) -> Screen {
    Screen(
      format: Screen.Format(rawValue: format) ?? .text,
      progress: Screen.Progress(rawValue: progress) ?? .auto,
      isQuiet: quiet,
      isReported: isReported || metrics != nil,
      colours: Screen.Colours(rawValue: color) ?? .auto,
      log: logFile.map { RunLog($0) },
      spelling: spelling
    )
  }

  /// The commands to type next look into the same state folder.
  private var spelling: CommandSpelling {
    guard state != Self.state(at: nil) else { return .plain }
    let remembering: [any ParsableCommand.Type] = [
      ValidateCommand.self, PlanCommand.self, UploadCommand.self, ResumeCommand.self,
      VerifyCommand.self, RollbackCommand.self, MigrateCommand.self, WriteBackCommand.self,
      StatusCommand.self, ShowCommand.self, HistoryCommand.self, PruneCommand.self,
      CheckpointCommand.self, QuarantineCommand.self,
    ]
    var verbs: [String: Set<String>] = [:]
    for command in remembering {
      guard let verb = command.configuration.commandName else { continue }
      verbs[verb] = Set(
        command.configuration.subcommands.compactMap { $0.configuration.commandName }
      )
    }
    return CommandSpelling(flags: "--state-dir \(state.path.quotedForShell)", verbs: verbs)
  }

  /// Whether standard output is a terminal that shows colours, or colours are wanted in any case.
  var coloursOutput: Bool {
    let environment = ProcessInfo.processInfo.environment
    let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
    switch Screen.Colours(rawValue: color) ?? .auto {
    case .always: return true
    case .never: return false
    case .auto: return isatty(STDOUT_FILENO) == 1 && !isPlain
    }
  }

  var state: StateFolder { Self.state(at: stateDir) }

  /// The folder that was given, else the usual one.
  static func state(at path: String?) -> StateFolder {
    path.map { StateFolder(path: $0) } ?? .usual
  }
}

/// The file of a profile, and whether a person named it.
struct ProfilePlace {
  let path: String
  /// Whether it is only looked for beside a store or a package: it came perhaps with a folder that
  /// another process made.
  let isFound: Bool
  /// The values that a person gives its variables.
  let given: GivenValues

  /// A profile that was named, or that this program wrote.
  init(named path: String, given: GivenValues = .none) {
    self.init(path: path, isFound: false, given: given)
  }

  init(path: String, isFound: Bool, given: GivenValues) {
    self.path = path
    self.isFound = isFound
    self.given = given
  }
}

/// Which profile describes the app.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The profile that describes the app.",
      discussion: "FERRY_PROFILE, or profile.yaml beside the store, unless given.",
      valueName: "file"
    ),
    completion: .file()
  )
  var profile: String?

  @OptionGroup var variables: VariableOptions

  /// Where the profile is: by the flag, by the environment, or as a file beside `path`.
  func place(beside path: String) -> ProfilePlace {
    let given = variables.given
    if let profile { return ProfilePlace(named: profile, given: given) }
    if let named = ProcessInfo.processInfo.environment["FERRY_PROFILE"], !named.isEmpty {
      return ProfilePlace(named: named, given: given)
    }
    return ProfilePlace(path: "\(folder(of: path))/profile.yaml", isFound: true, given: given)
  }

  /// The same for a package, or for a run, of which `nil` is its own copy of the profile.
  func place(beside path: String, of run: FoundRun?) -> ProfilePlace? {
    run != nil && profile == nil ? nil : place(beside: path)
  }

  /// Where the file of a run's profile is: by the flag, where it was when the run began, or beside the package.
  func place(of found: FoundRun) throws -> ProfilePlace {
    let known = try found.flags().last { $0.name == RunFlag.profile }
    if profile == nil, let known {
      return ProfilePlace(path: known.value, isFound: true, given: variables.given)
    }
    return place(beside: found.packagePath)
  }

  /// Whether a profile was named, or one lies beside `path`.
  func isThere(beside path: String) -> Bool {
    let isNamed =
      profile != nil || ProcessInfo.processInfo.environment["FERRY_PROFILE"]?.isEmpty == false
    return isNamed || FileManager.default.fileExists(atPath: place(beside: path).path)
  }

  private func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// Where records go, and how eagerly.
struct DestinationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The destination: a name from the profile, or an address.",
      discussion: "The profile's own, where it has only one.",
      valueName: "destination"
    )
  )
  var to: String?

  @Option(
    name: .customLong("credential"),
    help: ArgumentHelp(
      "A credential the profile names: from a file (0600), the environment, a command, or typed.",
      discussion: "A secret is never an argument. May be given several times.",
      valueName: "name=file:path|env:var|command:cmd|ask"
    )
  )
  var credentials: [String] = []

  @Option(help: "The most records in one request. The profile decides unless given.")
  var batchSize: Int?

  @Option(help: "The most requests in flight at once. The profile decides unless given.")
  var concurrency: Int?

  @Option(
    help: ArgumentHelp(
      "The most requests a second. The profile decides unless given.",
      discussion: "Each counts: signing in, readings, a file's ticket and its confirmation."
    )
  )
  var rate: Double?

  @Option(
    help: ArgumentHelp(
      "How often a passing fault is tried again; 3 unless the profile says otherwise.",
      discussion: "With this flag, each pause that the destination asks for counts as well."
    )
  )
  var retries: Int?

  @Option(
    help: ArgumentHelp(
      "How long one request may take: 500ms, 60s, 2m; 30s unless the profile says otherwise.",
      valueName: "time"
    )
  )
  var timeout: String?

  @Option(
    help: ArgumentHelp(
      "How long the command may take before it saves and ends with status 8: 90s, 10m, 2h.",
      discussion: "No limit unless given. The same command again goes on.",
      valueName: "time"
    )
  )
  var maxDuration: String?

  @Option(
    help:
      "Who wins a conflict: fail, remote, local, newest, merge or ask. The profile decides unless given.",
    completion: .list(["fail", "remote", "local", "newest", "merge", "ask"])
  )
  var onConflict: String?

  @Option(
    help: ArgumentHelp(
      "Accept that something changed since the checkpoint was made: profile, account or store.",
      valueName: "what"
    ),
    completion: .list(["profile", "account", "store"])
  )
  var acceptChange: [String] = []

  @Flag(
    name: .customLong("full"),
    help: "Read the whole destination, even where the checkpoint knows the records."
  )
  var refresh = false

  func validate() throws {
    for (name, value, least) in [
      ("--batch-size", batchSize, 1), ("--concurrency", concurrency, 1), ("--retries", retries, 0),
    ] {
      if let value, !(least...Self.mostCount).contains(value) {
        throw ValidationError("\(name) takes a number from \(least) to \(Self.mostCount).")
      }
    }
    if let rate, !Self.rates.contains(rate) {
      throw ValidationError("--rate takes a number from 0.001 to 1000000.")
    }
    try DurationSetting.check(timeout, of: "--timeout")
    try DurationSetting.check(maxDuration, of: "--max-duration")
    if let onConflict, ConflictPolicy(rawValue: onConflict) == nil {
      throw ValidationError(
        "--on-conflict takes fail, remote, local, newest, merge or ask, not “\(onConflict)”."
      )
    }
    for what in acceptChange where !["profile", "account", "store"].contains(what) {
      throw ValidationError("--accept-change takes profile, account or store, not “\(what)”.")
    }
  }

  /// No count has to be larger, and sums of such counts are far from what a number can hold.
  private static let mostCount = 1_000_000
  private static let rates = 0.001...1_000_000

  var longestRequest: Duration? { DurationSetting.duration(timeout) }
  var limit: Duration? { DurationSetting.duration(maxDuration) }

  /// The flags to type again for another verb about the same destination; never a secret.
  func flags(profilePath: String?, _ variables: VariableOptions) -> String {
    var words = (profilePath.map { ["--profile", $0] } ?? []) + variables.words
    if let to { words += ["--to", to] }
    for credential in credentials { words += ["--credential", credential] }
    return words.map(\.quotedForShell).joined(separator: " ")
  }

  /// What is meant, for a session; `earlier` is what the run remembers that it is about.
  func sessionOptions(
    isRehearsal: Bool,
    profile: Profile,
    interruption: CancellationToken,
    earlier: [RunFlag] = []
  ) -> SessionOptions {
    var options = SessionOptions(profile: profile)
    options.flags = CommandLineReader.line.flags.adding(profilePath: profile.path, earlier)
    options.interruption = interruption
    options.plan = PlanOptions(
      conflictPolicy: onConflict.flatMap(ConflictPolicy.init(rawValue:)),
      refreshes: refresh
    )
    options.isRehearsal = isRehearsal
    options.acceptsChangedProfile = acceptChange.contains("profile")
    options.acceptsChangedAccount = acceptChange.contains("account")
    options.acceptsChangedStore = acceptChange.contains("store")
    options.batchLimit = batchSize
    options.concurrency = concurrency
    if let retries { options.retry = options.retry.limited(to: retries) }
    return options
  }
}
