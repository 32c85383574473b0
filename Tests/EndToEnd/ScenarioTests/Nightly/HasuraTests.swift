import JSONText
import TestSupport
import Testing

/// What the stand-in needs beside Python.
enum GraphQLCore {
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
  static func backend(
    secret: String = "admin-secret",
    with more: String = "",
    api: String = ""
  ) -> StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "hasura",
      script: "hasura_server.py",
      credentials: [api.isEmpty ? "secret" : "token": secret],
      initial: ["--set", "user=ada"],
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
  static var described: StandInScenario.Backend {
    StandInScenario.Backend(
      preset: "hasura",
      script: "hasura_server.py",
      credentials: ["secret": "admin-secret"],
      initial: [
        "--set", "user=ada", "--to", "{server}", "--credential", "secret=command:echo admin-secret",
      ]
    )
  }

  private static let admin = ["X-Hasura-Admin-Secret: admin-secret"]

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

  @Test func `a row that another device changed is kept, and named`() async throws {
    try await withStandIn(Self.backend(), notes: 3) { scenario in
      try await scenario.keepsTheirs {
        let id = try scenario.firstNote()
        let change =
          "update_notes_by_pk(pk_columns: {id: \"\(id)\"}, _set: {title: \"theirs\"}) { id }"
        try scenario.ask(
          "POST",
          "/v1/graphql",
          ["query": .string("mutation { \(change) }")],
          Self.admin
        )
      }
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
      #expect(try scenario.count() == 0)
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
      #expect(try scenario.count() == 0)
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 30)
      #expect(first.value("verification")?["clean"] == true)
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
      #expect(try scenario.number("SELECT count(*) FROM item WHERE owner = 'ada'") == 13)
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
