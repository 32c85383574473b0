import Testing
import XMLAccess

/// Documents read event by event.
struct `XML events` {
  @Test func `elements, attributes and text come in their order`() throws {
    #expect(
      try XMLSample.trace("<?xml version='1.0'?><a b='1' c=\"x &lt; y\">t<d/>u&amp;v</a>")
        == ["<a b=1 c=x < y>", "t", "<d>", "</d>", "u&v", "</a>"]
    )
  }

  @Test func `comments, instructions and CDATA leave the text whole`() throws {
    #expect(
      try XMLSample.trace("<a>x<!-- > - no --><?p q?><![CDATA[<y>]]&]]>z</a>")
        == ["<a>", "x<y>]]&z", "</a>"]
    )
  }

  @Test func `a text of any length is collected up to a limit`() throws {
    let text = String(repeating: "0123456789", count: 30_000)
    let bytes = Array("<a>\(text)</a>".utf8)
    let reader = try XMLEventReader(bytes: bytes)
    _ = try reader.next()
    #expect(try reader.text(limit: 300_000) == Array(text.utf8))
    #expect(try reader.next() == nil)
    let other = try XMLEventReader(bytes: bytes)
    _ = try other.next()
    #expect(XMLSample.cause { try other.text(limit: 299_999) } == .beyondLimit)
  }

  @Test func `an element is passed over with all that is inside`() throws {
    let reader = try XMLEventReader(bytes: Array("<a><b><b>x</b>y</b><c/></a>".utf8))
    _ = try reader.next()
    _ = try reader.next()
    try reader.skipElement()
    #expect(try reader.next() == .start(name: "c", attributes: []))
  }

  @Test func `prefixes and declarations of namespaces stay visible`() throws {
    #expect(
      try XMLSample.trace("<x:a xmlns:x='u' xmlns='v' x:b='1'/>")
        == ["<x:a xmlns:x=u xmlns=v x:b=1>", "</x:a>"]
    )
  }

  @Test func `events know their line`() throws {
    let reader = try XMLEventReader(bytes: Array("\n\n<a>\n<b/></a>".utf8))
    _ = try reader.next()
    #expect(reader.line == 3)
    _ = try reader.next()
    _ = try reader.next()
    #expect(reader.line == 4)
  }

  @Test(arguments: [1, 7, 60_000, 65_530, 65_536, 70_000])
  func `the boundaries of file pieces make no difference`(size: Int) throws {
    let fill = String(repeating: "ä", count: size)
    let events = try XMLSample.trace(
      "<a>\(fill)<b c='&#8364;'>&#x1F600;<!-- \(fill) --></b><![CDATA[\(fill)]]></a>"
    )
    #expect(events == ["<a>", fill, "<b c=€>", "😀", "</b>", fill, "</a>"])
  }

  @Test func `a file is read like bytes`() throws {
    #expect(XMLSample.cause { _ = try XMLEventReader(path: "/nowhere.xml") } == .unreadable)
    #expect(XMLSample.cause { _ = try XMLEventReader(path: "/") } == .unreadable)
  }
}

/// Encodings, identified by their first bytes or by name.
struct `XML encodings` {
  @Test(arguments: [true, false], [2, 4])
  func `wide text is read in both orders, with and without a mark`(
    isBigEndian: Bool,
    width: Int
  ) throws {
    for mark in ["", "\u{FEFF}"] {
      let text = "\(mark)<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>é😀</a>"
      let bytes = XMLSample.wide(text, width: width, isBigEndian: isBigEndian)
      #expect(try XMLSample.trace(bytes) == ["<a>", "é😀", "</a>"])
      #expect(XMLSample.cause { try XMLSample.trace(bytes.dropLast() + []) } == .encoding)
    }
  }

  @Test func `a lone surrogate is refused`() {
    let bytes = XMLSample.wide("<a>", width: 2, isBigEndian: true) + [0xD8, 0x00, 0x00, 0x3C]
    #expect(XMLSample.cause { try XMLSample.trace(bytes) } == .encoding)
  }

  @Test func `Latin-1 and its like are read when they are declared`() throws {
    let head = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8)
    #expect(try XMLSample.trace(head + [0xE4] + "</a>".utf8) == ["<a>", "ä", "</a>"])
    let windows = Array("<?xml version='1.0' encoding = 'windows-1252'?><a>".utf8)
    #expect(try XMLSample.trace(windows + [0x80] + "</a>".utf8) == ["<a>", "€", "</a>"])
    #expect(XMLSample.cause { try XMLSample.trace("<a>".utf8 + [0xE4] + "</a>".utf8) } == .encoding)
  }

  @Test(arguments: ["UTF-16", "EBCDIC-CP-US", "UTF-7", "Shift_JIS"])
  func `an impossible encoding is refused`(name: String) {
    let text = "<?xml version='1.0' encoding='\(name)'?><a/>"
    #expect(XMLSample.cause { try XMLSample.trace(text) } == .encoding)
  }
}

/// Builds documents and says what was read.
enum XMLSample {
  static func trace(_ text: String) throws(XMLError) -> [String] {
    try trace(Array(text.utf8))
  }

  static func trace(
    _ bytes: [UInt8],
    limits: XMLLimits = .standard,
    tolerance: XMLEventReader.Tolerance = []
  ) throws(XMLError) -> [String] {
    let reader = try XMLEventReader(bytes: bytes, limits: limits, tolerance: tolerance)
    var lines: [String] = []
    var isText = false
    while let event = try reader.next() {
      switch event {
      case .start(let name, let attributes):
        lines.append("<" + name + attributes.map { " \($0.name)=\($0.value)" }.joined() + ">")
      case .text(let piece):
        let text = String(decoding: piece, as: UTF8.self)
        if isText { lines[lines.count - 1] += text } else { lines.append(text) }
      case .end(let name):
        lines.append("</\(name)>")
      }
      if case .text = event { isText = true } else { isText = false }
    }
    return lines
  }

  static func cause(_ work: () throws -> Void) -> XMLError.Cause? {
    do {
      try work()
      return nil
    } catch {
      return (error as? XMLError)?.cause
    }
  }

  @discardableResult
  static func cause<Value>(_ work: () throws -> Value) -> XMLError.Cause? {
    cause { () throws -> Void in _ = try work() }
  }

  static func wide(_ text: String, width: Int, isBigEndian: Bool) -> [UInt8] {
    let units =
      width == 2 ? text.utf16.map { UInt32($0) } : text.unicodeScalars.map { $0.value }
    return units.flatMap { unit -> [UInt8] in
      let bytes = (0..<width).map { UInt8(truncatingIfNeeded: unit >> ($0 * 8)) }
      return isBigEndian ? bytes.reversed() : bytes
    }
  }
}

/// Characters that are written as two references to surrogates, as Java programs write them.
struct SurrogateReferenceTests {
  private func text(_ document: String, _ tolerance: XMLEventReader.Tolerance) throws -> String {
    let reader = try XMLEventReader(bytes: Array(document.utf8), tolerance: tolerance)
    var text = ""
    while let event = try reader.next() {
      if case .text(let bytes) = event { text += String(decoding: bytes, as: UTF8.self) }
      if case .start(_, let attributes) = event { text += attributes["b"] ?? "" }
    }
    return text
  }

  @Test func `a pair of surrogate references is one character if the reader asks for it`() throws {
    let document = "<a b=\"&#55357;&#57313;\">&#xD83D;&#xDFE9; &#10;&amp;</a>"
    #expect(try text(document, .surrogatePairs) == "🟡🟩 \n&")
    #expect(throws: XMLError.self) { try text(document, []) }
  }

  @Test(arguments: [
    ("&#55357;", "\u{FFFD}"), ("&#57313;&#55357;", "\u{FFFD}\u{FFFD}"),
    ("&#55357; &#57313;", "\u{FFFD} \u{FFFD}"), ("&#0;&#8;&#xFFFE;", "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ("&#x110000;", "\u{FFFD}"), ("&#9;&#xE000;&#x10FFFF;", "\t\u{E000}\u{10FFFF}"),
  ])
  func `a reference to half a pair, or to no character, is read as U+FFFD and counted`(
    reference: String,
    read: String
  ) throws {
    let document = "<a b=\"\(reference)\">\(reference)</a>"
    #expect(try text(document, .replacedReferences) == read + read)
    let reader = try XMLEventReader(bytes: Array(document.utf8), tolerance: .replacedReferences)
    while try reader.next() != nil {}
    #expect(reader.replacedCount == 2 * read.count { $0 == "\u{FFFD}" })
    if reader.replacedCount > 0 {
      #expect(throws: XMLError.self) { try text(document, .surrogatePairs) }
    }
  }

  @Test func `a surrogate pair may be split between two pieces of the document`() throws {
    for shift in 0..<24 {
      let filling = String(repeating: "x", count: (1 << 16) - 3 - shift)
      let read = try text("<a>\(filling)&#55357;&#57313;</a>", .surrogatePairs)
      #expect(read == filling + "🟡")
    }
  }
}
