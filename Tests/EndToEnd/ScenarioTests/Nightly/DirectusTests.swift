import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset directus` drafts from the fields of a stand-in that is written from the
/// documentation of Directus.
///
/// The items are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct DirectusTests {
  static func backend(
    email: String = "ada@example.com",
    password: String = "correct-horse",
    filled: @escaping (String) -> String = { $0 }
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "directus",
      script: "directus_server.py",
      credentials: ["email": email, "password": password, "admin": "admin-token"],
      initial: ["--to", "{server}", "--credential", "admin=command:echo admin-token"],
      filled: filled
    )
  }

  private static let admin = ["Authorization: Bearer admin-token"]

  @Test func `the draft has the collections, fields and relations of the server`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let note = try JSONValue(
        parsing: try scenario.rows("SELECT body FROM item WHERE collection = 'notes'").first ?? ""
      )
      let folders = try scenario.rows("SELECT id FROM item WHERE collection = 'folders'")
      #expect(note["title"] == "note 1")
      #expect(note["done"] == true)
      #expect(note["made"] == "2026-11-02T08:30:00.000Z")
      #expect(folders.contains(note["folder"]?.text ?? ""))
    }
  }

  @Test func `an item that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        try scenario.ask(
          "PATCH",
          "/items/notes/\(try scenario.firstNote())",
          ["title": "theirs"],
          Self.admin
        )
      }
    }
  }

  @Test
  func `a rate limit, an expired token and a smaller batch delay a run, and every record arrives`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 60) { scenario in
      try scenario.ask("POST", "/__set", ["busy": 1, "most": 25, "expiring": 6])
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created") == 70)
      #expect(try scenario.seen("logins") > 1)
    }
  }

  @Test func `a wrong password and a role that may not write are named, and nothing is sent`()
    async throws
  {
    try await withStandIn(Self.backend(password: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("INVALID_CREDENTIALS"))
    }
    try await withStandIn(
      Self.backend(email: "eve@example.com", password: "stranger"),
      notes: 1
    ) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("FORBIDDEN"))
      #expect(try scenario.count() == 0)
    }
  }

  /// The lines are those of the guide.
  @Test func `a revision and changes since the last run come from the dates that Directus keeps`()
    async throws
  {
    let lines = """
      preset: directus
        defaults:
          version: date_updated
          list:
            since:
              name: filter
              value: '{"_or":[{"date_created":{"_gte":"{since}"}},{"date_updated":{"_gte":"{since}"}}]}'
          create: { batch: { version: date_updated } }
      """
    let backend = Self.backend { $0.replacing("preset: directus", with: lines) }
    try await withStandIn(backend, notes: 20) { scenario in
      try await scenario.migrate().exits(0)
      try scenario.edit("UPDATE Note SET title = title || '!' WHERE id = 'n001'")
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("updated") == 1)
      let third = try await scenario.migrate().exits(0)
      #expect(third.count("unchanged") == 30)
    }
  }
}
