import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset directus` drafts from the fields of a stand-in that is written from the
/// documentation of Directus.
///
/// The items are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct DirectusTests {
  private static func backend(
    email: String = "ada@example.com",
    password: String = "correct-horse",
    filled: @escaping (String) -> String = { $0 }
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "directus",
      script: "directus_server.py",
      database: "directus.sqlite",
      credentials: ["email": email, "password": password, "admin": "admin-token"],
      initial: ["--to", "{server}", "--credential", "admin=command:echo admin-token"],
      prepare: { _ in },
      filled: filled
    )
  }

  private static let count = "SELECT count(*) FROM item"
  private static let admin = ["Authorization: Bearer admin-token"]

  @Test func `250 rows are migrated, edited, deleted, verified and rolled back to nothing`()
    async throws
  {
    try await withStandIn(Self.backend()) { scenario in
      try await scenario.ferry(["preflight"]).exits(0)
      #expect(try scenario.number(Self.count) == 0)
      try scenario.seen(reset: true)
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 250)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.number(Self.count) == 250)
      // The folders, and the notes.
      #expect(try scenario.seen("creates") == 4)
      try scenario.edit(
        "UPDATE Note SET title = title || ' – neu' WHERE id IN ('n001', 'n100', 'n240')",
        "DELETE FROM Note WHERE id IN ('n002', 'n003')",
        "INSERT INTO Note(id, title, stars, folder) VALUES ('n241', 'late', 1, 'f01')"
      )
      try scenario.seen(reset: true)
      let second = try await scenario.migrate(["--delete"]).exits(0)
      #expect(second.count("updated") == 3)
      #expect(second.count("deleted") == 2)
      #expect(second.count("created") == 1)
      #expect(second.value("verification")?["clean"] == true)
      #expect(try scenario.number(Self.count) == 249)
      #expect(try scenario.seen("updates") == 1)
      #expect(try scenario.seen("deletes") == 1)
      let package = "\(scenario.folder)/notes.ferry"
      try await FerryProgram().answer(
        ["export", scenario.store, "--profile", scenario.profile, "-o", package],
        state: "\(scenario.folder)/state"
      ).exits(0)
      try await scenario.ferry(["verify", package]).exits(0)
      let third = try await scenario.migrate().exits(0)
      #expect(third.count("unchanged") == 249)
      // What the second run deleted stays deleted.
      try await scenario.ferry(["rollback", try second.run()]).exits(6)
      try await scenario.ferry(["rollback", try first.run()]).exits(0)
      #expect(try scenario.number(Self.count) == 0)
    }
  }

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

  @Test
  func `a run that is killed five times, with each third answer lost, stores each record once`()
    async throws
  {
    let backend = Self.backend {
      $0.replacing("preset: directus", with: "preset: directus\n  with: { batch: 20 }")
    }
    try await withStandIn(backend, losing: 3) { scenario in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(60 * number), line: "upload …")
        )
      }
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(try scenario.number(Self.count) == 250)
      for run in try last.runs() where try scenario.number(Self.count) > 0 {
        try await scenario.ferry(["rollback", run, "--retries", "20"]).exits(0)
      }
      #expect(try scenario.number(Self.count) == 0)
    }
  }

  @Test func `an item that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      let id = try #require(
        try scenario.rows("SELECT id FROM item WHERE collection = 'notes'").first
      )
      try scenario.ask("PATCH", "/items/notes/\(id)", ["title": "theirs"], Self.admin)
      try scenario.edit("UPDATE Note SET title = title || '!'")
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("updated") == 2)
      #expect(second.findings("plan.conflict-kept-remote").count == 1)
    }
  }

  @Test
  func `an item that is too long is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try scenario.edit("UPDATE Note SET title = printf('%.*c', 300, 'x') WHERE id = 'n007'")
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.count("created") == 29)
      #expect(answer.count("rejected") == 1)
      #expect(answer.standardOutput.contains("VALUE_TOO_LONG"))
      #expect(try scenario.number(Self.count) == 29)
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
      #expect(try scenario.number(Self.count) == 0)
    }
  }

  @Test func `a field and a collection that are missing are named before anything is sent`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite {
        $0.replacing("body: { \"folder\":", with: "body: { heading: title, \"folder\":")
      }
      let answer = try await scenario.ferry(["preflight"])
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("“notes” has no field heading"))
      #expect(try scenario.number(Self.count) == 0)
    }
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite { $0.replacing("collection: \"notes\"", with: "collection: nothing") }
      let answer = try await scenario.ferry(["preflight"])
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("shows no collection “nothing”"))
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
