import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset parse` drafts from the schema of a stand-in that is written from the
/// documentation of Parse Server.
///
/// The objects are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct ParseTests {
  static func backend(
    user: String = "ada",
    password: String = "correct-horse",
    key: String = "rest-key",
    filled: @escaping (String) -> String = { $0 }
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "parse",
      script: "parse_server.py",
      credentials: [
        "app": "notes-app", "key": key, "user": user, "password": password,
        "master": "master-key",
      ],
      initial: [
        "--to", "{server}/parse", "--credential", "app=command:echo notes-app", "--credential",
        "master=command:echo master-key",
      ],
      path: "/parse",
      filled: filled,
      counted: { try $0.number("SELECT count(*) FROM object") }
    )
  }

  private static let master = [
    "X-Parse-Application-Id: notes-app", "X-Parse-Master-Key: master-key",
  ]

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

  @Test func `an object that another device changed is kept, and its other fields stay`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        let ids = try scenario.rows("SELECT id FROM object WHERE class = 'Note' ORDER BY id")
        let theirs: JSONValue = ["title": "theirs"]
        try scenario.ask("PUT", "/parse/classes/Note/\(ids[0])", theirs, Self.master)
        let other: JSONValue = ["colour": "red"]
        try scenario.ask("PUT", "/parse/classes/Note/\(ids[1])", other, Self.master)
      }
      let red = "SELECT body ->> '$.title' FROM object WHERE body ->> '$.colour' = 'red'"
      let titles = try scenario.rows(red)
      #expect(titles.first?.hasSuffix("!") == true)
    }
  }

  @Test
  func `an object of another type is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try await scenario.refusesOne(
        "schema mismatch for Note.made",
        spoilt: "UPDATE Note SET made = 'yesterday' WHERE id = 'n007'"
      )
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
      #expect(try scenario.count() == 0)
    }
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try scenario.ask("POST", "/__set", ["fixed": true])
      let answer = try await scenario.migrate()
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("objectId is an invalid field name"))
      #expect(try scenario.count() == 0)
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
