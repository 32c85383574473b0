import PropertyLists
import Testing
import XMLAccess

/// Lists in XML, read and refused.
struct `XML property lists` {
  @Test func `every element of a property list has its value`() throws {
    let list = try XMLListSample.list(
      """
      <array>
        <true/><false></false><integer> -5 </integer><integer>0x1F</integer>
        <integer>18446744073709551615</integer><integer>-9223372036854775808</integer>
        <real>1</real><real>-1.5e3</real><real>+infinity</real>
        <date>2001-01-01T00:00:01Z</date><data>AQ ID
        </data><string> a&lt;b<!-- no --><![CDATA[<c>]]>&#8; </string><string/>
        <dict><key>CF$UID</key><integer>7</integer></dict><dict/><array/>
      </array>
      """
    )
    let expected: [PropertyList] = [
      .boolean(true), .boolean(false), .integer(-5), .integer(31), .unsignedInteger(.max),
      .integer(.min), .real(1), .real(-1500), .real(.infinity),
      .date(secondsSinceReferenceDate: 1), .data([1, 2, 3]), .string(" a<b<c>\u{8} "),
      .string(""), .uid(7), .dictionary([]), .array([]),
    ]
    #expect(list == .array(expected))
  }

  @Test(
    arguments: [
      ("0000-12-30T00:00:00Z", -63_114_076_800), ("0000-01-01T00:00:00Z", -63_145_526_400),
      ("4001-01-01T00:00:00Z", 63_113_904_000), ("2000-02-29T23:59:59Z", -26_438_401),
      ("12000-01-01T00:00:00Z", 315_537_897_600), ("-0001-12-31T00:00:00Z", -63_145_612_800),
    ] as [(String, Double)]
  )
  func `dates of any year are exact`(text: String, seconds: Double) throws {
    #expect(
      try XMLListSample.list("<date>\(text)</date>") == .date(secondsSinceReferenceDate: seconds)
    )
  }

  @Test func `a list may come without declaration, DOCTYPE and plist, after spaces`() throws {
    let list = PropertyList.dictionary([.init(name: "", value: .integer(1))])
    let text = "<dict><key></key><integer>1</integer></dict>"
    for document in [
      text,
      "\n  <?xml version=\"1.0\"?>\n<!DOCTYPE plist>\n<plist version=\"1.0\">\(text)</plist>\n",
      "<!-- hello -->\(text)",
    ] {
      #expect(try PropertyList(bytes: Array(document.utf8)) == list)
    }
  }

  @Test(
    arguments: [
      "<plist/>", "<plist></plist>", "<plist><true/><true/></plist>", "<plist>x<true/></plist>",
      "<plist><true/></plist><plist/>", "<plist><true/></plist>x", "<true>x</true>",
      "<dict><key>a</key></dict>", "<dict><true/></dict>", "<array><key>a</key></array>",
      "<dict><string>a</string></dict>", "<dict><key>a</key><key>b</key></dict>",
      "<integer/>", "<integer>1.5</integer>", "<integer>1e3</integer>", "<integer>--1</integer>",
      "<integer>18446744073709551616</integer>", "<integer>-9223372036854775809</integer>",
      "<integer>٣</integer>", "<integer>0x</integer>", "<integer>1 2</integer>",
      "<real/>", "<real>0x1p3</real>", "<real>1,5</real>", "<real>e</real>",
      "<date/>", "<date>2001-02-30T00:00:00Z</date>", "<date>2001-01-01T24:00:00Z</date>",
      "<date>2001-01-01T00:00:60Z</date>", "<date>2001-01-01</date>",
      "<date>2001-01-01T00:00:00+01:00</date>", "<data>a*b=</data>", "<data>AAA=A</data>",
      "<data>A</data>", "<thing/>", "<string><b/></string>", "<string>&amp</string>",
      "<string>&nope;</string>", "<string>&#0;</string>", "<array><true/>", "<string>",
    ]
  )
  func `a value that breaks the format's rules is refused`(text: String) {
    #expect(throws: PropertyListError.self) { try XMLListSample.list(text) }
  }

  @Test func `a name that comes twice is refused, or known`() throws {
    let text = "<dict><key>a</key><true/>\n<key>a</key><false/></dict>"
    #expect(throws: PropertyListError.repeatedName(name: "a", place: "line 3")) {
      try XMLListSample.list(text)
    }
    let document = try PropertyListDocument(bytes: Array(text.utf8))
    #expect(document.form == .xml)
    #expect(document.list == .dictionary([.init(name: "a", value: .boolean(false))]))
    #expect(document.notes == [.repeatedName("a", dropped: .boolean(true), place: "line 2")])
  }

  /// A dictionary with one name in its two Unicode forms, behind so many others.
  private static func spellings(behind count: Int) -> String {
    let others = (0..<count).map { "<key>n\($0)</key><true/>" }.joined()
    return "<dict>\(others)<key>caf\u{E9}</key><integer>1</integer>"
      + "<key>cafe\u{301}</key><integer>2</integer></dict>"
  }

  @Test(arguments: [0, 40])
  func `names that are one text in different bytes have each its value`(count: Int) throws {
    let list = try XMLListSample.list(Self.spellings(behind: count))
    let values = (list.members ?? []).suffix(2).map { $0.value }
    #expect(values == [.integer(1), .integer(2)])
  }

  @Test(arguments: [0, 40])
  func `names that are one text in different bytes need no note`(count: Int) throws {
    let text = "<plist version=\"1.0\">\(Self.spellings(behind: count))</plist>"
    let document = try PropertyListDocument(bytes: Array(text.utf8))
    #expect(document.notes == [])
  }

  @Test func `a name that comes twice in a large dictionary is refused`() {
    let others = (0..<40).map { "<key>n\($0)</key><true/>" }.joined()
    #expect(throws: PropertyListError.self) {
      try XMLListSample.list("<dict>\(others)<key>n7</key><true/></dict>")
    }
  }

  @Test func `a number beyond a double is noted`() throws {
    let text = "<array><real>1e400</real><real>-1e-400</real><real>0e9</real></array>"
    let document = try PropertyListDocument(bytes: Array(text.utf8))
    #expect(
      document.notes == [
        .realBeyondDouble("1e400", place: "line 1"), .realBeyondDouble("-1e-400", place: "line 1"),
      ]
    )
  }

  @Test func `depth and number of values are bounded`() {
    let deep = String(repeating: "<array>", count: 250) + String(repeating: "</array>", count: 250)
    #expect(throws: PropertyListError.beyondLimit("containers lie more than 200 deep")) {
      try XMLListSample.list(deep)
    }
    #expect(throws: PropertyListError.beyondLimit("more than 3 values")) {
      try PropertyList(
        bytes: Array("<array><true/><true/><true/></array>".utf8),
        limits: PropertyListLimits(depth: 9, nodeCount: 3)
      )
    }
  }

  @Test func `a list inside another document is read in its place`() throws {
    let text = "<m><plist><dict><key>a</key><true/></dict></plist><n/></m>"
    let reader = try XMLEventReader(bytes: Array(text.utf8))
    _ = try reader.next()
    _ = try reader.next()
    let list = try PropertyList(element: "plist", of: reader)
    #expect(list == .dictionary([.init(name: "a", value: .boolean(true))]))
    #expect(try reader.next() == .start(name: "n", attributes: []))
  }

  @Test func `names in a large dictionary stay unique and in order`() throws {
    let names = (0..<100).map { "key\($0)" }
    let body = (names + ["key50"]).map { "<key>\($0)</key><true/>" }.joined()
    let document = try PropertyListDocument(bytes: Array("<dict>\(body)</dict>".utf8))
    #expect(document.list.members?.map(\.name) == names)
    #expect(document.notes.count == 1)
  }
}

/// Lists in XML for tests.
enum XMLListSample {
  static func list(_ value: String) throws(PropertyListError) -> PropertyList {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(value)</plist>"
    return try PropertyList(bytes: Array((value.contains("plist") ? value : text).utf8))
  }
}
