import RealmFiles
import TestSupport
import Testing

/// Strings and binaries that are not held, but read where they lie.
struct LargeRealmValueTests {
  /// The content of one column's values, of which at most `most` bytes are held, each read in
  /// pieces of `pieceSize` bytes where it is large.
  private static func read(
    _ type: Int64,
    count: Int64,
    holding most: Int,
    pieceSize: Int = 3,
    _ body: (inout RealmWriter) -> Int64
  ) throws -> [String] {
    var writer = RealmWriter()
    let root = writer.cluster(count: count, [body(&writer)])
    let table = writer.table([.init("value", type, SampleColumn.nullable)], root: root)
    return try read(
      RealmFile(bytes: writer.file(tables: [("class_A", table)])),
      holding: most,
      pieceSize: pieceSize
    )
  }

  private static func read(
    _ file: RealmFile,
    holding most: Int,
    pieceSize: Int = 3
  ) throws -> [String] {
    let rows = try file.rows(ofTable: 0, properties: [0], holding: { _ in most })
    var found: [String] = []
    while try rows.next() {
      switch try rows.value(0) {
      case .string(let text): found.append("held \(text)")
      case .data(let bytes): found.append("held \(bytes)")
      case .large(let bytes, _):
        let whole = try pieces(of: bytes, in: file, pieceSize).flatMap(\.self)
        found.append("large " + String(decoding: whole, as: UTF8.self))
      case let value: found.append("\(value)")
      }
    }
    return found
  }

  private static func pieces(
    of bytes: RealmBytes,
    in file: RealmFile,
    _ pieceSize: Int
  ) throws -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      var piece = [UInt8](repeating: 0, count: min(pieceSize, bytes.count - start))
      try piece.withUnsafeMutableBytes { try file.fill($0, with: bytes, at: start) }
      pieces.append(piece)
    }
    return pieces
  }

  @Test func `a string or a binary with more bytes is lent, and another one held`() throws {
    let texts = ["eight...", "nine.....", nil, ""].map { $0.map { Array($0.utf8) } }
    let strings = try Self.read(2, count: 4, holding: 8) { $0.big(texts) }
    #expect(strings == ["held eight...", "large nine.....", "null", "held "])
    let medium = try Self.read(2, count: 2, holding: 8) {
      $0.medium([Array("eight...".utf8), Array("nine.....".utf8)], marks: [0, 0])
    }
    #expect(medium == ["held eight...", "large nine....."])
    let binaries = try Self.read(4, count: 2, holding: 2) {
      $0.big([[1, 2], Array("abc".utf8)], isTerminated: false)
    }
    #expect(binaries == ["held [1, 2]", "large abc"])
  }

  @Test(arguments: 1...9)
  func `a blob in parts is read from any place`(pieceSize: Int) throws {
    let values = try Self.read(2, count: 1, holding: 4, pieceSize: pieceSize) { writer in
      let texts = ["ab", "", "c", "defg", "h\u{0}"]
      let parts = texts.map { writer.blob(Array($0.utf8)) }
      return writer.references([writer.references(parts, .context)], .context)
    }
    #expect(values == ["large abcdefgh"])
  }

  @Test func `the zero behind a string may be a part of its own`() throws {
    let values = try Self.read(2, count: 1, holding: 1) { writer in
      let parts = [writer.blob(Array("text".utf8)), writer.blob([0])]
      return writer.references([writer.references(parts, .context)], .context)
    }
    #expect(values == ["large text"])
  }

  @Test func `a string of many pages is read from any place`() throws {
    let text = (0..<2000).map { "line \($0)\n" }.joined()
    let write = { (writer: inout RealmWriter) in writer.big([Array(text.utf8)]) }
    for pieceSize in [4095, 4096, 10_000] {
      let values = try Self.read(2, count: 1, holding: 1000, pieceSize: pieceSize, write)
      #expect(values == ["large " + text])
    }
  }

  @Test func `distinct strings, and columns of formats up to 9, are lent too`() throws {
    var writer = RealmWriter()
    let leaf = writer.big([Array("short".utf8), Array("a long one".utf8)])
    let table = writer.oldTable([.init("text", 2)], slots: [leaf])
    let old = try RealmFile(bytes: writer.file(format: 9, tables: [("class_A", table)]))
    #expect(try Self.read(old, holding: 8) == ["held short", "large a long one"])
    let slots = [writer.numbers([1, 0])]
    let distinct = writer.oldTable([.init("text", 3)], slots: slots, strings: [leaf])
    let file = try RealmFile(bytes: writer.file(format: 9, tables: [("class_A", distinct)]))
    #expect(try Self.read(file, holding: 8) == ["large a long one", "held short"])
  }

  @Test func `a value in a list is lent like another one`() throws {
    var writer = RealmWriter()
    let list = writer.references([writer.big([Array("a long one".utf8), Array("short".utf8)])])
    let root = writer.cluster(count: 1, [list])
    let table = writer.table([.init("texts", 2, SampleColumn.list)], root: root)
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    let rows = try file.rows(ofTable: 0, properties: [0], holding: { _ in 8 })
    #expect(try rows.next())
    guard case .list(let values) = try rows.value(0), case .large(let bytes, true) = values[0]
    else {
      Issue.record("the long text is held")
      return
    }
    #expect(try Self.pieces(of: bytes, in: file, 3).flatMap(\.self) == Array("a long one".utf8))
    #expect(values[1...] == [.string("short")])
  }

  @Test func `what is held of a row counts when the next value is read, and not in the next row`()
    throws
  {
    let found = { (values: [RealmValue]) in
      values.map { if case .large = $0 { "large" } else { "held" } }
    }
    var writer = RealmWriter()
    let texts = ["one text", "two text", "red text"].map { Array($0.utf8) }
    let lists = (0..<2).map { _ in writer.big(texts) }
    let root = writer.cluster(count: 2, [writer.references(lists)])
    let table = writer.table([.init("texts", 2, SampleColumn.list)], root: root)
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    let rows = try file.rows(ofTable: 0, properties: [0], holding: { $0 < 16 ? 8 : 7 })
    for _ in 0..<2 {
      #expect(try rows.next())
      guard case .list(let values) = try rows.value(0) else {
        Issue.record("it is no list")
        return
      }
      #expect(found(values) == ["held", "held", "large"])
    }
  }

  @Test(arguments: [9, 24])
  func `what is held of a row that is looked up counts too, also in old mixed values`(
    format: UInt8
  ) throws {
    var writer = RealmWriter()
    let texts = ["one text", "two text", "red text"].map { Array($0.utf8) }
    let table: Int64
    if format == 24 {
      let leaves = texts.map { writer.big([$0]) }
      let columns = ["a", "b", "c"].map { SampleColumn($0, 2) }
      table = writer.table(columns, root: writer.cluster(count: 1, leaves))
    } else {
      let slots = texts.map { text in
        let binary = writer.medium([text + [0]], marks: [0], isTerminated: false)
        return writer.references([writer.numbers([2]), writer.numbers([0]), binary])
      }
      table = writer.oldTable(["a", "b", "c"].map { SampleColumn($0, 6) }, slots: slots)
    }
    let file = try RealmFile(bytes: writer.file(format: format, tables: [("class_A", table)]))
    let lookup = file.lookup(
      inTable: 0,
      properties: [0, 1, 2],
      holding: { $0 < 16 ? 9 : 7 }
    )
    for _ in 0..<2 {
      #expect(try lookup.find(0))
      #expect(try lookup.value(0) == .string("one text"))
      #expect(try lookup.value(1) == .string("two text"))
      guard case .large = try lookup.value(2) else {
        Issue.record("the third text is held")
        return
      }
    }
  }

  @Test func `a list of long values that are not held may have more than 128 MiB`() throws {
    var writer = RealmWriter()
    let blob = writer.blob([UInt8](repeating: 1, count: 1 << 20))
    let parts = writer.references(Array(repeating: blob, count: 65), .context)
    let list = writer.references([writer.references([parts, parts], .context)])
    let table = writer.table(
      [.init("values", 4, SampleColumn.list)],
      root: writer.cluster(count: 1, [list])
    )
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    // Each property that is wanted may reach every byte of the file once.
    let properties = Array(repeating: 0, count: 300)
    let rows = try file.rows(ofTable: 0, properties: properties, holding: { _ in 8 })
    #expect(try rows.next())
    guard case .list(let values) = try rows.value(0) else {
      Issue.record("it is no list")
      return
    }
    #expect(values.count == 2)
    let held = try file.rows(ofTable: 0, properties: properties)
    #expect(try held.next())
    let error = #expect(throws: RealmError.self) { try held.value(0) }
    #expect(error?.description.contains("more than 128 MiB") == true)
  }

  @Test func `the key of a dictionary is held, however long it is`() throws {
    var writer = RealmWriter()
    let values = writer.references([writer.numbers([3 << 8 | 1]), 0, 0, 0, 0])
    let dictionary = writer.references([writer.big([Array("a long one".utf8)]), values])
    let root = writer.cluster(count: 1, [writer.references([dictionary])])
    let table = writer.table([.init("map", 0, SampleColumn.dictionary)], root: root)
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    let rows = try file.rows(ofTable: 0, properties: [0], holding: { _ in 8 })
    #expect(try rows.next())
    guard case .dictionary(let entries) = try rows.value(0) else {
      Issue.record("it is no dictionary")
      return
    }
    #expect(entries.map(\.key) == [.string("a long one")])
  }

  @Test func `a value of more than 128 MiB is refused, and one of 128 MiB is lent`() throws {
    var writer = RealmWriter()
    let blob = writer.blob([UInt8](repeating: 1, count: 1 << 20))
    let parts = [129, 128].map { count in
      writer.references(Array(repeating: blob, count: count), .context)
    }
    let root = writer.cluster(count: 2, [writer.references(parts, .context)])
    let table = writer.table([.init("value", 4)], root: root)
    let file = try RealmFile(bytes: writer.file(tables: [("class_A", table)]))
    // Each property that is wanted may reach every byte of the file once.
    let properties = Array(repeating: 0, count: 300)
    let rows = try file.rows(ofTable: 0, properties: properties, holding: { _ in 8 })
    #expect(try rows.next())
    let error = #expect(throws: RealmError.self) { try rows.value(0) }
    guard case .tooLarge = error else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try rows.next())
    guard case .large(let bytes, _) = try rows.value(0) else {
      Issue.record("128 MiB are held")
      return
    }
    #expect(bytes.count == 128 << 20)
  }
}
