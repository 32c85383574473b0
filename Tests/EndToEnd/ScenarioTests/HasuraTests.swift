import JSONText
import TestSupport
import Testing

/// What the stand-in needs beside Python.
private enum GraphQLCore {
  static let isThere = (try? Python.run(["-c", "import graphql"])) != nil
}

/// The profile that `ferry init --preset hasura` drafts, sent to a stand-in that is written from the documentation of
/// Hasura, in which graphql-core carries the operations out.
///
/// The rows are counted in the stand-in's own database.
@Suite(
  .enabled(if: GraphQLCore.isThere, "skipped: python3 has no graphql-core"),
  .timeLimit(.minutes(5))
)
struct HasuraTests {
  private static func backend(
    secret: String = "admin-secret",
    with more: String = "",
    api: String = ""
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "hasura",
      script: "hasura_server.py",
      database: "hasura.sqlite",
      credentials: [api.isEmpty ? "secret" : "token": secret],
      initial: ["--set", "user=ada"],
      prepare: { _ in },
      filled: { draft in
        draft
          .replacing("preset: hasura", with: "preset: hasura\(api)")
          .replacing("    user: \"ada\"", with: "    user: \"ada\"\(more)")
          .replacing("      collection: notes\n", with: "      collection: notes\n\(notes)")
      }
    )
  }

  /// What a person adds to the draft: the reference has the column of its key, and the text of a date is a moment.
  private static let notes = """
          body: { folder: { reference: folder_ref } }
          unmapped: [folder]
          compare: { made: instant }

    """

  /// The draft by introspection, sent as it is.
  private static var described: StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "hasura",
      script: "hasura_server.py",
      database: "hasura.sqlite",
      credentials: ["secret": "admin-secret"],
      initial: [
        "--set", "user=ada", "--to", "{server}", "--credential", "secret=command:echo admin-secret",
      ],
      prepare: { _ in }
    )
  }

  private static let count = "SELECT count(*) FROM item"
  private static let admin = ["X-Hasura-Admin-Secret: admin-secret"]

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
      #expect(try scenario.seen("creates") == 250)
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
      #expect(try scenario.seen("updates") == 3)
      #expect(try scenario.seen("deletes") == 2)
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

  @Test func `the columns have what the store has, and the user's ID`() async throws {
    try await withStandIn(Self.backend(), notes: 1) { scenario in
      try await scenario.migrate().exits(0)
      let note = try JSONValue(
        parsing: try scenario.rows("SELECT body FROM item WHERE collection = 'notes'").first ?? ""
      )
      let folders = try scenario.rows("SELECT id FROM item WHERE collection = 'folders'")
      #expect(note["title"] == "note 1" && note["done"] == true && note["stars"] == 1)
      #expect(note["made"] == "2026-11-02T08:30:00+00:00")
      #expect(note["user_id"] == "ada")
      #expect(folders.contains(note["folder"]?.text ?? ""))
    }
  }

  @Test
  func `a run that is killed five times, with each third answer lost, stores each record once`()
    async throws
  {
    try await withStandIn(Self.backend(with: "\n    batch: 20"), losing: 3) { scenario in
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

  @Test func `a row that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      let id = try #require(
        try scenario.rows("SELECT id FROM item WHERE collection = 'notes'").first
      )
      let change =
        "update_notes_by_pk(pk_columns: {id: \"\(id)\"}, _set: {title: \"theirs\"}) { id }"
      try scenario.ask(
        "POST",
        "/v1/graphql",
        ["query": .string("mutation { \(change) }")],
        Self.admin
      )
      try scenario.edit("UPDATE Note SET title = title || '!'")
      let second = try await scenario.migrate().exits(6)
      #expect(second.count("updated") == 2)
      #expect(second.findings("plan.conflict-kept-remote").count == 1)
    }
  }

  @Test
  func `a row that is too long is named with the server's reason, and the others arrive`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try scenario.edit("UPDATE Note SET title = printf('%.*c', 300, 'x') WHERE id = 'n007'")
      let answer = try await scenario.migrate().exits(3)
      #expect(answer.count("created") == 29)
      #expect(answer.count("rejected") == 1)
      #expect(answer.standardOutput.contains("value too long for type character varying(200)"))
      #expect(try scenario.number(Self.count) == 29)
    }
  }

  @Test func `a server that is busy for a while delays a run, and every record arrives`()
    async throws
  {
    try await withStandIn(Self.backend(), notes: 20) { scenario in
      try scenario.ask("POST", "/__set", ["busy": 2])
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created") == 30)
    }
  }

  @Test func `a wrong secret and a role that may not write are named, and nothing is sent`()
    async throws
  {
    try await withStandIn(Self.backend(secret: "wrong"), notes: 1) { scenario in
      let answer = try await scenario.migrate().exits(7)
      #expect(answer.standardError.contains("access-denied"))
    }
    try await withStandIn(Self.backend(with: "\n    role: reader"), notes: 1) { scenario in
      let answer = try await scenario.migrate()
      #expect(answer.status != 0)
      #expect(answer.standardOutput.contains("no mutations exist"))
      #expect(try scenario.number(Self.count) == 0)
    }
  }

  @Test func `a draft by introspection is sent as it is`() async throws {
    try await withStandIn(Self.described, notes: 20) { scenario in
      let draft = try String(at: scenario.profile)
      #expect(!draft.contains("# unchecked:"))
      #expect(draft.contains("      # at the server: title\n"))
      #expect(draft.contains("\"folder\": { reference: \"folder_ref\" }"))
      #expect(draft.contains("      compare: { \"made\": instant }\n"))
      try await scenario.ferry(["preflight"]).exits(0)
      #expect(try scenario.number(Self.count) == 0)
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 30)
      #expect(first.value("verification")?["clean"] == true)
    }
  }

  @Test func `a column and a table that are missing are named before anything is sent`()
    async throws
  {
    try await withStandIn(Self.described, notes: 1) { scenario in
      try scenario.rewrite {
        $0.replacing("\"folder\": { reference", with: "heading: title, \"folder\": { reference")
      }
      let answer = try await scenario.ferry(["preflight"]).exits(7)
      #expect(answer.standardOutput.contains("“notes” has no field heading"))
      try scenario.rewrite { $0.replacing("collection: \"notes\"", with: "collection: nothing") }
      let other = try await scenario.ferry(["preflight"])
      #expect(other.status != 0)
      #expect(other.standardOutput.contains("shows no collection “nothing”"))
      #expect(try scenario.number(Self.count) == 0)
    }
  }

  @Test(arguments: ["user", "reader"])
  func `without introspection, or for a role that inserts nothing, nothing is checked`(
    role: String
  ) async throws {
    try await withStandIn(Self.backend(with: "\n    role: \(role)"), notes: 1) { scenario in
      try scenario.ask("POST", "/__set", ["introspection": role == "user" ? 0 : 1])
      let drafted = try await FerryProgram().run(
        [
          "init", scenario.store, "--preset", "hasura", "--to", scenario.origin, "--set",
          "user=ada", "--set", "role=\(role)", "--credential",
          "secret=command:echo admin-secret", "-o", "\(scenario.folder)/again",
        ],
        state: "\(scenario.folder)/state"
      )
      #expect(drafted.status == 0, "\(drafted.standardError)")
      #expect(drafted.standardError.contains("gave nothing to read"))
      let draft = try String(at: "\(scenario.folder)/again/profile.yaml")
      #expect(draft.contains("      # unchecked: title\n"))
      let answer = try await scenario.ferry(["preflight"])
      #expect(answer.standardOutput.contains("were not looked at"))
      #expect(try scenario.seen("introspections") == 2)
    }
  }

  /// The lines are those of the guide.
  @Test func `a token opens what its user may see`() async throws {
    let lines = """

        credentials: [token]
        headers:
          X-Hasura-Admin-Secret: null
          X-Hasura-User-Id: null
          Authorization: "Bearer {token}"
      """
    let backend = Self.backend(secret: try Self.token(of: "ada"), api: lines)
    try await withStandIn(backend, notes: 3) { scenario in
      try await scenario.migrate().exits(0)
      #expect(try scenario.number("\(Self.count) WHERE owner = 'ada'") == 13)
    }
  }

  /// A token that the stand-in takes, whose role is “user”.
  private static func token(of user: String) throws -> String {
    let script = """
      import base64, hashlib, hmac, json, sys
      part = lambda bytes: base64.urlsafe_b64encode(bytes).decode().rstrip("=")
      ours = {"x-hasura-default-role": "user", "x-hasura-allowed-roles": ["user"], "x-hasura-user-id": sys.argv[1]}
      text = part(b'{"alg":"HS256","typ":"JWT"}') + "." + part(json.dumps({"https://hasura.io/jwt/claims": ours}).encode())
      key = b"a key of thirty-two bytes or more"
      print(text + "." + part(hmac.new(key, text.encode(), hashlib.sha256).digest()), end="")
      """
    return try Python.run(["-c", script, user])
  }
}
