import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// What is rescued of damaged databases whose tables are of an unusual make.
struct `Rescue of unusual tables` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  /// Opens the file with damage allowed; it is damaged by an index that lies.
  private func rescued(_ sql: String) throws -> any Store {
    let path = folder.path + "/odd.sqlite"
    try SampleDatabase(path).run(
      sql + """
        ;CREATE TABLE liar (a, b); CREATE INDEX liar_i ON liar (a); INSERT INTO liar VALUES (1, 2);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX liar_i ON liar (b)' WHERE name = 'liar_i';
        """
    )
    #expect(throws: StoreError.self) { try Source(path, into: folder.path + "/private") }
    return try Source(
      path,
      options: .init(readsDamaged: true),
      into: folder.path + "/rescued"
    ).store
  }

  private func rows(_ entity: EntityName, _ names: [String], _ store: any Store) throws -> [String]
  {
    try Rows.text(of: entity, names.map { .attribute(path: [$0]) }, in: store)
  }

  @Test func `rows that break their table's constraint are rescued`() throws {
    let store = try rescued(
      """
      CREATE TABLE song (id INTEGER PRIMARY KEY, title VARCHAR(80), [weird] [odd-type!]);
      INSERT INTO song VALUES (3, 'c', NULL), (9, 'i', 2);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE TABLE song (id INTEGER PRIMARY KEY, '
        || 'title VARCHAR(80), [weird] [odd-type!] NOT NULL)' WHERE name = 'song'
      """
    )
    #expect(try rows("song", ["id", "title", "weird"], store) == ["3, c, null", "9, i, 2"])
  }

  @Test func `a table without rowid is read up to its damage, and the gap is reported`() throws {
    let path = folder.path + "/pairs.sqlite"
    try SampleDatabase(path).run(
      """
      PRAGMA page_size = 512;
      CREATE TABLE pair (id TEXT PRIMARY KEY, note TEXT) WITHOUT ROWID;
      INSERT INTO pair WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
        SELECT printf('key%04d', i), hex(zeroblob(30)) FROM n;
      """
    )
    var bytes = try InputFile.contents(of: path)
    let wanted = Array("key0070".utf8)
    let place = try #require(
      (0..<(bytes.count - wanted.count)).first { Array(bytes[$0..<($0 + 7)]) == wanted }
    )
    for index in (place / 512 * 512)..<(place / 512 * 512 + 512) { bytes[index] = 0xA5 }
    try WholeFile.replace(path, with: bytes)
    let store = try Source(
      path,
      options: .init(readsDamaged: true),
      into: folder.path + "/rescued"
    ).store
    let keys = try rows("pair", ["id"], store)
    #expect(keys.count > 10 && keys.count < 90)
    #expect(keys.first == "key0001")
    let gap = try #require(store.findings.first { $0.code == "store.damaged-rows" })
    #expect(gap.cause.contains("rows of pair behind the last that was read"))
  }

  @Test func `a schema with an app-defined collation is read, and reported as unchecked`()
    throws
  {
    let path = folder.path + "/own.sqlite"
    try SampleDatabase(path).run(
      """
      CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);
      CREATE INDEX song_i ON song (title COLLATE NOCASE); INSERT INTO song VALUES (1, 'a');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX song_i ON song (title COLLATE app_order)'
        WHERE name = 'song_i';
      """
    )
    let store = try Source(path, into: folder.path + "/private").store
    #expect(try rows("song", ["title"], store) == ["a"])
    let finding = try #require(store.findings.first { $0.code == "store.unchecked" })
    #expect(finding.cause.contains("app_order"))
  }
}
