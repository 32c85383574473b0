import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Stores that name files which are not theirs, or have expressions in their schema that do not end.
@Suite(.timeLimit(.minutes(2))) struct `Stores that are traps` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  private static let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// The bytes that SQLite puts at the end of the journal of a transaction over several databases.
  private func company(_ name: String, change: UInt32 = 0) -> [UInt8] {
    func bytes(_ number: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
    let sum = name.utf8.reduce(UInt32(0)) { $0 + UInt32($1) }
    return Array(name.utf8) + bytes(UInt32(name.utf8.count)) + bytes(sum + change) + Self.mark
  }

  /// A store whose last transaction was cut off, with these bytes behind its journal.
  private func interrupted(_ end: [UInt8]) throws -> String {
    let (path, target) = (folder.path + "/plain.sqlite", folder.path + "/store.sqlite")
    let writer = try SampleDatabase(path)
    try writer.run("CREATE TABLE note (id INTEGER PRIMARY KEY, body)")
    try writer.run("INSERT INTO note VALUES (1, 'kept')")
    try writer.run(
      """
      PRAGMA cache_size = 2; BEGIN; UPDATE note SET body = 'lost';
      INSERT INTO note WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        SELECT i, hex(randomblob(40)) FROM n;
      """
    )
    try folder.write("store.sqlite", try InputFile.contents(of: path))
    let journal = try InputFile.contents(of: path + "-journal")
    try #require(!journal.isEmpty && journal[0] != 0)
    try folder.write("store.sqlite-journal", journal + end)
    return target
  }

  private func open(_ path: String) throws(StoreError) -> any Store {
    try Source(path, into: folder.path + "/private").store
  }

  @Test func `a journal that names another file leaves it unchanged, and is refused by name`()
    throws
  {
    let victim = folder.path + "/victim"
    try folder.write("victim", [1, 2, 3])
    let path = try interrupted(company(victim))
    let error = #expect(throws: StoreError.self) { try open(path) }
    #expect(error == .sharedTransaction(path: path, decider: victim))
    #expect(try InputFile.contents(of: victim) == [1, 2, 3])
    // The cure: the app opens it, and so SQLite follows the name.
    #expect(error?.cure.hasPrefix("open the store once with its app") == true)
    #expect(try SampleDatabase(path).number("SELECT count(*) FROM note") == 1)
    #expect(try open(path).rowCount(of: "note") == 1)
  }

  @Test func `a journal name with a wrong checksum is ignored, as by SQLite`() throws {
    let victim = folder.path + "/victim"
    try folder.write("victim", [1, 2, 3])
    let path = try interrupted(company(victim, change: 1))
    #expect(throws: StoreError.self) { try open(path) }
    #expect(try InputFile.contents(of: victim) == [1, 2, 3])
  }

  @Test func `a journal without a master name is rolled back`() throws {
    let store = try open(try interrupted([]))
    #expect(try store.rowCount(of: "note") == 1)
  }

  /// A table of twenty rows whose declaration, or that of its index, is put into the schema.
  private func store(_ index: String?, declared sql: String, as name: String) throws -> String {
    let path = folder.path + "/store.sqlite"
    let maker = try SampleDatabase(path)
    try maker.run(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
      INSERT INTO note WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        SELECT i, 'x' FROM n;
      """
    )
    if let index { try maker.run(index) }
    try maker.run("PRAGMA writable_schema = ON")
    try maker.run("UPDATE sqlite_schema SET sql = '\(sql)' WHERE name = '\(name)'")
    return path
  }

  private static let endless = "hex(zeroblob(400000000 + id))"

  @Test(arguments: [
    ("CREATE INDEX i ON note (body)", "CREATE INDEX i ON note (\(endless))", "i"),
    (
      "CREATE INDEX i ON note (body) WHERE body > 0",
      "CREATE INDEX i ON note (body) WHERE length(\(endless)) > 0", "i"
    ),
    ("CREATE INDEX i ON note (body)", "CREATE INDEX i ON note (body LIKE body)", "i"),
  ])
  func `an index that calls a function that is not run is not compared, and its rows are read`(
    index: String,
    declared: String,
    name: String
  ) throws {
    let store = try open(try store(index, declared: declared, as: name))
    let finding = try #require(store.findings.first { $0.code == "store.index-unchecked" })
    #expect(finding.cause.contains("the indexes of note were not compared"))
    #expect(try store.rowCount(of: "note") == 20)
  }

  @Test(arguments: [
    "id INTEGER PRIMARY KEY, body TEXT CHECK (length(\(endless)) > 0)",
    "id INTEGER PRIMARY KEY, body TEXT, more TEXT NOT NULL AS (\(endless)) VIRTUAL",
    "id INTEGER PRIMARY KEY, body TEXT CHECK (length(body) > 0), more TEXT AS (lower(body))",
  ])
  func `a computed column is not in a table's draft`(columns: String) throws {
    let path = try store(nil, declared: "CREATE TABLE note (\(columns))", as: "note")
    let store = try open(path)
    #expect(try store.rowCount(of: "note") == 20)
    let isNotRun = columns.contains("NOT NULL AS")
    #expect(store.findings.contains { $0.code == "store.unchecked" } == isNotRun)
  }

  @Test func `a table whose index is sound is checked beside one that cannot be`() throws {
    let path = try store(
      "CREATE INDEX i ON note (body)",
      declared: "CREATE INDEX i ON note (\(Self.endless))",
      as: "i"
    )
    let maker = try SampleDatabase(path)
    try maker.run(
      """
      CREATE TABLE tag (name TEXT); CREATE INDEX tag_i ON tag (name);
      INSERT INTO tag VALUES ('a'), ('b'); CREATE INDEX tag_j ON tag (name DESC);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX tag_i ON tag (name) WHERE name > ''a'''
        WHERE name = 'tag_i';
      """
    )
    let error = #expect(throws: StoreError.self) { try open(path) }
    guard case .damaged(_, _, let details) = error else {
      throw SampleFailure(message: "no damage")
    }
    #expect(details.contains("tag_i"))
  }
}
