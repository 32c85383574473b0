import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset strapi` drafts from the content types of a stand-in that is written from the
/// documentation of Strapi 5.
///
/// The documents are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct StrapiTests {
  private static func backend(
    user: String = "ada",
    password: String = "correct-horse",
    filled: @escaping (String) -> String = { $0 }
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "strapi",
      script: "strapi_server.py",
      database: "strapi.sqlite",
      credentials: ["user": user, "password": password, "admin": "admin-token"],
      initial: ["--to", "{server}", "--credential", "admin=command:echo admin-token"],
      prepare: { _ in },
      filled: { filled($0.replacing("preset: strapi", with: "preset: strapi\n  settle: 1s")) }
    )
  }

  private static let count = "SELECT count(*) FROM item"
  private static let admin = ["Authorization: Bearer admin-token"]

  @Test func `130 documents are migrated, edited, deleted, verified and rolled back to nothing`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 120) { scenario in
      try await scenario.ferry(["preflight"]).exits(0)
      #expect(try scenario.number(Self.count) == 0)
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 130)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.number(Self.count) == 130)
      #expect(try scenario.seen("creates") == 130)
      try scenario.edit(
        "UPDATE Note SET title = title || ' – neu' WHERE id IN ('n001', 'n100', 'n120')",
        "DELETE FROM Note WHERE id IN ('n002', 'n003')",
        "INSERT INTO Note(id, title, stars, folder) VALUES ('n241', 'late', 1, 'f01')"
      )
      try scenario.seen(reset: true)
      let second = try await scenario.migrate(["--delete"]).exits(0)
      #expect(second.count("updated") == 3)
      #expect(second.count("deleted") == 2)
      #expect(second.count("created") == 1)
      #expect(second.value("verification")?["clean"] == true)
      #expect(try scenario.number(Self.count) == 129)
      #expect(try scenario.seen("updates") == 3)
      #expect(try scenario.seen("deletes") == 2)
      let package = "\(scenario.folder)/notes.ferry"
      try await FerryProgram().answer(
        ["export", scenario.store, "--profile", scenario.profile, "-o", package],
        state: "\(scenario.folder)/state"
      ).exits(0)
      try await scenario.ferry(["verify", package]).exits(0)
      let third = try await scenario.migrate().exits(0)
      #expect(third.count("unchanged") == 129)
      // What the second run deleted stays deleted.
      try await scenario.ferry(["rollback", try second.run()]).exits(6)
      try await scenario.ferry(["rollback", try first.run()]).exits(0)
      #expect(try scenario.number(Self.count) == 0)
    }
  }

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

  @Test
  func `a run that is killed five times, with each third answer lost, stores each record once`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 60, losing: 3) { scenario in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(60 * number), line: "upload …")
        )
      }
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(try scenario.number(Self.count) == 70)
      for run in try last.runs() where try scenario.number(Self.count) > 0 {
        try await scenario.ferry(["rollback", run, "--retries", "20"]).exits(0)
      }
      #expect(try scenario.number(Self.count) == 0)
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
      try await scenario.migrate().exits(0)
      let id = try #require(
        try scenario.rows("SELECT id FROM item WHERE collection = 'notes'").first
      )
      let theirs: JSONValue = ["data": ["title": "theirs"]]
      try scenario.ask("PUT", "/api/notes/\(id)", theirs, Self.admin)
      try scenario.edit("UPDATE Note SET title = title || '!'")
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("updated") == 2)
      #expect(second.findings("plan.conflict-kept-remote").count == 1)
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

  @Test
  func `a document that is too long is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try scenario.edit("UPDATE Note SET title = printf('%.*c', 300, 'x') WHERE id = 'n007'")
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.count("created") == 29)
      #expect(answer.count("rejected") == 1)
      #expect(answer.standardOutput.contains("title: title must be at most 255 characters"))
      #expect(try scenario.number(Self.count) == 29)
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
      #expect(try scenario.number(Self.count) == 0)
    }
  }

  @Test func `a field and a content type that are missing are named before anything is sent`()
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
}
