import Foundation
import JSONText
import TestSupport
import Testing

/// The preset `supabase`, by the profile that `ferry init --preset supabase --to URL` drafts, unchanged, against
/// a simulated server that is written from the documentation.
@Suite(.timeLimit(.minutes(5)))
struct SupabaseTests {
  @Test func `a drafted profile is sent as it is, changed, verified, and rolled back to nothing`()
    async throws
  {
    try await withSupabase { scenario in
      try await scenario.ferry("preflight", "--credential", "service=env:SERVICE").exits(0)
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 250)
      #expect(first.value("verification")?["clean"] == true)
      // The first folder, the others, the first note, the others.
      #expect(try scenario.requests("POST") == 4)
      #expect(
        try scenario.rows("SELECT COUNT(DISTINCT title), COUNT(DISTINCT folder_id) FROM notes")
          == "245 5"
      )
      try Python.edit(
        scenario.store,
        "UPDATE Note SET title = title || '!' WHERE id < 'n003'",
        "DELETE FROM Note WHERE id IN ('n100', 'n101')",
        "INSERT INTO Note VALUES('n900', 'new', 1, '2026-01-02T03:04:00Z', NULL, 'f1')"
      )
      let second = try await scenario.migrate("--delete").exits(0)
      #expect(second.count("created") == 1)
      #expect(second.count("updated") == 3)
      #expect(second.count("deleted") == 2)
      // The new note, and the three changes.
      #expect(try scenario.requests("POST") == 6)
      #expect(try scenario.requests("DELETE") == 1)
      #expect(try scenario.rows("SELECT COUNT(*) FROM notes WHERE title LIKE '%!'") == "3")
      #expect(try scenario.count() == 249)
      try await scenario.ferry("verify", try second.run()).exits(0)
      // What a run deleted is not restored.
      let back = try await scenario.ferry("rollback", try second.run()).exits(6)
      #expect(back.findings("rollback.deleted").count == 2)
      try await scenario.ferry("rollback", try first.run()).exits(0)
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `120 changes are one request, and 120 deletions are two`() async throws {
    try await withSupabase { scenario in
      try await scenario.migrate().exits(0)
      try Python.edit(scenario.store, "UPDATE Note SET title = title || '!' WHERE id < 'n120'")
      #expect(try await scenario.migrate().exits(0).count("updated") == 120)
      #expect(try scenario.requests("PATCH") == 0)
      #expect(try scenario.requests("POST") == 5)
      #expect(try scenario.rows("SELECT COUNT(*) FROM notes WHERE title LIKE '%!'") == "120")
      #expect(try scenario.rows("SELECT COUNT(*) FROM notes WHERE colour = 'red'") == "163")
      try Python.edit(scenario.store, "DELETE FROM Note WHERE id < 'n120'")
      #expect(try await scenario.migrate("--delete").exits(0).count("deleted") == 120)
      #expect(try scenario.requests("DELETE") == 2)
      #expect(try scenario.count() == 130)
    }
  }

  @Test func `a run that is killed five times, with lost answers, stores each record once`()
    async throws
  {
    try await withSupabase(losing: 3) { scenario in
      for number in 1...5 {
        _ = try await FerryProgram().run(
          ["migrate", scenario.store] + scenario.flags,
          environment: scenario.environment,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .milliseconds(40 * number), line: "upload …")
        )
      }
      let last = try await scenario.migrate("--retries", "20").exits(0)
      #expect(try scenario.count() == 250)
      #expect(try scenario.rows("SELECT COUNT(DISTINCT title) FROM notes") == "245")
      for run in try last.runs() where try scenario.count() > 0 {
        try await scenario.ferry("rollback", run, "--retries", "20").exits(0)
      }
      #expect(try scenario.count() == 0)
    }
  }

  @Test func `a server that gives at most a hundred rows of a list is read whole`() async throws {
    try await withSupabase(settings: #"{"maxRows": 100}"#) { scenario in
      try await scenario.migrate().exits(0)
      let again = try await scenario.migrate(state: "elsewhere").exits(0)
      #expect(again.count("unchanged") == 250, "\(again)")
    }
  }

  @Test func `a run that outlives its token signs in again, and each record arrives`()
    async throws
  {
    try await withSupabase(settings: #"{"tokenSeconds": 3}"#) { scenario in
      let answer = try await scenario.migrate("--rate", "5", "--batch-size", "10").exits(0)
      #expect(answer.count("created") == 250)
      #expect(try scenario.count() == 250)
    }
  }

  @Test func `a wrong password is named before anything is sent`() async throws {
    try await withSupabase { scenario in
      var scenario = scenario
      scenario.environment["PASSWORD"] = "wrong"
      let preflight = try await scenario.ferry("preflight").exits(7)
      #expect(
        preflight.standardOutput.contains("400 invalid_credentials: Invalid login credentials")
      )
      let migrate = try await scenario.migrate().exits(7)
      #expect(migrate.standardError.contains("given with --credential"))
      #expect(try scenario.requests("POST") == 0)
    }
  }

  @Test func `a column that a table lacks is named before anything is sent`() async throws {
    try await withSupabase(isDraftedByServer: false) { scenario in
      let preflight = try await scenario.ferry(
        "preflight",
        "--credential",
        "service=env:SERVICE"
      ).exits(7)
      #expect(preflight.standardOutput.contains("“notes” has no field folder, folder_ref"))
      #expect(preflight.standardOutput.contains("list what is not to be sent under “unmapped”"))
      let migrate = try await scenario.migrate("--credential", "service=env:SERVICE").exits(7)
      #expect(migrate.standardError.contains("“notes” has no field folder, folder_ref"))
      let package = "\(scenario.folder)/notes.ferry"
      try await FerryProgram().answer(
        ["export", scenario.store, "-o", package] + scenario.flags.prefix(2),
        environment: scenario.environment,
        state: "\(scenario.folder)/state"
      ).exits(0)
      let upload = try await scenario.ferry(
        "upload",
        package,
        "--credential",
        "service=env:SERVICE"
      ).exits(7)
      #expect(upload.standardError.contains("“notes” has no field folder, folder_ref"))
      let unseen = try await scenario.migrate("-n")
      #expect(unseen.standardError.contains("takes the credential “service”"), "\(unseen)")
      #expect(try scenario.requests("POST") == 0)
    }
  }

  @Test
  func `a row that the policies refuse ends the run, which names the table and stored nothing`()
    async throws
  {
    try await withSupabase { scenario in
      let other = "22222222-2222-4222-8222-222222222222"
      try scenario.editProfile(
        "      collection: \"folders\"\n",
        "      collection: \"folders\"\n      body: { user_id: { constant: \(other) } }\n"
      )
      let answer = try await scenario.migrate().exits(7)
      #expect(
        answer.standardError.contains(
          "403 42501: new row violates row-level security policy for table \"folders\""
        )
      )
      #expect(answer.standardError.contains("run the same command again"))
      #expect(try scenario.count() == 0)
    }
  }

  // Only a key that is a UUID is the identity itself: of another key, an identity is made for each user.
  @Test func `a record that another user has is a conflict, and stays as it is`() async throws {
    try await withSupabase { scenario in
      func uuid(_ column: String) -> String {
        "\(column) = printf('5E0A7C3D-0000-4000-8000-%012d', substr(\(column), 2))"
      }
      try Python.edit(
        scenario.store,
        "UPDATE Folder SET \(uuid("id"))",
        "UPDATE Note SET \(uuid("id")), \(uuid("folder"))"
      )
      try await scenario.migrate().exits(0)
      var other = scenario
      other.environment["EMAIL"] = "other@example.com"
      other.environment["PASSWORD"] = "password2"
      let answer = try await other.migrate("--retries", "1", state: "other")
      #expect(answer.count("conflicted", of: "Folder") == 5, "\(answer)")
      #expect(answer.count("created") == 0)
      #expect(try scenario.count() == 250)
      #expect(try scenario.rows("SELECT COUNT(DISTINCT user_id) FROM folders") == "1")
    }
  }

  @Test func `a refresh token is used once and kept for the next run`() async throws {
    try await withSupabase { scenario in
      try scenario.editProfile(
        "  preset: supabase\n",
        """
          preset: supabase
          credentials: [anon, refresh]
          sign-in:
            request: POST /auth/v1/token?grant_type=refresh_token
            body: { refresh_token: "{refresh}", email: null, password: null }
            rotates: { credential: refresh, member: refresh_token }

        """
      )
      let file = "\(scenario.folder)/refresh"
      let first = try scenario.refreshToken()
      try secret(first, file)
      var scenario = scenario
      scenario.environment["FERRY_CREDENTIAL"] = "anon=env:ANON,refresh=file:\(file)"
      try await scenario.migrate().exits(0)
      let second = try String(at: file)
      #expect(second != first && !second.isEmpty)
      #expect(try await scenario.migrate().exits(0).count("unchanged") == 250)
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect(mode as? Int == 0o600)
    }
  }

  @Test func `only what changed since the last run is read, where the profile names the column`()
    async throws
  {
    try await withSupabase(hasRevisions: true) { scenario in
      try scenario.editProfile(
        "  preset: supabase\n",
        """
          preset: supabase
          defaults:
            version: updated_at
            list: { since: { name: updated_at, value: "gte.{since}" } }

        """
      )
      try await scenario.migrate().exits(0)
      try Python.edit(scenario.store, "UPDATE Note SET title = 'ours' WHERE id = 'n001'")
      #expect(try await scenario.migrate().exits(0).count("updated") == 1)
      #expect(try scenario.rows("SELECT COUNT(*) FROM notes WHERE title = 'ours'") == "1")
    }
  }
}

/// A store of 5 folders and 245 notes, and the simulated server.
private struct SupabaseScenario {
  let folder: String
  let store: String
  let origin: String
  let flags: [String]
  var environment: [String: String]

  func ferry(_ arguments: String..., state: String = "state") async throws -> Answer {
    try await FerryProgram().answer(
      arguments + flags,
      environment: environment,
      state: "\(folder)/\(state)"
    )
  }

  func migrate(_ more: String..., state: String = "state") async throws -> Answer {
    try await FerryProgram().answer(
      ["migrate", store] + more + flags,
      environment: environment,
      state: "\(folder)/\(state)"
    )
  }

  /// How many requests of a method came to the tables.
  func requests(_ method: String) throws -> Int {
    Int(try RealServer.get("\(origin)/__requests")[method]?.integer ?? 0)
  }

  /// What a statement gives in the server's own database: the values of its one row.
  func rows(_ statement: String) throws -> String {
    try Python.run(["-c", Self.asking, "\(folder)/supabase.sqlite", statement])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// How many rows the server has, of all users.
  func count() throws -> Int {
    let counts = try rows("SELECT (SELECT COUNT(*) FROM folders) + (SELECT COUNT(*) FROM notes)")
    return try #require(Int(counts))
  }

  func editProfile(_ text: String, _ other: String) throws {
    let place = "\(folder)/draft/profile.yaml"
    let profile = try String(at: place)
    #expect(profile.contains(text))
    try profile.replacing(text, with: other).save(to: place)
  }

  /// A refresh token of the user, as an app has one.
  func refreshToken() throws -> String {
    let answer = try RealServer.get(
      "\(origin)/auth/v1/token?grant_type=password",
      [
        "--header", "apikey: anon-key",
        "--data", #"{"email":"dev@example.com","password":"password1"}"#,
      ]
    )
    return try #require(answer["refresh_token"]?.text)
  }

  private static let asking = """
    import sqlite3, sys
    print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())
    """
}

/// Lends the simulated server, a store, and the profile that is drafted for both.
///
/// With `losing`, each answer of that number to a write is lost. Tables have a column `updated_at` where
/// `hasRevisions` says so. The draft is made without the server's tables where `isDraftedByServer` is `false`.
private func withSupabase(
  losing number: Int? = nil,
  settings: String = "{}",
  hasRevisions: Bool = false,
  isDraftedByServer: Bool = true,
  _ body: (SupabaseScenario) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let store = "\(folder)/notes.sqlite"
    try Python.run(["-c", makingNotes, store])
    let revision = hasRevisions ? #", "updated_at": {"type": "timestamptz"}"# : ""
    let server = try RealServer.supabase(
      tables: """
        {"settings": \(settings),
         "folders": {"name": {"type": "text", "required": true}\(revision)},
         "notes": {
           "title": {"type": "text", "required": true}, "stars": {"type": "bigint", "required": true},
           "created_at": {"type": "timestamptz", "required": true}, "colour": {"type": "text"},
           "folder_id": {"type": "uuid", "required": true, "references": "folders"}\(revision)}}
        """,
      in: folder
    )
    let proxy = try number.map { try RealServer.losing($0, before: server.origin, in: folder) }
    let environment = [
      "ANON": "anon-key", "SERVICE": "service-key", "EMAIL": "dev@example.com",
      "PASSWORD": "password1",
      "FERRY_CREDENTIAL": "anon=env:ANON,email=env:EMAIL,password=env:PASSWORD",
    ]
    let service = isDraftedByServer ? ["--credential", "service=env:SERVICE"] : []
    try await FerryProgram().run(
      ["init", store, "--preset", "supabase", "--to", server.origin, "-o", "\(folder)/draft"]
        + service,
      environment: environment,
      state: "\(folder)/state"
    ).exits(0)
    try await body(
      SupabaseScenario(
        folder: folder,
        store: store,
        origin: server.origin,
        flags: [
          "--profile", "\(folder)/draft/profile.yaml", "--to", proxy?.origin ?? server.origin,
        ],
        environment: environment
      )
    )
    withExtendedLifetime(proxy) {}
  }
}

private let makingNotes = """
  import sqlite3, sys
  db = sqlite3.connect(sys.argv[1])
  db.executescript('''
    CREATE TABLE Folder(id TEXT PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE Note(id TEXT PRIMARY KEY, title TEXT NOT NULL, stars INTEGER NOT NULL,
      createdAt TEXT NOT NULL, colour TEXT, folder TEXT NOT NULL REFERENCES Folder(id));
  ''')
  db.executemany("INSERT INTO Folder VALUES(?, ?)", [(f"f{n}", f"folder {n}") for n in range(5)])
  rows = [
    (f"n{n:03}", f"note {n}", n % 7, f"2026-01-02T03:04:{n % 60:02}Z", "red" if n % 3 else None, f"f{n % 5}")
    for n in range(245)]
  db.executemany("INSERT INTO Note VALUES(?, ?, ?, ?, ?, ?)", rows)
  db.commit()
  """
