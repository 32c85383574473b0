import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Damaged databases: refused with what is readable, or read as far as they can be.
struct `Damaged stores` {
  private let folder: SampleFolder
  private let whole: [UInt8]

  init() throws {
    folder = try SampleFolder()
    let path = folder.path + "/whole.sqlite"
    let database = try SampleDatabase(path)
    try database.run(
      """
      PRAGMA page_size = 512; CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE tag (name TEXT); CREATE INDEX song_i ON song (title);
      INSERT INTO tag VALUES ('a'), ('b');
      INSERT INTO song WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        SELECT i, 'title ' || hex(zeroblob(40)) || i FROM n;
      """
    )
    whole = try InputFile.contents(of: path)
  }

  @Test func `a damaged page is refused, and the tables that are whole are named`() throws {
    let path = try damaged(page: try page(ofSong: "77", in: whole))
    do throws(StoreError) {
      _ = try Source(path, into: folder.path + "/private")
      Issue.record("a damaged store was opened")
    } catch {
      guard case .damaged = error else { throw error }
      #expect(error.description.contains("tag can be read in full"))
      #expect(error.description.contains("not in full: song ("))
    }
  }

  @Test func `reading continues after a damaged page`() throws {
    let path = try damaged(page: try page(ofSong: "77", in: whole))
    let store = try open(path)
    let count = try store.rowCount(of: "song")
    #expect(count > 180)
    #expect(count < 200)
    #expect(try store.rowCount(of: "tag") == 2)
    let gaps = store.findings.filter { $0.code == "store.damaged-rows" }
    #expect(gaps.count == 1)
    #expect(gaps.allSatisfy { $0.severity == .error })
    let keys = try self.keys(store)
    #expect(keys.contains(1))
    #expect(keys.contains(200))
    #expect(!keys.contains(77))
    let missing = Set(1...200).subtracting(keys)
    let (first, last) = (try #require(missing.min()), try #require(missing.max()))
    let cause = try #require(gaps.first?.cause)
    #expect(cause.contains("from \(first) to \(last) (at most \(missing.count))"))
  }

  @Test func `the remaining pages of a truncated store are read`() throws {
    let pages = whole.count / 512
    try folder.write("cut.sqlite", Array(whole[..<(pages / 2 * 512)]))
    let path = folder.path + "/cut.sqlite"
    #expect(throws: StoreError.self) { try Source(path, into: folder.path + "/private") }
    let store = try open(path)
    #expect(try store.rowCount(of: "song") > 0)
    #expect(try store.rowCount(of: "song") < 200)
    #expect(store.findings.contains { $0.code == "store.damaged" && $0.cause.contains("cut off") })
    #expect(try InputFile.contents(of: path).count == pages / 2 * 512)
  }

  @Test func `a wrong index hides no row`() throws {
    let path = folder.path + "/lies.sqlite"
    try folder.write("lies.sqlite", whole)
    try SampleDatabase(path).run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX song_i ON song (id)' WHERE name = 'song_i';
      """
    )
    #expect(throws: StoreError.self) { try Source(path, into: folder.path + "/private") }
    let store = try open(path)
    #expect(try store.rowCount(of: "song") == 200)
    #expect(store.findings.map(\.code) == ["store.damaged"])
  }

  @Test func `every damaged page is reported, and no row is invented`() throws {
    let titles = try rows(open(try damaged(page: -1)))
    #expect(titles.count > 100)
    var left = 0
    for page in 0..<(whole.count / 512) {
      let path = try damaged(page: page)
      do throws(StoreError) {
        let found = try rows(open(path))
        left += found.count
        #expect(found.isSubset(of: titles), "page \(page)")
      } catch {
        guard page == 0 else { throw error }
      }
    }
    #expect(left > 0)
  }

  @Test func `a log with another page size does not belong to the store`() throws {
    let path = folder.path + "/logged.sqlite"
    let writer = try SampleDatabase(path)
    try writer.run("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; CREATE TABLE a (x)")
    try folder.write("other.sqlite", whole)
    try folder.write("other.sqlite-wal", InputFile.contents(of: path + "-wal"))
    do throws(StoreError) {
      _ = try Source(folder.path + "/other.sqlite", into: folder.path + "/private")
      Issue.record("the log of another database was taken in")
    } catch {
      #expect(error.description.contains("belongs to another database"))
    }
  }

  /// The whole file with one page overwritten; none for a page before the first.
  private func damaged(page: Int) throws -> String {
    var bytes = whole
    if page >= 0 { for index in page * 512..<(page + 1) * 512 { bytes[index] = 0xA5 } }
    try folder.write("damaged.sqlite", bytes)
    return folder.path + "/damaged.sqlite"
  }

  /// The leaf page of the table that holds this song.
  private func page(ofSong number: String, in bytes: [UInt8]) throws -> Int {
    let wanted = Array(("0" + number).utf8)
    for page in 0..<(bytes.count / 512) {
      let part = Array(bytes[page * 512..<(page + 1) * 512])
      guard part[0] == 13 else { continue }
      for start in 0..<(512 - wanted.count) where Array(part[start..<start + 3]) == wanted {
        return page
      }
    }
    throw SampleFailure(message: "no page holds song \(number)")
  }

  private func open(_ path: String) throws(StoreError) -> any Store {
    let target = folder.path + "/rescue-\(UInt64.random(in: 0...(.max)))"
    return try Source(path, options: .init(readsDamaged: true), into: target).store
  }

  private func keys(_ store: any Store) throws -> Set<Int> {
    let reader = try store.rows(RowRequest(entity: "song", fields: []))
    var keys: Set<Int> = []
    while try reader.next() { keys.insert(Int(reader.row.place)) }
    return keys
  }

  private func rows(_ store: any Store) throws(StoreError) -> Set<String> {
    guard store.model.entity(named: "song") != nil else { return [] }
    let reader = try store.rows(
      RowRequest(entity: "song", fields: [.objectURI, .attribute(path: ["title"])])
    )
    var rows: Set<String> = []
    while try reader.next() {
      rows.insert(reader.row.cells.map { described($0) }.joined(separator: " "))
    }
    return rows
  }
}
