import JSONText
import TestSupport
import Testing

/// A server that loses answers, carries requests out late, and has another client.
@Suite(.timeLimit(.minutes(3))) struct UnsteadyServerTests {
  @Test func `a late change of a run that is given up is rolled back with it`()
    async throws
  {
    try await Unsteady.with("settle: 4s") { notes in
      let stopped = try await notes.stop(by: ["late": ["PATCH": 2]])
      try await notes.scenario.rollback(try stopped.run()).exits(0)
      try await Task.sleep(for: .seconds(2))
      #expect(try notes.name() == "b")
    }
  }

  @Test func `another device's change on top of a lost answer is reported, and stays`()
    async throws
  {
    try await Unsteady.with { notes in
      let stopped = try await notes.stop(by: ["lose": ["PATCH"]])
      try notes.change("theirs")
      let back = try await notes.scenario.rollback(try stopped.run()).exits(6)
      #expect(back.findings("upload.conflict").compactMap { $0["record"]?.text } == ["2"])
      #expect(back.count("conflicted", in: "rollback") == 1)
      #expect(try notes.name() == "theirs")
    }
  }

  @Test func `another device's change between two look-ups of a rollback stays, and is reported`()
    async throws
  {
    try await Unsteady.with { notes in
      try notes.rename("mine")
      let second = try await notes.scenario.migrate()
      #expect(second.count("updated") == 1, "\(second)")
      try notes.set(["between": [2, "2", ["name": "theirs"]]])
      let back = try await notes.scenario.rollback(try second.run()).exits(6)
      #expect(back.count("conflicted", in: "rollback") == 1)
      #expect(try notes.name() == "theirs")
    }
  }

  @Test func `without a route for changes, a change is a conflict, and the rest arrives`()
    async throws
  {
    try await Unsteady.with(update: "") { notes in
      try notes.rename("mine")
      try notes.scenario.sql("INSERT INTO Note VALUES (4, 'd')")
      let answer = try await notes.scenario.migrate().exits(6)
      #expect(answer.count("conflicted") == 1)
      #expect(try notes.name("4") == "d")
    }
  }

  @Test func `a note that cannot be read is reported by its name, and the others are changed`()
    async throws
  {
    try await Unsteady.with { notes in
      try notes.scenario.sql("UPDATE Note SET name = 'mine'")
      try notes.set(["broken": ["1"]])
      let answer = try await notes.scenario.migrate().exits(6)
      #expect(
        answer.findings("destination.keeps-failing").compactMap { $0["record"]?.text } == ["1"]
      )
      #expect(answer.count("updated") == 2)
      try notes.set(["broken": []])
      #expect(try await notes.scenario.migrate().count("updated") == 1)
    }
  }

  @Test func `the only changed note is reported by its name if it cannot be read`() async throws {
    try await Unsteady.with { notes in
      try notes.rename("mine")
      try notes.set(["broken": ["2"]])
      let answer = try await notes.scenario.migrate().exits(6)
      #expect(
        answer.findings("destination.keeps-failing").compactMap { $0["record"]?.text } == ["2"]
      )
      try notes.set(["broken": []])
      #expect(try await notes.scenario.migrate().count("updated") == 1)
    }
  }

  @Test func `one unreadable note does not hold up the others whose answers were lost`()
    async throws
  {
    try await Unsteady.with { notes in
      try notes.scenario.sql("UPDATE Note SET name = 'mine'")
      try notes.set(["lose": ["PATCH", "PATCH", "PATCH"]])
      let stopped = try await notes.scenario.migrate(["--retries", "0"]).exits(5)
      let run = try stopped.run()
      // Else the rollback is as impatient as its run.
      let patient = ["--retries", "3"]
      try notes.set(["broken": ["1"]])
      let held = try await notes.scenario.rollback(run, patient).exits(5)
      #expect(held.standardError.contains("Note/1"))
      // The second was found to have arrived, so that the run comes to rest without it.
      try notes.set(["broken": ["2"]])
      let back = try await notes.scenario.rollback(run, patient).exits(6)
      #expect(back.findings("destination.keeps-failing").compactMap { $0["record"]?.text } == ["2"])
      #expect(try notes.name("1") == "a")
      #expect(try notes.name("3") == "c")
    }
  }

  @Test func `if the notes are not listed any more, no note is refused and the run ends`()
    async throws
  {
    try await Unsteady.with { notes in
      try notes.rename("mine")
      try notes.set(["broken": ["2"], "lists": 1])
      let answer = try await notes.scenario.migrate().exits(5)
      #expect(answer.findings("destination.keeps-failing").isEmpty)
    }
  }

  @Test func `another device's change while another note is waited for stays`()
    async throws
  {
    try await Unsteady.with { notes in
      try notes.scenario.sql("UPDATE Note SET name = 'mine'")
      try notes.set(["pause": ["3", 12, "1", ["name": "theirs"]]])
      let answer = try await notes.scenario.migrate(["--concurrency", "1"]).exits(6)
      #expect(answer.count("updated") == 2)
      #expect(try notes.name("1") == "theirs")
    }
  }

  @Test func `a change that the destination already had causes no request in the rollback`()
    async throws
  {
    try await Unsteady.with { notes in
      try notes.rename("mine")
      try notes.set(["between": [1, "2", ["name": "mine"]]])
      let second = try await notes.scenario.migrate().exits(0)
      let changes = try notes.changes()
      let back = try await notes.scenario.rollback(try second.run()).exits(0)
      #expect(back.count("updated", in: "rollback") == 0)
      #expect(try notes.changes() == changes)
    }
  }

  @Test(arguments: ["busy", "swallow"], [true, false])
  func `a change is sent again although each reading shows another revision`(
    fault: String,
    listsRevisions: Bool
  ) async throws {
    try await Unsteady.with(version: listsRevisions ? "version: v" : "") { notes in
      try notes.rename("mine")
      try notes.set([fault: ["PATCH"], "stamps": true])
      try await notes.scenario.migrate().exits(0)
      #expect(try notes.name() == "mine")
    }
  }
}

/// Where no version shows a change, only what the plan saw does.
extension UnsteadyServerTests {
  @Test func `another device's change after a postponed one is not overwritten`() async throws {
    try await Unsteady.with(version: "") { notes in
      try notes.change("theirs", of: "4", by: "PUT")
      try notes.scenario.sql("INSERT INTO Note VALUES (4, 'mine')")
      try notes.set(["busy": ["PATCH"], "between": [2, "4", ["name": "theirs too"]]])
      try await notes.scenario.migrate(["--on-conflict", "local"]).exits(6)
      #expect(try notes.name("4") == "theirs too")
    }
  }

  @Test func `a postponed change is sent again, conditional on the planned content`() async throws {
    try await Unsteady.with(version: "") { notes in
      try notes.change("theirs")
      try notes.rename("mine")
      try notes.set(["busy": ["PATCH"]])
      try await notes.scenario.migrate(["--on-conflict", "local"]).exits(0)
      #expect(try notes.name() == "mine")
    }
  }
}

/// Three notes that were sent: a, b and c, under 1, 2 and 3.
private struct Unsteady {
  let scenario: MigrationScenario
  let origin: String

  /// The name of a note at the server.
  func name(_ id: String = "2") throws -> String? {
    try RealServer.get("\(origin)/state")["notes"]?[id]?["name"]?.text
  }

  /// How many requests asked for a change.
  func changes() throws -> Int64? {
    try RealServer.get("\(origin)/state")["changes"]?.integer
  }

  func set(_ faults: JSONValue) throws { try send("POST", "set", faults) }

  /// Changes the second note in the app.
  func rename(_ name: String) throws {
    try scenario.sql("UPDATE Note SET name = '\(name)' WHERE id = 2")
  }

  /// Changes a note at the server, or makes one, as another client does.
  func change(_ name: String, of id: String = "2", by method: String = "PATCH") throws {
    try send(method, "notes/\(id)", ["name": .string(name)])
  }

  /// Ends a run at the change of the second note.
  func stop(by faults: JSONValue) async throws -> Answer {
    try rename("mine")
    try set(faults)
    let stopped = try await scenario.migrate(["--retries", "0"]).exits(5)
    return stopped
  }

  private func send(_ method: String, _ path: String, _ body: JSONValue) throws {
    _ = try RealServer.get("\(origin)/\(path)", ["-X", method, "-d", body.canonicalText])
  }

  static func with(
    _ settle: String = "settle: 1s",
    update: String = "update: { request: \"PATCH /notes/{id}\" }",
    version: String = "version: v",
    _ body: (Unsteady) async throws -> Void
  ) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.edit(
        sample.store,
        "CREATE TABLE Note (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
        "INSERT INTO Note VALUES (1, 'a'), (2, 'b'), (3, 'c')"
      )
      return profile(settle, update, version)
    }
    try await withServer("unsteady", editsAll: true, prepare: prepare) { scenario, origin in
      let first = try await scenario.migrate()
      #expect(first.count("created") == 3, "\(first)")
      try await body(Unsteady(scenario: scenario, origin: origin))
    }
  }

  private static func profile(_ settle: String, _ update: String, _ version: String) -> String {
    """
    ferry-profile: 1
    app: unsteady
    accept-unmapped: [Note.id]
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name }
    api:
      account: { request: GET /me, member: id }
      \(settle)
      retry: { limit: 3, first: 50ms, longest: 200ms }
      entities:
        Note:
          replay: id
          list: { request: GET /notes, items: items }
          read: { request: "GET /notes/{id}" }
          \(version)
          create: { request: "PUT /notes/{id}", if-none-match: false }
          \(update)
          delete: { request: "DELETE /notes/{id}" }
          body: { name: name }
          unmapped: [id]
    """
  }
}
