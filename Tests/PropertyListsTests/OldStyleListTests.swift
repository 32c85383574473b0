import PropertyLists
import Testing

/// Old-style lists and `.strings` files, read and refused.
struct `Old-style property lists` {
  @Test func `text, data, arrays and dictionaries are read`() throws {
    let list = try OldStyleSample.list(
      """
      // !$*UTF8*$!
      { /* comment } */ a = b; "c d" = (1, 'x "y"', <0f bD77>, (), {},); e = { f = /g/h.i; };
        last = "" }
      """
    )
    #expect(
      list
        == .dictionary([
          .init(name: "a", value: .string("b")),
          .init(
            name: "c d",
            value: .array([
              .string("1"), .string("x \"y\""), .data([0x0F, 0xBD, 0x77]), .array([]),
              .dictionary([]),
            ])
          ),
          .init(name: "e", value: .dictionary([.init(name: "f", value: .string("/g/h.i"))])),
          .init(name: "last", value: .string("")),
        ])
    )
  }

  @Test func `escapes represent characters, octal ones those of NeXTSTEP`() throws {
    let text = #"( "\n\t\"\\\'\q", "\U00e4\Ud83d\Ude00x", "\101\341\1a", "ä\#u{1F600}" )"#
    let expected = ["\n\t\"\\'q", "ä😀x", "AÆ\u{1}a", "ä😀"]
    #expect(try OldStyleSample.list(text) == .array(expected.map { .string($0) }))
  }

  @Test func `half a surrogate pair is noted`() throws {
    let document = try PropertyListDocument(bytes: Array(#""a\Ud83dz""#.utf8))
    #expect(document.list == .string("a\u{FFFD}z"))
    #expect(document.notes == [.loneSurrogate(place: "byte 0")])
  }

  @Test func `a strings file is a dictionary`() throws {
    let text = "/* hello */\n\"a b\" = \"c\";\nd = e;\nsame;\n"
    let expected = PropertyList.dictionary([
      .init(name: "a b", value: .string("c")), .init(name: "d", value: .string("e")),
      .init(name: "same", value: .string("same")),
    ])
    #expect(try OldStyleSample.list(text) == expected)
    let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    #expect(try PropertyList(bytes: [0xFF, 0xFE] + wide) == expected)
  }

  @Test func `the typed values of GNUstep are read`() throws {
    let text = "(<*I-5>, <*R0.5>, <*BY>, <*BN>, <*D2001-01-01 01:00:00 +0100>, <*I\"7\">)"
    #expect(
      try OldStyleSample.list(text)
        == .array([
          .integer(-5), .real(0.5), .boolean(true), .boolean(false),
          .date(secondsSinceReferenceDate: 0), .integer(7),
        ])
    )
  }

  @Test(
    arguments: [
      "{", "(", "\"a", "{a=}", "{a=b c=d}", "(a b)", "(,)", "<0f", "<0>", "<0g>", "(a) b",
      "{\"a\": 1}", "/* x", "(\u{1})", "{a=b;};", "<*Q1>", "<*I>", "\"\\",
      "{=b;}", "// only a comment",
    ]
  )
  func `a value that breaks the format's rules is refused`(text: String) {
    #expect(throws: PropertyListError.self) { try OldStyleSample.list(text) }
  }

  @Test func `bytes that are not Unicode are refused`() {
    #expect(throws: PropertyListError.self) { try PropertyList(bytes: [0x22, 0xE4, 0x22]) }
  }

  @Test func `the nesting depth is bounded`() {
    #expect(throws: PropertyListError.beyondLimit("containers lie more than 200 deep")) {
      try OldStyleSample.list(String(repeating: "(", count: 10_000))
    }
  }

  @Test func `forms are recognised by their first bytes`() {
    let forms: [(String, PropertyListForm?)] = [
      ("<0fbd>", .oldStyle), ("<dict>", .xml), ("<data>", .xml), ("<*I5>", .oldStyle),
      ("\u{FEFF} {", .oldStyle), ("a = b;", .oldStyle), ("280NPLIST;1.0;", .cappuccino),
      ("hello there", nil), ("", nil), ("/usr/bin", nil),
    ]
    for (text, form) in forms { #expect(PropertyListForm(Array(text.utf8)) == form, "\(text)") }
  }
}

/// Old-style lists for tests.
enum OldStyleSample {
  static func list(_ text: String) throws(PropertyListError) -> PropertyList {
    try PropertyList(bytes: Array(text.utf8))
  }
}
