import Foundation
import JSONText
import TestSupport
import Testing

/// Who wins when a record was changed here and at the server: one test a policy.
@Suite(.timeLimit(.minutes(5))) struct ConflictTests {
  /// Sends one note, then changes it on both sides.
  func conflicting(
    _ conflict: String,
    here: String,
    there: JSONObject,
    note: NoteStore.Note = .init(id: "n1"),
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict) { app in
      try app.add(note)
      try await app.scenario.migrate().exits(0)
      try app.change("n1", there)
      try app.sql("UPDATE note SET \(here) WHERE id = 'n1'")
      try await body(app)
    }
  }

  func member(_ name: String, _ app: NoteStore) throws -> JSONValue? {
    try app.server()["n1"]?["data"]?[name]
  }

  // 001-37, 001-38, 002-62, 003-24.
  @Test func `000-43 remote: the remote content is kept, and the losing one is listed`()
    async throws
  {
    try await conflicting("remote", here: "title = 'mine'", there: ["title": "theirs"]) { app in
      let answer = try await app.scenario.migrate()
      #expect(answer.findings("plan.conflict-kept-remote").count == 1)
      #expect(try member("title", app) == "theirs")
      // Another field that is changed later does not take the server's title along.
      try app.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      #expect(try member("title", app) == "theirs")
      #expect(try member("plays", app) == 7)
    }
  }

  @Test func `000-44 local: the store's value is sent`() async throws {
    try await conflicting("local", here: "title = 'mine'", there: ["title": "theirs"]) { app in
      try await app.scenario.migrate().exits(0)
      #expect(try member("title", app) == "mine")
    }
  }

  static let newest = "{ policy: newest, newest: { local: modified, remote: modified } }"

  @Test(arguments: [
    ("2024-05-03T00:00:00Z", "mine"), ("2024-05-02T00:00:00Z", "mine"),
    ("2024-05-01T13:00:00Z", "theirs"),
  ])
  func `000-42, 003-23 newest: the later date wins, and the store's of two equal ones`(
    modified: String,
    winner: String
  ) async throws {
    try await conflicting(
      Self.newest,
      here: "title = 'mine', modified = '\(modified)'",
      there: ["title": "theirs", "modified": "2024-05-02T00:00:00.000Z"]
    ) { app in
      _ = try await app.scenario.migrate()
      #expect(try member("title", app)?.text == winner)
    }
  }

  static let merge = """
    { policy: merge, fields: { plays: sum, favourite: or, tags: union, rating: { average: 1.0 } } }
    """

  @Test func `000-47, 000-49 merge: a field that one side changed gets that side's value`()
    async throws
  {
    try await conflicting(Self.merge, here: "title = 'mine'", there: ["plays": 3]) { app in
      let answer = try await app.scenario.migrate().exits(0)
      #expect(try member("title", app) == "mine")
      #expect(try member("plays", app) == 3)
      #expect(answer.findings("plan.merged").isEmpty)
    }
  }

  @Test(arguments: ["local", "remote"], [true, false])
  func
    `the deletion of a record that changed at the destination is asked about, and the answer holds`(
      answer: String,
      listsRevisions: Bool
    ) async throws
  {
    try await NoteStore.with(conflict: "ask", listsRevisions: listsRevisions) { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET state = 'gone' WHERE id = 'n1'")
      let file = "\(app.scenario.folder)/decisions.json"
      try await app.scenario.migrate(["--decisions", file]).exits(6)
      #expect(try member("title", app) == "theirs")
      let written = try JSONValue(parsing: String(at: file))
      #expect(written["conflicts"]?[0]?["local"] == JSONValue.null)
      try decide(file, answer)
      for _ in 1...2 {
        try await app.scenario.migrate(["--decisions", file]).exits(0)
        let isThere = try app.server()["n1"] != nil
        #expect(isThere == (answer == "remote"))
      }
    }
  }

  // 001-37, 001-67, 003-28, 003-29.
  @Test(arguments: [("local", "mine"), ("remote", "theirs")])
  func `000-45, 004-11 ask: both sides are recorded, and the next run applies the answer`(
    answer: String,
    isKept: String
  ) async throws {
    try await conflicting("ask", here: "title = 'mine'", there: ["title": "theirs"]) { app in
      let file = "\(app.scenario.folder)/decisions.json"
      let open = try await app.scenario.migrate(["--decisions", file]).exits(6)
      #expect(try member("title", app) == "theirs")
      let written = try JSONValue(parsing: String(at: file))
      #expect(
        try PublishedForm.faults(of: written, under: "ferry.decisions.v1.schema.json").isEmpty
      )
      #expect(written["conflicts"]?[0]?["local"]?["title"] == "mine")
      #expect(written["conflicts"]?[0]?["remote"]?["title"] == "theirs")
      #expect(open.findings("plan.conflict").first?["cause"]?.text?.contains(file) == true)
      try decide(file, answer)
      try await app.scenario.migrate(["--decisions", file]).exits(0)
      #expect(try member("title", app)?.text == isKept)
    }
  }

  @Test(arguments: [0.0, 0.05, 0.15])
  func `a merge that is killed and repeated adds its counts once`(wait: Double) async throws {
    var note = NoteStore.Note(id: "n1")
    note.plays = 3
    try await conflicting(Self.merge, here: "plays = 5", there: ["plays": 10], note: note) { app in
      try app.scenario.backend.setFaults("drop-after:1@PATCH /collections")
      try await app.scenario.kill(after: wait)
      try app.scenario.backend.setFaults("")
      try await app.scenario.migrate().exits(0)
      #expect(try member("plays", app) == 12)
    }
  }

  func decide(_ file: String, _ answer: String) throws {
    let text = try String(at: file)
    try text.replacing("\"decision\": null", with: "\"decision\": \"\(answer)\"").save(to: file)
  }
}
