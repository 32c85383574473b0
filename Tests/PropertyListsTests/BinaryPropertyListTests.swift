import PropertyLists
import Testing

/// Binary lists, written byte by byte, read and refused.
struct `Binary property lists` {
  @Test func `every scalar type is read with its value`() throws {
    let list = try PropertyList(
      bytes: BinaryListBuilder.list([
        [0xAC, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
        [0x00], [0x08], [0x09],
        [0x10, 0xFF], [0x11, 0xFF, 0xFE],
        [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE],
        [0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0x22, 0x3F, 0x80, 0, 0],
        [0x33, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0],
        [0x42, 1, 2],
        [0x52, 0x61, 0x62],
        [0x61, 0x20, 0xAC],
      ])
    )
    let expected: [PropertyList] = [
      .null, .boolean(false), .boolean(true), .integer(255), .integer(65_534), .integer(-2),
      .unsignedInteger(.max), .real(1), .date(secondsSinceReferenceDate: -1), .data([1, 2]),
      .string("ab"), .string("€"),
    ]
    #expect(list == .array(expected))
  }

  @Test func `strings called ASCII may hold UTF-8 or Latin-1`() throws {
    #expect(try PropertyList(bytes: BinaryListBuilder.list([[0x52, 0xC3, 0xA4]])) == .string("ä"))
    #expect(try PropertyList(bytes: BinaryListBuilder.list([[0x51, 0xE4]])) == .string("ä"))
  }

  @Test func `a lone surrogate becomes the replacement character`() throws {
    let list = try PropertyList(bytes: BinaryListBuilder.list([[0x61, 0xD8, 0x00]]))
    #expect(list == .string("\u{FFFD}"))
  }

  @Test func `dictionaries keep the order of the file`() throws {
    let list = try PropertyList(
      bytes: BinaryListBuilder.list([
        [0xD2, 1, 2, 3, 4], [0x51, 0x62], [0x51, 0x61], [0x10, 1], [0x81, 0x01, 0x00],
      ])
    )
    #expect(
      list
        == .dictionary([
          .init(name: "b", value: .integer(1)), .init(name: "a", value: .uid(256)),
        ])
    )
    #expect(list["a"] == .uid(256))
  }

  @Test func `a count above fourteen is read from a separate integer`() throws {
    let text = Array(repeating: UInt8(ascii: "x"), count: 20)
    let list = try PropertyList(bytes: BinaryListBuilder.list([[0x5F, 0x10, 20] + text]))
    #expect(list == .string(String(repeating: "x", count: 20)))
  }

  @Test(arguments: brokenLists)
  func `a value that breaks the format's rules is refused`(what: String, objects: [[UInt8]]) {
    #expect(throws: PropertyListError.self, "\(what)") {
      try PropertyList(bytes: BinaryListBuilder.list(objects))
    }
  }

  @Test func `shared values are read once, and a bomb of them is refused`() throws {
    let shared = (0..<12).map { level -> [UInt8] in [0xA2, UInt8(level + 1), UInt8(level + 1)] }
    _ = try PropertyList(bytes: BinaryListBuilder.list(shared + [[0x10, 1]]))
    let bomb = (0..<60).map { level -> [UInt8] in [0xA2, UInt8(level + 1), UInt8(level + 1)] }
    #expect(throws: PropertyListError.self) {
      try PropertyList(bytes: BinaryListBuilder.list(bomb + [[0x10, 1]]))
    }
  }

  @Test(arguments: [(UInt8(0x4F), 15), (0x4F, 400), (0x5F, 15), (0x5F, 400), (0x6F, 400)])
  func `a text that is shared is read, and refused where it unfolds to many times the file`(
    kind: UInt8,
    count: Int
  ) throws {
    let (row, column) = (count <= 15 ? count : 20, count <= 15 ? 1 : count / 20)
    let rows = [0xAF, 0x10, UInt8(column)] + Array(repeating: UInt8(1), count: column)
    let columns = [0xAF, 0x10, UInt8(row)] + Array(repeating: UInt8(2), count: row)
    let size = kind == 0x6F ? 30_000 : 60_000
    let leaf =
      [kind, 0x12] + BinaryListBuilder.bigEndian(size, size: 4)
      + Array(repeating: UInt8(0x61), count: 60_000)
    let bytes = BinaryListBuilder.list([rows, columns, leaf])
    guard count > 15 else {
      let list = try PropertyList(bytes: bytes)
      #expect(list.elements?.first?.elements?.count == count)
      return
    }
    let error = #expect(throws: PropertyListError.self) { try PropertyList(bytes: bytes) }
    #expect(error?.description.contains("when shared ones are unfolded") == true)
  }

  @Test func `dictionaries whose two values are one, twenty deep, are refused`() {
    let levels = (0..<20).map { level -> [UInt8] in
      [0xD2, 21, 22, UInt8(level + 1), UInt8(level + 1)]
    }
    let bytes = BinaryListBuilder.list(levels + [[0x10, 1], [0x51, 0x61], [0x51, 0x62]])
    #expect(throws: PropertyListError.self) { try PropertyList(bytes: bytes) }
  }

  @Test func `the nesting depth is bounded`() {
    let deep = (0..<250).map { level -> [UInt8] in [0xA1, UInt8(min(level + 1, 255))] }
    #expect(throws: PropertyListError.beyondLimit("containers lie more than 200 deep")) {
      try PropertyList(bytes: BinaryListBuilder.list(deep + [[0x10, 1]]))
    }
  }

  @Test func `a damaged trailer is refused`() {
    let sound = BinaryListBuilder.list([[0x10, 1]])
    for (place, value) in [(26, 0), (26, 9), (27, 0), (27, 255), (28, 0x80), (35, 0), (35, 2)]
      as [(Int, UInt8)]
    {
      var bytes = sound
      bytes[bytes.count - 32 + place - 20] = value
      #expect(throws: PropertyListError.self, "byte \(place)") { try PropertyList(bytes: bytes) }
    }
    for count in 0..<sound.count {
      #expect(throws: PropertyListError.self) { try PropertyList(bytes: Array(sound[..<count])) }
    }
  }

  @Test func `unsupported binary forms are named`() {
    #expect(throws: PropertyListError.unsupportedForm(.otherBinary)) {
      try PropertyList(bytes: Array("bplist15".utf8))
    }
    #expect(throws: PropertyListError.unknownForm) { try PropertyList(bytes: [0xFF, 0xD8]) }
  }

  @Test func `names that are one text in different bytes have each its value`() throws {
    let bytes = BinaryListBuilder.list([
      [0xD2, 1, 2, 3, 4], [0x61, 0, 0xE9], [0x62, 0, 0x65, 3, 1], [0x10, 1], [0x10, 2],
    ])
    let values = (try PropertyList(bytes: bytes).members ?? []).map { $0.value }
    #expect(values == [.integer(1), .integer(2)])
  }
}

private let zeroes32 = [UInt8](repeating: 0, count: 32)
private let zeroes15 = [UInt8](repeating: 0, count: 15)

/// Lists that break one rule each.
private let brokenLists: [(String, [[UInt8]])] = [
  ("an array that holds itself", [[0xA1, 0]]),
  ("two arrays that hold each other", [[0xA1, 1], [0xA1, 0]]),
  ("a reference beyond the table", [[0xA1, 9]]),
  ("a name that is a number", [[0xD1, 1, 1], [0x10, 1]]),
  ("a name that comes twice", [[0xD2, 1, 1, 1, 1], [0x51, 0x61]]),
  ("text that runs out of the list", [[0x5E, 0x61]]),
  ("an array larger than the list", [[0xAF, 0x13, 0x10, 0, 0, 0, 0, 0, 0, 0, 0]]),
  ("data of negative length", [[0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
  ("a count that is not an integer", [[0x5F, 0x51, 0x61]]),
  ("an unknown marker", [[0x7F, 0xE0]]),
  ("the fill byte", [[0x0F]]),
  ("an integer of 32 bytes", [[0x15] + zeroes32]),
  ("an integer of more than 64 bits", [[0x14, 1] + zeroes15]),
]
