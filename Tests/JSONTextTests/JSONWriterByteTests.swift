import JSONText
import Testing

struct JSONWriterByteTests {
  private func written(_ body: (inout JSONWriter) throws -> Void) rethrows -> String {
    var writer = JSONWriter()
    try body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `a double has the digits that Swift gives it, and no empty fraction`() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<60_000 {
      let scale = [1.0, 10, 1000, 100_000, 1e6, 1e7][round % 6]
      let whole = Double(Int64.random(in: -90_000_000_000...90_000_000_000, using: &random))
      for value in [whole / scale, Double.random(in: -1e10...1e10, using: &random), whole * 1e-15] {
        let digits = value.description
        let expected = digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
        #expect(written { $0.double(value) } == expected)
      }
    }
  }

  @Test(arguments: [
    (0, "0"), (-0.0, "-0"), (0.0001, "0.0001"), (0.00001, "1e-05"), (-2.5, "-2.5"),
    (899_999_999.999_999, "899999999.999999"), (1e16, "1e+16"), (2.5e-300, "2.5e-300"),
  ])
  func `a double at an edge has its digits`(value: Double, expected: String) {
    #expect(written { $0.double(value) } == expected)
  }

  @Test(arguments: [
    (Int64.min, "-9223372036854775808"), (Int64.max, "9223372036854775807"), (0, "0"),
  ])
  func `an integer has all its digits`(value: Int64, expected: String) {
    #expect(written { $0.integer(value) } == expected)
  }

  @Test func `an integer of any length has the digits that Swift gives it`() {
    var bound: UInt64 = 1
    for _ in 0..<20 {
      for value in [bound - 1, bound, bound + 1] + (0..<200).map({ _ in .random(in: 0...bound) }) {
        #expect(written { $0.unsigned(value) } == String(value))
        let signed = Int64(truncatingIfNeeded: value)
        #expect(written { $0.integer(signed) } == String(signed))
        #expect(written { $0.integer(0 &- signed) } == String(0 &- signed))
      }
      bound = bound.multipliedReportingOverflow(by: 10).partialValue
    }
  }

  @Test func `a text quoted into given room is the text that a writer quotes`() {
    let pieces: [[UInt8]] = [
      [0x61], [0x20], [0x22], [0x5C], [0x0A], [0x01], [0x7F], [0xC3, 0xA9], [0xE2, 0x80, 0x9C],
      [0xF0, 0x9F, 0xA6, 0x8A], [0xC3], [0xFF], [0xED, 0xA0, 0x80],
    ]
    for _ in 0..<20_000 {
      // Good bytes mostly, so that all lengths of plain stretches are met.
      let bytes = (0..<Int.random(in: 0..<50)).flatMap { _ in
        Int.random(in: 0..<12) > 0 ? pieces[0] : pieces.randomElement() ?? []
      }
      let capacity = JSONQuoting.room(for: bytes.count)
      let quoted = bytes.withUnsafeBytes { source -> [UInt8]? in
        // A copy of its own size, so that a byte read beyond it is found out.
        let exact = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        defer { exact.deallocate() }
        exact.copyMemory(from: source)
        return withUnsafeTemporaryAllocation(byteCount: capacity + 1, alignment: 1) { room in
          guard let start = room.baseAddress else { return nil }
          room[capacity] = 0xAA
          let count = JSONQuoting.write(UnsafeRawBufferPointer(exact), to: start)
          #expect(room[capacity] == 0xAA, "nothing is written behind the room")
          return count.map { Array(room[..<$0]) }
        }
      }
      let known = String(validating: bytes, as: UTF8.self)
      #expect(
        quoted.map { String(decoding: $0, as: UTF8.self) }
          == known.map { text in written { $0.string(text) } }
      )
    }
  }

  @Test
  func `members written together have their commas, and leave no trace when they do not come`() {
    let put = { (text: StaticString, room: UnsafeMutableRawPointer) -> Int in
      room.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
      return text.utf8CodeUnitCount
    }
    let result = written { writer in
      writer.beginObject()
      #expect(!writer.members(atMost: 8) { _, _ in nil })
      #expect(
        writer.members(atMost: 8) { room, needsComma in needsComma ? nil : put(#""a":1"#, room) }
      )
      #expect(
        writer.members(atMost: 8) { room, needsComma in needsComma ? put(#","b":2"#, room) : nil }
      )
      writer.name("c")
      writer.null()
      writer.endObject()
    }
    #expect(result == #"{"a":1,"b":2,"c":null}"#)
  }

  @Test func `what is cut off is forgotten, also what is still open`() {
    var writer = JSONWriter()
    writer.integer(1)
    writer.endLine()
    let count = writer.count
    writer.beginObject()
    writer.name("a")
    writer.cut(to: count)
    writer.integer(2)
    writer.endLine()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "1\n2\n")
  }

  @Test func `what must be escaped is escaped wherever it stands`() throws {
    for length in 0..<45 {
      for place in 0..<max(1, length) {
        for (text, escaped) in [
          ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1}", #"\u0001"#), ("é", "é"),
          ("\u{1F}", #"\u001f"#), ("月", "月"), ("🦊🦊", "🦊🦊"), ("é\"", #"é\""#), ("\u{7F}", "\u{7F}"),
        ] {
          let before = String(repeating: "a", count: place)
          let after = String(repeating: "b", count: length - place)
          let bytes = Array((before + text + after).utf8)
          let result = try written { writer in
            try bytes.withUnsafeBytes { try writer.string(utf8: $0) }
          }
          #expect(result == "\"\(before)\(escaped)\(after)\"")
        }
      }
    }
  }

  @Test func `what is no UTF-8 is refused, and nothing of it is written`() throws {
    let faults: [[UInt8]] = [
      [0xFF], [0x80], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0xA6],
      [0xF4, 0x90, 0x80, 0x80], [0xC0, 0xAF],
    ]
    for length in 0..<45 {
      for fault in faults {
        let bytes = Array(repeating: UInt8(ascii: "a"), count: length) + fault
        let result = written { writer in
          writer.beginArray()
          writer.integer(1)
          #expect(throws: JSONError.self) {
            try bytes.withUnsafeBytes { try writer.string(utf8: $0) }
          }
          writer.integer(2)
          writer.endArray()
        }
        #expect(result == "[1,2]")
      }
    }
  }

  @Test func `a name made ready is a name`() {
    let name = Array("a\"b".utf8)
    let result = written { writer in
      writer.beginObject()
      for _ in 0..<2 {
        JSONWriter.ready(name).withUnsafeBytes { writer.name(ready: $0) }
        writer.null()
      }
      writer.endObject()
    }
    #expect(result == #"{"a\"b":null,"a\"b":null}"#)
  }

  @Test(arguments: [
    ("", #"{"c":"x"}"#),
    (#""b":1,"d":[2]"#, #"{"c":"x","b":1,"d":[2]}"#),
  ])
  func `members that are there already follow those before them`(members: String, expected: String)
  {
    let result = written { writer in
      writer.beginObject()
      writer.name("c")
      writer.string("x")
      writer.members(ArraySlice(members.utf8))
      writer.endObject()
    }
    #expect(result == expected)
  }

  @Test func `what is finished is what was written, however often it grew`() {
    var writer = JSONWriter(reservingCapacity: 1)
    writer.beginArray()
    for number in 0..<500 { writer.number(JSONNumber(Int64(number))) }
    writer.endArray()
    #expect(writer.bytes == writer.finished())
  }

  @Test func `a plain string that does not come about leaves no trace`() {
    let result = written { writer in
      writer.beginArray()
      writer.boolean(true)
      #expect(!writer.string(atMost: 8) { _ in nil })
      #expect(
        writer.string(atMost: 8) {
          $0.storeBytes(of: 0x61, as: UInt8.self); return 1
        }
      )
      writer.endArray()
    }
    #expect(result == #"[true,"a"]"#)
  }
}
