import Testing
import XMLAccess

/// Documents that attack anyone who reads them.
struct `Hostile XML` {
  @Test(
    arguments: [
      "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
      "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
      "<!DOCTYPE a [<!ENTITY % e SYSTEM 'http://a.invalid/'> %e;]><a/>",
      "<!DOCTYPE a [<!ENTITY e SYSTEM 'x' NDATA y>]><a/>",
      "<!DOCTYPE a [<!ENTITY e 'x'>]><a/>",
      "<!DOCTYPE a [<!ATTLIST a b CDATA 'x'>]><a/>", "<!DOCTYPE a []><a/>",
      "<!DOCTYPE a [<!-- no more -->]><a/>", "<!DOCTYPE a [<!ELEMENT a ANY>]><a/>",
      "<!DOCTYPE a [<!NOTATION n SYSTEM 'x'>]><a/>", "<!DOCTYPE a [ %x; ]><a>&y;</a>",
      "<!DOCTYPE a><a/>", "<!DOCTYPE a SYSTEM 'file:///dev/zero'><a/>",
      "<!DOCTYPE a SYSTEM \"a>b\"><a/>", "<!DOCTYPE plist SYSTEM 'file:///etc/passwd'><plist/>",
      "<!DOCTYPE plist PUBLIC \"-//X//Y\" \"http://a.invalid/p.dtd\"><plist/>",
      "<!DOCTYPE plist [<!ELEMENT plist ANY>]><plist/>",
    ]
  )
  func `a DOCTYPE that is not Apple's, or declares something, is refused`(text: String) {
    #expect(XMLSample.cause { try XMLSample.trace(text) } == .forbidden)
  }

  @Test func `a DOCTYPE that declares something is refused in its line`() {
    let texts = ["<!-- x\n -->\n<!DOCTYPE plist\n[ ]>\n<plist/>", "\n\n\n<!DOCTYPE b []><b/>"]
    for text in texts {
      let error = #expect(throws: XMLError.self) { try XMLSample.trace(text) }
      #expect(error?.line == 4)
      #expect(error?.cause == .forbidden)
    }
  }

  @Test(
    arguments: [
      "plist", "plist PUBLIC '-//Apple//DTD PLIST 1.0//EN' '\(appleAddress)'",
      "plist PUBLIC \"-//Apple Computer//DTD PLIST 1.0//EN\" \"\(appleAddress)\"",
      "database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\"",
    ]
  )
  func `references to files of Apple's frameworks are ignored`(type: String) throws {
    let reader = try XMLEventReader(bytes: Array("<!DOCTYPE \(type)><a>x</a>".utf8))
    #expect(try reader.next() == .start(name: "a", attributes: []))
    #expect(reader.documentType.map { type.hasPrefix($0) } == true)
  }

  private static let appleAddress = "http://www.apple.com/DTDs/PropertyList-1.0.dtd"

  @Test(
    arguments: [
      "", " ", "<", "<a", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "x<a/>", "<a b='1' b='2'/>",
      "<a>&nope;</a>", "<a>&amp</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>",
      "<a>&#99999999999999999999;</a>", "<a>\u{0}</a>", "<a/>\u{0}\u{0}", "<a>\u{8}</a>",
      "<a><![CDATA[x</a>", "<a><!-- x</a>", "<a b='<'/>", "<x:a/>", "<a x:b='1'/>", "<a b=1/>",
      "<!DOCTYPE plist><a>&nope;</a>", "<?xml version='1.0'?", "<a>]]></a>", "<!DOCTYPE a",
    ]
  )
  func `malformed XML is refused`(text: String) {
    #expect(throws: XMLError.self) { try XMLSample.trace(text) }
  }

  @Test(
    arguments: ["", "\n\n\n\n", "<?xml version='1.0'?>\n", "<a>text", "<a>\n<b/>", "<a><b></b>"]
  )
  func `a truncated document is not reported as too long`(text: String) {
    let error = #expect(throws: XMLError.self) { try XMLSample.trace(text) }
    #expect(error?.reason.contains("Extra content") == false)
  }

  @Test func `text after the root element is reported`() {
    let error = #expect(throws: XMLError.self) { try XMLSample.trace("<a/>x") }
    #expect(error?.reason.contains("at the end of the document") == true)
  }

  @Test func `bytes that are not UTF-8 are refused in every position`() {
    let fill = Array(repeating: UInt8(ascii: "x"), count: 90_000)
    for bad in [[0xC0, 0xAF], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xFF], [0xE4]] as [[UInt8]] {
      let bytes = Array("<a>".utf8) + fill + bad + "</a>".utf8
      #expect(throws: XMLError.self) { try XMLSample.trace(bytes) }
    }
  }

  @Test func `depth, names, tags, attributes and comments are bounded`() {
    let many = (0..<300).map { " a\($0)=''" }.joined()
    let texts = [
      String(repeating: "<a>", count: 300), "<\(String(repeating: "n", count: 2000))/>",
      "<a b='\(String(repeating: "x", count: 300_000))'/>", "<a\(many)/>",
      "<a><!--\(String(repeating: "x", count: 300_000))--></a>",
      "<a><?p \(String(repeating: "x", count: 300_000))?></a>",
      "<!DOCTYPE a SYSTEM '\(String(repeating: "x", count: 300_000))'><a/>",
      "<a>" + (0..<20_001).map { "<a\($0)/>" }.joined() + "</a>",
    ]
    for text in texts {
      #expect(XMLSample.cause { try XMLSample.trace(text) } == .beyondLimit, "\(text.prefix(9))")
    }
  }

  @Test func `a section larger than the parser holds is refused for its size`() {
    let text = "<a><![CDATA[" + String(repeating: "x", count: 11_000_000) + "]]></a>"
    #expect(XMLSample.cause { try XMLSample.trace(text) } == .beyondLimit)
  }

  @Test func `attributes are counted wherever a quote is in its tag`() throws {
    for size in 0..<70 {
      let name = "a" + String(repeating: "n", count: size)
      let text = "<\(name) b='>' c=\"'\"/>"
      #expect(try XMLSample.trace(text) == ["<\(name) b=> c='>", "</\(name)>"])
      let one = XMLLimits(attributeCount: 1)
      #expect(throws: XMLError.self) { try XMLSample.trace(Array(text.utf8), limits: one) }
    }
  }

  @Test func `tags of thousands of references are read where they are expected`() throws {
    let value = String(repeating: "z123456 ", count: 500_000)
    let events = try XMLSample.trace(Array("<a b='\(value)'/>".utf8), limits: .longAttributes)
    #expect(events == ["<a b=\(value)>", "</a>"])
  }

  @Test func `control characters are read where they are expected`() throws {
    let text = "<a>x&#8;y&#x1F;<!-- &#8; --><![CDATA[&#8;]]>&amp;&#65;</a>"
    #expect(throws: XMLError.self) { try XMLSample.trace(text) }
    #expect(
      try XMLSample.trace(Array(text.utf8), tolerance: .controlCharacterReferences)
        == ["<a>", "x\u{8}y\u{1F}&#8;&A", "</a>"]
    )
    for place in 65_520..<65_540 {
      let fill = String(repeating: "x", count: place)
      let bytes = Array("<a>\(fill)&#8;y</a>".utf8)
      #expect(
        try XMLSample.trace(bytes, tolerance: .controlCharacterReferences)
          == ["<a>", fill + "\u{8}y", "</a>"]
      )
    }
  }

  @Test func `events before a fault are delivered first, and the fault is repeated`() throws {
    let reader = try XMLEventReader(bytes: Array("<a>\n<b></c></a>".utf8))
    #expect(try reader.next() == .start(name: "a", attributes: []))
    _ = try reader.next()
    #expect(try reader.next() == .start(name: "b", attributes: []))
    for _ in 0..<2 {
      let error = #expect(throws: XMLError.self) { try reader.next() }
      #expect(error?.line == 2)
      #expect(error?.cause == .malformed)
    }
  }
}
