import Files
import Foundation
import PropertyLists
import TestSupport
import Testing
import XMLAccess

/// Lists that are read from their files hold no long leaf, and say the same as if they held it.
struct `Long leaves` {
  private static let text = Array(String(repeating: "0123456789abcdef ", count: 80_000).utf8)
  // The first character has a piece end inside of another one.
  private static let utf8 = Array(("a" + String(repeating: "\u{1F600}", count: 300_000)).utf8)
  private static let utf16 = String(decoding: utf8, as: UTF8.self).utf16.flatMap {
    BinaryListBuilder.bigEndian(Int($0), size: 2)
  }

  private static func object(_ kind: UInt8, _ count: Int, _ content: [UInt8]) -> [UInt8] {
    [kind << 4 | 0xF, 0x12] + BinaryListBuilder.bigEndian(count, size: 4) + content
  }

  /// The kinds of long leaves that a binary list has.
  enum Kind: CaseIterable {
    case ascii, utf8, latin1, utf16, loneSurrogates, data

    var object: [UInt8] {
      let (text, utf8, utf16) = (`Long leaves`.text, `Long leaves`.utf8, `Long leaves`.utf16)
      let (lead, trail): ([UInt8], [UInt8]) = ([0xD8, 0], [0xDC, 0])
      return switch self {
      case .ascii: `Long leaves`.object(0x5, text.count, text)
      case .utf8: `Long leaves`.object(0x5, utf8.count, utf8)
      case .latin1: `Long leaves`.object(0x5, utf8.count + 1, utf8 + [0xE4])
      case .utf16: `Long leaves`.object(0x6, utf16.count / 2, utf16)
      case .loneSurrogates:
        `Long leaves`.object(0x6, utf16.count / 2 + 3, lead + utf16 + trail + lead)
      case .data: `Long leaves`.object(0x4, text.count, text)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a long leaf of a binary list is read in pieces`(_ kind: Kind) async throws {
    try await expectSame(BinaryListBuilder.list([[0xA1, 1], kind.object], offsetSize: 4))
  }

  @Test(arguments: ["string", "data"])
  func `a long leaf of an XML list is read in pieces`(_ element: String) async throws {
    let text = Self.text + (element == "string" ? Self.utf8 : [])
    let content = element == "string" ? text : Array(Data(text).base64EncodedString().utf8)
    let (start, end) = ("<plist><array><\(element)>", "</\(element)></array></plist>")
    try await expectSame(Array(start.utf8) + content + Array(end.utf8))
  }

  @Test func `long data that begins like JSON is held, for it is decoded`() async throws {
    let data = Array("[\"".utf8) + Self.text + Array("\"]".utf8)
    let bytes = BinaryListBuilder.list(
      [[0xA1, 1], Self.object(0x4, data.count, data)],
      offsetSize: 4
    )
    try await withList(bytes) { path in
      let list = try PropertyListDocument(at: path, sizeLimit: .max).list
      #expect(list == .array([.data(data)]))
    }
  }

  /// Leaves around the size above which one is long, and whether they are.
  private static let borders: [(kind: UInt8, count: Int, content: [UInt8], isLong: Bool)] = [
    (0x4, 1 << 20, Array(repeating: 1, count: 1 << 20), false),
    (0x4, 1 << 20 + 1, Array(repeating: 1, count: 1 << 20 + 1), true),
    (0x5, 1 << 20, Array(repeating: 0x61, count: 1 << 20), false),
    (0x5, 1 << 20 + 1, Array(repeating: 0x61, count: 1 << 20 + 1), true),
    (0x6, 349_525, Array(repeating: [0x20, 0xAC], count: 349_525).flatMap(\.self), false),
    (0x6, 349_526, Array(repeating: [0x20, 0xAC], count: 349_526).flatMap(\.self), true),
    // Two bytes of UTF-8 for each unit are less than 1 MiB.
    (0x6, 349_526, Array(repeating: [0, 0xE4], count: 349_526).flatMap(\.self), false),
  ]

  @Test(arguments: borders.indices)
  func `a leaf of more than 1 MiB is long`(_ index: Int) async throws {
    let (kind, count, content, isLong) = Self.borders[index]
    let bytes = BinaryListBuilder.list(
      [[0xA1, 1], Self.object(kind, count, content)],
      offsetSize: 4
    )
    try await withList(bytes) { path in
      let list = try PropertyListDocument(at: path, sizeLimit: .max).list
      #expect(list.isHeld != isLong)
      #expect(try list.held() == PropertyList(bytes: bytes))
    }
  }

  @Test(arguments: [true, false])
  func `beside 2 MiB a leaf of more than 64 KiB is long`(_ isBinary: Bool) async throws {
    let texts = (0..<40).map { String(repeating: "\($0 % 10)", count: 100_000) }
    let whole = PropertyList.array(texts.map { .string($0) } + [.string("short")])
    let elements = texts.map { "<string>\($0)</string>" }.joined()
    let bytes =
      isBinary
      ? whole.binary : Array("<plist><array>\(elements)<string>short</string></array></plist>".utf8)
    try await withList(bytes) { path in
      let list = try PropertyListDocument(at: path, sizeLimit: .max).list
      let longCount = list.elements?.count { if case .long = $0 { true } else { false } } ?? 0
      // Of 21 texts that are held, the last one makes it 2 MiB.
      #expect(longCount == 40 - 21)
      #expect(try list.held() == whole)
    }
  }

  @Test func `parts that are given one at a time are not beside one another`() throws {
    let text = String(repeating: "0", count: 100_000)
    let elements = String(repeating: "<string>\(text)</string>", count: 40)
    let bytes = Array("<plist><array>\(elements)</array></plist>".utf8)
    let found = try PropertyListParts { limits, tolerance throws(XMLError) in
      try XMLEventReader(bytes: bytes, limits: limits, tolerance: tolerance)
    }
    var parts = try #require(found)
    var heldCount = 0
    while let part = try parts.next() {
      if case .element(.string(text)) = part { heldCount += 1 }
    }
    #expect(heldCount == 40)
  }

  @Test func `a long name of a dictionary is read like any other`() async throws {
    let name = Self.object(0x5, Self.text.count, Self.text)
    let bytes = BinaryListBuilder.list([[0xD1, 1, 2], name, [0x10, 1]], offsetSize: 4)
    try await withList(bytes) { path in
      let list = try PropertyListDocument(at: path, sizeLimit: .max).list
      #expect(try list == PropertyList(bytes: bytes))
    }
  }

  @Test func `a long leaf is of the file that was read, also where another takes its path`()
    async throws
  {
    let bytes = BinaryListBuilder.list([Kind.ascii.object], offsetSize: 4)
    try await withList(bytes) { path in
      let list = try PropertyListDocument(at: path, sizeLimit: .max).list
      let other = [UInt8](repeating: 0x78, count: bytes.count)
      try Data(other).write(to: URL(filePath: path), options: .atomic)
      #expect(!list.isHeld)
      #expect(try list.held() == .string(String(decoding: Self.text, as: UTF8.self)))
    }
  }

  @Test(arguments: [false, true]) func `a list whose file was written into is read no further`(
    _ isCut: Bool
  ) async throws {
    let bytes = BinaryListBuilder.list([Kind.ascii.object], offsetSize: 4)
    try await withList(bytes) { path in
      let date = Date(timeIntervalSince1970: 1_000)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
      let list = try PropertyListDocument(at: path, sizeLimit: .max).list
      let file = try FileHandle(forUpdating: URL(filePath: path))
      // Of the same size, or cut.
      try file.write(contentsOf: Data([0x79]))
      if isCut { try file.truncate(atOffset: 8) }
      try file.close()
      let error = FileError(changedWhileRead: path)
      #expect(throws: error) { try list.held() }
      #expect(error.description == "cannot read \(path): it was changed while it was read")
    }
  }

  private func withList(_ bytes: [UInt8], _ body: (String) throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/list"
      try Data(bytes).write(to: URL(filePath: path))
      try body(path)
    }
  }

  private func expectSame(_ bytes: [UInt8]) async throws {
    try await withList(bytes) { path in
      let read = try PropertyListDocument(at: path, sizeLimit: .max)
      let held = try PropertyListDocument(bytes: bytes)
      guard case .long(let leaf)? = read.list.elements?.first else {
        Issue.record("the leaf is held")
        return
      }
      #expect(try read.list.held() == held.list)
      let value = try #require(held.list.elements?.first)
      let whole = value.text.map { Array($0.utf8) } ?? value.bytes ?? []
      #expect(leaf.count == whole.count)
      #expect(try leaf.bytes(at: 1, count: 1 << 10) == Array(whole[1...].prefix(1 << 10)))
      #expect(try leaf.bytes(at: whole.count - 7, count: 7) == whole.suffix(7))
      #expect(read.notes == held.notes)
    }
  }
}
