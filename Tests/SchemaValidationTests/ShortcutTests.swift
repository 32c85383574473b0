import JSONText
import SchemaValidation
import Testing

/// Holds values against a schema twice: by the quick walk, and by the one that collects faults.
private func isValid(_ value: String, under source: String) throws -> Bool {
  let set = try SchemaSet(schemas: [("https://example.com/schema", Array(source.utf8))])
  let schema = try set.schema(at: "https://example.com/schema")
  let document = JSONDocument()
  try document.parse(copying: Array(value.utf8))
  let isValid = schema.isValid(document, document.root)
  #expect(schema.faults(document, document.root).isEmpty == isValid)
  return isValid
}

struct FoldedUnevaluatedTests {
  @Test(arguments: [
    (#"{"a":1}"#, true), (#"{"a":1,"b":2}"#, true), (#"{"a":1,"c":3}"#, false),
    (#"{"a":1,"b":"x"}"#, false), (#"{"c":3}"#, false),
  ])
  func `properties of a $ref target count as evaluated`(value: String, isIn: Bool) throws {
    let schema = #"""
      {"$ref":"#/$defs/base","properties":{"b":{"type":"integer"}},"unevaluatedProperties":false,
       "$defs":{"base":{"required":["a"],"properties":{"a":true}}}}
      """#
    #expect(try isValid(value, under: schema) == isIn)
  }

  @Test(arguments: [(#"{"a":1,"z":2}"#, true), (#"{"a":1,"z":"x"}"#, false)])
  func `the remaining members are validated against the schema for them`(value: String, isIn: Bool)
    throws
  {
    let schema =
      #"{"properties":{"a":true},"unevaluatedProperties":{"type":"integer"}}"#
    #expect(try isValid(value, under: schema) == isIn)
  }

  @Test(arguments: [(#"{"a":1,"b":2}"#, true), (#"{"a":2,"b":2}"#, false)])
  func `property names that only some objects evaluate are tracked`(value: String, isIn: Bool)
    throws
  {
    let schema = #"""
      {"properties":{"a":true},"anyOf":[{"properties":{"a":{"const":1},"b":true}},true],
       "unevaluatedProperties":false}
      """#
    #expect(try isValid(value, under: schema) == isIn)
  }

  @Test(arguments: [(#"{"in":{"a":1},"o":1}"#, true), (#"{"in":{"a":1,"b":1},"o":1}"#, false)])
  func `members that a folded schema evaluates count around it too`(value: String, isIn: Bool)
    throws
  {
    let schema = #"""
      {"allOf":[{"properties":{"in":{"properties":{"a":true},"unevaluatedProperties":false}},
       "unevaluatedProperties":true}],"unevaluatedProperties":false}
      """#
    #expect(try isValid(value, under: schema) == isIn)
  }
}

struct CharacterCountTests {
  @Test(arguments: [
    (#"\u00e9"#, 1), ("é", 2), (#"\ud83d\ude00"#, 1), ("😀", 4), (#"\""#, 1), ("x", 3), ("ñx\\n", 2),
  ])
  func `long texts are counted by code points`(unit: String, repeats: Int) throws {
    let count = 300 * repeats
    let scalars = unit == "ñx\\n" ? 3 : 1
    let text = String(repeating: unit, count: count)
    let characters = count * scalars
    for (bounds, isIn) in [
      (#""minLength":\#(characters)"#, true), (#""minLength":\#(characters + 1)"#, false),
      (#""maxLength":\#(characters)"#, true), (#""maxLength":\#(characters - 1)"#, false),
      (#""minLength":\#(characters / 2),"maxLength":\#(characters * 20)"#, true),
    ] {
      #expect(try isValid("\"\(text)\"", under: "{\(bounds)}") == isIn, "\(unit) \(bounds)")
    }
  }
}

struct RepeatedElementTests {
  @Test(arguments: [
    (#"["a","b","\u0061"]"#, false), (#"["a","b","c"]"#, true), ("[1,2,1.0]", false),
    (#"[{"a":1,"b":[1]},{"b":[1.0],"a":1e0}]"#, false), (#"[{"a":1},{"a":true}]"#, true),
    (#"[{"\u0061":"x"},{"a":"\u0078"}]"#, false), ("[[1],[1,1],[]]", true), ("[null,null]", false),
    (#"[{"a":[1]},{"a":[2]},{"a":{}}]"#, true), ("[0,-0]", false), ("[false,0,null,\"\"]", true),
  ])
  func `equal elements are found however they are written`(value: String, isIn: Bool) throws {
    #expect(try isValid(value, under: #"{"uniqueItems":true}"#) == isIn)
  }
}

struct BoundTests {
  @Test(arguments: [
    ("10", true), ("10.0", true), ("1e1", true), ("10.000000000000000001", false), ("9.99", true),
    ("10.01", false), ("-0.5", false), ("0.00", true), ("-0", true), ("-1e-30", false),
    ("9999999999999999", false), ("9.999999999999999999999", true),
  ])
  func `bounds are exact to the last digit`(value: String, isIn: Bool) throws {
    #expect(try isValid(value, under: #"{"minimum":0,"maximum":10}"#) == isIn)
  }

  @Test(arguments: [
    ("0.5", "7.5", true), ("0.5", "7.25", false), ("0.01", "0.07", true), ("0.01", "0.075", false),
    ("0.01", "-19.99", true), ("0.5", "0", true), ("0.5", "-0.0", true), ("2.5e0", "5", true),
    ("3", "999999999999999999999", true), ("3", "1e1", false), ("0.25", "123456789012345.75", true),
    ("0.25", "99999999999999999", true), ("0.25", "99999999999999.30", false), ("7", "14.0", true),
    ("100", "12345678901234500", true), ("100", "12345678901234550", false), ("0.5", "1e-1", false),
    ("999", "998001", true), ("0.01", "99999999999999999", true),
  ])
  func `a multiple is decided by all its digits`(divisor: String, value: String, isIn: Bool) throws
  {
    #expect(try isValid(value, under: "{\"multipleOf\":\(divisor)}") == isIn)
  }

  @Test(arguments: [
    ("true", true), ("false", false), ("null", true), ("1", false), ("2", true), (#""x""#, true),
  ])
  func `an enumeration distinguishes kinds`(value: String, isIn: Bool) throws {
    #expect(try isValid(value, under: #"{"enum":[true,null,2.0,"x"]}"#) == isIn)
  }
}
