import Files
import JSONText
import LongTexts
import Records
import StoreFiles
import StoreReading
import StoreSamples
import Testing

/// Values of files that are too long to be held.
struct LongFileValueTests {
  private let folder: SampleFolder
  private let work: SampleFolder

  init() throws {
    folder = try SampleFolder()
    work = try SampleFolder()
  }

  /// More than 1 MiB, with what CSV and JSON escape, and characters of several bytes.
  private static let long = String(repeating: "a \"b\", \\ \u{20AC}\u{1F600}\n", count: 100_000)

  private func open(
    _ bytes: [UInt8],
    named name: String,
    readsDamaged: Bool = false
  ) throws -> any Store {
    try folder.write(name, bytes)
    return try Source(
      folder.path + "/" + name,
      options: Source.Options(readsDamaged: readsDamaged),
      into: work.path
    ).store
  }

  /// A file of two notes, the first of which has this body.
  private func file(_ body: String, named name: String) -> [UInt8] {
    let quoted =
      "\""
      + body.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
    let json = String(decoding: JSONValue.string(body).canonicalBytes, as: UTF8.self)
    let text =
      switch name.split(separator: ".").last {
      case "csv": "id,body\n1,\(quoted)\n2,b\n"
      case "tsv": "id\tbody\r\n1\t\(quoted)\r\n2\tb\r\n"
      case "json": "[{\"id\":1,\"body\":\(json)},\n{\"id\":2,\"body\":\"b\"}]"
      default: "{\"id\":1,\"body\":\(json)}\n{\"id\":2,\"body\":\"b\"}\n"
      }
    return Array(text.utf8)
  }

  private func bodies(
    _ store: any Store,
    _ body: (Cell) throws -> Void
  ) throws {
    let reader = try store.rows(
      RowRequest(entity: "note", fields: [.attribute(path: ["body"])])
    )
    while try reader.next() { try body(reader.row.cells[0]) }
  }

  private static let names = ["note.csv", "note.tsv", "note.json", "note.jsonl"]

  @Test(arguments: names)
  func `a text beyond one MiB of a file is read in pieces`(name: String) throws {
    var texts: [String] = []
    var largeCount = 0
    try bodies(open(file(Self.long, named: name), named: name)) { cell in
      if let large = cell.large {
        largeCount += 1
        texts.append(String(decoding: try #require(large.bytes()), as: UTF8.self))
      } else {
        texts.append(described(cell))
      }
    }
    #expect(texts == [Self.long, "b"])
    #expect(largeCount == 1)
  }

  @Test(arguments: names)
  func `a short text that reads as the place of a long one is itself`(name: String) throws {
    let text = String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self) + "text of 3 bytes"
    var found: [[UInt8]?] = []
    try bodies(open(file(text, named: name), named: name)) { found.append($0.large?.bytes()) }
    #expect(found == [Array(text.utf8), nil])
  }

  @Test func `a large text is read again from any place`() throws {
    try bodies(open(file(Self.long, named: "note.csv"), named: "note.csv")) { cell in
      guard let large = cell.large else { return }
      let long = Array(Self.long.utf8)
      for place in [0, 700_000, 262_143, long.count - 8, 5] {
        let rest = large.dropping(place)
        #expect(rest.bytes(upTo: 8) == Array(long[place..<(place + 8)]))
      }
    }
  }

  @Test func `a text beyond one MiB inside of a value is read in pieces`() throws {
    let body = JSONValue.object(["b": 1, "a": ["x", .string(Self.long)]])
    let record = JSONValue.array([.object(["id": 1, "body": body])])
    let store = try open(record.canonicalBytes, named: "note.json")
    var count = 0
    try bodies(store) { cell in
      let json = try #require(cell.large?.json)
      #expect(json.bytes == Array(#"{"a":["x",""],"b":1}"#.utf8))
      #expect(json.texts.map(\.place) == [11])
      #expect(json.texts.map { $0.value.bytes() } == [Array(Self.long.utf8)])
      count += 1
    }
    #expect(count == 1)
  }

  @Test func `of many long texts inside of a value no more than one file is open at a time`() throws
  {
    let count = 40
    let body = JSONValue.array(
      (0..<count).map { .string(String(repeating: "\($0 + 10)", count: 50_000)) }
    )
    let record = JSONValue.array([.object(["id": 1, "body": body])])
    let store = try open(record.canonicalBytes, named: "note.json")
    try bodies(store) { cell in
      let texts = try #require(cell.large?.json?.texts)
      #expect(texts.count == count)
      let before = try openFileCount(below: work.path)
      for (number, text) in texts.enumerated() {
        // One in two is begun alone.
        let half = number % 2 == 0 ? 50_000 : 100_000
        #expect(text.value.bytes(upTo: half)?.count == half)
      }
      #expect(try openFileCount(below: work.path) <= before + 1)
    }
  }

  /// A text that is kept elsewhere than in a file.
  private struct Kept: LongTextPieces {
    let text: [UInt8]

    func piece(_ number: Int) -> [UInt8]? { number == 0 ? text : nil }
  }

  @Test(arguments: [nil, 0, 100_000])
  func `a long text that is no longer the same cannot be read`(changed: Int?) throws {
    var text = [UInt8](repeating: 0x78, count: 1 << 17)
    let json = JSONValue.array([.string(String(decoding: text, as: UTF8.self))]).canonicalBytes
    let standIn = try LongTexts().standingIn(json)
    if let changed { text[changed] = 0x79 }
    let texts = LongTexts()
    let long = try #require(LongText.named(in: standIn).first)
    texts.note(long, keptIn: Kept(text: text), size: text.count)
    let arena = Arena()
    let cell = standIn.dropFirst(2).dropLast(2).withUnsafeBytes { arena.text($0, texts) }
    #expect(cell.large?.bytes() == (changed == nil ? text : nil))
  }

  @Test(
    arguments: [
      ([0] as [UInt8], "its value 2 holds a zero byte"), ([0xC3], "its value 2 is not UTF-8"),
    ]
  )
  func `a long value of a table that is no text is a fault`(end: [UInt8], reason: String) throws {
    let plain = Array("id,body\n1,".utf8) + [UInt8](repeating: 0x78, count: 2 << 20) + end
    let store = try open(plain + Array("\n2,b\n".utf8), named: "note.csv", readsDamaged: true)
    #expect(try store.rowCount(of: "note") == 1)
    #expect(store.findings.contains { $0.cause.contains("line 2: \(reason)") })
  }

  @Test(arguments: ["note.csv", "note.json"])
  func `a name beyond one MiB is refused`(name: String) {
    let long = String(repeating: "n", count: 2 << 20)
    let text = name.hasSuffix("csv") ? "id,\(long)\n1,2\n" : #"[{"id":1,"\#(long)":2}]"#
    let error = #expect(throws: StoreError.self) { try open(Array(text.utf8), named: name) }
    #expect(error?.description.contains("a name has more than 64 KiB") == true)
  }
}
