import Foundation
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Rows with a value that is too large to be held: they are informed of, and the rows behind them read.
struct `Values that are too large` {
  private let folder: SampleFolder

  init() throws { folder = try SampleFolder() }

  /// Each row's place, and whether it could not be read.
  private func rows(
    _ store: any Store,
    _ entity: EntityName,
    _ field: String,
    after: Int64? = nil
  ) throws -> [String] {
    let reader = try store.rows(
      RowRequest(entity: entity, fields: [.attribute(path: [field])], after: after)
    )
    var rows: [String] = []
    while try reader.next() {
      let row = reader.row
      rows.append("\(row.place) " + (row.isTooLarge ? "too large" : described(row.cells[0])))
    }
    return rows
  }

  private static let large = "zeroblob(\(Row.largestValue + 1))"

  private func store(_ sql: String, named name: String = "plain") throws -> any Store {
    let path = folder.path + "/\(name).sqlite"
    try SampleDatabase(path).run(sql)
    return try Source(path, into: folder.path + "/private-\(name)").store
  }

  @Test
  func `a too large value among rows of a plain database is rejected, and all others are exported`()
    throws
  {
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body);
      INSERT INTO note VALUES (-4, \(Self.large)), (2, 'a'), (5, \(Self.large)), (9, 'b');
      """
    )
    #expect(
      try rows(store, "note", "body") == ["-4 too large", "2 a", "5 too large", "9 b"]
    )
    #expect(try rows(store, "note", "body", after: 2) == ["5 too large", "9 b"])
    #expect(try rows(store, "note", "id") == ["-4 -4", "2 2", "5 5", "9 9"])
  }

  @Test func `a too large value among rows without rowid is rejected, and all others are exported`()
    throws
  {
    let store = try store(
      """
      CREATE TABLE pair (id TEXT PRIMARY KEY, body) WITHOUT ROWID;
      INSERT INTO pair VALUES ('a', 1), ('b', \(Self.large)), ('c', 3);
      """
    )
    #expect(try rows(store, "pair", "body") == ["1 1", "2 too large", "3 3"])
    #expect(try rows(store, "pair", "body", after: 1) == ["2 too large", "3 3"])
  }

  @Test
  func `a too large value among objects of Core Data is rejected, and all others are exported`()
    throws
  {
    let path = try SampleStore.build(
      in: folder,
      also: "UPDATE ZTAG SET ZLABEL = \(Self.large) WHERE Z_PK = 2"
    )
    let store = try SampleStore.open(path, in: folder)
    let places = try rows(store, "Tag", "label")
    #expect(places.map { $0.hasSuffix("too large") } == [false, true, false])
    #expect(try rows(store, "Tag", "label", after: 2) == [places[2]])
  }

  // MARK: - Values that are read in pieces

  /// Bytes that differ from place to place.
  private static let patterned = """
    CAST(replace(hex(zeroblob(\(1 << 20))), '00', '0123456789abcdef') AS BLOB)
    """

  /// The large value of the only row, and how it begins and ends.
  private func large(_ store: any Store, _ entity: EntityName, _ field: String) throws -> [String] {
    let reader = try store.rows(
      RowRequest(entity: entity, fields: [.attribute(path: [field])])
    )
    var found: [String] = []
    while try reader.next() {
      guard let value = reader.row.cells[0].large, let bytes = value.bytes() else { continue }
      found.append(
        "\(value.isText ? "text" : "bytes") \(bytes.count) "
          + String(decoding: bytes.prefix(4) + bytes.suffix(4), as: UTF8.self)
      )
    }
    return found
  }

  @Test func `bytes beyond one MiB of a plain database are read in pieces`() throws {
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body);
      INSERT INTO note VALUES (1, 'a'), (2, \(Self.patterned)), (3, 'b');
      """
    )
    #expect(try large(store, "note", "body") == ["bytes \(16 << 20) 0123cdef"])
    #expect(
      try rows(store, "note", "body") == ["1 a", "2 large, \(16 << 20) bytes", "3 b"]
    )
  }

  @Test func `a text beyond one MiB of a plain database is read in pieces`() throws {
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body);
      INSERT INTO note VALUES (1, CAST(\(Self.patterned) AS TEXT));
      """
    )
    #expect(try large(store, "note", "body") == ["text \(16 << 20) 0123cdef"])
  }

  @Test func `a large text of an UTF-16 database is held, and translated`() throws {
    let store = try store(
      """
      PRAGMA encoding = 'UTF-16le';
      CREATE TABLE note (id INTEGER PRIMARY KEY, body);
      INSERT INTO note VALUES (1, replace(hex(zeroblob(\(1 << 20))), '00', 'é!'));
      """
    )
    let read = try rows(store, "note", "body")
    #expect(read.map(\.utf8.count) == [2 + 3 << 20])
  }

  @Test func `many values of a row are read in pieces where they are many bytes together`() throws {
    let columns = (10..<60).map { "c\($0)" }
    let values = (10..<60).map { "replace(hex(zeroblob(130000)), '00', '\($0)')" }
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")));
      INSERT INTO note VALUES (1, \(values.joined(separator: ", ")));
      INSERT INTO note (id, c59) VALUES (2, 'b');
      """
    )
    let reader = try store.rows(
      RowRequest(entity: "note", fields: columns.map { .attribute(path: [$0]) })
    )
    #expect(try reader.next())
    let large = reader.row.cells.compactMap(\.large)
    // Of 9 texts that are held, the last one makes it 2 MiB.
    #expect(large.count == 50 - 9)
    // They are more than are read at once, so the first one is read again.
    for (number, value) in Array(large.enumerated()) + [(0, large[0])] {
      let whole = Array(String(repeating: "\(10 + 9 + number)", count: 130_000).utf8)
      #expect(value.isText && value.bytes() == whole)
    }
    #expect(try reader.next())
    #expect(described(reader.row.cells[49]) == "b")
  }

  /// A database with one row of so many texts of 1.1 MB, in small pages.
  private func row(ofTexts count: Int) throws -> any Store {
    let columns = (10..<10 + count).map { "c\($0)" }
    let values = (10..<10 + count).map { "replace(hex(zeroblob(550000)), '00', '\($0)')" }
    return try store(
      """
      PRAGMA page_size = 512;
      CREATE TABLE note (id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")));
      INSERT INTO note VALUES (1, \(values.joined(separator: ", ")));
      """,
      named: "texts-\(count)"
    )
  }

  @Test func `the texts of a row of many large ones are read in any order`() throws {
    let store = try row(ofTexts: 40)
    let fields = (10..<50).map { FieldRequest.attribute(path: ["c\($0)"]) }
    let reader = try store.rows(RowRequest(entity: "note", fields: fields))
    #expect(try reader.next())
    let large = reader.row.cells.compactMap(\.large)
    #expect(large.count == 40)
    let backwards: [Int] = (33..<40).reversed()
    for number in [0, 39, 3, 38, 38, 34] + backwards + backwards {
      let whole = Array(String(repeating: "\(10 + number)", count: 550_000).utf8)
      #expect(large[number].isText && large[number].bytes() == whole)
    }
  }

  @Test func `texts, bytes and larger ones of a row keep every byte`() throws {
    func filled(_ count: Int, with byte: UInt8) -> [UInt8] { Array(repeating: byte, count: count) }
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, a, b, c, d);
      INSERT INTO note VALUES (
        1,
        replace(hex(zeroblob(\(5 << 19))), '0', 'a'), replace(hex(zeroblob(\(5 << 19))), '0', 'b'),
        CAST(replace(hex(zeroblob(\(7 << 19))), '0', 'c') AS BLOB),
        replace(hex(zeroblob(\(9 << 19))), '0', 'd')
      );
      """
    )
    for names in ["abcd", "dcba"] {
      let reader = try store.rows(
        RowRequest(entity: "note", fields: names.map { .attribute(path: ["\($0)"]) })
      )
      #expect(try reader.next())
      for (name, cell) in zip(names.utf8, reader.row.cells) {
        let size = [5, 5, 7, 9][Int(name - UInt8(ascii: "a"))] << 20
        #expect(cell.large?.isText == (name != UInt8(ascii: "c")))
        #expect(cell.large?.bytes() == filled(size, with: name))
      }
    }
  }

  @Test func `large values of a table with a column rowid are those of their own row`() throws {
    func text(_ letter: String) -> String { "replace(hex(zeroblob(550000)), '0', '\(letter)')" }
    let texts = (0..<40).map { text("\($0 % 10)") }
    let columns = (10..<50).map { "c\($0)" }
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, rowid, body, \(columns.joined(separator: ", ")));
      INSERT INTO note (id, rowid, body, c10) VALUES (1, 2, \(text("a")), 'first');
      INSERT INTO note (id, rowid, body, c10) VALUES (2, 1, \(text("b")), 'second');
      INSERT INTO note VALUES (3, 1, \(texts.joined(separator: ", ")), NULL);
      """
    )
    let fields = (["body"] + columns).map { FieldRequest.attribute(path: [$0]) }
    let reader = try store.rows(RowRequest(entity: "note", fields: fields))
    for (first, other) in [("a", "first"), ("b", "second")] {
      #expect(try reader.next())
      #expect(reader.row.cells[0].large?.bytes(upTo: 1) == Array(first.utf8))
      #expect(described(reader.row.cells[1]) == other)
    }
    #expect(try reader.next())
    for (number, cell) in reader.row.cells.dropLast().enumerated() {
      #expect(cell.large?.bytes(upTo: 1) == Array("\(number % 10)".utf8))
    }
  }

  @Test(arguments: [false, true])
  func `the time to read a row of many large texts grows with its bytes, in any order`(
    isBackwards: Bool
  ) throws {
    func seconds(ofTexts count: Int) throws -> Double {
      let store = try row(ofTexts: count)
      let fields = (10..<10 + count).map { FieldRequest.attribute(path: ["c\($0)"]) }
      let reader = try store.rows(RowRequest(entity: "note", fields: fields))
      #expect(try reader.next())
      let start = threadSeconds()
      for number in 0..<count {
        let cell = reader.row.cells[isBackwards ? count - 1 - number : number]
        #expect(cell.large?.bytes() != nil)
      }
      return threadSeconds() - start
    }
    #expect(try seconds(ofTexts: 80) < 8 * seconds(ofTexts: 20))
  }

  @Test func `short texts behind a large value are read together, however many they are`() throws {
    func seconds(ofTexts count: Int) throws -> Double {
      let columns = (0..<count).map { "c\($0)" }
      let texts = (0..<count).map { "'text \($0)'" }
      let store = try store(
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body, \(columns.joined(separator: ", ")));
        INSERT INTO note VALUES (1, zeroblob(60000000), \(texts.joined(separator: ", ")));
        """,
        named: "short-\(count)"
      )
      let fields = (["body"] + columns).map { FieldRequest.attribute(path: [$0]) }
      let reader = try store.rows(RowRequest(entity: "note", fields: fields))
      let start = threadSeconds()
      #expect(try reader.next())
      #expect(reader.row.cells[0].large?.count == 60_000_000)
      let read = reader.row.cells.dropFirst().map(described)
      #expect(read == (0..<count).map { "text \($0)" })
      return threadSeconds() - start
    }
    #expect(try seconds(ofTexts: 200) < 4 * seconds(ofTexts: 10))
  }

  @Test(arguments: ["UTF-8", "UTF-16le"])
  func `short texts and bytes behind a large value are each their own`(encoding: String) throws {
    let store = try store(
      """
      PRAGMA encoding = '\(encoding)';
      CREATE TABLE note (id INTEGER PRIMARY KEY, body, a, b, c, d, e, f);
      INSERT INTO note VALUES (1, zeroblob(3000000), 'é', x'01ff', NULL, 7, '', x'');
      """
    )
    let fields = ["f", "body", "a", "b", "c", "d", "e", "a"]
    let reader = try store.rows(
      RowRequest(entity: "note", fields: fields.map { .attribute(path: [$0]) })
    )
    #expect(try reader.next())
    #expect(
      reader.row.cells.map(described) == [
        "<>", "large, 3000000 bytes", "é", "<1 ff>", "null", "7", "", "é",
      ]
    )
  }

  /// The time that the processor gave this thread.
  private func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test func `the other values of a row with a large one are as they are`() throws {
    let store = try store(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body, text, blob, number REAL, empty);
      INSERT INTO note VALUES (1, \(Self.patterned), 'text', x'626c6f62', 2, NULL);
      """
    )
    for (field, value) in [
      ("text", "text"), ("blob", "<62 6c 6f 62>"), ("number", "2.0"), ("empty", "null"),
    ] {
      let reader = try store.rows(
        RowRequest(
          entity: "note",
          fields: [.attribute(path: ["body"]), .attribute(path: [field])]
        )
      )
      #expect(try reader.next())
      #expect(described(reader.row.cells[1]) == value)
    }
  }
}
