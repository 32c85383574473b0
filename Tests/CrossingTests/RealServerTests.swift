import Foundation
import JSONText
import TestSupport
import Testing

/// Servers that nobody here wrote, driven by profiles of `Samples` alone.
///
/// `FERRY_KINTO` and `FERRY_DATASETTE` name their programs; `.ci/servers.sh` installs both.
private enum Servers {
  static let kinto = ProcessInfo.processInfo.environment["FERRY_KINTO"]
  static let datasette = ProcessInfo.processInfo.environment["FERRY_DATASETTE"]
}

/// The sample store, a server, and a way to look at what the server holds.
private struct Voyage {
  let folder: String
  let store: String
  let flags: [String]
  /// How many records the server has.
  let count: () throws -> Int

  func ferry(_ arguments: [String], state: String = "state") async throws -> Answer {
    try await Answer(
      FerryProgram().run(
        arguments + flags + ["--format", "ndjson", "--progress", "none"],
        state: "\(folder)/\(state)"
      )
    )
  }

  /// There, again without a change, without a checkpoint, with a change, and back.
  func goTheWholeWay() async throws {
    let first = try await ferry(["migrate", store])
    #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
    #expect(first.count("created") == 190)
    #expect(first.value("verification")?["clean"] == true)
    #expect(try count() == 190)
    let second = try await ferry(["migrate", store])
    #expect(second.status == 0, "\(second.standardError)")
    #expect(second.count("unchanged") == 190)
    let elsewhere = try await ferry(["migrate", store], state: "elsewhere")
    #expect(elsewhere.count("unchanged") == 190, "\(elsewhere.standardError)")
    try Python.edit(
      store,
      "UPDATE ZSTORY SET ZTITLE = 'Ein neuer Titel – 新', ZISFAVORITE = 1 - ZISFAVORITE "
        + "WHERE Z_PK IN (1, 2)"
    )
    let third = try await ferry(["migrate", store])
    #expect(third.status == 0, "\(third.standardOutput)\(third.standardError)")
    #expect(third.count("updated") == 2)
    #expect(third.value("verification")?["clean"] == true)
    for run in [try third.run(), try first.run()] {
      let back = try await ferry(["rollback", run])
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
    }
    #expect(try count() == 0)
  }
}

@Suite(
  .enabled(if: Servers.kinto != nil, "skipped: FERRY_KINTO does not name the program of Kinto"),
  .timeLimit(.minutes(5))
)
struct KintoTests {
  private func withKinto(_ body: (Voyage, RealServer) async throws -> Void) async throws {
    let program = try #require(Servers.kinto)
    try await withTemporaryFolder { folder in
      try Data(Self.configuration.utf8).write(to: URL(filePath: "\(folder)/kinto.ini"))
      let server = try RealServer(
        program,
        ["start", "--ini", "\(folder)/kinto.ini", "--port", "{port}"],
        in: folder,
        answersAt: "/v1/__heartbeat__"
      )
      _ = try RealServer.get(
        "\(server.origin)/v1/accounts/demo",
        [
          "--request", "PUT", "--header", "Content-Type: application/json",
          "--data", #"{"data":{"password":"s3cret-word"}}"#,
        ]
      )
      try secret("demo", "\(folder)/user")
      try secret("s3cret-word", "\(folder)/password")
      let sample = try Samples.infiniteStories.copied(into: folder)
      let voyage = Voyage(
        folder: folder,
        store: sample.store,
        flags: [
          "--profile", "\(Samples.folder)/kinto/profile.yaml", "--to", "\(server.origin)/v1",
          "--credential", "user=file:\(folder)/user",
          "--credential", "password=file:\(folder)/password",
        ],
        count: {
          try ["events", "heroes", "stories"].reduce(0) { sum, name in
            let records = try Self.records(name, server)
            return sum + records.count
          }
        }
      )
      try await body(voyage, server)
    }
  }

  private static func records(_ name: String, _ server: RealServer) throws -> [JSONValue] {
    let address = "\(server.origin)/v1/buckets/default/collections/\(name)/records?_limit=1000"
    return try RealServer.get(address, ["--user", "demo:s3cret-word"])["data"]?.array ?? []
  }

  @Test func `a store goes there, again, and back`() async throws {
    try await withKinto { voyage, _ in try await voyage.goTheWholeWay() }
  }

  @Test func `a record that somebody removed there is a conflict, and is not made again`()
    async throws
  {
    try await withKinto { voyage, server in
      let first = try await voyage.ferry(["migrate", voyage.store])
      #expect(first.status == 0, "\(first.standardError)")
      let gone = try #require(try Self.records("stories", server).first?["id"]?.text)
      _ = try RealServer.get(
        "\(server.origin)/v1/buckets/default/collections/stories/records/\(gone)",
        ["--user", "demo:s3cret-word", "--request", "DELETE"]
      )
      let second = try await voyage.ferry(["migrate", voyage.store])
      #expect(second.status == 6)
      #expect(second.count("conflicted", of: "Story") == 1)
      #expect(try voyage.count() == 189)
    }
  }

  @Test func `killed on the way, the same line brings every record exactly once`() async throws {
    try await withKinto { voyage, _ in
      for wait in [0.3, 0.6, 1.0] {
        _ = try await FerryProgram().run(
          ["migrate", voyage.store] + voyage.flags,
          state: "\(voyage.folder)/state",
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
      }
      let last = try await voyage.ferry(["migrate", voyage.store])
      #expect(last.status == 0, "\(last.standardError)")
      #expect(try voyage.count() == 190)
    }
  }

  private static let configuration = """
    [server:main]
    use = egg:waitress#main
    host = 127.0.0.1
    port = %(http_port)s
    threads = 4
    [app:main]
    use = egg:kinto
    kinto.userid_hmac_secret = for-tests
    kinto.storage_backend = kinto.core.storage.memory
    kinto.cache_backend = kinto.core.cache.memory
    kinto.permission_backend = kinto.core.permission.memory
    multiauth.policies = account
    multiauth.policy.account.use = kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy
    kinto.account_create_principals = system.Everyone
    kinto.bucket_create_principals = system.Authenticated
    kinto.includes = kinto.plugins.default_bucket kinto.plugins.accounts
    [loggers]
    keys = root
    [handlers]
    keys = console
    [formatters]
    keys = generic
    [logger_root]
    level = WARNING
    handlers = console
    [handler_console]
    class = StreamHandler
    args = (sys.stderr,)
    formatter = generic
    [formatter_generic]
    format = %(message)s
    """
}

@Suite(
  .enabled(
    if: Servers.datasette != nil,
    "skipped: FERRY_DATASETTE does not name the program of Datasette"
  ),
  .timeLimit(.minutes(5))
)
struct DatasetteTests {
  @Test func `a store goes into tables, again, and back`() async throws {
    let program = try #require(Servers.datasette)
    try await withTemporaryFolder { folder in
      let tables = "\(Samples.folder)/datasette/tables.sql"
      try Python.run([
        "-c",
        "import sqlite3,sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())",
        "\(folder)/stories.db", tables,
      ])
      let permissions = #"{"insert-row":{"id":"root"},"update-row":{"id":"root"},"#
      let settings = #"{"permissions":\#(permissions)"delete-row":{"id":"root"}}}"#
      try Data(settings.utf8).write(to: URL(filePath: "\(folder)/settings.json"))
      let server = try RealServer(
        program,
        [
          "serve", "\(folder)/stories.db", "--config", "\(folder)/settings.json", "--secret", "S",
          "--port", "{port}",
        ],
        in: folder,
        answersAt: "/-/versions.json"
      )
      let sample = try Samples.infiniteStories.copied(into: folder)
      try secret(try Self.token(program), "\(folder)/token")
      let voyage = Voyage(
        folder: folder,
        store: sample.store,
        flags: [
          "--profile", "\(Samples.folder)/datasette/profile.yaml",
          "--to", "\(server.origin)/stories", "--credential", "token=file:\(folder)/token",
        ],
        count: {
          let counting =
            "select (select count(*) from heroes) + (select count(*) from stories)"
            + " + (select count(*) from events)"
          let text = try Python.run([
            "-c",
            "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])",
            "\(folder)/stories.db", counting,
          ])
          return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
        }
      )
      try await voyage.goTheWholeWay()
    }
  }

  private static func token(_ program: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["create-token", "root", "--secret", "S"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// Writes a credential as only its owner may read it.
func secret(_ text: String, _ path: String) throws {
  let isMade = FileManager.default.createFile(
    atPath: path,
    contents: Data(text.utf8),
    attributes: [.posixPermissions: 0o600]
  )
  guard isMade else { throw TestSupportError("\(path) cannot be written") }
}
