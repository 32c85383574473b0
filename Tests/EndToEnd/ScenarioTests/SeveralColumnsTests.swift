import JSONText
import TestSupport
import Testing

/// A table of a real PostgreSQL whose rows two columns identify, as those of a join table.
@Suite(
  .enabled(if: Servers.postgres != nil, "skipped: FERRY_POSTGRES names no folder of programs"),
  .timeLimit(.minutes(5))
)
struct SeveralColumnsTests {
  /// Lends books, tags, and 60 rows that join them; each change of these is counted by the database.
  private func withLibrary(
    losing number: Int? = nil,
    _ body: (RealServerScenario, PostgreSQL) async throws -> Void
  ) async throws {
    let programs = try #require(Servers.postgres)
    try await withTemporaryFolder { folder in
      let server = try PostgreSQL(programs: programs, in: folder)
      try server.sql(
        """
        CREATE TABLE books (id uuid PRIMARY KEY, local_id text NOT NULL, title text);
        CREATE TABLE tags (id uuid PRIMARY KEY, local_id text NOT NULL, name text);
        CREATE TABLE book_tags (book_id uuid REFERENCES books, tag_id uuid REFERENCES tags, place int,
          PRIMARY KEY (book_id, tag_id));
        CREATE TABLE audit (book uuid, tag uuid, what text);
        CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO audit VALUES (
          coalesce(NEW.book_id, OLD.book_id), coalesce(NEW.tag_id, OLD.tag_id), TG_OP); RETURN NULL; END';
        CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON book_tags
          FOR EACH ROW EXECUTE FUNCTION audit()
        """
      )
      try """
      ferry-profile: 1
      app: library
      entities:
        tag: { identity: { attribute: id } }
        book: { identity: { attribute: id } }
        book_tag: { identity: object-uri }
      accept-unmapped: [book_tag.book_id, book_tag.tag_id]
      api:
        kind: postgresql
        client-id: uuid
        entities:
          tag: { table: tags, body: { local_id: id, name: name } }
          book: { table: books, body: { local_id: id, title: title } }
          book_tag:
            table: book_tags
            id: [book_id, tag_id]
            unmapped: [book_id, tag_id]
            body: { book_id: { reference: book }, tag_id: { reference: tag }, place: place }
      """.save(to: "\(folder)/profile.yaml")
      let store = "\(folder)/library.sqlite"
      try Python.edit(
        store,
        "CREATE TABLE tag (id TEXT PRIMARY KEY NOT NULL, name TEXT)",
        "CREATE TABLE book (id TEXT PRIMARY KEY NOT NULL, title TEXT)",
        "CREATE TABLE book_tag (book_id TEXT NOT NULL REFERENCES book, "
          + "tag_id TEXT NOT NULL REFERENCES tag, place INTEGER, PRIMARY KEY (book_id, tag_id))",
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) "
          + "INSERT INTO book SELECT 'b' || i, 'book ' || i FROM n",
        "INSERT INTO tag VALUES ('t1', 'red'), ('t2', 'blue'), ('t3', 'green')",
        "INSERT INTO book_tag SELECT b.id, t.id, 0 FROM book b, tag t"
      )
      try secret("postgres", "\(folder)/user")
      try secret("unused", "\(folder)/password")
      let lossy = try number.map { try server.losing($0, in: folder) }
      let scenario = RealServerScenario(
        folder: folder,
        store: store,
        flags: [
          "--profile", "\(folder)/profile.yaml", "--to", lossy?.place ?? server.place,
          "--credential", "user=file:\(folder)/user",
          "--credential", "password=file:\(folder)/password", "--batch-size", "15",
        ],
        count: { Int(try server.sql("SELECT count(*) FROM book_tags")) ?? -1 }
      )
      try await body(scenario, server)
      if let lossy { #expect(try lossy.proxy.lostCount() > 0) }
      withExtendedLifetime(server) {}
    }
  }

  /// The most changes of a kind that one row had.
  private func mostChanges(_ server: PostgreSQL, _ kind: String) throws -> String {
    try server.sql(
      "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM audit WHERE what = '\(kind)' "
        + "GROUP BY book, tag) AS counts"
    )
  }

  private func change(_ store: String) throws {
    try Python.edit(
      store,
      "UPDATE book_tag SET place = 7 WHERE tag_id = 't1'",
      "DELETE FROM book_tag WHERE tag_id = 't3' AND book_id IN ('b1', 'b2')"
    )
  }

  @Test func `rows of a join table are created, repeated, changed, removed and rolled back`()
    async throws
  {
    try await withLibrary { scenario, server in
      let first = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(first.count("created") == 83)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try scenario.count() == 60)
      let again = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(again.count("unchanged") == 83, "\(again)")
      let elsewhere = try await scenario.ferry(["migrate", scenario.store], state: "elsewhere")
      #expect(elsewhere.count("unchanged") == 83, "\(elsewhere)")
      try change(scenario.store)
      let second = try await scenario.ferry(["migrate", scenario.store, "--delete"]).exits(0)
      #expect(second.count("updated") == 20, "\(second)")
      #expect(second.count("deleted") == 2, "\(second)")
      #expect(try server.sql("SELECT count(*) FROM book_tags WHERE place = 7") == "20")
      #expect(try scenario.count() == 58)
      // What a run deleted is not restored.
      try await scenario.ferry(["rollback", try second.run()]).exits(6)
      #expect(try server.sql("SELECT count(*) FROM book_tags WHERE place = 7") == "0")
      try await scenario.ferry(["rollback", try first.run()]).exits(0)
      #expect(try scenario.count() == 0)
    }
  }

  @Test(arguments: [nil, 3])
  func `killed, and with lost answers, each row is made and removed once`(
    losing number: Int?
  ) async throws {
    try await withLibrary(losing: number) { scenario, server in
      let verb = ["migrate", scenario.store]
      for wait in [0.02, 0.05, 0.1, 0.2] {
        _ = try await FerryProgram().run(
          verb + scenario.flags,
          state: "\(scenario.folder)/state",
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
        try server.endConnections()
      }
      let made = try await scenario.ferry(verb + ["--retries", "20"]).exits(0)
      #expect(try scenario.count() == 60)
      #expect(try mostChanges(server, "INSERT") == "1")
      for run in try made.runs() {
        try await scenario.ferry(["rollback", run, "--retries", "20"]).exits(0)
      }
      #expect(try scenario.count() == 0)
      #expect(try mostChanges(server, "DELETE") == "1")
    }
  }

  @Test func `an exported script makes the rows that a run makes, once`() async throws {
    try await withLibrary { scenario, server in
      let digest =
        "SELECT md5(string_agg(t::text, '' ORDER BY book_id, tag_id)) FROM book_tags AS t"
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      let rows = try server.sql(digest)
      try server.sql("TRUNCATE books, tags, book_tags")
      let script = "\(scenario.folder)/rows.sql"
      let run = try await FerryProgram().run(
        [
          "export", scenario.store, "--profile", "\(scenario.folder)/profile.yaml", "--as", "sql",
          "-o", script,
        ],
        state: "\(scenario.folder)/state"
      )
      #expect(run.status == 0, "\(run.standardOutput)\(run.standardError)")
      for _ in 0..<2 {
        try server.run(script: script)
        #expect(try server.sql(digest) == rows)
      }
    }
  }
}
