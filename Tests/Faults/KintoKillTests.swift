import Foundation
import JSONText
import TestSupport
import Testing

extension Faults.Kills {
  /// A server that nobody here wrote, over a database with its own transactions: what is half done
  /// there is not what a server of ours would leave.
  @Test(
    .enabled(
      if: KintoLane.programs != nil,
      "skipped: FERRY_KINTO and FERRY_POSTGRES do not both name programs"
    )
  )
  func
    `killed at any moment of upload, resume and rollback, Kinto over PostgreSQL has each record once, and then none`()
    async throws
  {
    let seed = Self.seed
    let wanted = min(Self.wanted, Self.isAskedFor ? .max : 10)
    print("kills before Kinto: seed \(seed)")
    let hits = try await inLanes(2) { number in
      try await withTemporaryFolder { folder in
        let lane = try KintoLane(in: folder)
        return try await Self.kill(lane, count: wanted / 2, seed: seed &+ UInt64(number))
      }
    }
    print("kills before Kinto by stage: \(hits.sorted { $0.key < $1.key })")
    #expect(hits.values.reduce(0, +) >= wanted / 2 * 2)
    for stage in ["upload", "rollback"] { #expect(hits[stage, default: 0] >= 1, "\(stage)") }
  }

  /// Migrates and takes back again and again, killed several times on the way there and back.
  private static func kill(
    _ lane: KintoLane,
    count: Int,
    seed: UInt64
  ) async throws -> [String: Int] {
    let goal = try await lane.undisturbed()
    #expect(goal.records.count > 100)
    var there = KillPlan(times: goal.there, seed: seed)
    var back = KillPlan(times: goal.back, seed: seed &+ 1_000_000)
    var place = 0
    while there.count + back.count < count, place < count * 4 {
      let state = "\(lane.folder)/state-\(place)"
      var log: [String] = []
      var stops = [there.moment(place)]
      for _ in 0..<there.number(in: 1...3) { stops.append(there.moment(within: "upload")) }
      for stop in stops {
        let finished = try await lane.migrate(state, stop: stop)
        there.note(finished)
        log.append("\(stop): \(finished.status)")
        if !finished.wasKilled { break }
      }
      let arrived = try await lane.again { try await lane.migrate(state) }
      var story = Comment(rawValue: "seed \(seed), \(log)\n\(arrived.standardError)")
      #expect(arrived.status == 0, story)
      #expect(try lane.records() == goal.records, story)

      for run in try await lane.uploads(state).reversed() {
        for step in 0..<back.number(in: 1...3) {
          let stop = step == 0 ? back.moment(place) : back.moment(within: "rollback")
          let finished = try await lane.rollback(run, state, stop: stop)
          back.note(finished)
          log.append("back \(run) \(stop): \(finished.status)")
          if !finished.wasKilled { break }
        }
        let returned = try await lane.again { try await lane.rollback(run, state) }
        story = Comment(rawValue: "seed \(seed), \(log)\n\(returned.standardError)")
        #expect(returned.status == 0, story)
      }
      #expect(try lane.records().isEmpty, story)
      try lane.forget(state)
      place += 1
    }
    print("\(place) migrations to Kinto and back, \(there.count) and \(back.count) kills")
    return there.hits.merging(back.hits) { $0 + $1 }
  }
}

/// Kinto over a PostgreSQL server of its own, and the sample store that goes there.
private struct KintoLane: Sendable {
  /// Kinto's program and the folder of PostgreSQL's, where this machine has both.
  static let programs: (kinto: String, postgres: String)? = {
    let environment = ProcessInfo.processInfo.environment
    guard let kinto = environment["FERRY_KINTO"], let postgres = environment["FERRY_POSTGRES"]
    else { return nil }
    return (kinto, postgres)
  }()

  let folder: String
  private let store: String
  private let database: PostgreSQL
  private let server: RealServer
  private let program: FerryProgram

  init(in folder: String) throws {
    let programs = try #require(Self.programs)
    self.folder = folder
    store = try Samples.infiniteStories.copied(into: folder).store
    database = try PostgreSQL(programs: programs.postgres, in: folder)
    server = try RealServer.kinto(programs.kinto, in: folder, database: database.address)
    try server.addKintoAccount("demo", password: "s3cret-word")
    program = try FerryProgram()
  }

  /// What an undisturbed way there and back comes to.
  struct Goal {
    let records: [String]
    let there: StageTimes
    let back: StageTimes
  }

  func undisturbed() async throws -> Goal {
    let state = "\(folder)/undisturbed"
    var start = ContinuousClock.now
    let moved = try await migrate(state)
    let there = StageTimes(
      moved,
      whole: ContinuousClock.now - start,
      names: ["export", "validate", "plan", "upload", "verify"]
    )
    #expect(moved.status == 0, "\(moved.standardError)")
    let records = try records()
    let run = try #require(try await uploads(state).last)
    start = .now
    let returned = try await rollback(run, state)
    let back = StageTimes(
      returned,
      whole: ContinuousClock.now - start,
      names: ["plan", "rollback"]
    )
    #expect(returned.status == 0, "\(returned.standardError)")
    #expect(try self.records().isEmpty)
    try forget(state)
    return Goal(records: records, there: there, back: back)
  }

  func migrate(_ state: String, stop: Stop? = nil) async throws -> Finished {
    try await run(["migrate", store], state, stop)
  }

  func rollback(_ run: String, _ state: String, stop: Stop? = nil) async throws -> Finished {
    try await self.run(["rollback", run], state, stop)
  }

  private func run(_ verb: [String], _ state: String, _ stop: Stop?) async throws -> Finished {
    try await program.run(
      verb + [
        "--profile", "\(Samples.folder)/kinto/profile.yaml", "--to", "\(server.origin)/v1",
        "--credential", "user=env:KINTO_USER", "--credential", "password=env:KINTO_PASSWORD",
      ],
      environment: ["KINTO_USER": "demo", "KINTO_PASSWORD": "s3cret-word"],
      state: state,
      stop: stop
    )
  }

  /// Types the same line until it ends by itself and has nothing left to resume.
  func again(_ line: () async throws -> Finished) async throws -> Finished {
    for _ in 0..<20 {
      let finished = try await line()
      if finished.status != 5 { return finished }
    }
    return try await line()
  }

  /// The names of the uploads that a state folder knows, oldest first.
  func uploads(_ state: String) async throws -> [String] {
    let status = try await program.run(["status", "--format", "json"], state: state)
    let runs = try JSONValue(parsing: Array(status.standardOutput.utf8))["runs"]?.array ?? []
    return runs.filter { $0["kind"]?.text == "upload" }.compactMap { $0["run"]?.text }
  }

  /// Every record there is, without the moment at which it came; one that is there twice comes twice.
  func records() throws -> [String] {
    try ["events", "heroes", "stories"].flatMap { name in
      let answer = try RealServer.get(
        "\(server.origin)/v1/buckets/default/collections/\(name)/records?_limit=10000",
        ["--user", "demo:s3cret-word"]
      )
      return (answer["data"]?.array ?? []).map { record in
        var content = JSONObject()
        for member in record.object?.members ?? [] where member.name != "last_modified" {
          content[member.name] = member.value
        }
        return "\(name) \(JSONValue.object(content).canonicalText)"
      }
    }.sorted()
  }

  func forget(_ state: String) throws {
    for suffix in ["", ".temporary", ".home"]
    where FileManager.default.fileExists(atPath: state + suffix) {
      try FileManager.default.removeItem(atPath: state + suffix)
    }
  }
}
