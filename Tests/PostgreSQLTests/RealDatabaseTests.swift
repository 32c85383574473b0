import DestinationModel
import Foundation
import JSONText
import LongTexts
import PostgreSQL
import Profiles
import Records
import TestSupport
import Testing
import TextCodecs
import UploadPlanning

/// The server that the tests of a suite share, each in a schema of its own.
enum Database {
  /// The folder of PostgreSQL's programs; without it the tests are skipped.
  static let programs = ProcessInfo.processInfo.environment["FERRY_POSTGRES"]
  @TaskLocal static var server: PostgreSQL?

  static func sql(_ statements: String) throws -> String {
    try #require(server).sql(statements)
  }

  /// Opens the database with a schema of its own, in which the table `notes` has these columns.
  static func with(
    columns: String,
    body: String,
    settings: String = "timeout: 10s",
    entity: String = "",
    user: String = "postgres",
    _ work: (PostgreSQLDestination, _ schema: String) async throws -> Void
  ) async throws {
    let schema = "ferry_test_\(UInt32.random(in: 0...UInt32.max))"
    _ = try sql("CREATE SCHEMA \(schema); CREATE TABLE \(schema).notes (\(columns))")
    let yaml = """
      ferry-profile: 1
      app: test
      entities:
        Note: {}
      api:
        kind: postgresql
        schema: \(schema)
        credentials: [user]
        \(settings)
        entities:
          Note: { table: notes, body: \(body)\(entity) }
      """
    let api = try #require(try Profile(yaml: yaml, path: "test.yaml").api)
    let destination = try PostgreSQLDestination(
      api: api,
      address: try #require(server).place,
      credentials: GivenCredentials(["user": Secret(user)])
    )
    try await work(destination, schema)
  }

  static func batch(
    _ verb: OutgoingBatch.Verb,
    _ items: (number: Int64, id: String, body: JSONValue, version: String?, note: String?)...
  ) -> OutgoingBatch {
    OutgoingBatch(
      entity: "Note",
      verb: verb,
      items: items.map { item in
        OutgoingBatch.Item(
          operation: item.number,
          record: RecordID(entity: "Note", key: item.id),
          clientID: item.id,
          serverID: verb == .create ? nil : item.id,
          version: item.version,
          key: "k\(item.number)",
          body: item.body.canonicalBytes,
          note: item.note
        )
      }
    )
  }
}

/// Starts one server for all tests of a suite.
private struct SharedServer: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing tests: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard let programs = Database.programs else { return try await tests() }
    try await withTemporaryFolder { folder in
      let server = try PostgreSQL(programs: programs, in: folder)
      try await Database.$server.withValue(server) { try await tests() }
    }
  }
}

@Suite(
  .enabled(
    if: Database.programs != nil,
    "skipped: FERRY_POSTGRES does not name the folder of PostgreSQL's programs"
  ),
  SharedServer(),
  .serialized,
  .timeLimit(.minutes(2))
)
struct RealDatabaseTests {
  private static let columns = """
    id text PRIMARY KEY, b boolean, i smallint, n numeric, d double precision, t text, u uuid,
    z timestamptz, p timestamp, day date, raw bytea, j jsonb, l text[]
    """

  private static let values: JSONValue = [
    "b": true, "i": -7, "n": 123_456.25,
    "d": 0.1, "t": "é\t\"\\\n{},NULL", "u": "98a19660-06b3-5b0b-9595-b605ec1155f3",
    "z": "2026-11-28T10:00:00.123456Z", "p": "1999-01-01T00:00:00Z", "day": "2026-11-28",
    "raw": "AP8=", "j": ["a": [1, .null, "x"]], "l": ["a", .null, "NULL", "q\"", ""],
  ]

  /// The first rows go by `COPY`, all others by `INSERT`.
  @Test(arguments: [true, false])
  func `what was sent comes back, column by column`(isFirst: Bool) async throws {
    let names = Self.values.object?.names.map { "\($0): \($0)" } ?? []
    let body = "{ \(names.joined(separator: ", ")) }"
    try await Database.with(columns: Self.columns, body: body) { destination, _ in
      if isFirst { _ = try await destination.page(of: "Note", after: nil, since: nil) }
      let sent = await destination.send(
        Database.batch(.create, (1, "a", Self.values, nil, "n1"), (2, "b", [:], nil, "n2"))
      )
      guard case .stored("a", let version)? = sent.outcomes[1] else {
        Issue.record("\(sent)")
        return
      }
      let found = try #require(try await destination.record(of: "Note", serverID: "a"))
      #expect(try JSONValue(parsing: found.body) == Self.values)
      #expect(found.version == version)
      let page = try await destination.page(of: "Note", after: "a", since: nil)
      #expect(page.records.map(\.serverID) == ["b"] && page.next == nil)
    }
  }

  private static let longColumns = "id text PRIMARY KEY, t text, raw bytea, j jsonb, l text[]"

  /// Values of more than 1 MiB, one for each kind of column that takes them in pieces; all end in these words.
  private static func longValues(_ ending: String) -> JSONValue {
    let text = JSONValue.string(
      String(repeating: "é\t\"\\\n\r{},NULL \u{1F600}\u{1}", count: 70_000) + ending
    )
    let bytes = (0..<1_000_001).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    // A text that begins as what stands for a long one does.
    let marked = JSONValue.string(String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self) + "short")
    return [
      "t": text, "raw": .string(Base64.text(bytes + Array(ending.utf8))),
      "j": ["a": [text, 1, .null], "b": marked], "l": [text, .null, "NULL", "q\"", text],
    ]
  }

  /// The ways that long values go: by `COPY` into the table, through a table that goes with the transaction, and
  /// held, for a role that may have none.
  enum LongWay: CaseIterable { case copied, placed, held }

  @Test(arguments: LongWay.allCases)
  func `long values are sent, changed and read as they are`(_ way: LongWay) async throws {
    let texts = LongTexts()
    if way == .held {
      _ = try Database.sql("CREATE ROLE plain LOGIN; REVOKE TEMPORARY ON DATABASE test FROM PUBLIC")
    }
    try await Database.with(
      columns: Self.longColumns,
      body: "{ t: t, raw: raw, j: j, l: l }",
      user: way == .held ? "plain" : "postgres"
    ) { destination, schema in
      if way == .held {
        _ = try Database.sql(
          "GRANT ALL ON SCHEMA \(schema) TO plain; GRANT ALL ON \(schema).notes TO plain"
        )
      }
      #expect(destination.standIn(texts))
      if way == .copied { _ = try await destination.page(of: "Note", after: nil, since: nil) }
      func standIn(_ value: JSONValue) throws -> JSONValue {
        try JSONValue(parsing: texts.standingIn(value.canonicalBytes))
      }
      func send(
        _ verb: OutgoingBatch.Verb,
        _ ending: String,
        _ number: Int64,
        _ version: String?
      ) async throws -> String {
        let value = try standIn(Self.longValues(ending))
        let batch = Database.batch(
          verb,
          (number, "a", value, version, "n\(number)"),
          (number + 1, "b", ["t": "short"], nil, "n\(number + 1)")
        )
        let sent = await destination.send(batch)
        guard case .stored("a", let new?)? = sent.outcomes[number],
          case .stored? = sent.outcomes[number + 1]
        else { throw TestSupportError("\(sent)") }
        #expect(await destination.send(batch).outcomes == sent.outcomes)
        let found = try await destination.records(of: "Note", serverIDs: ["a"])
        let page = try await destination.page(of: "Note", after: nil, since: nil)
        for record in [found["a"], page.records.first] {
          let body = try #require(record?.body)
          #expect(body.count < 10_000)
          #expect(body == value.canonicalBytes)
          #expect(try texts.whole(body) == Self.longValues(ending).canonicalBytes)
        }
        return new
      }
      let version = try await send(.create, "made", 1, nil)
      _ = try await send(.update, "changed", 3, version)
      let ending = try Database.sql("SELECT right(t, 7) FROM \(schema).notes WHERE id = 'a'")
      #expect(ending == "changed")
    }
    if way == .held {
      _ = try Database.sql("GRANT TEMPORARY ON DATABASE test TO PUBLIC")
    }
  }

  @Test func `a row of 150 columns is read with its long value`() async throws {
    let texts = LongTexts()
    let names = (0..<150).map { "c\($0)" }
    try await Database.with(
      columns: "id text PRIMARY KEY, " + names.map { "\($0) text" }.joined(separator: ", "),
      body: "{ " + names.map { "\($0): \($0)" }.joined(separator: ", ") + " }"
    ) { destination, _ in
      _ = destination.standIn(texts)
      let text = JSONValue.string(String(repeating: "x", count: 1 << 17))
      let value = try JSONValue(
        parsing: texts.standingIn(JSONValue.object(["c0": "short", "c149": text]).canonicalBytes)
      )
      _ = await destination.send(Database.batch(.create, (1, "a", value, nil, "n1")))
      let page = try await destination.page(of: "Note", after: nil, since: nil)
      let found = try JSONValue(parsing: #require(page.records.first?.body))
      #expect(found["c0"] == "short")
      #expect(found["c149"] == value["c149"])
    }
  }

  @Test func `a long text with a zero character is refused for its record alone`() async throws {
    let texts = LongTexts()
    try await Database.with(columns: "id text PRIMARY KEY, t text", body: "{ t: t }") {
      destination,
      _ in
      _ = destination.standIn(texts)
      let text = JSONValue.string("\0" + String(repeating: "x", count: 2 << 20))
      let body = try JSONValue(
        parsing: texts.standingIn(JSONValue.object(["t": text]).canonicalBytes)
      )
      let sent = await destination.send(Database.batch(.create, (1, "a", body, nil, "n1")))
      guard case .rejected(_, let reason)? = sent.outcomes[1] else {
        Issue.record("\(sent)")
        return
      }
      #expect(reason.contains("U+0000"))
      #expect(try await destination.noted(["n1"], of: "Note").isEmpty)
      let other = await destination.send(Database.batch(.create, (2, "b", ["t": "x"], nil, "n2")))
      guard case .stored? = other.outcomes[2] else {
        Issue.record("\(other)")
        return
      }
    }
  }

  @Test func `an operation is carried out once, whatever became of its row since`() async throws {
    try await Database.with(columns: "id text PRIMARY KEY, t text", body: "{ t: t }") {
      destination,
      schema in
      let create = Database.batch(.create, (1, "a", ["t": "x"], nil, "n1"))
      let first = await destination.send(create)
      #expect(await destination.send(create).outcomes == first.outcomes)
      guard case .stored(_, let version?)? = first.outcomes[1] else {
        Issue.record("\(first)")
        return
      }
      let update = Database.batch(.update, (2, "a", ["t": "y"], version, "n2"))
      let second = await destination.send(update)
      _ = try Database.sql("UPDATE \(schema).notes SET t = 'theirs'")
      #expect(await destination.send(update).outcomes == second.outcomes)
      #expect(try Database.sql("SELECT t FROM \(schema).notes") == "theirs")
      _ = try Database.sql("DELETE FROM \(schema).notes")
      #expect(await destination.send(create).outcomes == first.outcomes)
      #expect(try Database.sql("SELECT count(*) FROM \(schema).notes") == "0")
      let noted = try await destination.noted(["n1", "n2", "n3"], of: "Note")
      #expect(noted.count == 2 && noted["n1"]?.revision == version)
    }
  }

  @Test func `what another client did is answered row by row, and nothing of it is noted`()
    async throws
  {
    try await Database.with(columns: "id text PRIMARY KEY, t text", body: "{ t: t }") {
      destination,
      schema in
      _ = try Database.sql("INSERT INTO \(schema).notes VALUES ('a', 'theirs')")
      let made = await destination.send(
        Database.batch(.create, (1, "a", ["t": "x"], nil, "n1"), (2, "b", ["t": "x"], nil, "n2"))
      )
      #expect(made.outcomes[1] == .exists)
      guard case .stored? = made.outcomes[2] else {
        Issue.record("\(made)")
        return
      }
      let changed = await destination.send(
        Database.batch(.update, (3, "a", ["t": "x"], "1", "n3"), (4, "c", ["t": "x"], "1", "n4"))
      )
      #expect(changed.outcomes[4] == .missing)
      guard case .conflicted? = changed.outcomes[3] else {
        Issue.record("\(changed)")
        return
      }
      let noted = try await destination.noted(["n1", "n2", "n3", "n4"], of: "Note")
      #expect(noted.keys.sorted() == ["n2"])
      #expect(try Database.sql("SELECT t FROM \(schema).notes WHERE id = 'a'") == "theirs")
    }
  }

  @Test func `a row that the database refuses leaves nothing of its request behind`() async throws {
    let columns = "id text PRIMARY KEY, t varchar(3) NOT NULL"
    try await Database.with(columns: columns, body: "{ t: t }") { destination, schema in
      let both = await destination.send(
        Database.batch(
          .create,
          (1, "a", ["t": "abc"], nil, "n1"),
          (2, "b", ["t": "abcd"], nil, "n2")
        )
      )
      guard case .splittable = both.whole else {
        Issue.record("\(both)")
        return
      }
      let count = try Database.sql("SELECT count(*) FROM \(schema).notes")
      #expect(count == "0")
      let one = await destination.send(Database.batch(.create, (2, "b", ["t": "abcd"], nil, "n2")))
      guard case .rejected? = one.outcomes[2] else {
        Issue.record("\(one)")
        return
      }
      #expect(try await destination.noted(["n1", "n2"], of: "Note").isEmpty)
    }
  }

  @Test func `all that the database lacks is named at once`() async throws {
    let columns = "id text PRIMARY KEY, t text, must text NOT NULL"
    try await Database.with(columns: columns, body: "{ t: t, colour: c, size: s }") {
      destination,
      _ in
      let error = try await #require(throws: DestinationError.self) {
        try await destination.page(of: "Note", after: nil, since: nil)
      }
      for name in ["notes.colour", "notes.size", "notes.must"] {
        #expect(error.reason.contains(name), "\(error)")
      }
      #expect(await destination.preflight().contains { $0.verdict == .unfit })
    }
  }

  @Test func `the revision column of a table is the revision, and not the note's transaction`()
    async throws
  {
    let columns = "id text PRIMARY KEY, t text, edition integer NOT NULL DEFAULT 1"
    try await Database.with(columns: columns, body: "{ t: t }", entity: ", version: edition") {
      destination,
      _ in
      let made = await destination.send(Database.batch(.create, (1, "a", ["t": "x"], nil, "n1")))
      #expect(made.outcomes[1] == .stored(serverID: "a", version: "1"))
      let noted = try await destination.noted(["n1"], of: "Note")
      #expect(noted["n1"] == NotedOperation(revision: nil))
    }
  }

  /// Another client holds a row; a change waits for its end.
  private func whileLocked(
    _ end: @escaping @Sendable (PostgreSQLDestination, Task<BatchAnswer, Never>) -> Void
  ) async throws {
    try await Database.with(columns: "id text PRIMARY KEY, t text", body: "{ t: t }") {
      destination,
      schema in
      _ = await destination.send(Database.batch(.create, (1, "a", ["t": "x"], nil, "n1")))
      let holder = Task {
        try? Database.sql(
          "BEGIN; UPDATE \(schema).notes SET t = 'held'; SELECT pg_sleep(60); ROLLBACK"
        )
      }
      try await connection(where: "wait_event = 'PgSleep'")
      let task = Task {
        await destination.send(Database.batch(.update, (2, "a", ["t": "y"], nil, "n2")))
      }
      try await connection(where: "wait_event_type = 'Lock'")
      let start = ContinuousClock.now
      end(destination, task)
      let answer = await task.value
      #expect(ContinuousClock.now - start < .seconds(1))
      guard case .deferred = answer.whole else {
        Issue.record("\(answer)")
        return
      }
      _ = try Database.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      )
      _ = await holder.value
      #expect(try Database.sql("SELECT t FROM \(schema).notes") == "x")
    }
  }

  /// Waits until the server has a connection in this state.
  private func connection(where state: String) async throws {
    while try Database.sql("SELECT count(*) FROM pg_stat_activity WHERE \(state)") == "0" {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func `a cancelled call ends within a second, and changes nothing`() async throws {
    try await whileLocked { _, task in task.cancel() }
  }

  @Test func `no call waits longer than a second once a run ends`() async throws {
    try await whileLocked { destination, _ in destination.giveUpWaiting() }
  }
}
