import Foundation
import JSONText
import TestSupport

typealias Finished = FerryProgram.Finished
typealias Stop = FerryProgram.Stop

/// A store, and a server of its own that one migration after the other goes to.
struct Lane: Sendable {
  let folder: String
  let sample: Sample
  let profile: String
  let backend: BackendProgram
  let program: FerryProgram

  /// A migration that knows of no earlier one; the server keeps what it holds.
  func trip() -> Trip { Trip(lane: self, state: "\(folder)/state-\(UUID().uuidString)") }

  /// A migration that knows of no earlier one, to a server that holds only `rows`.
  func freshTrip(rows: JSONValue? = nil) throws -> Trip {
    try backend.setFaults("")
    try backend.reset()
    if let rows { try backend.seed(rows) }
    return trip()
  }

  func content() throws -> ServerContent { ServerContent(dump: try backend.dump()) }

  /// How many confirmed files are at the server.
  func fileCount() throws -> Int {
    (try backend.dump()["files"]?.array ?? []).count { $0["isConfirmed"]?.boolean == true }
  }
}

/// Everything one state folder remembers: a migration, however often it is begun again.
struct Trip: Sendable {
  let lane: Lane
  let state: String

  func migrate(_ more: [String] = [], stop: Stop? = nil) async throws -> Finished {
    try await run(["migrate", lane.sample.store] + more, stop: stop)
  }

  func rollback(_ run: String, stop: Stop? = nil) async throws -> Finished {
    try await self.run(["rollback", run], stop: stop)
  }

  func run(_ verb: [String], stop: Stop? = nil) async throws -> Finished {
    try await lane.program.run(
      verb + ["--profile", lane.profile, "--to", lane.backend.origin] + DemoAccount.flags,
      environment: DemoAccount.environment,
      state: state,
      stop: stop
    )
  }

  /// Runs the same line until it ends by itself and has nothing left to resume.
  func migrateToTheEnd(limit: Int = 40) async throws -> Finished {
    try await again(limit: limit) { try await migrate() }
  }

  func rollbackToTheEnd(_ run: String, limit: Int = 40) async throws -> Finished {
    try await again(limit: limit) { try await rollback(run) }
  }

  private func again(limit: Int, _ line: () async throws -> Finished) async throws -> Finished {
    for _ in 1..<limit {
      let finished = try await line()
      if finished.status != 5 { return finished }
    }
    return try await line()
  }

  /// The runs that the state folder knows, oldest first.
  func runs() async throws -> [(id: String, kind: String, stage: String)] {
    let status = try await lane.program.run(
      ["status", "--format", "json"],
      state: state
    )
    let runs = try JSONValue(parsing: Array(status.standardOutput.utf8))["runs"]?.array ?? []
    return runs.map {
      ($0["run"]?.text ?? "", $0["kind"]?.text ?? "", $0["stage"]?.text ?? "")
    }
  }

  /// The digests of the package's files, by their paths.
  func package() throws -> [String: String] {
    let folder = "\(state)/packages"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    guard names.count == 1, let name = names.first, name.hasSuffix(".ferry") else {
      throw TestSupportError("there is not one package: \(names)")
    }
    return try SourceDigests(of: "\(folder)/\(name)").entries.mapValues(\.sha256)
  }

  /// Removes what the migration remembered; tests that cross hundreds of times clear up.
  func forget() throws {
    for suffix in ["", ".temporary", ".home"] {
      if FileManager.default.fileExists(atPath: state + suffix) {
        try FileManager.default.removeItem(atPath: state + suffix)
      }
    }
  }
}

/// Sets up a store with a server of its own, and clears both away; with a cable, the server is at one
/// end of it and the program at the other.
func withLane<Value>(
  _ sample: Sample = Samples.laterInfiniteStories,
  takesMedia: Bool = false,
  settle: String = "200ms",
  isInMemory: Bool = false,
  cable: Cable? = nil,
  _ body: (Lane) async throws -> Value
) async throws -> Value {
  try await withTemporaryFolder(isInMemory: isInMemory) { folder in
    try await withBackend(
      in: "\(folder)/backend",
      takesMedia: takesMedia,
      namespace: cable?.namespace(.server)
    ) { backend in
      var program = try FerryProgram()
      if let cable {
        program = program.started(by: ["nsenter", "--net=\(cable.namespace(.client))"])
      }
      let lane = Lane(
        folder: folder,
        sample: sample,
        profile: try sample.profile(settle: settle, takesMedia: takesMedia, into: folder),
        backend: backend,
        program: program
      )
      return try await body(lane)
    }
  }
}

extension Undisturbed {
  /// What a migration of the later sample comes to, found out once for all tests.
  static func later() async throws -> Undisturbed { try await laterOnce.value }

  private static let laterOnce = Task {
    try await withLane { lane in try await Undisturbed(lane) }
  }
}

/// What an undisturbed migration comes to; every disturbed one has to come to the same.
struct Undisturbed: Sendable {
  let finished: Finished
  let content: ServerContent
  let package: [String: String]
  let times: StageTimes

  func time(of stage: String) -> (begin: Duration, length: Duration) {
    let found = times.stages.first { $0.name == stage }
    return (found?.begin ?? .zero, found?.length ?? .seconds(1))
  }

  /// Migrates undisturbed to a server that holds only `rows`.
  init(_ lane: Lane, rows: JSONValue? = nil) async throws {
    let trip = try lane.freshTrip(rows: rows)
    let start = ContinuousClock.now
    finished = try await trip.migrate()
    times = StageTimes(
      finished,
      whole: ContinuousClock.now - start,
      names: ["export", "validate", "plan", "upload", "verify"]
    )
    content = try lane.content()
    package = try trip.package()
  }
}
