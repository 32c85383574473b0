import ProfileDrafting
import Records
import Testing

/// Tables of which rows lack the primary key, as SQLite allows.
struct KeylessRowTests {
  @Test func `rows without a key are named, and the draft does not say that it validates`() throws {
    let draft = try SQLiteDraft.make(
      of: """
        CREATE TABLE item (code TEXT PRIMARY KEY, name TEXT);
        INSERT INTO item VALUES (NULL, 'a'), (NULL, 'b'), ('x', 'c');
        """
    )
    #expect(draft.findings.map(\.code) == ["identity.missing-key"])
    #expect(draft.findings.first?.entity == "item")
    #expect(draft.yaml.contains("It exports, and does not validate as it is."))
  }

  @Test(arguments: [
    "CREATE TABLE item (code TEXT PRIMARY KEY, name TEXT); INSERT INTO item VALUES (NULL, 'a')",
    "CREATE TABLE item (name TEXT); INSERT INTO item VALUES (NULL), (NULL)",
    """
    CREATE TABLE item (a TEXT, b TEXT, PRIMARY KEY (a, b));
    INSERT INTO item VALUES (NULL, 'a'), (NULL, 'b')
    """,
  ])
  func `rows that have addresses of their own are not named`(statements: String) throws {
    let draft = try SQLiteDraft.make(of: statements)
    #expect(draft.findings.isEmpty)
    #expect(draft.yaml.contains("It exports and validates as it is."))
  }
}
