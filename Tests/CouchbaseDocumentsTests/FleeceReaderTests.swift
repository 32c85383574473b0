import CouchbaseDocuments
import Synchronization
import TestSupport
import Testing

/// Values of Fleece, byte by byte as the format's description has them, and from a writer of this project.
///
/// No file of Couchbase's own is read.
///
/// https://github.com/couchbase/fleece/blob/master/Fleece.md
struct FleeceReaderTests {
  private static func value(_ bytes: [UInt8], _ keys: [String] = []) throws -> FleeceValue {
    try FleeceReader(sharedKeys: keys).value(of: DocumentBytes(bytes))
  }

  private static let foo: [UInt8] = [0x43, 0x66, 0x6F, 0x6F]

  @Test func `the narrow example of the description is a dictionary with one member`() throws {
    let bytes = Self.foo + [0x70, 0x01, 0x80, 0x03, 0x00, 0x7B, 0x80, 0x03]
    #expect(try Self.value(bytes) == .dictionary([FleeceMember("foo", .integer(123))]))
  }

  @Test func `the wide example of the description is a dictionary with one member`() throws {
    let bytes = [0x78, 0x01] + Self.foo + [0x00, 0x7B, 0x00, 0x00, 0x80, 0x05]
    #expect(try Self.value(bytes) == .dictionary([FleeceMember("foo", .integer(123))]))
  }

  @Test func `a document that is read page by page is the same, and its long texts are named`()
    throws
  {
    let text = String(repeating: "eins ", count: 10_000)
    let numbers = (0..<20_000).map { FleeceWriter.Value.integer($0 * 1_000_003) }
    let bytes = FleeceWriter.bytes(
      .dictionary(
        [
          (.text("data"), .data(Array(text.utf8))),
          (.text("numbers"), .array(numbers, isWide: true)),
          (.text("text"), .text(text)),
        ],
        isWide: true
      )
    )
    let paged = DocumentBytes(count: bytes.count) { buffer, offset in
      buffer.copyBytes(from: bytes[offset..<offset + buffer.count])
      return true
    }
    #expect(try FleeceReader().value(of: paged) == Self.value(bytes))
    guard case .dictionary(let members) = try FleeceReader(holding: { _ in 1000 }).value(of: paged),
      case .long(let data, false) = members[0].value, case .long(let long, true) = members[2].value
    else {
      Issue.record("what is long is held")
      return
    }
    #expect(paged.bytes(data) == Array(text.utf8))
    #expect(paged.bytes(long) == Array(text.utf8))
  }

  @Test func `an array of too many items to be held gives them one at a time`() throws {
    let inner: FleeceWriter.Value = .array((0..<30).map { .integer($0) })
    let items = (0..<40).map { FleeceWriter.Value.text("text \($0)") } + [inner, .array([.null])]
    let bytes = DocumentBytes(FleeceWriter.bytes(.array(items, isWide: true)))
    let reader = FleeceReader(holding: { $0 < 70 ? 20 : 6 }, mostItems: 20)
    guard case .longArray(let array) = try reader.value(of: bytes) else {
      Issue.record("what is long is held")
      return
    }
    var found: [FleeceValue] = []
    var taken = reader.items(of: array, in: bytes)
    while let item = try taken.take() { found.append(item) }
    let held = FleeceReader(holding: { $0 < 70 ? 20 : 6 })
    guard case .array(let values) = try held.value(of: bytes) else {
      Issue.record("what is short is not held")
      return
    }
    #expect(found.count == array.count)
    #expect(found.prefix(40) == values.prefix(40))
    #expect(found.last == .array([.null]))
    guard case .longArray(let numbers) = found[40] else {
      Issue.record("what is long inside of it is held")
      return
    }
    var last: FleeceValue?
    var rest = reader.items(of: numbers, in: bytes)
    while let item = try rest.take() { last = item }
    #expect(last == .integer(29))
  }

  @Test
  func
    `an array in many others that are not held is gone through once to check it and once to read it`()
    throws
  {
    let depth = 60
    let texts = (0..<30).map { FleeceWriter.Value.text("text \($0)") }
    let nested = (1..<depth).reduce(FleeceWriter.Value.array(texts, isWide: true)) { inner, _ in
      .array(texts + [inner], isWide: true)
    }
    let bytes = DocumentBytes(FleeceWriter.bytes(nested))
    let asked = Mutex<[Int]>([])
    let reader = FleeceReader(
      holding: { beside in
        asked.withLock { $0.append(beside) }
        return beside < 500 ? .max : 0
      },
      mostItems: 20
    )
    var found = try reader.value(of: bytes)
    let checked = asked.withLock { $0 }
    #expect(checked.count == depth * texts.count)
    for level in 1...depth {
      guard case .longArray(let array) = found else {
        Issue.record("level \(level) is no array that is not held")
        return
      }
      var items = reader.items(of: array, in: bytes)
      while let item = try items.take() { found = item }
    }
    // The same texts are held, beside the same bytes.
    #expect(asked.withLock { $0 } == checked + checked)
  }

  @Test func `a value takes no more memory for the arrays that are not held`() {
    #expect(MemoryLayout<FleeceValue>.stride <= 24)
  }

  @Test func `an array of too many items is checked as a whole`() throws {
    var bytes = FleeceWriter.bytes(.array((0..<30).map { .integer($0) }))
    bytes[bytes.count - 4] = 0xF0
    #expect(throws: FleeceError.self) {
      try FleeceReader(mostItems: 20).value(of: DocumentBytes(bytes))
    }
  }

  @Test(
    arguments: [
      ([0x30, 0x00], .null), ([0x34, 0x00], .boolean(false)), ([0x38, 0x00], .boolean(true)),
      ([0x3C, 0x00], .undefined), ([0x00, 0x00], .integer(0)), ([0x07, 0xFF], .integer(2047)),
      ([0x08, 0x00], .integer(-2048)), ([0x0F, 0xFF], .integer(-1)), ([0x40, 0x00], .text("")),
      ([0x41, 0x61], .text("a")), ([0x50, 0x00], .data([])), ([0x51, 0xFE], .data([0xFE])),
      ([0x60, 0x00], .array([])), ([0x70, 0x00], .dictionary([])),
      ([0x41, 0xFF], .malformedText([0xFF])),
    ] as [([UInt8], FleeceValue)]
  )
  func `a value of two bytes is its own root`(bytes: [UInt8], value: FleeceValue) throws {
    #expect(try Self.value(bytes) == value)
  }

  /// Each with the two bytes that point to it.
  @Test(
    arguments: [
      ([0x11, 0x00, 0x08, 0x00, 0x80, 0x02], .integer(2048)),
      ([0x11, 0xFF, 0xF7, 0x00, 0x80, 0x02], .integer(-2049)),
      ([0x10, 0x80, 0x80, 0x01], .integer(-128)), ([0x18, 0x80, 0x80, 0x01], .unsigned(128)),
      ([0x13, 0x00, 0x00, 0x00, 0x80, 0x00, 0x80, 0x03], .integer(-2_147_483_648)),
      (
        [0x17, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x00, 0x80, 0x05], .integer(.min)
      ),
      (
        [0x1F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x80, 0x05],
        .unsigned(.max)
      ),
      ([0x20, 0x00, 0x00, 0x00, 0xC0, 0x3F, 0x80, 0x03], .float(1.5)),
      ([0x24, 0x00, 0x00, 0x00, 0xC0, 0x3F, 0x80, 0x03], .double(1.5)),
      (
        [0x28, 0x00, 0, 0, 0, 0, 0, 0, 0x04, 0xC0, 0x80, 0x05], .double(-2.5)
      ),
      ([0x44, 0x61, 0x62, 0x63, 0x64, 0x00, 0x80, 0x03], .text("abcd")),
      ([0x52, 0x01, 0x02, 0x00, 0x80, 0x02], .data([1, 2])),
    ] as [([UInt8], FleeceValue)]
  )
  func `a longer value is read over a pointer`(bytes: [UInt8], value: FleeceValue) throws {
    #expect(try Self.value(bytes) == value)
  }

  @Test(arguments: [14, 15, 127, 128, 20_000])
  func `a text of any length is read`(count: Int) throws {
    let text = String(repeating: "é", count: count)
    #expect(try Self.value(FleeceWriter.bytes(.text(text))) == .text(text))
  }

  @Test(arguments: [1, 2046, 2047, 2048, 5000], [false, true])
  func `an array of any count is read`(count: Int, isWide: Bool) throws {
    let bytes = FleeceWriter.bytes(.array((0..<count).map { .integer(Int64($0)) }, isWide: isWide))
    // Numbers beyond 2047 lie outside of the array.
    #expect(try Self.value(bytes) == .array((0..<count).map { .integer(Int64($0)) }))
  }

  @Test func `a root further away than two bytes reach is found over a wide pointer`() throws {
    let count = 12_000
    let bytes = FleeceWriter.bytes(
      .array(Array(repeating: .text("far"), count: count), isWide: true)
    )
    // The last four bytes but two are the wide pointer, and the last two lead to it.
    #expect(bytes.suffix(2) == [0x80, 0x02])
    #expect(try Self.value(bytes) == .array(Array(repeating: .text("far"), count: count)))
  }

  @Test func `nested collections keep their order`() throws {
    let bytes = FleeceWriter.bytes(
      .dictionary([
        (.text("list"), .array([.integer(1), .array([]), .dictionary([(.text("x"), .null)])])),
        (.text("flag"), .boolean(true)), (.text("n"), .integer(70_000)),
      ])
    )
    #expect(
      try Self.value(bytes)
        == .dictionary([
          FleeceMember(
            "list",
            .array([.integer(1), .array([]), .dictionary([FleeceMember("x", .null)])])
          ),
          FleeceMember("flag", .boolean(true)), FleeceMember("n", .integer(70_000)),
        ])
    )
  }

  @Test func `a text that is written once is read wherever a pointer leads to it`() throws {
    let bytes = FleeceWriter.bytes(.array([.text("again"), .text("again"), .text("again")]))
    #expect(bytes.count == 6 + 8 + 2)
    #expect(try Self.value(bytes) == .array([.text("again"), .text("again"), .text("again")]))
  }

  @Test func `a small number as a name is the shared key of that number`() throws {
    let bytes = FleeceWriter.bytes(
      .dictionary([(.number(0), .integer(7)), (.number(2), .null), (.text("own"), .null)])
    )
    #expect(
      try Self.value(bytes, ["first", "second", "third"])
        == .dictionary([
          FleeceMember("first", .integer(7)), FleeceMember("third", .null),
          FleeceMember("own", .null),
        ])
    )
  }

  @Test func `a list of shared keys is an array of texts`() throws {
    let keys = ["name", "a key that is longer than fifteen bytes", "n"]
    #expect(try FleeceReader.sharedKeys(of: FleeceWriter.sharedKeys(keys)) == keys)
  }

  @Test func `a dictionary that goes on from another has its members, save those it replaces`()
    throws
  {
    let parent: FleeceWriter.Value = .dictionary([
      (.text("kept"), .integer(1)), (.text("gone"), .integer(2)), (.text("new"), .integer(3)),
    ])
    let bytes = FleeceWriter.bytes(
      .dictionary([(.parent, parent), (.text("gone"), .undefined), (.text("new"), .integer(4))])
    )
    #expect(
      try Self.value(bytes)
        == .dictionary([FleeceMember("kept", .integer(1)), FleeceMember("new", .integer(4))])
    )
  }

  @Test func `two names that differ in their bytes alone are two members`() throws {
    let bytes = FleeceWriter.bytes(
      .dictionary([(.text("e\u{301}"), .integer(1)), (.text("\u{E9}"), .integer(2))])
    )
    guard case .dictionary(let members) = try Self.value(bytes) else {
      Issue.record("it is no dictionary")
      return
    }
    #expect(members.map(\.value) == [.integer(1), .integer(2)])
  }
}
