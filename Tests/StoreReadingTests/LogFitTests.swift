import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Databases whose write-ahead log is missing, is another's, or has another name.
struct `Logs that do not fit` {
  private let folder: SampleFolder
  private let place: String

  init() throws {
    folder = try SampleFolder()
    place = folder.path + "/given"
    try Folder.make(place)
  }

  /// The bytes of a database and of its log while its writer has it open.
  private struct Pair {
    let main: [UInt8]
    let log: [UInt8]
  }

  /// Runs `before`, takes all of it into the file, runs `after`, and takes the two files.
  private func pair(_ name: String, before: String, after: String) throws -> Pair {
    let path = folder.path + "/" + name
    let writer = try SampleDatabase(path)
    try writer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; \(before)")
    if !before.isEmpty { try writer.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    try writer.run(after)
    return Pair(
      main: try InputFile.contents(of: path),
      log: try InputFile.contents(of: path + "-wal")
    )
  }

  private func songs(_ count: Int) -> String {
    """
    CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT); CREATE INDEX titles ON song (title);
    INSERT INTO song WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      SELECT i, 'title ' || hex(zeroblob(60)) || i FROM n;
    """
  }

  private func put(_ name: String, _ bytes: [UInt8]) throws {
    try folder.write("given/" + name, bytes)
  }

  private func open(_ options: Source.Options = Source.Options()) throws(StoreError) -> any Store {
    try Source(place + "/app.sqlite", options: options, into: folder.path + "/private").store
  }

  private func unfitReason(_ error: StoreError?) throws -> String {
    guard case .unfitLog(_, let reason)? = error else {
      throw SampleFailure(message: "\(String(describing: error))")
    }
    #expect(error?.cure.contains("move it out of the folder") == true)
    return reason
  }

  private static let otherTables = """
    CREATE TABLE film (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO film VALUES (1, 'Up');
    """

  @Test func `a log that turns a sound database into another one does not fit`() throws {
    let own = try pair("own", before: songs(100), after: "INSERT INTO song VALUES (900, 'last')")
    let other = try pair("other", before: "", after: Self.otherTables)
    try put("app.sqlite", own.main)
    try put("app.sqlite-wal", other.log)
    let error = #expect(throws: StoreError.self) { try open() }
    _ = try unfitReason(error)
    // Both cures work: the right log, or none.
    try put("app.sqlite-wal", own.log)
    #expect(try open().rowCount(of: "song") == 101)
    try Folder.remove(place + "/app.sqlite-wal")
    #expect(try open().rowCount(of: "song") == 100)
  }

  @Test func `a log that damages a sound database does not fit`() throws {
    let own = try pair("own", before: songs(200), after: "INSERT INTO song VALUES (900, 'last')")
    let other = try pair(
      "other",
      before: songs(300) + Self.otherTables,
      after: "UPDATE song SET title = 'new ' || id WHERE id % 3 = 0"
    )
    try put("app.sqlite", own.main)
    try put("app.sqlite-wal", other.log)
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(try unfitReason(error).contains("sound without the log"))
    try Folder.remove(place + "/app.sqlite-wal")
    #expect(try open().rowCount(of: "song") == 200)
  }

  @Test func `a log of another database is refused where both are read as damaged, too`() throws {
    let own = try pair("own", before: songs(100), after: "INSERT INTO song VALUES (900, 'last')")
    let other = try pair(
      "other",
      before: songs(300).replacing("song", with: "album").replacing("titles", with: "names"),
      after: Self.otherTables + "UPDATE album SET title = 'new ' || id WHERE id % 30 = 0"
    )
    // Neither the database alone nor both together are sound.
    try put("app.sqlite", Array(own.main.dropLast(4096)) + [UInt8](repeating: 0xA5, count: 4096))
    try put("app.sqlite-wal", other.log)
    let error = #expect(throws: StoreError.self) { try open(Source.Options(readsDamaged: true)) }
    #expect(try unfitReason(error).contains("none of its tables"))
    try Folder.remove(place + "/app.sqlite-wal")
    #expect(try open(Source.Options(readsDamaged: true)).rowCount(of: "song") > 0)
  }

  @Test func `a log beside a database that uses no log is refused`() throws {
    let other = try pair("other", before: "", after: Self.otherTables)
    let path = place + "/app.sqlite"
    try SampleDatabase(path).run(songs(3))
    try put("app.sqlite-wal", other.log)
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(try unfitReason(error).contains("not in WAL mode"))
    try Folder.remove(place + "/app.sqlite-wal")
    #expect(try open().rowCount(of: "song") == 3)
  }

  @Test func `the log of another Core Data store is known by the store's identity`() throws {
    let (one, two) = (folder.path + "/one.sqlite", folder.path + "/two.sqlite")
    _ = try SampleStore.build(in: folder, name: "one.sqlite", also: "PRAGMA journal_mode = WAL")
    let writer = try SampleDatabase(two)
    try writer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE h (x)")
    _ = try SampleStore.build(
      in: folder,
      name: "two.sqlite",
      also: "UPDATE Z_METADATA SET Z_UUID = 'another'"
    )
    try put("app.sqlite", try InputFile.contents(of: one))
    try put("app.sqlite-wal", try InputFile.contents(of: two + "-wal"))
    let error = #expect(throws: StoreError.self) { try open() }
    let reason = try unfitReason(error)
    #expect(reason.contains(SampleStore.uuid) && reason.contains("another"))
    try Folder.remove(place + "/app.sqlite-wal")
    #expect(try open().identity.uuid == SampleStore.uuid)
  }

  @Test(arguments: [true, false])
  func `a database without its log says that the log is missing, and not that it is damaged`(
    isCut: Bool
  ) throws {
    let made = try pair("made", before: "", after: songs(200))
    let path = folder.path + "/whole"
    try SampleDatabase(path).run("PRAGMA journal_mode = WAL; \(songs(200))")
    // A checkpoint that was cut short has written the first pages, and counts all others.
    let all = try InputFile.contents(of: path)
    let first = Array(all[..<(all.count / 8192 * 4096)])
    try put("app.sqlite", isCut ? first : made.main)
    let error = #expect(throws: StoreError.self) { try open() }
    guard case .missingLog(_, _, isCut) = error else {
      throw SampleFailure(message: "\(String(describing: error))")
    }
    #expect(error?.cure.contains("app.sqlite-wal") == true)
    #expect(error?.cure.contains("--read-damaged") == isCut)
    if isCut {
      _ = try open(Source.Options(readsDamaged: true))
      return
    }
    try put("app.sqlite-wal", made.log)
    #expect(try open().rowCount(of: "song") == 200)
  }

  @Test func `a log under the database's old name is named, and read under the new name`()
    throws
  {
    let own = try pair("own", before: songs(50), after: "INSERT INTO song VALUES (900, 'last')")
    try put("app.sqlite", own.main)
    try put("old.sqlite-wal", own.log)
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(error == .renamedLog(path: place + "/app.sqlite", log: "old.sqlite-wal"))
    #expect(error?.cure.contains("the name app.sqlite-wal") == true)
    try put("app.sqlite-wal", own.log)
    try Folder.remove(place + "/old.sqlite-wal")
    #expect(try open().rowCount(of: "song") == 51)
    // The other cure.
    try Folder.remove(place + "/app.sqlite-wal")
    #expect(try open().rowCount(of: "song") == 50)
  }

  @Test func `a lone log of another database does not affect a store beside it`() throws {
    let own = try pair("own", before: songs(50), after: "INSERT INTO song VALUES (900, 'last')")
    let other = try pair("other", before: "", after: Self.otherTables)
    let patch = try pair(
      "patch",
      before: Self.otherTables,
      after: "INSERT INTO film VALUES (2, 'Ran')"
    )
    try put("app.sqlite", own.main)
    try put("other.sqlite-wal", other.log)
    try put("patch.sqlite-wal", patch.log)
    try put("empty.sqlite-wal", [])
    #expect(try open().rowCount(of: "song") == 50)
  }

  @Test func `a lone log whose changes the database already has does not affect it`() throws {
    let path = folder.path + "/own"
    let writer = try SampleDatabase(path)
    try writer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; \(songs(20))")
    try writer.run("PRAGMA wal_checkpoint(FULL)")
    try put("app.sqlite", try InputFile.contents(of: path))
    try put("old.sqlite-wal", try InputFile.contents(of: path + "-wal"))
    #expect(try open().rowCount(of: "song") == 20)
  }
}
