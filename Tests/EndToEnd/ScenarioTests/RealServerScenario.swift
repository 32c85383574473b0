import Foundation
import JSONText
import TestSupport
import Testing

/// Servers that are not ours, driven by profiles of `Samples` alone.
///
/// `FERRY_KINTO`, `FERRY_DATASETTE` and `FERRY_POCKETBASE` name their programs, `FERRY_DJANGO` a Python
/// that has Django REST framework, `FERRY_MOTO` one that has moto, `FERRY_RAILS` a Ruby that has Rails, `FERRY_POSTGRES`
/// a folder of programs; `.ci/servers.sh` installs them.
enum Servers {
  static let django = ProcessInfo.processInfo.environment["FERRY_DJANGO"]
  static let moto = ProcessInfo.processInfo.environment["FERRY_MOTO"]
  static let rails = ProcessInfo.processInfo.environment["FERRY_RAILS"]
  static let kinto = ProcessInfo.processInfo.environment["FERRY_KINTO"]
  /// The folder of PostgreSQL's programs.
  static let postgres = ProcessInfo.processInfo.environment["FERRY_POSTGRES"]
  static let datasette = ProcessInfo.processInfo.environment["FERRY_DATASETTE"]
  static let pocketbase = ProcessInfo.processInfo.environment["FERRY_POCKETBASE"]
}

/// The sample store, a server, and a way to look at what the server holds.
struct RealServerScenario {
  let folder: String
  let store: String
  let flags: [String]
  /// How many records the server has.
  let count: () throws -> Int

  func ferry(_ arguments: [String], state: String = "state") async throws -> Answer {
    try await FerryProgram().answer(arguments + flags, state: "\(folder)/\(state)")
  }

  /// There, again without a change, without a checkpoint, with a change, and back.
  func goTheWholeWay() async throws {
    let first = try await ferry(["migrate", store]).exits(0)
    #expect(first.count("created") == 190)
    #expect(first.value("verification")?["clean"] == true)
    #expect(try count() == 190)
    let second = try await ferry(["migrate", store]).exits(0)
    #expect(second.count("unchanged") == 190)
    let elsewhere = try await ferry(["migrate", store], state: "elsewhere")
    #expect(elsewhere.count("unchanged") == 190, "\(elsewhere)")
    try Python.edit(
      store,
      "UPDATE ZSTORY SET ZTITLE = 'Ein neuer Titel – 新', ZISFAVORITE = 1 - ZISFAVORITE "
        + "WHERE Z_PK IN (1, 2)"
    )
    let third = try await ferry(["migrate", store]).exits(0)
    #expect(third.count("updated") == 2)
    #expect(third.value("verification")?["clean"] == true)
    for run in [try third.run(), try first.run()] {
      try await ferry(["rollback", run]).exits(0)
    }
    #expect(try count() == 0)
  }
}

/// Kinto, and the content of front of it.
struct KintoServer {
  let server: RealServer
  let proxy: RealServer?

  var origin: String { server.origin }

  /// How many answers the proxy kept back.
  func lostCount() throws -> Int {
    try proxy?.lostCount() ?? 0
  }

  static func records(_ name: String, _ server: KintoServer) throws -> [JSONValue] {
    let address = "\(server.origin)/v1/buckets/default/collections/\(name)/records?_limit=10000"
    return try RealServer.get(address, ["--user", "demo:s3cret-word"])["data"]?.array ?? []
  }
}

/// Lends PocketBase, with a copy of a sample and a profile that is made from another server's.
///
/// `replay` is `id`, with identities that are open to the client, or `look-up`. With `losing`, a
/// proxy keeps back every answer of that number to a request that may change something.
func withPocketBase(
  _ sample: Sample,
  profile: String,
  replay: String,
  losing number: Int? = nil,
  _ body: (RealServerScenario) async throws -> Void
) async throws {
  let program = try #require(Servers.pocketbase)
  try await withTemporaryFolder { folder in
    let sample = try sample.copied(into: folder)
    let python = URL(filePath: program).deletingLastPathComponent().appending(path: "python").path
    _ = try RealServer.output(
      python,
      [ServerScript.path("pocketbase.py"), FerryProgram().path, profile, replay, folder]
    )
    let server = try RealServer.pocketbase(
      program,
      in: folder,
      collections: "\(folder)/collections.json"
    )
    let proxy = try number.map { try RealServer.losing($0, before: server.origin, in: folder) }
    try secret("dev@example.com", "\(folder)/email")
    try secret("password1", "\(folder)/password")
    let text = try String(at: "\(folder)/collections.json")
    let names = try JSONValue(parsing: text)["collections"]?.array?.compactMap { $0["name"]?.text }
    let scenario = RealServerScenario(
      folder: folder,
      store: sample.store,
      flags: [
        "--profile", "\(folder)/profile.yaml", "--to", proxy?.origin ?? server.origin,
        "--credential", "email=file:\(folder)/email",
        "--credential", "password=file:\(folder)/password",
      ],
      count: { try server.pocketbaseCount(of: names ?? []) }
    )
    try await body(scenario)
    withExtendedLifetime(proxy) {}
  }
}

/// Lends Kinto, over its memory or over PostgreSQL, with the sample store.
///
/// With `losing`, a proxy is before it that keeps back every answer of that number to a request
/// that may change something. `settings` are lines of its configuration.
func withKinto(
  overPostgreSQL: Bool = false,
  losing number: Int? = nil,
  settings: String = "",
  _ body: (RealServerScenario, KintoServer) async throws -> Void
) async throws {
  let program = try #require(Servers.kinto)
  try await withTemporaryFolder { folder in
    let database =
      overPostgreSQL
      ? try PostgreSQL(programs: try #require(Servers.postgres), in: folder) : nil
    let server = try RealServer.kinto(
      program,
      in: folder,
      database: database?.address,
      settings: settings
    )
    try server.addKintoAccount("demo", password: "s3cret-word")
    let proxy = try number.map { try RealServer.losing($0, before: server.origin, in: folder) }
    try secret("demo", "\(folder)/user")
    try secret("s3cret-word", "\(folder)/password")
    let sample = try Samples.infiniteStories.copied(into: folder)
    let kinto = KintoServer(server: server, proxy: proxy)
    let scenario = RealServerScenario(
      folder: folder,
      store: sample.store,
      flags: [
        "--profile", "\(Samples.folder)/kinto/profile.yaml",
        "--to", "\(proxy?.origin ?? server.origin)/v1",
        "--credential", "user=file:\(folder)/user",
        "--credential", "password=file:\(folder)/password",
      ],
      count: {
        try ["events", "heroes", "stories"].reduce(0) { sum, name in
          let records = try KintoServer.records(name, kinto)
          return sum + records.count
        }
      }
    )
    try await body(scenario, kinto)
    withExtendedLifetime(database) {}
  }
}
