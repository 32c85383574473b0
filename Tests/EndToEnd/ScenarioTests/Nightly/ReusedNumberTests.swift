import Foundation
import JSONText
import TestSupport
import Testing

/// A server that gives numbers again that it had given before: a backup of it was restored, with what the
/// next number is.
@Suite(.timeLimit(.minutes(3))) struct ReusedNumberTests {
  private static let another = "the server reused the ID for another record"

  @Test func `a rollback leaves another device's records under the run's numbers`()
    async throws
  {
    try await Numbered.withReused { numbered, run in
      let others = try numbered.notes()
      let back = try await numbered.scenario.rollback(run).exits(6)
      #expect(back.standardOutput.contains(Self.another), "\(back)")
      #expect(try numbered.notes() == others)
    }
  }

  @Test func `a rollback leaves a record that has only one of the immutable fields`() async throws {
    try await Numbered.withReused(sharing: true) { numbered, run in
      let others = try numbered.notes()
      try await numbered.scenario.rollback(run).exits(6)
      #expect(try numbered.notes() == others)
    }
  }

  @Test(arguments: ["remote", "local", "merge", "fail"])
  func `a change is not sent to another device's record under the reused number`(
    policy: String
  ) async throws {
    try await Numbered.withReused { numbered, _ in
      let others = try numbered.notes()
      try numbered.scenario.sql("UPDATE Note SET text = 'mine'")
      for more in [[], ["--full"]] {
        let answer = try await numbered.scenario.migrate(more + ["--on-conflict", policy]).exits(6)
        #expect(answer.count("conflicted", of: "Note") == 3)
        #expect(answer.standardOutput.contains(Self.another), "\(answer)")
        #expect(try numbered.notes() == others)
      }
    }
  }

  @Test func `an unchanged record that the server lost is reported, though its number is reused`()
    async throws
  {
    try await Numbered.withReused { numbered, _ in
      let others = try numbered.notes()
      let answer = try await numbered.scenario.migrate(["--full"]).exits(6)
      #expect(answer.count("conflicted", of: "Note") == 3)
      let named = answer.findings("plan.conflict").compactMap { $0["record"]?.text }
      #expect(Set(named) == ["0", "1", "2"])
      #expect(try numbered.notes() == others)
    }
  }

  @Test(arguments: [false, true], [[], ["--full", "--on-conflict", "local"]])
  func `the deletion of a record does not delete another one in its place`(
    sharing: Bool,
    more: [String]
  ) async throws {
    try await Numbered.withReused(sharing: sharing) { numbered, _ in
      let others = try numbered.notes()
      try numbered.scenario.sql("DELETE FROM Note WHERE id = 1")
      let answer = try await numbered.scenario.migrate(["--delete"] + more).exits(6)
      #expect(answer.count("deleted", of: "Note") == 0)
      #expect(try numbered.notes() == others)
    }
  }

  @Test func `a record that kept its number is changed, deleted and rolled back as usual`()
    async throws
  {
    try await Numbered.with { numbered in
      let first = try await numbered.scenario.migrate().exits(0)
      let made = try numbered.notes()
      try numbered.scenario.sql("UPDATE Note SET text = 'mine' WHERE id = 1")
      let second = try await numbered.scenario.migrate().exits(0)
      #expect(second.count("updated", of: "Note") == 1)
      try await numbered.scenario.rollback(try second.run()).exits(0)
      #expect(try numbered.texts() == ["t0", "t1", "t2"])
      #expect(try numbered.notes().count == made.count)
      try numbered.scenario.sql("DELETE FROM Note WHERE id = 2")
      let third = try await numbered.scenario.migrate(["--delete"])
      #expect(third.count("deleted", of: "Note") == 1, "\(third)")
      // What the third run deleted does not come back.
      for (run, status) in [(try third.run(), Int32(6)), (try first.run(), 0)] {
        let taken = try await numbered.scenario.rollback(run)
        #expect(taken.status == status, "\(taken)")
      }
      #expect(try numbered.notes().isEmpty)
    }
  }

  @Test func `a record changed without its immutable name is deleted as usual`()
    async throws
  {
    try await Numbered.with { numbered in
      try await numbered.scenario.migrate().exits(0)
      let store = numbered.scenario.sample.store
      try Python.edit(store, "UPDATE Note SET name = 'other', text = 'mine' WHERE id = 1")
      let second = try await numbered.scenario.migrate()
      #expect(second.count("updated", of: "Note") == 1, "\(second)")
      #expect(try numbered.texts() == ["t0", "mine", "t2"])
      try Python.edit(store, "DELETE FROM Note WHERE id = 1")
      let third = try await numbered.scenario.migrate(["--delete"])
      #expect(third.count("deleted", of: "Note") == 1, "\(third)")
      #expect(try numbered.texts() == ["t0", "t2"])
    }
  }

  /// The tastings of Peated have numbers, and no version.
  @Test(arguments: ["remote", "local", "merge"])
  func `another device's tasting under a lost one's number is unchanged`(
    policy: String
  ) async throws {
    try await withPeated { peated in
      let backup = "\(peated.scenario.folder)/backup.sqlite"
      try peated.scenario.backend.keep(in: backup)
      let before = try peated.server("tastings")
      try await peated.scenario.migrate().exits(0)
      let made = try peated.server("tastings").filter { before[$0.key] == nil }
      try peated.scenario.backend.restore(backup)
      let others = try peated.taste(instead: made)
      let answer = try await peated.scenario.migrate(["--full", "--on-conflict", policy]).exits(6)
      let reported = answer.findings("plan.conflict").filter {
        $0["entity"] == "Tasting" && $0["cause"]?.text?.contains(Self.another) == true
      }
      #expect(reported.count == made.count, "\(answer)")
      #expect(try peated.server("tastings").filter { others[$0.key] != nil } == others)
      for run in try answer.runs() { _ = try await peated.scenario.rollback(run) }
      #expect(try peated.server("tastings").filter { others[$0.key] != nil } == others)
    }
  }
}

extension PeatedScenario {
  /// Has another device of the person's make tastings of other bottles and moments until each of
  /// these numbers is given again; gives those that have them.
  fileprivate func taste(instead made: [Int64: JSONValue]) throws -> [Int64: JSONValue] {
    let answer = try scenario.backend.request(
      "POST",
      "/v1/auth/login",
      ["email": .string(DemoAccount.email), "password": "correct-horse"]
    )
    let bottles = Set(made.values.compactMap { $0["bottle"]?["id"]?.integer })
    let free = (501...509).first { !bottles.contains($0) }
    guard let last = made.keys.max(), let bottle = free else {
      throw TestSupportError("nothing was made, or of every bottle")
    }
    for minute in 10..<60 {
      _ = try scenario.backend.request(
        "POST",
        "/v1/tastings",
        [
          "bottle": .number(JSONNumber(Int64(bottle))), "notes": "theirs", "rating": 1,
          "createdAt": .string(Date(timeIntervalSinceNow: -60 * Double(minute)).ISO8601Format()),
        ],
        token: answer["accessToken"]?.text
      )
      let all = try server("tastings")
      if all[last] != nil { return all.filter { made[$0.key] != nil } }
    }
    throw TestSupportError("no tasting got the number \(last)")
  }
}

/// Three notes, and the server that numbers them.
private struct Numbered {
  let scenario: MigrationScenario
  let origin: String

  func notes() throws -> [JSONValue] {
    try RealServer.get("\(origin)/notes")["items"]?.array ?? []
  }

  func texts() throws -> [String] { try notes().compactMap { $0["text"]?.text } }

  private func post(_ path: String, _ body: JSONValue = .object(JSONObject())) throws {
    _ = try RealServer.get("\(origin)\(path)", ["-X", "POST", "-d", body.canonicalText])
  }

  /// Sends the notes to a server that then is what it was before, and where another device makes as many, of
  /// the same names if they are `sharing` one member.
  static func withReused(
    sharing: Bool = false,
    _ body: (Numbered, _ run: String) async throws -> Void
  ) async throws {
    try await with { numbered in
      try numbered.post("/keep")
      let first = try await numbered.scenario.migrate().exits(0)
      let made = try numbered.notes()
      #expect(made.count == 3)
      try numbered.post("/back")
      for note in made {
        let name = note["name"]?.text ?? ""
        try numbered.post(
          "/notes",
          [
            "name": .string(sharing ? name : "their \(name)"), "made": "2031-01-01T00:00:00Z",
            "text": "theirs",
          ]
        )
      }
      let others = try numbered.notes()
      #expect(others.map { $0["id"] } == made.map { $0["id"] })
      try await body(numbered, try first.run())
    }
  }

  static func with(_ body: (Numbered) async throws -> Void) async throws {
    func prepare(_ sample: Sample, _ origin: String) throws -> String {
      try Python.run(["-c", making, sample.store])
      return profile
    }
    try await withServer("numbered", answersAt: "/me", editsAll: true, prepare: prepare) {
      try await body(Numbered(scenario: $0, origin: $1))
    }
  }

  private static let making = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.execute("CREATE TABLE Note (id INTEGER PRIMARY KEY, name TEXT, made TEXT, text TEXT)")
    rows = [(i, f"n{i}", f"2030-01-0{i + 1}T00:00:00Z", f"t{i}") for i in range(3)]
    db.executemany("INSERT INTO Note VALUES (?, ?, ?, ?)", rows)
    db.commit()
    """

  private static let profile = """
    ferry-profile: 1
    app: numbered
    accept-unmapped: [Note.id]
    entities:
      Note:
        identity: { attribute: id }
        carry: listed
        fields: { id: id, name: name, made: made, text: text }
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
          version: v
          read: { request: "GET /notes/{id}" }
          create: { request: POST /notes }
          update: { request: "PATCH /notes/{id}" }
          delete: { request: "DELETE /notes/{id}" }
          body:
            name: { field: name, on: once }
            made: { field: made, on: once }
            text: text
          natural-key: [name, made]
          unmapped: [id]
    """
}
