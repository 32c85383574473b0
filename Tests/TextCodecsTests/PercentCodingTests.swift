import Testing
import TextCodecs

struct PercentCodingTests {
  @Test func `all characters but the unreserved ones are percent-encoded`() {
    #expect(PercentCoding.encoded("aZ09-._~") == "aZ09-._~")
    #expect(PercentCoding.encoded("a b/é%") == "a%20b%2F%C3%A9%25")
    #expect(PercentCoding.encoded("a b/é%", keeping: "/") == "a%20b/%C3%A9%25")
    #expect(PercentCoding.encoded("\u{0}\n\u{7F}") == "%00%0A%7F")
    #expect(PercentCoding.encoded("a+O", .lower) { $0 == UInt8(ascii: "O") } == "%61%2bO")
  }

  @Test func `bytes that are not text are percent-encoded too`() {
    var text = Array("x:".utf8)
    PercentCoding.append([0xFF, 0x41, 0x2F], to: &text)
    #expect(String(decoding: text, as: UTF8.self) == "x:%FFA%2F")
  }

  @Test(arguments: [
    ("a%20b%2f%C3%A9", "a b/é"), ("", ""), ("%", "%"), ("%4", "%4"), ("%4g", "%4g"),
    ("%+f", "%+f"), ("%-0", "%-0"), ("%%41", "%A"), ("%2541", "%41"), ("%FF", "\u{FFFD}"),
    ("100%", "100%"), ("a+b", "a+b"),
  ])
  func `a percent sign without two digits after it is kept`(
    text: String,
    expected: String
  ) {
    #expect(PercentCoding.decoded(text) == expected)
  }

  @Test(
    arguments: [
      ("a%20b%2f%C3%A9", "a b/é"), ("", ""), ("a+b", "a+b"), ("%2541", "%41"), ("%", nil),
      ("%4", nil), ("%4g", nil), ("%+f", nil), ("100%", nil), ("%%41", nil), ("%FF", nil),
    ] as [(String, String?)]
  )
  func `a strict reading refuses a broken escape and bytes that are not UTF-8`(
    text: String,
    expected: String?
  ) {
    #expect(PercentCoding.strictlyDecoded(text) == expected)
  }

  // https://www.rfc-editor.org/rfc/rfc3986#section-2.1 and section 2.5
  @Test(arguments: [(" ", "%20"), ("À", "%C3%80"), ("ア", "%E3%82%A2"), (":", "%3A")])
  func `the examples of RFC 3986 are written and read`(plain: String, text: String) {
    #expect(PercentCoding.encoded(plain) == text)
    #expect(PercentCoding.strictlyDecoded(text) == plain)
    #expect(PercentCoding.strictlyDecoded(text.lowercased()) == plain)
  }

  @Test func `percent-encoded bytes are decoded to the same bytes`() {
    let text = String(String.UnicodeScalarView((0..<0x300).compactMap(Unicode.Scalar.init)))
    #expect(PercentCoding.decoded(PercentCoding.encoded(text)) == text)
    #expect(PercentCoding.strictlyDecoded(PercentCoding.encoded(text)) == text)
  }
}
