import Files
import Profiles
import Records
import StoreFiles
import StoreReading
import StoreSamples
import StoreWriting
import TestSupport
import Testing

/// A write-back that is applied to a copy of a plain database.
struct WriteBackApplicationTests {
  private static let yaml = """
    ferry-profile: 1
    app: sample
    entities:
      book: { identity: { attribute: id } }
      note: { identity: { attribute: id }, fields: { id: id, book: { reference: book } } }
    """

  private static let tables = """
    CREATE TABLE book (id TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, plays INTEGER, book_id TEXT REFERENCES book(id));
    INSERT INTO book VALUES ('b1', 'one'), ('b2', 'two');
    INSERT INTO note VALUES ('n1', 'mine', 1, 'b1'), ('n2', 'kept', 2, 'b1');
    """

  private func run(_ sql: String, on path: String) throws { try SampleDatabase(path).run(sql) }

  /// Whether a query of a database gives a row.
  private func holds(_ condition: String, in path: String) throws -> Bool {
    try !SampleDatabase(path).rows("SELECT 1 FROM note WHERE \(condition)").isEmpty
  }

  /// Applies entries to a copy of the sample; gives the result and the copy's path.
  private func apply(
    _ entries: String,
    in folder: String
  ) throws -> (result: WriteBackApplication.Result, copy: String) {
    let source = "\(folder)/app.sqlite"
    try run(Self.tables, on: source)
    try Folder.make("\(folder)/look")
    let store = try Source(source, into: "\(folder)/look").store.identity.uuid
    let text = """
      {"format":"1.0","run":"r","store":"\(store)","operations":[],"records":[\(entries)]}
      """
    try WholeFile.replace("\(folder)/file.json", with: Array(text.utf8))
    let profile = try Profile(yaml: Self.yaml, path: "sample.yaml")
    let application = try WriteBackApplication("\(folder)/file.json", profile: profile)
    let copy = "\(folder)/new.sqlite"
    return (try application.apply(to: source, at: copy), copy)
  }

  private func entry(_ key: String, _ status: String, _ attributes: String = "{}") -> String {
    #"{"entity":"note","localID":"\#(key)","status":"\#(status)","attributes":\#(attributes)}"#
  }

  @Test func `values and links of a replaced record are set, and other records stay`() async throws
  {
    try await withTemporaryFolder { folder in
      let (result, copy) = try apply(
        entry("n1", "replace", #"{"title":"theirs","plays":7,"book":"b2"}"#),
        in: folder
      )
      #expect(result.updatedCount == 1 && result.skipped.isEmpty)
      #expect(
        try holds("id = 'n1' AND title = 'theirs' AND plays = 7 AND book_id = 'b2'", in: copy)
      )
      #expect(try holds("id = 'n2' AND title = 'kept'", in: copy))
      #expect(try holds("id = 'n1' AND title = 'mine'", in: "\(folder)/app.sqlite"))
    }
  }

  @Test func `a restored record is made again, and a deleted one is removed`() async throws {
    try await withTemporaryFolder { folder in
      let (result, copy) = try apply(
        entry("n3", "restore", #"{"title":"back","plays":3}"#) + "," + entry("n1", "deleted"),
        in: folder
      )
      #expect(result.restoredCount == 1 && result.removedCount == 1)
      #expect(try holds("id = 'n3' AND title = 'back' AND plays = 3", in: copy))
      #expect(try !holds("id = 'n1'", in: copy))
    }
  }

  @Test(arguments: ["failed", "conflicted"])
  func `a record that is not settled stays as it is`(status: String) async throws {
    try await withTemporaryFolder { folder in
      let (result, copy) = try apply(
        entry("n1", status, #"{"title":"theirs"}"#),
        in: folder
      )
      #expect(result.keptCount == 1)
      #expect(try holds("id = 'n1' AND title = 'mine'", in: copy))
    }
  }

  @Test func `a value that its column cannot have is named and not written`() async throws {
    try await withTemporaryFolder { folder in
      let (result, copy) = try apply(
        entry("n1", "replace", #"{"plays":[1],"title":"theirs"}"#),
        in: folder
      )
      #expect(result.skipped.map(\.record.key) == ["n1"])
      #expect(try holds("id = 'n1' AND title = 'theirs' AND plays = 1", in: copy))
    }
  }

  // MARK: - Keys of several parts

  private static let pairs = """
    CREATE TABLE part (shelf TEXT, place INTEGER, label TEXT UNIQUE, PRIMARY KEY (shelf, place));
    INSERT INTO part VALUES ('a,b', 1, 'one'), ('a,b', 2, 'two'), ('7', 1, 'three');
    """

  private func applyToParts(
    _ entries: String,
    in folder: String
  ) throws -> (result: WriteBackApplication.Result, rows: [String]) {
    let source = "\(folder)/app.sqlite"
    try run(Self.pairs, on: source)
    try Folder.make("\(folder)/look")
    let store = try Source(source, into: "\(folder)/look").store.identity.uuid
    let text = """
      {"format":"1.0","run":"r","store":"\(store)","operations":[],"records":[\(entries)]}
      """
    try WholeFile.replace("\(folder)/file.json", with: Array(text.utf8))
    let profile = try Profile(
      yaml: "ferry-profile: 1\napp: sample\nentities: { part: {} }\n",
      path: "sample.yaml"
    )
    let copy = "\(folder)/new.sqlite"
    let result = try WriteBackApplication("\(folder)/file.json", profile: profile)
      .apply(to: source, at: copy)
    return (result, try SampleDatabase(copy).rows("SELECT * FROM part ORDER BY shelf, place"))
  }

  private func part(_ key: String, _ status: String, _ attributes: String = "{}") -> String {
    #"{"entity":"part","localID":"\#(key)","status":"\#(status)","attributes":\#(attributes)}"#
  }

  @Test func `a row whose key has several parts is changed, removed and made again`() async throws {
    try await withTemporaryFolder { folder in
      let (result, rows) = try applyToParts(
        [
          part("sqlite:part/a%2Cb,1", "replace", #"{"label":"theirs"}"#),
          part("sqlite:part/a%2Cb,2", "deleted"),
          part("sqlite:part/%277%27,1", "replace", #"{"label":"seven"}"#),
          part("sqlite:part/c,4", "restore", #"{"label":"four"}"#),
        ].joined(separator: ","),
        in: folder
      )
      #expect(result.skipped.isEmpty)
      #expect(rows == ["7|1|seven", "a,b|1|theirs", "c|4|four"])
    }
  }

  @Test func `a value that the database refuses is named, and other records are written`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let (result, rows) = try applyToParts(
        [
          part("sqlite:part/a%2Cb,1", "replace", #"{"label":"two"}"#),
          part("sqlite:part/%277%27,1", "replace", #"{"label":"seven"}"#),
        ].joined(separator: ","),
        in: folder
      )
      #expect(result.skipped.map(\.record.key) == ["sqlite:part/a%2Cb,1"])
      #expect(result.skipped.first?.reason.contains("UNIQUE") == true)
      #expect(rows == ["7|1|seven", "a,b|1|one", "a,b|2|two"])
    }
  }
}
