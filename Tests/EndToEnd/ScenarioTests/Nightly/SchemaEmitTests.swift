import Foundation
import JSONText
import TestSupport
import Testing

/// `ferry schema emit`, as a person meets it.
@Suite(.timeLimit(.minutes(3))) struct SchemaEmitTests {
  /// Each form, and how it calls the stories: tables have names in the plural.
  private static let forms = [
    ("postgresql", "\"stories\""), ("sqlite", "\"stories\""), ("pocketbase", "\"stories\""),
    ("cloudkit", "Story"), ("json-schema", "\"Story\""), ("openapi", "\"Story\""),
  ]

  @Test(arguments: forms)
  func `standard output and a file get the same description`(
    form: String,
    name: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let line = ["schema", "emit", "--for", form, sample.store]
      let file = "\(folder)/described.txt"
      let printed = try await ferry(line, folder).exits(0)
      try await ferry(line + ["-o", file], folder).exits(0)
      #expect(try String(at: file) == printed.standardOutput)
      #expect(printed.standardOutput.contains(name))
    }
  }

  @Test(arguments: ["pocketbase", "json-schema", "openapi"])
  func `a description in JSON is JSON`(form: String) async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let printed = try await ferry(["schema", "emit", "--for", form, sample.store], folder)
      #expect(try JSONValue(parsing: printed.standardOutput).object != nil)
    }
  }

  @Test func `SQLite takes the tables of a real store`() async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let file = "\(folder)/tables.sql"
      try await ferry(["schema", "emit", "--for", "sqlite", sample.store, "-o", file], folder)
        .exits(0)
      let script = """
        import sqlite3, sys
        database = sqlite3.connect(':memory:')
        database.executescript(open(sys.argv[1]).read())
        tables = database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'")
        print(tables.fetchone()[0])
        """
      #expect(try Python.run(["-c", script, file]) == "5\n")
    }
  }

  @Test func `an owner is refused where the form has no row level security`() async throws {
    try await withTemporaryFolder { folder in
      let line = ["schema", "emit", "--for", "sqlite", "--rls-owner", "owner", "a.store"]
      let refused = try await ferry(line, folder).exits(64)
      #expect(refused.standardError.contains("--for postgresql"))
    }
  }

  @Test func `a description never replaces its store`() async throws {
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let line = ["schema", "emit", "--for", "sqlite", sample.store, "-o", sample.store]
      let refused = try await ferry(line, folder).exits(64)
      #expect(refused.standardError.contains("is an input of this command"))
    }
  }
}

/// Tables made in a real PostgreSQL.
@Suite(
  .enabled(if: Servers.postgres != nil, "skipped: FERRY_POSTGRES names no folder of programs"),
  .timeLimit(.minutes(5))
)
struct SchemaEmitPostgreSQLTests {
  @Test(arguments: ["as-is", "snake_case"])
  func `the tables take every record by the preset, or by the profile that their comment has`(
    names: String
  ) async throws {
    try await withTables(["--names", names]) { folder, store, server, script in
      try server.run(script: script)
      let profile = "\(folder)/draft/profile.yaml"
      let line = ["init", store, "-o", "\(folder)/draft"]
      if names == "snake_case" {
        try await ferry(line + ["--preset", "postgresql"], folder).exits(0)
      } else {
        try await ferry(line, folder).exits(0)
        try (String(at: profile) + api(in: String(at: script))).save(to: profile)
      }
      try secret("postgres", "\(folder)/user")
      try secret("unused", "\(folder)/password")
      let flags = [
        "--profile", profile, "--to", server.place,
        "--credential", "user=file:\(folder)/user",
        "--credential", "password=file:\(folder)/password",
      ]
      try await ferry(["preflight"] + flags, folder).exits(0)
      let answer = try await FerryProgram().answer(
        ["migrate", store] + flags,
        state: "\(folder)/state"
      ).exits(0)
      // 16 events, 24 heroes, 14 profiles of heroes, 150 stories and 220 illustrations.
      #expect(answer.count("created") == 424)
      #expect(answer.value("verification")?["clean"] == true)
      #expect(try server.sql("SELECT count(*) FROM stories") == "150")
    }
  }

  @Test func `with an owner, a user sees no other user's rows and makes none for another`()
    async throws
  {
    try await withTables(["--names", "snake_case", "--rls-owner", "owner"]) {
      _,
      _,
      server,
      script in
      try server.sql(Self.supabase)
      try server.run(script: script)
      try server.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO authenticated")
      func asUser(_ user: Int, _ statement: String) throws -> String {
        try server.sql(
          "SET ROLE authenticated; SET test.uid = '\(Self.id(user))'; \(statement)"
        )
      }
      let columns =
        "id, created_at, display_order, image_prompt, is_generated, local_id, "
        + "retry_count, text_segment, timestamp"
      let values = "gen_random_uuid(), now(), 1, 'p', true, gen_random_uuid(), 0, 's', 1.5"
      let table = "story_illustrations"
      _ = try asUser(1, "INSERT INTO \(table) (\(columns)) VALUES (\(values))")
      #expect(try asUser(1, "SELECT count(*) FROM \(table)") == "1")
      #expect(try asUser(2, "SELECT count(*) FROM \(table)") == "0")
      let foreign = "INSERT INTO \(table) (owner, \(columns)) VALUES ('\(Self.id(1))', \(values))"
      #expect(throws: TestSupportError.self) { _ = try asUser(2, foreign) }
    }
  }

  private static func id(_ user: Int) -> String { "00000000-0000-0000-0000-00000000000\(user)" }

  /// What Supabase has of its own in each database, as far as the tables name it.
  private static let supabase = """
    CREATE SCHEMA auth;
    CREATE TABLE auth.users (id uuid PRIMARY KEY);
    INSERT INTO auth.users VALUES ('\(id(1))'), ('\(id(2))');
    CREATE FUNCTION auth.uid() RETURNS uuid LANGUAGE sql STABLE AS
      'SELECT nullif(current_setting(''test.uid'', true), '''')::uuid';
    CREATE ROLE authenticated;
    GRANT USAGE ON SCHEMA auth TO authenticated
    """

  /// Lends a server, a store, and the script of its tables.
  private func withTables(
    _ flags: [String],
    _ body: (String, String, PostgreSQL, String) async throws -> Void
  ) async throws {
    let programs = try #require(Servers.postgres)
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let server = try PostgreSQL(programs: programs, in: folder)
      let script = "\(folder)/tables.sql"
      try await ferry(
        ["schema", "emit", "--for", "postgresql", sample.store, "-o", script] + flags,
        folder
      ).exits(0)
      try await body(folder, sample.store, server, script)
      withExtendedLifetime(server) {}
    }
  }

  /// The section “api” of the comment at the beginning of a script.
  private func api(in script: String) -> String {
    script.split(separator: "\n").drop { $0 != "-- api:" }.prefix { $0.hasPrefix("-- ") }
      .map { $0.dropFirst(3) }.joined(separator: "\n") + "\n"
  }
}

/// Collections made in a real PocketBase.
@Suite(
  .enabled(
    if: Servers.pocketbase != nil,
    "skipped: FERRY_POCKETBASE does not name the program of PocketBase"
  ),
  .timeLimit(.minutes(5))
)
struct SchemaEmitPocketBaseTests {
  @Test func `the collections take every record by the profile that ferry init drafts`()
    async throws
  {
    let program = try #require(Servers.pocketbase)
    try await withTemporaryFolder { folder in
      let sample = try Samples.infiniteStories.copied(into: folder)
      let collections = "\(folder)/collections.json"
      try await ferry(
        ["schema", "emit", "--for", "pocketbase", sample.store, "-o", collections],
        folder
      ).exits(0)
      let server = try RealServer.pocketbase(program, in: folder, collections: collections)
      let environment = [
        "ADMIN": try server.pocketbaseToken(), "U": "dev@example.com", "P": "password1",
        "FERRY_CREDENTIAL": "user=env:U,password=env:P",
      ]
      func answer(_ line: [String]) async throws -> Answer {
        try await FerryProgram().answer(line, environment: environment, state: "\(folder)/state")
      }
      let admin = ["--credential", "admin=env:ADMIN"]
      let draft = ["--preset", "pocketbase", "--to", server.origin, "-o", "\(folder)/my"]
      try await answer(["init", sample.store] + draft + admin).exits(0)
      let profile = "\(folder)/my/profile.yaml"
      let text = try String(at: profile)
      #expect(text.contains("      owner: \"owner\"\n"))
      #expect(!text.contains("# not at the server"))
      #expect(!text.contains("# not filled"))
      #expect(!text.contains("# To do"))
      let users = ["--credential", "user=env:U", "--credential", "password=env:P"]
      let preflight = try await answer(["preflight", "--profile", profile] + users + admin)
        .exits(0)
      #expect(preflight.standardOutput.contains("“stories” has each field that is sent"))
      #expect(!preflight.standardOutput.contains("  loss"))
      let migrated = try await answer(["migrate", sample.store, "--profile", profile]).exits(0)
      #expect(migrated.count("created") == 424)
      #expect(migrated.value("verification")?["clean"] == true)
    }
  }
}

/// Runs the program in a folder of a test's own.
private func ferry(
  _ arguments: [String],
  _ folder: String
) async throws -> FerryProgram.Finished {
  try await FerryProgram().run(arguments, state: "\(folder)/state")
}
