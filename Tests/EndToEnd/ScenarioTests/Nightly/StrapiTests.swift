import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset strapi` drafts from the content types of a stand-in that is written from the
/// documentation of Strapi 5.
///
/// The documents are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct StrapiTests {
  static func backend(
    user: String = "ada",
    password: String = "correct-horse",
    filled: @escaping (String) -> String = { $0 }
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "strapi",
      script: "strapi_server.py",
      credentials: ["user": user, "password": password, "admin": "admin-token"],
      initial: ["--to", "{server}", "--credential", "admin=command:echo admin-token"],
      filled: { filled($0.replacing("preset: strapi", with: "preset: strapi\n  settle: 1s")) }
    )
  }

  private static let admin = ["Authorization: Bearer admin-token"]

  @Test func `the draft has the content types, fields and relations of the server`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let note = try JSONValue(
        parsing: try scenario.rows("SELECT body FROM item WHERE collection = 'notes'").first ?? ""
      )
      let folders = try scenario.rows("SELECT id FROM item WHERE collection = 'folders'")
      #expect(note["localId"] == "n001")
      #expect(note["title"] == "note 1")
      #expect(note["done"] == true)
      #expect(note["made"] == "2026-11-02T08:30:00.000Z")
      #expect(folders.contains(note["folder"]?.text ?? ""))
    }
  }

  @Test func `120 documents are read by few requests before they are changed`() async throws {
    try await withStandIn(Self.backend(), notes: 120) { scenario in
      try await scenario.migrate().exits(0)
      try scenario.edit("UPDATE Note SET title = title || '!'")
      try scenario.seen(reset: true)
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("updated") == 120)
      #expect(try scenario.seen("updates") == 120)
      // Pages of 100 before and after, and 50 at a time in between.
      #expect(try scenario.seen("reads") <= 20)
    }
  }

  @Test func `a document that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        let theirs: JSONValue = ["data": ["title": "theirs"]]
        try scenario.ask("PUT", "/api/notes/\(try scenario.firstNote())", theirs, Self.admin)
      }
    }
  }

  @Test
  func `documents of another user with the same keys are conflicts, and none of them is changed`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      for number in 1...3 {
        let theirs: JSONValue = [
          "data": ["localId": .string("n00\(number)"), "title": "theirs"]
        ]
        try scenario.ask("POST", "/api/notes", theirs, Self.admin)
      }
      let answer = try await scenario.migrate().exits(6)
      #expect(answer.count("created") == 10)
      let titles = try scenario.rows(
        "SELECT body ->> '$.title' FROM item WHERE collection = 'notes'"
      )
      #expect(titles == ["theirs", "theirs", "theirs"])
    }
  }

  @Test func `a rate limit and an expired token delay a run, and every record arrives`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 30) { scenario in
      try scenario.ask("POST", "/__set", ["busy": 1, "expiring": 6])
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created") == 40)
      #expect(try scenario.seen("logins") > 1)
    }
  }

  @Test func `a wrong password and a role that may not write are named, and nothing is sent`()
    async throws
  {
    try await withStandIn(Self.backend(password: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("Invalid identifier or password"))
    }
    try await withStandIn(Self.backend(user: "eve", password: "stranger"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("Forbidden"))
      #expect(try scenario.count() == 0)
    }
  }
}
