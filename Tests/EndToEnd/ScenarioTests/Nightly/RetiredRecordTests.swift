import JSONText
import TestSupport
import Testing

/// A server that only retires what it removes: its list is without it, and its own address still answers.
@Suite(.timeLimit(.minutes(2))) struct RetiredRecordTests {
  @Test(arguments: ["", ", gone: retired", ", presence: list"])
  func `a record that the server retired is rolled back, and a later run makes it again`(
    read: String
  )
    async throws
  {
    try await withRetiring(read) { scenario in
      let first = try await scenario.migrate().exits(0)
      let back = try await scenario.rollback(try first.run()).exits(0)
      #expect(back.count("deleted", in: "rollback") == 3)
      // No one has to be reported what the profile says.
      #expect(back.findings("rollback.retired").count == (read.isEmpty ? 1 : 0))
      let again = try await scenario.migrate().exits(0)
      #expect(again.count("created") == 3)
      #expect(again.value("verification")?["clean"] == true)
    }
  }

  @Test(arguments: ["", ", gone: retired", ", presence: list"])
  func `a record that another client retired is not unchanged`(read: String) async throws {
    try await withRetiring(read) { scenario in
      try await scenario.migrate().exits(0)
      _ = try RealServer.get("\(scenario.origin ?? "")/notes/1", ["-X", "DELETE"])
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("unchanged") == 2, "\(second)")
      #expect(second.count("conflicted") == 1, "\(second)")
      #expect(second.findings("verify.missing").count == 1, "\(second)")
      #expect(second.findings("plan.unlisted").count == (read.isEmpty ? 1 : 0))
    }
  }

  @Test func `a record whose address answers is not made again, whatever its list shows`()
    async throws
  {
    try await withRetiring("") { scenario in
      try await scenario.migrate().exits(0)
      _ = try RealServer.get("\(scenario.origin ?? "")/notes/1", ["-X", "DELETE"])
      let second = try await scenario.migrate(["--full", "--on-conflict", "local"]).exits(6)
      #expect(second.count("created") == 0 && second.count("conflicted") == 1, "\(second)")
      #expect(
        second.findings("verify.missing").map { $0["cause"]?.text }
          == ["the destination does not list it, and its own address still answers"]
      )
    }
  }

  @Test
  func `a record that the list shows is not called gone because its own address is without it`()
    async throws
  {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.run(["-c", Self.making, sample.store])
      return Self.profile.replacing("READ", with: "")
        .replacing("GET /notes/{id}", with: "GET /note/{id}")
    }
    try await withServer("numbered", answersAt: "/me", prepare: prepare) { scenario, _ in
      let run = try await scenario.migrate().exits(0).run()
      let back = try await scenario.rollback(run).exits(6)
      #expect(back.count("deleted", in: "rollback") == 0, "\(back)")
      #expect(
        back.findings("rollback.still-present").map { $0["cause"]?.text }
          == Array(
            repeating: "its own address answers that it is gone, and the list still shows it",
            count: 3
          )
      )
    }
  }

  private func withRetiring(
    _ read: String,
    _ body: (MigrationScenario) async throws -> Void
  ) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.run(["-c", Self.making, sample.store])
      return Self.profile.replacing("READ", with: read)
    }
    try await withServer("retiring", answersAt: "/me", prepare: prepare) { scenario, _ in
      try await body(scenario)
    }
  }

  private static let making = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.execute("CREATE TABLE Note (id INTEGER PRIMARY KEY, name TEXT)")
    db.executemany("INSERT INTO Note VALUES (?, ?)", [(i, f"n{i}") for i in range(3)])
    db.commit()
    """

  private static let profile = """
    ferry-profile: 1
    app: retiring
    accept-unmapped: [Note.id]
    entities:
      Note: { identity: { attribute: id }, carry: listed, fields: { id: id, name: name } }
    api:
      account: { request: GET /me, member: id }
      settle: 1s
      timeout: 3s
      concurrency: 1
      retry: { limit: 3, first: 50ms, longest: 200ms }
      entities:
        Note:
          replay: look-up
          list: { request: GET /notes, items: items }
          id: id
          version: v
          read: { request: "GET /notes/{id}"READ }
          create: { request: POST /notes }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          natural-key: [name]
          unmapped: [id]
          body: { name: name }
    """
}
