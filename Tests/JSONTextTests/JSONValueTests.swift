import JSONText
import Testing

struct JSONNumberTests {
  @Test(
    arguments: [
      ("1", 1), ("-1", -1), ("1.0", 1), ("1e2", 100), ("1500e-2", 15), ("0", 0), ("-0", 0),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0e999", 0),
      ("9223372036854775807.000", .max),
    ] as [(String, Int64)]
  )
  func `an exact integer is recognised in every spelling`(literal: String, value: Int64) {
    #expect(JSONNumber(literal: literal)?.int64 == value)
  }

  @Test(arguments: ["1.5", "1e-1", "9223372036854775808", "1e19", "1e400", "-9223372036854775809"])
  func `a number outside 64 bits has no integer value`(literal: String) throws {
    #expect(try #require(JSONNumber(literal: literal)).int64 == nil)
  }

  @Test(arguments: [
    "", "-", "01", "1.", ".1", "1e", "a", "1 ", " 1", "+1", "0x1", "nan", "1e1234567890123456",
  ])
  func `text that is not a number is refused`(literal: String) {
    #expect(JSONNumber(literal: literal) == nil)
  }

  @Test(
    arguments: [
      (1.0, "1"), (0.1, "0.1"), (1e16, "1e+16"), (.leastNonzeroMagnitude, "5e-324"), (-0.0, "-0"),
      (1e300, "1e+300"),
    ] as [(Double, String)]
  )
  func `a double is written in its shortest exact form`(value: Double, literal: String) {
    #expect(JSONNumber(value).literal == literal)
    #expect(JSONNumber(value).double == value)
  }

  @Test func `numbers are equal by value and keep their digits`() throws {
    let spelled = try JSONValue(parsing: "[1, 1.0, 10e-1, 0.1e1]")
    let numbers = try #require(spelled.array)
    #expect(Set(numbers).count == 1)
    #expect(spelled.canonicalText == "[1,1.0,10e-1,0.1e1]")
    #expect(
      JSONNumber(literal: "123456789012345678901") != JSONNumber(literal: "123456789012345678902")
    )
    #expect(JSONNumber(literal: "-0") == JSONNumber(literal: "0.00"))
    #expect(JSONNumber(literal: "1") != JSONNumber(literal: "-1"))
  }

  @Test func `a number beyond every double has no double value`() {
    #expect(JSONNumber(literal: "1e400")?.double == nil)
    #expect(JSONNumber(literal: "1e-400")?.double == 0)
  }
}

struct JSONValueTests {
  @Test func `literals make values`() {
    let value: JSONValue = ["a": [1, 2.5, "x", true, .null], "b": [:]]
    #expect(value.canonicalText == #"{"a":[1,2.5,"x",true,null],"b":{}}"#)
  }

  @Test func `members keep their order and are written by the bytes of their names`() throws {
    let value = try JSONValue(parsing: #"{"b":1,"a":2,"é":3,"Z":4,"":5,"😀":6,"\uffff":7}"#)
    #expect(value.object?.names == ["b", "a", "é", "Z", "", "😀", "\u{ffff}"])
    #expect(
      value.canonicalText == "{\"\":5,\"Z\":4,\"a\":2,\"b\":1,\"é\":3,\"\u{ffff}\":7,\"😀\":6}"
    )
  }

  @Test func `escapes are written in their shortest form`() throws {
    let value = JSONValue.string("\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é😀\u{2028}")
    #expect(value.canonicalText == #""\"\\/\b\f\n\r\t\u0001\u001f"# + "\u{7f}é😀\u{2028}\"")
    #expect(try JSONValue(parsing: value.canonicalBytes) == value)
  }

  @Test func `pretty text indents by two and sorts`() {
    let value: JSONValue = ["b": [1, [:], []], "a": ["c": "d"]]
    #expect(
      value.prettyText == """
        {
          "a": {
            "c": "d"
          },
          "b": [
            1,
            {},
            []
          ]
        }
        """
    )
  }

  @Test func `objects are equal in any order, arrays are not`() throws {
    #expect(try JSONValue(parsing: #"{"a":1,"b":2}"#) == JSONValue(parsing: #"{"b":2,"a":1.0}"#))
    #expect(try JSONValue(parsing: "[1,2]") != JSONValue(parsing: "[2,1]"))
    let first: JSONValue = ["a": 1, "b": 2]
    let second: JSONValue = ["b": 2, "a": 1]
    #expect(Set([first, second]).count == 1)
  }

  @Test func `strings are equal by code points only`() {
    #expect(JSONValue.string("\u{e9}") != JSONValue.string("e\u{301}"))
    #expect(Set<JSONValue>(["\u{e9}", "e\u{301}"]).count == 2)
  }

  @Test func `setting a member adds, replaces and removes`() {
    var object: JSONObject = ["a": 1]
    object["b"] = 2
    object["a"] = 3
    #expect(object.members.map(\.value) == [3, 2])
    object["a"] = nil
    #expect(object.names == ["b"])
  }

  @Test func `a large object finds its members`() {
    var object = JSONObject()
    for number in 0..<1000 { object["n\(number)"] = .number(JSONNumber(Int64(number))) }
    object["n500"] = nil
    #expect(object.count == 999)
    #expect(object["n999"] == 999)
    #expect(object["n500"] == nil)
  }

  @Test func `a pointer leads to its value`() throws {
    let value = try JSONValue(parsing: #"{"a/b":[{"m~n":1}],"":2,"0":3}"#)
    #expect(value.value(at: "/a~1b/0/m~0n") == 1)
    #expect(value.value(at: "") == value)
    #expect(value.value(at: "/") == 2)
    #expect(value.value(at: "/0") == 3)
    #expect(value.value(at: "/a~1b/00") == nil)
    #expect(value.value(at: "/a~1b/1") == nil)
    #expect(value.value(at: "a") == nil)
    #expect(JSONPointer("/~2") == nil)
  }

  @Test func `conveniences answer nil for other kinds`() {
    let value: JSONValue = "text"
    #expect(value.text == "text")
    #expect(value.integer == nil)
    #expect(value.boolean == nil)
    #expect(value.array == nil)
    #expect(value["a"] == nil)
    #expect(value[0] == nil)
  }
}
