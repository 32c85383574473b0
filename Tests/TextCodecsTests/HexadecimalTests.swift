import Testing
import TextCodecs

struct HexadecimalTests {
  @Test func `every byte has two digits, in small letters or in capitals`() {
    let bytes = Array(UInt8.min...UInt8.max)
    let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(bytes.hexadecimal == text)
    #expect(Hexadecimal.text(bytes, .upper) == text.uppercased())
    #expect(Hexadecimal.text(AnySequence(bytes)) == text)
  }

  @Test(arguments: 0...9) func `any number of bytes is decoded from its hexadecimal text`(
    count: Int
  ) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 150) }
    #expect(bytes.hexadecimal.utf8.count == 2 * count)
    #expect(Hexadecimal.bytes(bytes.hexadecimal.utf8, .lowerCase) == bytes)
  }

  // https://www.rfc-editor.org/rfc/rfc4648#section-10
  @Test(arguments: [
    ("", ""), ("f", "66"), ("fo", "666F"), ("foo", "666F6F"), ("foob", "666F6F62"),
    ("fooba", "666F6F6261"), ("foobar", "666F6F626172"),
  ])
  func `the examples of RFC 4648 are written and read`(plain: String, text: String) {
    #expect(Hexadecimal.text(plain.utf8, .upper) == text)
    #expect(Hexadecimal.bytes(text.utf8, .eitherCase) == Array(plain.utf8))
  }

  @Test func `a hexadecimal number has all its digits`() {
    #expect(Hexadecimal.text(0x2F as UInt64) == "000000000000002f")
    #expect(Hexadecimal.text(UInt64.max, .upper) == "FFFFFFFFFFFFFFFF")
    #expect(Hexadecimal.text(0xA as UInt16) == "000a")
  }

  @Test(
    arguments: [
      ("", [], [], []), ("0aff", [10, 255], [10, 255], [10, 255]),
      ("0AfF", nil, [10, 255], [10, 255]), ("AF", nil, [0xAF], [0xAF]),
      (" 0a\n f F\t", nil, nil, [10, 255]), ("0 a", nil, nil, [10]), (" \r\n", nil, nil, []),
      ("0", nil, nil, nil), ("0af", nil, nil, nil), ("0g", nil, nil, nil), ("+f", nil, nil, nil),
      ("0x", nil, nil, nil), ("-0", nil, nil, nil), ("@a", nil, nil, nil), ("`a", nil, nil, nil),
      ("/0", nil, nil, nil), (":0", nil, nil, nil), ("é", nil, nil, nil), ("０a", nil, nil, nil),
      ("0\u{0}", nil, nil, nil),
    ] as [(String, [UInt8]?, [UInt8]?, [UInt8]?)]
  )
  func `hexadecimal text is read in each of its forms`(
    text: String,
    lowerCase: [UInt8]?,
    eitherCase: [UInt8]?,
    spaced: [UInt8]?
  ) {
    #expect(Hexadecimal.bytes(text.utf8, .lowerCase) == lowerCase)
    #expect(Hexadecimal.bytes(text.utf8, .eitherCase) == eitherCase)
    #expect(Hexadecimal.bytes(text.utf8, .spaced) == spaced)
  }

  @Test func `only the 22 digits have a value`() {
    for byte in UInt8.min...UInt8.max {
      let scalar = Unicode.Scalar(byte)
      let expected = scalar.isASCII ? Character(scalar).hexDigitValue : nil
      #expect(Hexadecimal.value(of: byte).map { Int($0) } == expected)
    }
  }
}
