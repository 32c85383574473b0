import Files
import JSONText
import LongTexts
import TestSupport
import Testing

@Suite struct LongTextsTests {
  /// More than 1 MiB, with all kinds of escapes in JSON.
  private static let long = String(
    repeating: "Zeile \"eins\", drei \u{20AC}\tund \\ ein \u{1F600}.\n\u{1}",
    count: 40_000
  )

  private static func json(_ text: String) -> [UInt8] {
    JSONValue.object(["id": 1, "text": .string(text), "rest": ["a", .string("b\"")]]).canonicalBytes
  }

  /// The JSON with a stand-in for each long text, given in pieces of a size.
  private static func passed(_ json: [UInt8], inPiecesOf size: Int, _ texts: LongTexts) throws
    -> [UInt8]
  {
    var filter = LongTextFilter(texts, .written)
    for start in stride(from: 0, to: json.count, by: size) {
      try filter.take(Array(json[start..<min(start + size, json.count)]))
    }
    return filter.finished()
  }

  @Test func `a long text is held by a short one, and comes back as it was`() throws {
    let texts = LongTexts()
    let json = Self.json(Self.long)
    let short = try texts.standingIn(json)
    #expect(short.count < 300)
    #expect(try texts.whole(short) == json)
  }

  @Test func `what is beside a long text stays as it is`() throws {
    let value = try JSONValue(parsing: LongTexts().standingIn(Self.json(Self.long)))
    #expect(value["id"] == 1)
    #expect(value["rest"] == ["a", "b\""])
  }

  @Test(arguments: [1_021, 65_536, 1_048_577])
  func `pieces of any size give the same`(size: Int) throws {
    let json = Self.json(Self.long)
    let texts = LongTexts()
    #expect(try Self.passed(json, inPiecesOf: size, texts) == texts.standingIn(json))
  }

  @Test func `a stand-in states the text, however that is written`() throws {
    let texts = LongTexts()
    let plain = String(repeating: "\u{E9}/\u{1F600}", count: 200_000)
    let written = String(repeating: #"\u00e9\/\ud83D\uDE00"#, count: 200_000)
    let other = Array(#"{"text":"\#(written)"}"#.utf8)
    let canonical = JSONValue.object(["text": .string(plain)]).canonicalBytes
    #expect(try texts.standingIn(other) == texts.standingIn(canonical))
  }

  @Test
  func `JSON passes in pieces with its long texts in canonical form, however they were written`()
    throws
  {
    let texts = LongTexts()
    let plain =
      "begin \u{1}\u{8}\t\n\u{C}\r\"\\/" + String(repeating: "\u{E9}\u{1F600}", count: 50_000)
    let written =
      #"begin \u0001\b\t\n\f\u000D\"\\\/"#
      + String(repeating: #"\u00e9\ud83D\uDE00"#, count: 50_000)
    let short = try texts.standingIn(Array(#"{"a":1,"b":["\#(written)","c"]}"#.utf8))
    #expect(short.count < 300)
    var pieces: [[UInt8]] = []
    try texts.forEachPiece(ofCanonical: short) { pieces.append($0) }
    let canonical: JSONValue = ["a": 1, "b": [.string(plain), "c"]]
    #expect(Array(pieces.joined()) == canonical.canonicalBytes)
    #expect(pieces.allSatisfy { $0.count < 1 << 20 })
  }

  @Test(arguments: [10, 100_000, 2 << 20])
  func `texts are compared alike with stand-ins and without`(size: Int) throws {
    let key = String(repeating: "\u{E9}", count: size / 2)
    let standIn = try JSONValue(parsing: LongTexts().standingIn(Self.json(key)))["text"]?.text ?? ""
    #expect((standIn == key) == (size <= 1 << 16))
    #expect(LongText.comparable(key) == LongText.comparable(standIn))
    #expect(LongText.comparable(key + "a") != LongText.comparable(standIn))
  }

  @Test
  func `a short text that begins as a stand-in is compared alike with its stand-in and without`()
    throws
  {
    let key = String(decoding: LongText.mark, as: UTF8.self) + "text of 3 bytes"
    let standIn = try JSONValue(parsing: LongTexts().standingIn(Self.json(key)))["text"]?.text ?? ""
    #expect(standIn != key)
    #expect(LongText.comparable(key) == standIn)
    #expect(LongText.comparable(standIn) == standIn)
  }

  @Test func `two texts of one length have different stand-ins`() throws {
    let texts = LongTexts()
    let (first, second) = (Self.long + "a", Self.long + "b")
    #expect(try texts.standingIn(Self.json(first)) != texts.standingIn(Self.json(second)))
  }

  @Test func `a text of 64 KiB is held, however long it is in escapes`() throws {
    let json = Self.json(String(repeating: "\n", count: 1 << 16))
    #expect(json.count > 2 << 16)
    #expect(try LongTexts().standingIn(json) == json)
  }

  @Test(arguments: [1_021, 1 << 20])
  func `an array of many texts of 98 KiB is held by their stand-ins`(size: Int) throws {
    let value = (0..<60).map { JSONValue.string(String(repeating: "\($0 % 7)\n", count: 50_000)) }
    let json = JSONValue.array(value + ["short"]).canonicalBytes
    let texts = LongTexts()
    let short = try Self.passed(json, inPiecesOf: size, texts)
    #expect(short.count < 10_000)
    #expect(try texts.whole(short) == json)
  }

  @Test func `a line of a file has a stand-in for its long text beside short lines`() async throws {
    try await withTemporaryFolder { folder in
      let json = Self.json(String(repeating: "x", count: 1 << 17))
      try Self.write([0x7B, 0x7D, 0x0A] + json + [0x0A, 0x5B, 0x5D, 0x0A], to: "\(folder)/lines")
      let source = FileSource("\(folder)/lines")
      let texts = LongTexts()
      let lines = StandInLines(try source.open(), of: source, texts)
      var found: [StandInLines.Line] = []
      while let line = try lines.take() { found.append(line) }
      #expect(found.map(\.length) == [2, json.count, 2])
      #expect(found[1].bytes.count < 300)
      #expect(try texts.whole(found[1].bytes) == json)
    }
  }

  @Test func `a short text that reads as a stand-in is not taken for the text that it names`()
    throws
  {
    let texts = LongTexts()
    let stolen = try JSONValue(parsing: texts.standingIn(Self.json(Self.long)))["text"]?.text ?? ""
    let json = Self.json(stolen)
    let short = try texts.standingIn(json)
    #expect(short != json)
    #expect(try texts.whole(short) == json)
  }

  @Test func `a stand-in behind a quote inside of a text is not taken for one`() throws {
    let texts = LongTexts()
    let stolen = try JSONValue(parsing: texts.standingIn(Self.json(Self.long)))["text"]?.text ?? ""
    // In JSON the first quote is behind one backslash, and the second one behind three.
    for text in ["\"\(stolen)", "\\\"\(stolen)"] {
      let json = Self.json(text)
      #expect(try texts.whole(texts.standingIn(json)) == json)
      #expect(LongText.named(in: json).isEmpty)
    }
  }

  @Test func `the same in escapes is not taken for one either`() throws {
    let texts = LongTexts()
    let json = Array(##"{"text":"\uFdd0text of 3 bytes"}"##.utf8)
    #expect(try texts.whole(texts.standingIn(json)) == json)
    #expect(try texts.standingIn(json) != json)
  }

  @Test(arguments: [#"\ud800"#, #"\q"#, "\u{1}"])
  func `a long text that is none in JSON makes no JSON`(fault: String) throws {
    let json = Array(#"{"text":"\#(String(repeating: "x", count: 2 << 20))\#(fault)"}"#.utf8)
    let short = try LongTexts().standingIn(json)
    #expect(throws: JSONError.self) { try JSONValue(parsing: short) }
  }

  @Test func `bytes in a long text that are not UTF-8 make no JSON`() throws {
    let opening = Array(#"{"text":""#.utf8)
    let json =
      opening + [UInt8](repeating: 0x78, count: 2 << 20) + [0xC0, 0x80] + Array(#""}"#.utf8)
    let short = try LongTexts().standingIn(json)
    #expect(throws: JSONError.self) { try JSONValue(parsing: short) }
  }

  @Test func `a text is read from the file in which its line lies`() async throws {
    try await withTemporaryFolder { folder in
      let json = Self.json(Self.long)
      try Self.write([0x7B, 0x7D, 0x0A] + json + [0x0A], to: "\(folder)/lines")
      let texts = LongTexts()
      let source = FileSource("\(folder)/lines")
      let short = try texts.standingIn(lineOf: source, at: 3, size: json.count)
      #expect(try texts.whole(short) == json)
    }
  }

  @Test func `a text that was changed in its file is not given for what it was`() async throws {
    try await withTemporaryFolder { folder in
      var json = Self.json(Self.long)
      try Self.write(json, to: "\(folder)/lines")
      let texts = LongTexts()
      let source = FileSource("\(folder)/lines")
      let short = try texts.standingIn(lineOf: source, at: 0, size: json.count)
      json[json.count / 2] ^= 1
      try Folder.remove("\(folder)/lines")
      try Self.write(json, to: "\(folder)/lines")
      #expect(throws: LongTextFault.self) { try texts.whole(short) }
    }
  }

  @Test func `the beginning of a text is at hand`() throws {
    let texts = LongTexts()
    let short = try JSONValue(parsing: texts.standingIn(Self.json(Self.long)))["text"]?.text ?? ""
    let text = try #require(LongText(standIn: Array(short.utf8)))
    let beginning = try #require(texts.beginning(of: text, upTo: 40))
    #expect(Self.long.hasPrefix(beginning))
    #expect(beginning.count > 20)
  }

  /// A text that is kept in pieces elsewhere.
  private struct Kept: LongTextPieces {
    let pieces: [[UInt8]]

    func piece(_ number: Int) -> [UInt8]? { pieces.indices.contains(number) ? pieces[number] : nil }
  }

  /// JSON with a stand-in for its long text, which is kept in pieces.
  private static func kept(in texts: LongTexts, changing: Bool = false) throws -> [UInt8] {
    let own = LongTexts()
    let short = try own.standingIn(json(long))
    let text = try #require(LongText.named(in: short).first)
    let body = try own.content(of: text)
    let reader = body.reader()
    var pieces: [[UInt8]] = []
    while let piece = try reader.next() { pieces.append(piece) }
    if changing { pieces[1][7] ^= 1 }
    texts.note(text, keptIn: Kept(pieces: pieces), size: Int(body.size))
    return short
  }

  @Test func `a text that is kept in pieces comes back as it was`() throws {
    let texts = LongTexts()
    let short = try Self.kept(in: texts)
    #expect(try texts.whole(short) == Self.json(Self.long))
  }

  @Test func `a text of which a piece was changed is not given for what it was`() throws {
    let texts = LongTexts()
    let short = try Self.kept(in: texts, changing: true)
    #expect(throws: LongTextFault.self) { try texts.whole(short) }
  }

  @Test func `texts that JSON names twice are named once`() throws {
    let texts = LongTexts()
    let twice = JSONValue.array([.string(Self.long), .string(Self.long), "short"]).canonicalBytes
    #expect(try LongText.named(in: texts.standingIn(twice)).count == 1)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    var file = try OutputFile(creating: path)
    try file.write(bytes)
    _ = try file.finish()
  }
}
