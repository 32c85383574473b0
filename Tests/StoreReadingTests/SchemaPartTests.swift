import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Schemas that call functions of JSON, and schemas of which the SQLite here cannot parse a part.
struct `Parts of a schema` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private func open(
    _ sql: String,
    _ options: Source.Options = Source.Options()
  ) throws -> any Store {
    let path = folder.path + "/plain.sqlite"
    try SampleDatabase(path).run(sql)
    return try Source(path, options: options, into: folder.path + "/private").store
  }

  @Test(
    arguments: [
      (
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT);
        CREATE INDEX i ON t (json_extract(body, '$.country'));
        """, ["store.index-unchecked"]
      ),
      (
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT);
        CREATE INDEX i ON t (id) WHERE json_extract(body, '$.country') = 'fr';
        """, ["store.index-unchecked"]
      ),
      ("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT CHECK (json_valid(body)));", []),
      (
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT,
          kind TEXT GENERATED ALWAYS AS (json_extract(body, '$.country')) STORED);
        """, []
      ),
      (
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT,
          kind TEXT GENERATED ALWAYS AS (json_extract(body, '$.country')) VIRTUAL);
        """, ["store.unchecked"]
      ),
    ]
  )
  func `a schema that calls a function of JSON is read like any other`(
    schema: String,
    codes: [String]
  ) throws {
    let store = try open(
      schema + #"INSERT INTO t (id, body) VALUES (1, '{"country":"fr"}'), (2, '{}');"#
    )
    let fields = [FieldRequest.attribute(path: ["id"]), .attribute(path: ["body"])]
    #expect(
      try Rows.text(of: "t", fields, in: store) == [#"1, {"country":"fr"}"#, "2, {}"]
    )
    #expect(store.findings.map(\.code) == codes)
    #expect(store.findings.allSatisfy { $0.severity != .error })
  }

  @Test func `a stored column that a function of JSON made is read from the file`() throws {
    let store = try open(
      """
      CREATE TABLE t (body TEXT, kind TEXT AS (json_extract(body, '$.kind')) STORED);
      INSERT INTO t VALUES ('{"kind":"a"}');
      """
    )
    #expect(try Rows.text(of: "t", [.attribute(path: ["kind"])], in: store) == ["a"])
  }

  /// Two tables, and a declaration that no SQLite parses, as one of a newer SQLite is to an older.
  private static func newer(_ type: String, _ declaration: String, rootpage: String = "0") -> String
  {
    """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO author VALUES (1, 'Ada'), (2, 'Bea');
    CREATE TABLE book (title TEXT); INSERT INTO book VALUES ('A');
    CREATE INDEX titles ON book (title);
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema VALUES ('\(type)', 'later', 'author', \(rootpage), '\(declaration)');
    """
  }

  @Test(arguments: [
    ("trigger", "CREATE TRIGGER later AFTER UPDATE ON author BEGIN SELECT NEWLY FROM TO; END"),
    ("view", "CREATE VIEW later AS SELECT * FROM author SORTED WELL BY name"),
  ])
  func `a trigger or a view that SQLite cannot parse is passed over, and named`(
    type: String,
    declaration: String
  ) throws {
    let store = try open(Self.newer(type, declaration))
    #expect(try Rows.text(of: "author", in: store) == ["1, Ada", "2, Bea"])
    #expect(try Rows.text(of: "book", in: store) == ["A"])
    let finding = try #require(store.findings.first { $0.code == "store.schema-unparsed" })
    #expect(finding.severity == .note)
    #expect(finding.cause.contains("\(type) later (near"))
    #expect(store.findings.count == 1)
  }

  private static let laterTable = """
    CREATE TABLE keeper (x); INSERT INTO keeper VALUES (1);
    CREATE TABLE later (x); INSERT INTO later VALUES (2);
    CREATE VIEW v AS SELECT x FROM keeper;
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = 'CREATE TABLE later (x CHECK (a b c))' WHERE name = 'later';
    """

  @Test func `a table that SQLite cannot parse is reported as unparsable, not as damaged`() throws {
    let error = #expect(throws: StoreError.self) { try open(Self.laterTable) }
    guard case .unparsedTables(_, let tables, _) = error else {
      throw SampleFailure(message: "\(String(describing: error))")
    }
    #expect(tables.count == 1)
    #expect(tables.first?.hasPrefix("later: near") == true)
    #expect(error?.description.contains("damaged") == false)
    #expect(error?.cure.contains("--read-damaged") == true)
  }

  @Test func `the other tables are read beside an unparsable one if the user asks for it`()
    throws
  {
    let store = try open(Self.laterTable, Source.Options(readsDamaged: true))
    #expect(store.model.entities.map(\.name) == ["keeper"])
    #expect(try Rows.text(of: "keeper", in: store) == ["1"])
    let finding = try #require(store.findings.first { $0.code == "store.table-unparsed" })
    #expect(finding.severity == .error)
    #expect(finding.cause.contains("the table later is not read"))
  }

  @Test(arguments: [
    "UPDATE sqlite_schema SET rootpage = 4000 WHERE name = 'book'",
    "UPDATE sqlite_schema SET sql = 'DROP TABLE author' WHERE name = 'book'",
    "INSERT INTO sqlite_schema SELECT type, 'copy', tbl_name, rootpage, sql FROM sqlite_schema "
      + "WHERE name = 'book'",
  ])
  func `a wrong table schema is damage, not unknown syntax`(statement: String) throws {
    let error = #expect(throws: StoreError.self) {
      try open(
        """
        CREATE TABLE author (name TEXT); CREATE TABLE book (title TEXT);
        PRAGMA writable_schema = ON; \(statement);
        """
      )
    }
    guard case .damaged = error else {
      throw SampleFailure(message: "\(String(describing: error))")
    }
  }
}
