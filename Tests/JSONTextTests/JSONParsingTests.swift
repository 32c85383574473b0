import JSONText
import Testing

struct JSONParsingTests {
  @Test(arguments: [
    "null", " true ", "false", "0", "-0", "1.5e+10", "[]", "{}", "\"\"", "[1,[2,{}]]",
    "{\"a\":{\"a\":1}}", "\"\\u0041\\ud83d\\ude00\\n\"", "\"é😀\"", "\r\n\t[ 1 , 2 ]\n",
    "{\"\":0}", "\"\\u0000\"", "123456789012345678901234567890",
  ])
  func `valid JSON of RFC 8259 is read`(text: String) throws {
    _ = try JSONValue(parsing: text)
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "tru", "01", "-", "1.", ".5", "1e", "1e+", "+1", "0x1", "NaN",
    "Infinity", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{\"a\":}", "{,}",
    "[", "{", "[1", "{\"a\":1", "\"", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"",
    "\"\t\"", "1 2", "[]]", "{}}", "'a'", "/* */ 1", "// a\n1", "\u{FEFF}1", "]", "}", "1,",
    "[1}", "{\"a\":1]", "\u{00A0}1", "--1", "1.e5", "1e5.5",
  ])
  func `invalid JSON of RFC 8259 is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
  }

  @Test(arguments: [
    "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800x\"", "\"\\ud83d",
  ])
  func `a lone surrogate is refused`(text: String) {
    #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xF4, 0x90, 0x80, 0x80],
      [0xF0, 0x80, 0x80, 0x80], [0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]]
  )
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    #expect(throws: JSONError.self) { try JSONValue(parsing: [quote] + bytes + [quote]) }
    #expect(throws: JSONError.self) {
      try JSONValue(parsing: [quote] + Array("12345678".utf8) + bytes + [quote])
    }
  }

  @Test func `a JSON fault has its byte and its line`() {
    let error = #expect(throws: JSONError.self) {
      try JSONValue(parsing: "{\n \"a\": 1,\n \"b\": ?}")
    }
    #expect(error?.line == 3)
    #expect(error?.offset == 17)
    #expect(error?.description == "line 3, byte 17: a byte that begins no value")
  }

  @Test(arguments: [
    "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{\"b\":{\"a\":[1]},\"a\":1,\"a\":1}",
  ])
  func `a name that comes twice is refused by name`(text: String) {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.message == "the member \"a\" comes twice in one object")
  }

  @Test(arguments: [10, 33, 100, 5000])
  func `a name that comes twice among many is refused by name`(count: Int) throws {
    var members = (0..<count).map { "\"name\($0)\":{\"x\":\($0)}" }
    _ = try JSONValue(parsing: "{" + members.joined(separator: ",") + "}")
    members.append("\"name7\":0")
    let error = #expect(throws: JSONError.self) {
      try JSONValue(parsing: "{" + members.joined(separator: ",") + "}")
    }
    #expect(error?.message == "the member \"name7\" comes twice in one object")
  }

  @Test func `names that are only canonically equivalent are two names`() throws {
    let value = try JSONValue(parsing: "{\"\\u00e9\":1,\"e\\u0301\":2}")
    #expect(value["\u{e9}"] == 1)
    #expect(value["e\u{301}"] == 2)
  }

  @Test func `the depth of JSON is limited`() throws {
    let limits = JSONLimits(maximumDepth: 3)
    _ = try JSONValue(parsing: "[[[1]]]", limits: limits)
    #expect(throws: JSONError.self) { try JSONValue(parsing: "[[[[1]]]]", limits: limits) }
    #expect(throws: JSONError.self) {
      try JSONValue(parsing: String(repeating: "[", count: 1_000_000))
    }
  }

  @Test func `the size of JSON is limited`() {
    #expect(throws: JSONError.self) {
      try JSONValue(parsing: "[1,2]", limits: JSONLimits(maximumBytes: 4))
    }
  }

  @Test func `every escape becomes its character`() throws {
    let value = try JSONValue(parsing: #""\"\\\/\b\f\n\r\tA\u00e9\u20AC\ud83d\ude00""#)
    #expect(value.text == "\"\\/\u{8}\u{c}\n\r\tAé€😀")
  }

  @Test(arguments: 0..<40)
  func `strings of any length are read to their end`(length: Int) throws {
    for special in ["", "\\n", "é", "😀", "\\u00e9"] {
      let body = String(repeating: "x", count: length) + special
      let value = try JSONValue(parsing: "[\"\(body)\",\"\(special)\(body)\"]")
      let expected = body.replacing("\\n", with: "\n").replacing("\\u00e9", with: "é")
      #expect(value[0]?.text == expected)
      #expect(value[1]?.text?.hasSuffix(expected) == true)
    }
  }
}
