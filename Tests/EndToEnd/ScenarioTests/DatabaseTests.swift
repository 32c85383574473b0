import Foundation
import JSONText
import TestSupport
import Testing

/// Lends a PostgreSQL server of its own with the tables of the sample, and the sample store.
///
/// With `losing`, a proxy keeps back every answer of that number to a commit that may change something.
private func withDatabase(
  losing number: Int? = nil,
  _ body: (RealServerScenario, PostgreSQL) async throws -> Void
) async throws {
  let programs = try #require(Servers.postgres)
  try await withTemporaryFolder { folder in
    let server = try PostgreSQL(programs: programs, in: folder)
    let sample = "\(Samples.folder)/postgresql"
    try server.sql(try String(contentsOfFile: "\(sample)/tables.sql", encoding: .utf8))
    try secret("postgres", "\(folder)/user")
    try secret("unused", "\(folder)/password")
    let lossy = try number.map { try server.losing($0, in: folder) }
    let store = try Samples.infiniteStories.copied(into: folder)
    let scenario = RealServerScenario(
      folder: folder,
      store: store.store,
      flags: [
        "--profile", "\(sample)/profile.yaml", "--to", lossy?.place ?? server.place,
        "--credential", "user=file:\(folder)/user",
        "--credential", "password=file:\(folder)/password",
      ],
      count: {
        let sum =
          "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM heroes) "
          + "+ (SELECT count(*) FROM stories)"
        return Int(try server.sql(sum)) ?? -1
      }
    )
    try await body(scenario, server)
    if let lossy { #expect(try lossy.proxy.lostCount() > 0) }
    withExtendedLifetime(server) {}
  }
}

/// Tables of a real PostgreSQL.
@Suite(
  .enabled(if: Servers.postgres != nil, "skipped: FERRY_POSTGRES names no folder of programs"),
  .timeLimit(.minutes(5))
)
struct DatabaseTests {
  @Test func `a store goes into tables, again, changed, and back`() async throws {
    try await withDatabase { scenario, _ in try await scenario.goTheWholeWay() }
  }

  /// Counts each change in the database itself: what was done twice would count twice.
  @Test func `killed on both sides, each row is made, changed and removed once`() async throws {
    try await withDatabase { scenario, server in
      try server.countChanges(of: "stories")
      let batches = ["--batch-size", "20"]
      func disturbed(_ verb: [String]) async throws -> Answer {
        let words = verb + scenario.flags + batches
        let state = "\(scenario.folder)/state"
        for wait in [0.02, 0.05, 0.1] {
          _ = try await FerryProgram().run(
            words,
            state: state,
            stop: .kill(after: .seconds(wait), line: "upload …")
          )
          async let run = FerryProgram().run(words, state: state)
          try await Task.sleep(for: .seconds(wait * 10))
          try server.endConnections()
          _ = try await run
        }
        return try await scenario.ferry(verb + batches)
      }

      let made = try await disturbed(["migrate", scenario.store])
      #expect(made.status == 0, "\(made.standardOutput)\(made.standardError)")
      #expect(try scenario.count() == 190)
      #expect(try server.mostChanges("INSERT") == "1")

      try Python.edit(scenario.store, "UPDATE ZSTORY SET ZTITLE = 'new ' || Z_PK")
      let changed = try await disturbed(["migrate", scenario.store])
      #expect(changed.status == 0, "\(changed.standardOutput)\(changed.standardError)")
      #expect(try server.sql("SELECT count(*) FROM stories WHERE title LIKE 'new %'") == "150")
      #expect(try server.mostChanges("UPDATE") == "1")

      // The runs that were cut off are a part of those that went on with them.
      for run in try changed.runs() { _ = try await scenario.ferry(["rollback", run]) }
      #expect(try scenario.count() == 0)
      #expect(try server.mostChanges("DELETE") == "1")
    }
  }

  @Test func `rows whose answers were lost are made, changed and removed once`() async throws {
    try await withDatabase(losing: 3) { scenario, server in
      try server.countChanges(of: "stories")
      let batches = ["--batch-size", "20"]
      let made = try await scenario.ferry(["migrate", scenario.store] + batches)
      #expect(made.status == 0, "\(made.standardOutput)\(made.standardError)")
      #expect(try scenario.count() == 190)
      #expect(try server.mostChanges("INSERT") == "1")

      try Python.edit(scenario.store, "UPDATE ZSTORY SET ZTITLE = 'new ' || Z_PK")
      let changed = try await scenario.ferry(["migrate", scenario.store] + batches)
      #expect(changed.status == 0, "\(changed.standardOutput)\(changed.standardError)")
      #expect(try server.sql("SELECT count(*) FROM stories WHERE title LIKE 'new %'") == "150")
      #expect(try server.mostChanges("UPDATE") == "1")

      for run in [try changed.run(), try made.run()] {
        let back = try await scenario.ferry(["rollback", run])
        #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try scenario.count() == 0)
      #expect(try server.mostChanges("DELETE") == "1")
    }
  }

  @Test func `a column that is missing is named before anything is sent`() async throws {
    try await withDatabase { scenario, server in
      try server.sql("ALTER TABLE heroes DROP COLUMN primary_trait")
      let refused = try await scenario.ferry(["migrate", scenario.store])
      #expect(refused.status == 7, "\(refused.standardError)")
      #expect(refused.standardError.contains("heroes.primary_trait"))
      #expect(try scenario.count() == 0)
      #expect(try server.sql("SELECT count(*) FROM pg_class WHERE relname LIKE 'ferry%'") == "0")
    }
  }

  @Test func `an exported script makes the rows that a run makes, once`() async throws {
    try await withDatabase { scenario, server in
      let made = try await scenario.ferry(["migrate", scenario.store])
      #expect(made.status == 0, "\(made.standardError)")
      let rows = try server.digests()
      try server.sql("TRUNCATE events, heroes, stories")
      let script = "\(scenario.folder)/rows.sql"
      try await export(scenario, as: "sql", to: script)
      for _ in 0..<2 {
        try server.run(script: script)
        #expect(try server.digests() == rows)
      }
    }
  }

  @Test func `an exported CSV file is copied into its table`() async throws {
    try await withDatabase { scenario, server in
      let folder = "\(scenario.folder)/rows"
      try await export(scenario, as: "csv", to: folder)
      let heroes = try String(contentsOfFile: "\(folder)/heroes.csv", encoding: .utf8)
      let columns = heroes.prefix { $0 != "\n" }
      #expect(columns == "id,created_at,is_active,name,primary_trait")
      try server.sql("\\copy heroes (\(columns)) FROM '\(folder)/heroes.csv' (FORMAT csv, HEADER)")
      #expect(try server.sql("SELECT count(*) FROM heroes") == "24")
    }
  }

  private func export(
    _ scenario: RealServerScenario,
    as form: String,
    to output: String
  ) async throws {
    let profile = "\(Samples.folder)/postgresql/profile.yaml"
    let run = try await FerryProgram().run(
      ["export", scenario.store, "--profile", profile, "--as", form, "-o", output],
      state: "\(scenario.folder)/state"
    )
    #expect(run.status == 0, "\(run.standardOutput)\(run.standardError)")
  }

  @Test func `a row that another device changed is kept`() async throws {
    try await withDatabase { scenario, server in
      let first = try await scenario.ferry(["migrate", scenario.store])
      #expect(first.status == 0, "\(first.standardError)")
      try server.sql("UPDATE heroes SET name = 'theirs'")
      let back = try await scenario.ferry(["rollback", try first.run()])
      #expect(back.status == 6, "\(back.standardError)")
      #expect(try server.sql("SELECT count(*) FROM heroes WHERE name = 'theirs'") == "24")
      #expect(try server.sql("SELECT count(*) FROM events") == "0")
    }
  }
}

extension PostgreSQL {
  /// A digest of the rows of each table of the sample.
  fileprivate func digests() throws -> [String] {
    try ["events", "heroes", "stories"].map { table in
      try sql("SELECT md5(string_agg(t::text, '' ORDER BY id)) FROM \(table) AS t")
    }
  }

  /// Counts each change of a table's rows in a table of the server's own.
  fileprivate func countChanges(of table: String) throws {
    try sql(
      """
      CREATE TABLE audit (id uuid, what text);
      CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO audit VALUES (coalesce(NEW.id, OLD.id), TG_OP); RETURN NULL; END';
      CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON \(table)
        FOR EACH ROW EXECUTE FUNCTION audit()
      """
    )
  }

  /// The most changes of this kind that one row had: `INSERT`, `UPDATE` or `DELETE`.
  fileprivate func mostChanges(_ kind: String) throws -> String {
    try sql(
      "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM audit WHERE what = '\(kind)' "
        + "GROUP BY id) AS counts"
    )
  }
}
