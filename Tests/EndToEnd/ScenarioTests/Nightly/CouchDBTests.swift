import JSONText
import TestSupport
import Testing

/// The profile that `ferry init --preset couchdb` drafts, sent to a stand-in that is written from the documentation
/// of CouchDB.
///
/// The documents are counted in the stand-in's own database.
@Suite(.timeLimit(.minutes(5)))
struct CouchDBTests {
  static func backend(
    user: String = "ada",
    password: String = "correct-horse",
    batch: Int? = nil
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "couchdb",
      script: "couchdb_server.py",
      credentials: ["user": user, "password": password],
      prepare: { server in
        for name in ["notes", "folders"] { try server.ask("PUT", "/\(name)", nil, admin) }
      },
      filled: { draft in
        guard let batch else { return draft }
        return draft.replacing(
          "preset: couchdb",
          with: "preset: couchdb\n  with: { batch: \(batch) }"
        )
      },
      // Design documents are left out.
      counted: {
        try $0.number(
          "SELECT count(*) FROM doc WHERE NOT deleted AND id NOT LIKE '\\_design/%' ESCAPE '\\'"
        )
      }
    )
  }

  private static let admin = ["Authorization: Basic YWRtaW46cmVsYXg="]
  private static let bob = ["Authorization: Basic Ym9iOmJhdHRlcnktc3RhcGxl"]

  @Test func `250 rows are migrated, edited, deleted, verified and rolled back to nothing`()
    async throws
  {
    try await withStandIn(Self.backend()) { scenario in
      try scenario.ask("PUT", "/notes/_design/app", ["views": [:]], Self.admin)
      // The folders, and the notes.
      try await scenario.isCrossed(first: ["_bulk_docs": 2], second: ["_bulk_docs": 3])
      #expect(try scenario.number("SELECT count(*) FROM doc WHERE id = '_design/app'") == 1)
    }
  }

  /// <https://docs.couchdb.org/en/stable/api/document/attachments.html>: a document that is saved without the stubs
  /// loses its attachments.
  @Test func `a change keeps the fields and the attachments of another program`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      let id = try #require(try scenario.rows("SELECT id FROM doc WHERE db = 'notes'").first)
      var doc = try #require(try scenario.ask("GET", "/notes/\(id)", nil, Self.bob).object)
      doc["colour"] = "red"
      doc["_attachments"] = ["a.txt": ["stub": true, "length": 3]]
      try scenario.ask("PUT", "/notes/\(id)", .object(doc), Self.bob)
      try scenario.edit("UPDATE Note SET title = title || '!'")
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("updated") == 3)
      let now = try scenario.ask("GET", "/notes/\(id)", nil, Self.bob)
      #expect(now["colour"] == "red")
      #expect(now["_attachments"]?["a.txt"]?["length"] == 3)
      #expect(now["title"]?.text?.hasSuffix("!") == true)
    }
  }

  @Test func `a document that another device changed is kept, and one that it deleted is named`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      let ids = try scenario.rows(
        "SELECT id FROM doc WHERE db = 'notes' ORDER BY body ->> '$.title'"
      )
      var doc = try #require(try scenario.ask("GET", "/notes/\(ids[0])", nil, Self.bob).object)
      doc["title"] = "theirs"
      try scenario.ask("PUT", "/notes/\(ids[0])", .object(doc), Self.bob)
      let gone = try scenario.ask("GET", "/notes/\(ids[1])", nil, Self.bob)
      let rev = try #require(gone["_rev"]?.text)
      try scenario.ask("DELETE", "/notes/\(ids[1])?rev=\(rev)", nil, Self.bob)
      try scenario.edit("UPDATE Note SET title = title || '!'")
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("updated") == 1)
      #expect(second.findings("plan.conflict-kept-remote").count == 1)
      #expect(second.count("conflicted") == 2)
      #expect(
        try scenario.number("SELECT count(*) FROM doc WHERE body ->> '$.title' = 'theirs'") == 1
      )
    }
  }

  @Test func `a later run reads only what changed since`() async throws {
    try await withStandIn(Self.backend()) { scenario in
      try await scenario.migrate().exits(0)
      try scenario.seen(reset: true)
      try scenario.edit("UPDATE Note SET title = title || '!' WHERE id = 'n001'")
      try await scenario.migrate(["-n"]).exits(0)
      #expect(try scenario.seen("_changes") == 2)
      #expect(try scenario.seen("rows") == 0)
    }
  }

  @Test
  func
    `a document that a rule or its size refuses is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try scenario.ask(
        "PUT",
        "/notes/_design/rules",
        ["validate_doc_update": "function () {}"],
        Self.admin
      )
      try scenario.edit(
        "UPDATE Note SET title = 'forbidden fruit' WHERE id = 'n003'",
        "UPDATE Note SET title = printf('%.*c', 8100000, 'x') WHERE id = 'n007'"
      )
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.count("created") == 28)
      #expect(answer.count("rejected") == 2)
      #expect(answer.standardOutput.contains("forbidden: no such title"))
      #expect(answer.standardOutput.contains("document_too_large"))
      #expect(try scenario.count() == 28)
    }
  }

  @Test func `a wrong password, a stranger and a missing database are named, and nothing is sent`()
    async throws
  {
    try await withStandIn(Self.backend(password: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("Name or password is incorrect"))
      #expect(try scenario.count() == 0)
    }
    try await withStandIn(Self.backend(user: "eve", password: "stranger"), notes: 1) { scenario in
      let answer = try await scenario.ferry(["preflight"]).exits(7)
      #expect(answer.standardOutput.contains("You are not allowed to access this db"))
    }
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite { $0.replacing("collection: notes", with: "collection: nothing") }
      let answer = try await scenario.ferry(["preflight"]).exits(7)
      #expect(answer.standardOutput.contains("Database does not exist"))
      try await scenario.migrate().exits(7)
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `a field with a name that CouchDB keeps for itself is refused by profile check`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try scenario.rewrite {
        $0.replacing("collection: notes", with: "collection: notes\n      body: { _title: title }")
      }
      let answer = try await FerryProgram().answer(
        ["profile", "check", scenario.profile],
        state: "\(scenario.folder)/state"
      ).exits(12)
      #expect(answer.standardError.contains("the destination keeps the name “_title” for itself"))
    }
  }
}
