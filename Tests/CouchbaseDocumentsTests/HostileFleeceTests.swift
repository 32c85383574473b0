import CouchbaseDocuments
import TestSupport
import Testing

/// Bytes that are no value of Fleece, or one that would never end.
struct HostileFleeceTests {
  private static func error(_ bytes: [UInt8], _ keys: [String] = []) -> FleeceError? {
    do throws(FleeceError) {
      _ = try FleeceReader(sharedKeys: keys).value(of: DocumentBytes(bytes))
      return nil
    } catch {
      return error
    }
  }

  private static func isDamage(_ error: FleeceError?) -> Bool {
    if case .damaged = error { true } else { false }
  }

  private static func isCut(_ error: FleeceError?) -> Bool {
    if case .truncated = error { true } else { false }
  }

  @Test(arguments: [[], [0x30]] as [[UInt8]])
  func `fewer than two bytes are no value`(bytes: [UInt8]) {
    #expect(Self.isCut(Self.error(bytes)))
  }

  @Test func `an odd number of bytes is no value`() {
    #expect(Self.isDamage(Self.error([0x30, 0x00, 0x30])))
  }

  @Test(
    arguments: [
      [0x30, 0x00, 0x80, 0x00],  // to itself
      [0x30, 0x00, 0x80, 0x02],  // before the beginning
      [0x60, 0x01, 0x80, 0x01, 0x80, 0x02],  // to the array around it
      [0x60, 0x01, 0x80, 0x00, 0x80, 0x02],  // an item to itself
      [0x60, 0x02, 0x80, 0x02, 0x30, 0x00, 0x80, 0x03],  // to before the beginning
      [0x70, 0x01, 0x41, 0x61, 0x80, 0x02, 0x80, 0x03],  // a member to the dictionary around it
      [0x78, 0x01, 0x41, 0x61, 0, 0, 0x80, 0, 0, 0x03, 0x80, 0x05],  // the same in a wide one
      [0x30, 0, 0x80, 0x01, 0x60, 0x01, 0x80, 0x02, 0x80, 0x02],  // to a pointer
    ] as [[UInt8]]
  )
  func `a pointer that leads to no earlier value is refused`(bytes: [UInt8]) {
    #expect(Self.isDamage(Self.error(bytes)), "\(String(describing: Self.error(bytes)))")
  }

  @Test func `an array in an item's place cannot lead back to the array around it`() {
    // A wide array with one item of four bytes: an array of one item that points to the outer one.
    let bytes: [UInt8] = [0x68, 0x01, 0x60, 0x01, 0x80, 0x02, 0x80, 0x03]
    #expect(Self.isDamage(Self.error(bytes)))
  }

  @Test(
    arguments: [[0x30, 0, 0xC0, 0x01], [0x30, 0, 0x60, 0x01, 0xC0, 0x02, 0x80, 0x02]] as [[UInt8]]
  )
  func `a pointer into other data is refused`(bytes: [UInt8]) {
    guard case .externalPointer = Self.error(bytes) else {
      Issue.record("\(String(describing: Self.error(bytes)))")
      return
    }
  }

  @Test(
    arguments: [
      [0x4E, 0x61, 0x80, 0x01],  // a text of 14 bytes
      [0x4F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0x03],  // a count that does not end
      [0x4F, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x80, 0x03],  // a text of 4 GiB
      [0x17, 0x01, 0x80, 0x01],  // a number of 8 bytes
      [0x28, 0x00, 0x80, 0x01],  // a double
      [0x67, 0xFE, 0x80, 0x01],  // an array of 2046 items
      [0x67, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x00, 0x80, 0x04],  // an array of 4 billion items
      [0x70, 0x02, 0x30, 0x00, 0x80, 0x02],  // a dictionary with half a member
      [0x60, 0x01, 0x43, 0x61, 0x80, 0x02],  // a text of three bytes in an item of two
    ] as [[UInt8]]
  )
  func `a value that ends behind the bytes is refused`(bytes: [UInt8]) {
    let error = Self.error(bytes)
    #expect(Self.isCut(error) || Self.isDamage(error), "\(String(describing: error))")
  }

  @Test func `every beginning of a sound value is refused or another value`() {
    let bytes = FleeceWriter.bytes(
      .dictionary([
        (
          .text("a longer name than fits"),
          .array([.double(0.1), .text("text"), .data([1, 2, 3])])
        ),
        (.text("b"), .integer(1 << 40)),
      ])
    )
    for count in 0..<bytes.count { _ = Self.error(Array(bytes.prefix(count))) }
    #expect(Self.error(bytes) == nil)
  }

  @Test func `every change of one byte is refused or another value`() {
    let sound = FleeceWriter.bytes(
      .dictionary([
        (.number(0), .array([.double(0.1), .text("text"), .data([1, 2, 3])], isWide: true)),
        (.text("b"), .dictionary([(.text("c"), .integer(1 << 40))])),
      ])
    )
    for place in sound.indices {
      for value in UInt8.min...UInt8.max {
        var bytes = sound
        bytes[place] = value
        _ = Self.error(bytes, ["key"])
      }
    }
    #expect(Self.error(sound, ["key"]) == nil)
  }

  @Test func `more than 100 collections in one another are refused`() {
    func nested(_ depth: Int) -> FleeceWriter.Value {
      (1..<depth).reduce(.array([.null])) { inner, _ in .array([inner]) }
    }
    #expect(Self.error(FleeceWriter.bytes(nested(100))) == nil)
    guard case .tooLarge = Self.error(FleeceWriter.bytes(nested(101))) else {
      Issue.record("it was read")
      return
    }
  }

  @Test func `a value shared two to the sixtieth times over is refused`() {
    var bytes: [UInt8] = [0x60, 0x01, 0x30, 0x00]
    for _ in 0..<60 {
      // Both items lead to the array before.
      bytes += [
        0x60, 0x02, 0x80, UInt8(bytes.count == 4 ? 3 : 4), 0x80, UInt8(bytes.count == 4 ? 4 : 5),
      ]
    }
    bytes += [0x80, 0x03]
    guard case .tooLarge = Self.error(bytes) else {
      Issue.record("\(String(describing: Self.error(bytes)))")
      return
    }
  }

  @Test func `long data inside of other data is refused, and one that is shared is not`() throws {
    // Sixty bytes of data, whose bytes from the third on are data of fifty bytes.
    let inner: [UInt8] = [0, 0, 0x5F, 50]
    let data = [0x5F, 60] + inner + [UInt8](repeating: 0, count: 56)
    let reader = FleeceReader(holding: { _ in 20 })
    let shared = data + [0x60, 0x02, 0x80, 0x20, 0x80, 0x21, 0x80, 0x03]
    let long = FleeceValue.long(2..<62, isText: false)
    #expect(try reader.value(of: DocumentBytes(shared)) == .array([long, long]))
    let nested = data + [0x60, 0x02, 0x80, 0x20, 0x80, 0x1F, 0x80, 0x03]
    #expect(Self.error(nested) == nil)
    let error = #expect(throws: FleeceError.self) {
      try reader.value(of: DocumentBytes(nested))
    }
    #expect(Self.isDamage(error))
  }

  @Test func `what is held already counts when the next text is read`() throws {
    let bytes = FleeceWriter.bytes(.array([.text("twelve bytes"), .text("twelve other")]))
    let reader = FleeceReader(holding: { $0 < 12 ? 20 : 11 })
    guard case .array(let values) = try reader.value(of: DocumentBytes(bytes)) else {
      Issue.record("it is no array")
      return
    }
    #expect(values == [.text("twelve bytes"), .long(15..<27, isText: true)])
  }

  @Test func `a name that is too long to be held is called so`() {
    let name = String(repeating: "n", count: 21)
    let bytes = FleeceWriter.bytes(.dictionary([(.text(name), .null)]))
    let error = #expect(throws: FleeceError.self) {
      try FleeceReader(holding: { _ in 20 }).value(of: DocumentBytes(bytes))
    }
    #expect(error?.description.contains("too long to be held") == true)
  }

  @Test func `texts of more bytes than the limit are refused`() {
    let bytes = FleeceWriter.bytes(.array([.text("twelve bytes"), .text("twelve bytes")]))
    let limits = FleeceLimits(byteCount: 23)
    #expect(throws: FleeceError.self) {
      try FleeceReader(limits: limits).value(of: DocumentBytes(bytes))
    }
    #expect(throws: Never.self) {
      try FleeceReader(limits: FleeceLimits(byteCount: 24)).value(of: DocumentBytes(bytes))
    }
  }

  @Test func `a number that no shared key has is refused`() {
    let bytes = FleeceWriter.bytes(.dictionary([(.number(3), .null)]))
    #expect(Self.error(bytes, ["a", "b", "c"]) == .unknownKey(3, keyCount: 3))
  }

  @Test(
    arguments: [.null, .double(0.5), .data([1, 2, 3]), .array([.null])] as [FleeceWriter.Value]
  )
  func `a name that is no text is refused`(name: FleeceWriter.Value) throws {
    // An array of name and value has the items of a dictionary with one member.
    var bytes = FleeceWriter.bytes(.array([name, .null]))
    let place = bytes.count - 8
    #expect(bytes[place] == 0x60 && bytes[place + 1] == 2)
    bytes.replaceSubrange(place..<place + 2, with: [0x70, 0x01])
    #expect(Self.isDamage(Self.error(bytes)))
  }

  @Test func `a name that two members have is refused`() {
    let bytes = FleeceWriter.bytes(.dictionary([(.text("a"), .null), (.number(0), .null)]))
    #expect(Self.isDamage(Self.error(bytes, ["a"])))
  }

  @Test func `a dictionary that goes on from a number is refused`() {
    let bytes = FleeceWriter.bytes(.dictionary([(.parent, .integer(1))]))
    #expect(Self.isDamage(Self.error(bytes)))
  }

  @Test(arguments: [.integer(1), .dictionary([]), .array([.integer(1)])] as [FleeceWriter.Value])
  func `what is no array of texts is no list of shared keys`(value: FleeceWriter.Value) {
    #expect(throws: FleeceError.self) {
      try FleeceReader.sharedKeys(of: FleeceWriter.bytes(value))
    }
  }
}
