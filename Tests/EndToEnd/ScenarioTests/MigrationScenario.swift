import Foundation
import JSONText
import TestSupport
import Testing

/// A store, its profile, a server and a state folder: what a scenario plays on.
struct MigrationScenario: Sendable {
  let folder: String
  let backend: BackendProgram
  var program: FerryProgram
  var sample: Sample
  var profile: String
  /// The folder the program remembers in, by its name in ``folder``.
  var stateName = "state"
  var credentials = DemoAccount.flags
  var environment = DemoAccount.environment
  /// Where another server than ``backend`` is, when that is what the scenario is about.
  var origin: String?

  var state: String { "\(folder)/\(stateName)" }

  /// The flags that name the server and the account.
  var destination: [String] {
    ["--profile", profile, "--to", origin ?? backend.origin] + credentials
  }

  /// Runs the program as a person does, or until it is stopped.
  func run(
    _ arguments: [String],
    stop: FerryProgram.Stop? = nil
  ) async throws -> FerryProgram.Finished {
    try await program.run(arguments, environment: environment, state: state, stop: stop)
  }

  /// Runs the program, with its results as one JSON value a line.
  ///
  /// Every report is held against its published schema, whatever the test is about.
  func ferry(_ arguments: [String]) async throws -> Answer {
    let answer = try await program.answer(arguments, environment: environment, state: state)
    for value in answer.values where PublishedForm.reports.contains(value["type"]?.text ?? "") {
      #expect(try PublishedForm.faults(of: value, under: "ferry.report.v1.schema.json").isEmpty)
    }
    return answer
  }

  func migrate(_ more: [String] = []) async throws -> Answer {
    try await ferry(["migrate", sample.store] + destination + more)
  }

  func rollback(_ run: String, _ more: [String] = []) async throws -> Answer {
    try await ferry(["rollback", run] + destination + more)
  }

  /// Begins to migrate, and is killed a moment after the upload began.
  func kill(after wait: Double, _ more: [String] = []) async throws {
    try await kill(after: [wait], more)
  }

  /// The same for each wait; gives how many times it was killed before it ended.
  @discardableResult
  func kill(after waits: [Double], _ more: [String] = []) async throws -> Int {
    try await program.kill(
      ["migrate", sample.store] + destination + more,
      environment: environment,
      state: state,
      after: waits
    )
  }

  /// Rolls back every run of the store, the last one first.
  func rollbackAll(from last: Answer) async throws -> [Answer] {
    var answers: [Answer] = []
    for run in try last.runs() { answers.append(try await rollback(run)) }
    return answers
  }

  func export(to package: String) async throws -> Answer {
    try await ferry(["export", sample.store, "--profile", profile, "-o", package])
  }

  /// Changes the store as its app does; see ``Python/edit(_:_:)``.
  func sql(_ statements: String...) throws { try Python.edit(sample.store, statements) }

  /// The same server and state, with another store.
  func with(_ sample: Sample) -> MigrationScenario {
    var copy = self
    copy.sample = sample
    return copy
  }
}

/// What a run of the program said.
struct Answer: Sendable, ProgramEnd {
  let status: Int32
  /// The results, one a line of standard output; nothing where it printed no JSON.
  let values: [JSONValue]
  let standardOutput: String
  let standardError: String

  init(_ finished: FerryProgram.Finished) throws {
    status = finished.status
    standardOutput = finished.standardOutput
    standardError = finished.standardError
    values = try finished.standardOutput.split(separator: "\n").filter { $0.hasPrefix("{") }
      .map { try JSONValue(parsing: String($0)) }
  }

  /// The result of this type.
  func value(_ type: String) -> JSONValue? {
    values.first { $0["type"]?.text == type }
  }

  /// The name of the run.
  func run(_ type: String = "upload") throws -> String {
    guard let run = value(type)?["run"]?.text else {
      throw TestSupportError("no run in: \(standardOutput)\(standardError)")
    }
    return run
  }

  /// The names of this run and of those before it, the last one first.
  func runs() throws -> [String] {
    let run = try self.run()
    guard let dash = run.lastIndex(of: "-"), let number = Int(run[run.index(after: dash)...]) else {
      return [run]
    }
    return (1...number).reversed().map { "\(run[..<dash])-\($0)" }
  }

  /// How many records ended in a bucket, over all entities or in one.
  func count(_ bucket: String, of entity: String? = nil, in type: String = "upload") -> Int64 {
    (value(type)?["records"]?.array ?? [])
      .filter { entity == nil || $0["entity"]?.text == entity }
      .reduce(0) { $0 + ($1[bucket]?.integer ?? 0) }
  }

  var findings: [JSONValue] { values.flatMap { $0["findings"]?.array ?? [] } }

  func findings(_ code: String) -> [JSONValue] {
    findings.filter { $0["code"]?.text == code }
  }
}

extension FerryProgram {
  /// Runs the program, with its results as one JSON value a line.
  func answer(
    _ arguments: [String],
    environment: [String: String] = [:],
    state: String
  ) async throws -> Answer {
    let quiet = arguments.contains("--progress") ? [] : ["--progress", "none"]
    let words = arguments + ["--format", "ndjson"] + quiet
    return try await Answer(run(words, environment: environment, state: state))
  }
}

/// Which store a scenario is about.
enum StoreChoice: Sendable {
  /// A few dozen rows of the legacy model.
  case small
  /// The kept sample stores.
  case legacy, later
}

/// Lends a fresh store, server and state folder.
func withScenario(
  _ choice: StoreChoice = .small,
  takesMedia: Bool = false,
  _ body: (MigrationScenario) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    try await withBackend(in: "\(folder)/server", takesMedia: takesMedia) { backend in
      var sample: Sample
      switch choice {
      case .small: sample = try madeStore(in: "\(folder)/store")
      case .legacy: sample = try Samples.infiniteStories.copied(into: folder)
      case .later:
        sample = try Samples.infiniteStories.copied(into: folder)
        sample.storeName = "later.store"
      }
      let profiles = "\(folder)/profile"
      try makeFolder(profiles)
      let profile = try sample.profile(takesMedia: takesMedia, into: profiles)
      try await body(
        MigrationScenario(
          folder: folder,
          backend: backend,
          program: try FerryProgram(),
          sample: sample,
          profile: profile
        )
      )
    }
  }
}

/// A small store of the legacy model, made by the script that makes the samples.
func madeStore(
  in folder: String,
  seed: String = "small",
  heroes: Int = 6,
  stories: Int = 40
) throws -> Sample {
  try makeFolder(folder)
  try Python.run([
    "\(Samples.infiniteStories.folder)/make-store.py", "--seed", seed,
    "--legacy", "\(folder)/default.store", "--container", "\(folder)/container",
    "--heroes", "\(heroes)", "--stories", "\(stories)", "--illustrations", "6",
    "--events", "4", "--profiles", "2", "--wal-stories", "2", "--wal-heroes", "1",
  ])
  try FileManager.default.copyItem(
    atPath: Samples.infiniteStories.profile,
    toPath: "\(folder)/profile.yaml"
  )
  return Sample(folder: folder)
}

extension FerryProgram {
  /// Runs a command that is killed so long after the upload began, for each wait; gives how many times it
  /// was killed before it ended.
  @discardableResult
  func kill(
    _ words: [String],
    environment: [String: String] = [:],
    state: String,
    after waits: [Double]
  ) async throws -> Int {
    var kills = 0
    for wait in waits {
      let stop = Stop.kill(after: .seconds(wait), line: "upload …")
      let ended = try await run(words, environment: environment, state: state, stop: stop)
      if ended.wasKilled { kills += 1 }
    }
    return kills
  }
}
