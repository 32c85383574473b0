import Testing
import TextCodecs

struct Base64Tests {
  // https://www.rfc-editor.org/rfc/rfc4648#section-10
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `base64 text of bytes decodes to the same bytes`(plain: String, text: String) {
    let bytes = Array(plain.utf8)
    let unpadded = Array(text.utf8.prefix { $0 != UInt8(ascii: "=") })
    #expect(Base64.text(bytes) == text)
    #expect(Base64.length(of: bytes.count) == text.utf8.count)
    #expect(Base64.unpadded(bytes) == unpadded)
    #expect(Base64.bytes(padded: Array(text.utf8)) == bytes)
    #expect(Base64.bytes(unpadded: unpadded) == bytes)
    #expect(Base64.bytes(spaced: Array(text.utf8)) == bytes)
    #expect(Base64.bytes(spaced: unpadded) == bytes)
  }

  @Test func `every base64 digit has its value`() {
    let bytes = (0..<48).map { place in
      let digits = (0..<4).map { UInt32(place / 3 * 4 + $0) }
      let group = digits.reduce(0) { $0 << 6 | $1 }
      return UInt8(truncatingIfNeeded: group >> UInt32(16 - place % 3 * 8))
    }
    let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    #expect(Base64.text(bytes) == text)
    #expect(Base64.bytes(padded: Array(text.utf8)) == bytes)
  }

  @Test(
    arguments: [
      ("Zg", [0x66], nil, [0x66]), ("Zh==", [0x66], [0x66], nil), ("Zh", [0x66], nil, nil),
      ("Zm9=", [0x66, 0x6F], [0x66, 0x6F], nil), ("Zm9", [0x66, 0x6F], nil, nil),
      (" Z\n g = =\t", [0x66], nil, nil), ("Zg=", [0x66], nil, nil), ("Zg===", [0x66], nil, nil),
      ("Z g=", [0x66], nil, nil), ("====", [], nil, nil), ("=", [], nil, nil),
      ("A", nil, nil, nil), ("AAAAA", nil, nil, nil), ("A===", nil, nil, nil),
      ("Zg==Zg==", nil, nil, nil), ("=Zg=", nil, nil, nil), ("Zm=v", nil, nil, nil),
      ("Zm-_", nil, nil, nil), ("Zm9é", nil, nil, nil), ("Zm9\u{0}", nil, nil, nil),
    ] as [(String, [UInt8]?, [UInt8]?, [UInt8]?)]
  )
  func `base64 text is read as strictly as its place requires`(
    text: String,
    spaced: [UInt8]?,
    padded: [UInt8]?,
    unpadded: [UInt8]?
  ) {
    #expect(Base64.bytes(spaced: Array(text.utf8)) == spaced)
    #expect(Base64.bytes(padded: Array(text.utf8)) == padded)
    #expect(Base64.bytes(unpadded: Array(text.utf8)) == unpadded)
    var check = Base64.PaddedCheck()
    for byte in text.utf8 { check.take([byte]) }
    #expect(check.isPassed == (padded != nil))
  }
}
