import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset appwrite` drafts from the collections of a stand-in that is written from the
/// documentation of Appwrite.
///
/// The documents are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct AppwriteTests {
  static func backend(
    key: String = "admin-key",
    with more: String = "",
    filled: @escaping (String) -> String = { $0 }
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "appwrite",
      script: "appwrite_server.py",
      credentials: ["key": key],
      initial: [
        "--to", "{server}/v1", "--credential", "key=command:echo admin-key",
        "--set", "project=p1", "--set", "database=main", "--set", "user=ada",
      ],
      path: "/v1",
      filled: { filled($0.replacing("  with:", with: "  with:\(more)")) }
    )
  }

  private static let admin = ["X-Appwrite-Project: p1", "X-Appwrite-Key: admin-key"]
  private static let notes = "/v1/databases/main/collections/notes/documents"

  @Test func `a document has its values, its folder, and permissions of the user alone`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let note = try JSONValue(
        parsing: try scenario.rows("SELECT body FROM item WHERE collection = 'notes'").first ?? ""
      )
      let folders = try scenario.rows("SELECT id FROM item WHERE collection = 'folders'")
      #expect(note["title"] == "note 1")
      #expect(note["done"] == true)
      #expect(note["made"] == "2026-11-02T08:30:00.000+00:00")
      #expect(folders.contains(note["folder"]?.text ?? ""))
      #expect(
        note["$permissions"]
          == ["read(\"user:ada\")", "update(\"user:ada\")", "delete(\"user:ada\")"]
      )
    }
  }

  @Test func `a change keeps a field that another program set, and the permissions`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      let ids = try scenario.rows("SELECT id FROM item WHERE collection = 'notes'")
      for id in ids {
        let theirs: JSONValue = ["data": ["kept": .string("set \(id)")]]
        try scenario.ask("PATCH", "\(Self.notes)/\(id)", theirs, Self.admin)
      }
      try scenario.edit("UPDATE Note SET title = title || '!'")
      #expect(try await scenario.migrate().exits(0).count("updated") == 3)
      let kept = """
        SELECT count(*) FROM item WHERE collection = 'notes' AND body ->> '$.kept' = 'set ' || id
          AND body ->> '$.title' LIKE '%!' AND body ->> '$."$permissions"[0]' = 'read("user:ada")'
        """
      #expect(try scenario.number(kept) == 3)
    }
  }

  @Test func `a document that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        try scenario.ask(
          "PATCH",
          "\(Self.notes)/\(try scenario.firstNote())",
          ["data": ["title": "theirs"]],
          Self.admin
        )
      }
    }
  }

  @Test func `an outage and a smaller batch delay a run, and every record arrives`() async throws {
    try await withStandIn(Self.backend(), notes: 60) { scenario in
      try scenario.ask("POST", "/__set", ["busy": 1, "most": 25])
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created") == 70)
    }
  }

  @Test func `a wrong key, a key without a scope and relationships are named, and nothing is sent`()
    async throws
  {
    for (key, words) in [
      ("wrong", "role: guests"), ("reader-key", "missing scopes ([\"documents.write\"])"),
    ] {
      try await withStandIn(Self.backend(key: key), notes: 1) { scenario in
        let answer = try await scenario.migrate().exits(7)
        #expect(answer.standardError.contains(words))
        #expect(try scenario.count() == 0)
      }
    }
    try await withStandIn(Self.backend(), notes: 2) { scenario in
      try scenario.rewrite {
        $0.replacing("collection: \"notes\"", with: "collection: linked")
      }
      let answer = try await scenario.migrate()
      #expect(answer.status == 7)
      #expect(answer.standardError.contains("with relationship attributes"))
    }
  }
}
