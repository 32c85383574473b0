import Foundation
import JSONText
import TestSupport
import Testing

extension Faults.Kills {
  /// A server that is not ours, over a database with its own transactions: what is half done
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
    for stage in Self.aims { #expect(hits[stage, default: 0] >= 1, "\(stage)") }
  }
}

/// Kinto over a PostgreSQL server of its own, and the sample store that goes there.
private struct KintoLane: KillLane {
  /// Kinto's program and the folder of PostgreSQL's, where this machine has both.
  static let programs: (kinto: String, postgres: String)? = {
    let environment = ProcessInfo.processInfo.environment
    guard let kinto = environment["FERRY_KINTO"], let postgres = environment["FERRY_POSTGRES"]
    else { return nil }
    return (kinto, postgres)
  }()

  let folder: String
  let program: FerryProgram
  let store: String
  let endings: Set<Int32> = [0]
  let leastCount = 100
  private let profile: String
  private let database: PostgreSQL
  private let server: RealServer

  init(in folder: String) throws {
    let programs = try #require(Self.programs)
    self.folder = folder
    store = try Samples.infiniteStories.copied(into: folder).store
    database = try PostgreSQL(programs: programs.postgres, in: folder)
    server = try RealServer.kinto(programs.kinto, in: folder, database: database.address)
    try server.addKintoAccount("demo", password: "s3cret-word")
    program = try FerryProgram()
    // A request that was on its way when the program was killed comes from this machine.
    profile = "\(folder)/kinto.yaml"
    let text = try String(contentsOfFile: "\(Samples.folder)/kinto/profile.yaml", encoding: .utf8)
    #expect(text.ranges(of: "  preset: kinto\n").count == 1)
    try text.replacing("  preset: kinto\n", with: "  preset: kinto\n  settle: 10s\n")
      .write(toFile: profile, atomically: true, encoding: .utf8)
  }

  func run(
    _ verb: [String],
    _ state: String,
    _ stop: Stop?,
    _ more: [String: String]
  ) async throws -> Finished {
    try await program.run(
      verb + [
        "--profile", profile, "--to", "\(server.origin)/v1",
        "--credential", "user=env:KINTO_USER", "--credential", "password=env:KINTO_PASSWORD",
      ],
      environment: ["KINTO_USER": "demo", "KINTO_PASSWORD": "s3cret-word"]
        .merging(more) { $1 },
      state: state,
      stop: stop
    )
  }

  /// Every record there is, without the moment at which it came.
  func content() throws -> [String] {
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
}
