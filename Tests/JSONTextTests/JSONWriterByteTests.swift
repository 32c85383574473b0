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
  func `doubles at the edges of their range are written exactly`(value: Double, expected: String) {
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

  @Test func `a text quoted into a given buffer is the text that a writer quotes`() {
    let pieces: [[UInt8]] = [
      [0x61], [0x20], [0x22], [0x5C], [0x0A], [0x01], [0x7F], [0xC3, 0xA9], [0xE2, 0x80, 0x9C],
      [0xF0, 0x9F, 0xA6, 0x8A], [0xC3], [0xFF], [0xED, 0xA0, 0x80],
    ]
    for _ in 0..<20_000 {
      // Good bytes mostly, so that all lengths of plain stretches are found.
      let bytes = (0..<Int.random(in: 0..<50)).flatMap { _ in
        Int.random(in: 0..<12) > 0 ? pieces[0] : pieces.randomElement() ?? []
      }
      let capacity = JSONQuoting.capacity(for: bytes.count)
      let quoted = bytes.withUnsafeBytes { source -> [UInt8]? in
        // A copy of its own size, so that a byte read beyond it is found out.
        let exact = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        defer { exact.deallocate() }
        exact.copyMemory(from: source)
        return withUnsafeTemporaryAllocation(byteCount: capacity + 1, alignment: 1) { target in
          guard let start = target.baseAddress else { return nil }
          target[capacity] = 0xAA
          let count = JSONQuoting.write(UnsafeRawBufferPointer(exact), to: start)
          #expect(target[capacity] == 0xAA, "nothing is written behind the buffer")
          return count.map { Array(target[..<$0]) }
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
  func `members written together have their commas, and failed ones leave no trace`() {
    let put = { (text: StaticString, target: UnsafeMutableRawPointer) -> Int in
      target.copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
      return text.utf8CodeUnitCount
    }
    let result = written { writer in
      writer.beginObject()
      #expect(!writer.members(atMost: 8) { _, _ in nil })
      #expect(
        writer.members(atMost: 8) { target, needsComma in needsComma ? nil : put(#""a":1"#, target)
        }
      )
      #expect(
        writer.members(atMost: 8) { target, needsComma in needsComma ? put(#","b":2"#, target) : nil
        }
      )
      writer.name("c")
      writer.null()
      writer.endObject()
    }
    #expect(result == #"{"a":1,"b":2,"c":null}"#)
  }

  @Test func `a cut-off document is forgotten, even if it is open`() {
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

  @Test func `each character that needs an escape is escaped in every position`() throws {
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

  @Test func `text that is not UTF-8 is refused, and no byte of it is written`() throws {
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

  @Test func `a prepared name is written like any name`() {
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
  func `ready-made members are joined with commas`(members: String, expected: String) {
    let result = written { writer in
      writer.beginObject()
      writer.name("c")
      writer.string("x")
      writer.members(ArraySlice(members.utf8))
      writer.endObject()
    }
    #expect(result == expected)
  }

  @Test func `a finished text equals the written bytes, however often the buffer grew`() {
    var writer = JSONWriter(reservingCapacity: 1)
    writer.beginArray()
    for number in 0..<500 { writer.number(JSONNumber(Int64(number))) }
    writer.endArray()
    #expect(writer.bytes == writer.finished())
  }

  @Test func `a string that fails to be written leaves no trace`() {
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
