import Foundation
import JSONText
import TestSupport
import Testing

/// A server that remembers idempotency keys, for a while, and what it answered to them.
@Suite(.timeLimit(.minutes(5))) struct IdempotencyKeyTests {
  @Test func `a failure that the server remembers with its key is retried under another key`()
    async throws
  {
    try await Keyed.with { keyed in
      try keyed.set(["fail-once": ["n7"]])
      let answer = try await keyed.scenario.migrate().exits(0)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try keyed.names() == Keyed.names)
      #expect(try keyed.requests(naming: "n7") == 5, "four times under one key, and once again")
      try await keyed.scenario.rollback(try answer.run()).exits(0)
      #expect(try keyed.names().isEmpty)
    }
  }

  @Test func `the only remaining record is retried under another key in the same run`() async throws
  {
    try await Keyed.with { keyed in
      try keyed.set(["fail-once": .array(Keyed.names.map { .string($0) })])
      try await keyed.scenario.migrate().exits(0)
      #expect(try keyed.names() == Keyed.names)
    }
  }

  @Test(arguments: ["key", "look-up"], ["fail", "put-off"])
  func `a record that always fails is refused by name, and the others arrive`(
    replay: String,
    fault: String
  ) async throws {
    try await Keyed.with("replay: \(replay)") { keyed in
      try keyed.set([fault: ["n7"]])
      let answer = try await keyed.scenario.migrate().exits(3)
      let refused = answer.findings("destination.keeps-failing")
      #expect(refused.compactMap { $0["record"]?.text } == ["7"])
      #expect(try keyed.names() == Keyed.names.filter { $0 != "n7" })
      // Once the destination takes it, it goes.
      try keyed.set([fault: []])
      try await keyed.scenario.migrate().exits(0)
      #expect(try keyed.names() == Keyed.names)
    }
  }

  @Test func `a change that always fails is refused by name, and the others arrive`() async throws {
    try await Keyed.with { keyed in
      try await keyed.scenario.migrate().exits(0)
      try keyed.scenario.sql("UPDATE Note SET name = name || ' again' WHERE id IN (3, 7, 12)")
      try keyed.set(["fail": ["n7 again"]])
      let answer = try await keyed.scenario.migrate()
      // Verification finds it as it was.
      #expect(answer.status == 6, "\(answer)")
      let refused = answer.findings("destination.keeps-failing")
      #expect(refused.compactMap { $0["record"]?.text } == ["7"])
      let names = try keyed.names()
      #expect(names.contains("n3 again") && names.contains("n12 again"))
      #expect(names.contains("n7") && names.count == Keyed.names.count)
    }
  }

  @Test func `while every request fails, no record is refused, and the next run goes on`()
    async throws
  {
    try await Keyed.with { keyed in
      try keyed.set(["fail": .array(Keyed.names.map { .string($0) })])
      try await keyed.scenario.migrate().exits(5)
      try keyed.set(["fail": []])
      try await keyed.scenario.migrate().exits(0)
      #expect(try keyed.names() == Keyed.names)
    }
  }

  @Test func `a request sent longer ago than keys are remembered is looked up`() async throws {
    try await Keyed.with { keyed in
      try await keyed.loseAndForget()
      let sent = try keyed.requests(naming: "n7")
      let again = try await keyed.scenario.migrate().exits(0)
      #expect(try keyed.names() == Keyed.names)
      #expect(try keyed.requests(naming: "n7") == sent)
      for back in try await keyed.scenario.rollbackAll(from: again) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try keyed.names().isEmpty)
    }
  }

  @Test func `a request whose clock was set back since is looked up`() async throws {
    try await Keyed.with { keyed in
      try await keyed.loseAndForget()
      // The clock was ten days ahead when the requests left.
      try Python.edit(try keyed.checkpoint(), "UPDATE operation SET begun_at = begun_at + 864000")
      let sent = try keyed.requests(naming: "n7")
      try await keyed.scenario.migrate().exits(0)
      #expect(try keyed.names() == Keyed.names)
      #expect(try keyed.requests(naming: "n7") == sent)
    }
  }
}

/// Twenty notes, and the server they go to.
private struct Keyed {
  let scenario: MigrationScenario
  let origin: String

  static let names = (0..<20).map { "n\($0)" }.sorted()

  /// The names at the server, sorted; one that is there twice is in it twice.
  func names() throws -> [String] {
    try RealServer.get("\(origin)/state")["notes"]?.array?.compactMap { $0["name"]?.text }
      .sorted() ?? []
  }

  func requests(naming name: String) throws -> Int {
    try RealServer.get("\(origin)/state")["requests"]?.array?
      .count { $0.array?.last?.text == name } ?? 0
  }

  func set(_ faults: JSONValue) throws {
    _ = try RealServer.get(
      "\(origin)/set",
      ["-X", "POST", "-d", faults.canonicalText]
    )
  }

  /// The file of the checkpoint.
  func checkpoint() throws -> String {
    let folder = "\(scenario.state)/checkpoints"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return folder + "/" + (try #require(names.first { $0.hasSuffix(".sqlite") }))
  }

  /// Stops a run at a lost answer, and waits until the server no longer knows its keys.
  func loseAndForget() async throws {
    try set(["stall": ["n7"]])
    try await scenario.kill(after: 1.5)
    #expect(try names().contains("n7"), "the run got that far")
    try await Task.sleep(for: .seconds(2))
    try set(["stall": [], "forget": true])
  }

  static func with(
    _ replay: String = "replay: key",
    _ body: (Keyed) async throws -> Void
  ) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.run(["-c", making, sample.store])
      return profile(replay)
    }
    try await withServer("keyed", prepare: prepare) { scenario, origin in
      try await body(Keyed(scenario: scenario, origin: origin))
    }
  }

  private static let making = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.execute("CREATE TABLE Note (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    db.executemany("INSERT INTO Note VALUES (?, ?)", [(i, f"n{i}") for i in range(20)])
    db.commit()
    """

  private static func profile(_ replay: String) -> String {
    """
    ferry-profile: 1
    app: keyed
    accept-unmapped: [Note.id]
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name }
    api:
      account: { request: GET /me, member: id }
      settle: 1s
      key-life: 1s
      timeout: 3s
      retry: { limit: 3, first: 50ms, longest: 200ms }
      entities:
        Note:
          \(replay)
          list: { request: GET /notes, items: items }
          create: { request: POST /notes, key-header: { name: Idempotency-Key, quoted: true } }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          body: { name: name }
          natural-key: [name]
          unmapped: [id]
    """
  }
}
