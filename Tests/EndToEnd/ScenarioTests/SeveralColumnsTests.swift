import JSONText
import TestSupport
import Testing

/// A table of a real PostgreSQL whose rows two references and a text identify, as those of a join table.
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
        CREATE TABLE book_tags (book_id uuid REFERENCES books, tag_id uuid REFERENCES tags, label text,
          place int, PRIMARY KEY (book_id, tag_id, label));
        CREATE TABLE audit (book uuid, tag uuid, label text, what text);
        CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO audit VALUES (
          coalesce(NEW.book_id, OLD.book_id), coalesce(NEW.tag_id, OLD.tag_id),
          coalesce(NEW.label, OLD.label), TG_OP); RETURN NULL; END';
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
            id: [book_id, tag_id, label]
            unmapped: [book_id, tag_id]
            body: { book_id: { reference: book }, tag_id: { reference: tag }, label: label, place: place }
      """.save(to: "\(folder)/profile.yaml")
      let store = "\(folder)/library.sqlite"
      try Python.edit(
        store,
        "CREATE TABLE tag (id TEXT PRIMARY KEY NOT NULL, name TEXT)",
        "CREATE TABLE book (id TEXT PRIMARY KEY NOT NULL, title TEXT)",
        "CREATE TABLE book_tag (book_id TEXT NOT NULL REFERENCES book, "
          + "tag_id TEXT NOT NULL REFERENCES tag, label TEXT NOT NULL, place INTEGER, "
          + "PRIMARY KEY (book_id, tag_id, label))",
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) "
          + "INSERT INTO book SELECT 'b' || i, 'book ' || i FROM n",
        "INSERT INTO tag VALUES ('t1', 'red'), ('t2', 'blue'), ('t3', 'green')",
        "INSERT INTO book_tag SELECT b.id, t.id, 'Work', 0 FROM book b, tag t"
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
        + "GROUP BY book, tag, label) AS counts"
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

  /// A trigger is the second writer: beside each row of ours it makes one with the label in capitals.
  ///
  /// It takes its time, so that a run can be killed meanwhile.
  @Test(arguments: [nil, 3])
  func `killed, and with lost answers, each row is made and removed once, beside a second writer's`(
    losing number: Int?
  ) async throws {
    try await withLibrary(losing: number) { scenario, server in
      try server.sql(
        """
        CREATE FUNCTION second() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF pg_trigger_depth() = 1 THEN PERFORM pg_sleep(0.004); INSERT INTO book_tags
            VALUES (NEW.book_id, NEW.tag_id, upper(NEW.label), 5) ON CONFLICT DO NOTHING; END IF;
            RETURN NULL; END';
        CREATE TRIGGER second AFTER INSERT ON book_tags FOR EACH ROW EXECUTE FUNCTION second()
        """
      )
      let verb = ["migrate", scenario.store]
      var kills = 0
      for wait in [0, 0.1, 0.2, 0.3] {
        kills += try await FerryProgram().kill(
          verb + scenario.flags,
          state: "\(scenario.folder)/state",
          after: [wait]
        )
        try server.endConnections()
      }
      #expect(kills > 0)
      // It names the rows that another writer made while it ran. What a plan found in the table counts as seen.
      let made = try await scenario.ferry(verb + ["--retries", "20"])
      made.exits(made.count("created", of: "book_tag") > 0 ? 6 : 0)
      let counts =
        "SELECT label, count(*) FROM book_tags GROUP BY label ORDER BY label COLLATE \"C\""
      #expect(try server.sql(counts) == "WORK|60\nWork|60")
      #expect(try mostChanges(server, "INSERT") == "1")
      // Its rows keep our books and tags.
      for run in try made.runs() {
        _ = try await scenario.ferry(["rollback", run, "--retries", "20"])
      }
      #expect(try server.sql(counts) == "WORK|60")
      #expect(try mostChanges(server, "DELETE") == "1")
    }
  }

  @Test func `a text of the key in other case is another row`() async throws {
    try await withLibrary { scenario, server in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      try Python.edit(
        scenario.store,
        "UPDATE book_tag SET label = 'work' WHERE book_id = 'b1' AND tag_id = 't1'"
      )
      let elsewhere = try await scenario.ferry(["migrate", scenario.store], state: "elsewhere")
      #expect(elsewhere.count("created") == 1, "\(elsewhere)")
      #expect(elsewhere.count("unchanged") == 82, "\(elsewhere)")
      #expect(try server.sql("SELECT count(*) FROM book_tags WHERE label = 'work'") == "1")
      #expect(try scenario.count() == 61)
    }
  }

  @Test func `a whole number that is slightly another at the destination differs`() async throws {
    try await withLibrary { scenario, server in
      try await scenario.ferry(["migrate", scenario.store]).exits(0)
      try server.sql("UPDATE book_tags SET place = 5 WHERE place = 0")
      let elsewhere = try await scenario.ferry(["migrate", scenario.store], state: "elsewhere")
      #expect(elsewhere.count("unchanged") == 23, "\(elsewhere)")
    }
  }

  // MARK: - Lost answers and another client

  /// Before each row of ours that has the tag red, another client's equal row is made.
  @Test func `another client's row of the same key stays another's after a lost answer`()
    async throws
  {
    try await withLibrary(losing: 2) { scenario, server in
      try server.sql(
        """
        CREATE FUNCTION intrude() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN IF pg_trigger_depth() = 1 AND NEW.tag_id = (SELECT id FROM tags WHERE name = ''red'') THEN
            INSERT INTO book_tags VALUES (NEW.book_id, NEW.tag_id, NEW.label, NEW.place); END IF;
            RETURN NEW; END';
        CREATE TRIGGER intrude BEFORE INSERT ON book_tags FOR EACH ROW EXECUTE FUNCTION intrude()
        """
      )
      let made = try await scenario.ferry(["migrate", scenario.store]).exits(0)
      #expect(try scenario.count() == 60)
      // Their rows keep the books, and the tag.
      try await scenario.ferry(["rollback", try made.run()]).exits(6)
      #expect(try server.sql("SELECT count(*), count(DISTINCT tag_id) FROM book_tags") == "20|1")
    }
  }

  @Test func `a row that is changed as soon as it is made is still ours after a lost answer`()
    async throws
  {
    try await withLibrary(losing: 2) { scenario, server in
      try server.sql(
        """
        CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN UPDATE book_tags SET place = 9 WHERE (book_id, tag_id, label) =
            (NEW.book_id, NEW.tag_id, NEW.label); RETURN NULL; END';
        CREATE TRIGGER change AFTER INSERT ON book_tags FOR EACH ROW EXECUTE FUNCTION change()
        """
      )
      let made = try await scenario.ferry(["migrate", scenario.store]).exits(6)
      #expect(made.count("created") == 83, "\(made)")
      #expect(made.count("conflicted") == 0, "\(made)")
      try await scenario.ferry(["rollback", try made.run()]).exits(0)
      #expect(try scenario.count() == 0)
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
