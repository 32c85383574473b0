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

  @Test func `what must be escaped is escaped wherever it stands`() throws {
    for length in 0..<20 {
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
    for length in 0..<20 {
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
