import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset parse` drafts from the schema of a stand-in that is written from the
/// documentation of Parse Server.
///
/// The objects are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct ParseTests {
  private static func backend(
    user: String = "ada",
    password: String = "correct-horse",
    key: String = "rest-key",
    filled: @escaping (String) -> String = { $0 }
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "parse",
      script: "parse_server.py",
      database: "parse.sqlite",
      credentials: [
        "app": "notes-app", "key": key, "user": user, "password": password,
        "master": "master-key",
      ],
      initial: [
        "--to", "{server}/parse", "--credential", "app=command:echo notes-app", "--credential",
        "master=command:echo master-key",
      ],
      path: "/parse",
      prepare: { _ in },
      filled: filled
    )
  }

  private static let count = "SELECT count(*) FROM object"
  private static let master = [
    "X-Parse-Application-Id: notes-app", "X-Parse-Master-Key: master-key",
  ]

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
      // The first record of an entity goes alone.
      #expect(try scenario.seen("batches") == 8)
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

  /// The types are those of <https://docs.parseplatform.org/rest/guide/#data-types>.
  @Test func `each kind of value has Parse's type, and the ACL is the user's`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let text = try scenario.rows("SELECT body FROM object WHERE class = 'Note'").first ?? ""
      let note = try JSONValue(parsing: text)
      let folder = try scenario.rows(
        "SELECT id FROM object WHERE class = 'Folder' AND body ->> '$.name' = 'folder 2'"
      )
      #expect(note["title"] == "note 1")
      #expect(note["stars"] == 1)
      #expect(note["done"] == true)
      #expect(note["made"] == ["__type": "Date", "iso": "2026-11-02T08:30:00.000Z"])
      #expect(note["picture"] == ["__type": "Bytes", "base64": "AAEC"])
      #expect(
        note["folder"]
          == [
            "__type": "Pointer", "className": "Folder",
            "objectId": .string(folder.first ?? ""),
          ]
      )
      let acl = try scenario.rows("SELECT acl FROM object WHERE class = 'Note'").first ?? ""
      #expect(
        try JSONValue(parsing: acl) == ["adaAda1234": ["read": true, "write": true]]
      )
    }
  }

  @Test
  func `a run that is killed five times, with each third answer lost, stores each record once`()
    async throws
  {
    let backend = Self.backend {
      $0.replacing("preset: parse", with: "preset: parse\n  with: { batch: 20 }")
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

  @Test func `an object that another device changed is kept, and its other fields stay`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      let ids = try scenario.rows("SELECT id FROM object WHERE class = 'Note' ORDER BY id")
      let theirs: JSONValue = ["title": "theirs"]
      try scenario.ask("PUT", "/parse/classes/Note/\(ids[0])", theirs, Self.master)
      let other: JSONValue = ["colour": "red"]
      try scenario.ask("PUT", "/parse/classes/Note/\(ids[1])", other, Self.master)
      try scenario.edit("UPDATE Note SET title = title || '!'")
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("updated") == 2)
      #expect(second.findings("plan.conflict-kept-remote").count == 1)
      let note = try scenario.ask("GET", "/parse/classes/Note/\(ids[1])", nil, Self.master)
      #expect(note["colour"] == "red")
      #expect(note["title"]?.text?.hasSuffix("!") == true)
    }
  }

  @Test
  func `an object of another type is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try scenario.edit("UPDATE Note SET made = 'yesterday' WHERE id = 'n007'")
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.count("created") == 29)
      #expect(answer.count("rejected") == 1)
      #expect(answer.standardOutput.contains("schema mismatch for Note.made"))
      #expect(try scenario.number(Self.count) == 29)
    }
  }

  @Test func `a smaller limit and a session that ended delay a run, and every record arrives`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 60) { scenario in
      try scenario.ask("POST", "/__set", ["most": 20, "expiring": 6])
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created") == 70)
      #expect(try scenario.seen("logins") > 1)
    }
  }

  @Test func `a wrong key, a wrong password and object IDs that are refused are named`()
    async throws
  {
    try await withStandIn(Self.backend(key: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("unauthorized"))
    }
    try await withStandIn(Self.backend(password: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("Invalid username/password"))
      #expect(try scenario.number(Self.count) == 0)
    }
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try scenario.ask("POST", "/__set", ["fixed": true])
      let answer = try await scenario.migrate()
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("objectId is an invalid field name"))
      #expect(try scenario.number(Self.count) == 0)
    }
  }

  @Test func `a field and a class that are missing are named before anything is sent`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite {
        $0.replacing("body: { \"folder\":", with: "body: { heading: title, \"folder\":")
      }
      let answer = try await scenario.ferry(["preflight"])
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("“Note” has no field heading"))
    }
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite { $0.replacing("collection: \"Note\"", with: "collection: Nothing") }
      let answer = try await scenario.ferry(["preflight"])
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("shows no collection “Nothing”"))
      #expect(try scenario.number(Self.count) == 0)
    }
  }

  /// The lines are those of the guide.
  @Test func `changes since the last run come from a query about updatedAt`() async throws {
    let lines = """
      preset: parse
        defaults:
          list:
            since:
              name: where
              value: '{"updatedAt":{"$gte":{"__type":"Date","iso":"{since}"}}}'
      """
    let backend = Self.backend { $0.replacing("preset: parse", with: lines) }
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
