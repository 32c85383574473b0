import JSONText
import Testing

struct JSONDocumentTests {
  private func document(_ text: String) throws -> JSONDocument {
    let document = JSONDocument()
    try document.parse(copying: Array(text.utf8))
    return document
  }

  @Test func `members are found by name, escaped or not`() throws {
    let document = try document(#"{"a":{"x":[1,2]},"\u0062":true,"longer than eight":null}"#)
    let root = document.root
    #expect(document.kind(of: root) == .object)
    #expect(document.count(of: root) == 3)
    let member = try #require(document.member(of: root, "b"))
    #expect(document.boolean(of: member) == true)
    #expect(document.member(of: root, named: "longer than eight") != nil)
    #expect(document.member(of: root, named: "longer than nine!") == nil)
    #expect(document.member(of: member, named: "a") == nil)
  }

  @Test func `elements and members come in order`() throws {
    let document = try document(#"{"z":[10,[11],12],"y":1}"#)
    var names: [String] = []
    document.forEachMember(of: document.root) { name, _ in
      names.append(String(decoding: name, as: UTF8.self))
    }
    #expect(names == ["z", "y"])
    let array = try #require(document.member(of: document.root, "z"))
    var integers: [Int64?] = []
    document.forEachElement(of: array) { integers.append(document.int64(of: $0)) }
    #expect(integers == [10, nil, 12])
  }

  @Test func `texts can be borrowed inside each other`() throws {
    let document = try document(#"["a\n","b\t"]"#)
    let first = JSONNode(index: 1)
    let second = JSONNode(index: 2)
    let both = document.withText(of: first) { one in
      document.withText(of: second) { two in
        String(decoding: one, as: UTF8.self) + String(decoding: two, as: UTF8.self)
      }
    }
    #expect(both == "a\nb\t")
  }

  @Test(arguments: [
    "0", "-1", "1.5", "123.456", "0.1", "1e10", "123456789012345", "0.000001", "-2.5e-3",
    "179769313486231570000", "9007199254740993", "3.141592653589793",
  ])
  func `doubles are rounded to the nearest`(literal: String) throws {
    let document = try document(literal)
    #expect(document.double(of: document.root) == Double(literal))
  }

  @Test func `written JSON is canonical`() throws {
    let document = try document(#" { "b" : [ 1.50 , "\u00e9\/" ] , "\u0061" : { } } "#)
    var writer = JSONWriter()
    document.write(document.root, to: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"a":{},"b":[1.50,"é/"]}"#)
    #expect(writer.bytes == document.value(of: document.root).canonicalBytes)
  }

  @Test func `a document is used again after a refusal`() throws {
    let document = JSONDocument()
    #expect(throws: JSONError.self) { try document.parse(copying: Array("[1".utf8)) }
    try document.parse(copying: Array("[1]".utf8))
    #expect(document.count(of: document.root) == 1)
  }

  @Test func `a JSON view returns values of the requested kind only`() throws {
    let text = #"{"n":12.50,"t":"a\n","l":[true],"o":{"b":1,"a":2}}"#
    let view = try JSONView(parsing: Array(text.utf8))
    #expect(view["n"]?.literal == "12.50")
    #expect(view["n"]?.text == nil)
    #expect(view["t"]?.text == "a\n")
    #expect(view["t"]?.literal == nil)
    #expect(view["l"]?.elements?.map(\.boolean) == [true])
    #expect(view["o"]?.elements == nil)
    #expect(view["o"]?["a"]?.value == 2)
    #expect(view["x"] == nil)
    #expect(view["o"]?.canonicalBytes == Array(#"{"a":2,"b":1}"#.utf8))
  }
}

struct JSONWriterTests {
  @Test func `the JSON writer puts commas between elements`() throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("a")
    writer.beginArray()
    writer.integer(-5)
    writer.unsigned(.max)
    writer.double(0.5)
    writer.boolean(true)
    writer.null()
    writer.endArray()
    writer.name(Array("b".utf8))
    writer.beginObject()
    writer.endObject()
    writer.name(JSONName("c\n"))
    writer.raw(Array("[1]".utf8))
    writer.endObject()
    writer.endLine()
    writer.integer(.min)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"a":[-5,18446744073709551615,0.5,true,null],"b":{},"c\n":[1]}"# + "\n"
        + "-9223372036854775808"
    )
  }

  @Test func `text that is not UTF-8 is refused and leaves no trace`() {
    var writer = JSONWriter()
    writer.beginArray()
    let bytes: [UInt8] = [0x61, 0xFF]
    #expect(throws: JSONError.self) {
      try bytes.withUnsafeBytes { try writer.string(utf8: $0) }
    }
    writer.integer(1)
    writer.endArray()
    #expect(writer.bytes == Array("[1]".utf8))
  }

  @Test func `a writer is used again`() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.integer(1)
    writer.reset()
    writer.string("é\u{0}")
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #""é\u0000""#)
  }
}
