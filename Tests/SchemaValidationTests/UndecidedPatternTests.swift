import JSONText
import SchemaValidation
import Testing

/// A pattern that takes more steps than it is given says neither yes nor no, wherever it is.
struct UndecidedPatternTests {
  /// Gives up on a run of the letter a that ends in an exclamation mark, although it fits.
  private static let pattern = #"^(?:(a+)+\\1b|a*!)$"#
  private static let text = "\"" + String(repeating: "a", count: 24) + "!\""
  private static let undecided = #"{"pattern":"\#(pattern)"}"#

  private func check(_ schema: String, _ value: String) throws -> (Bool, [SchemaFault]) {
    let set = try SchemaSet(schemas: [("https://example.com/schema", Array(schema.utf8))])
    let compiled = try set.schema(at: "https://example.com/schema")
    let document = JSONDocument()
    try document.parse(copying: Array(value.utf8))
    let isValid = compiled.isValid(document, document.root)
    return (isValid, compiled.faults(document, document.root))
  }

  @Test(arguments: [
    (undecided, text),
    (#"{"not":\#(undecided)}"#, text),
    (#"{"not":{"not":\#(undecided)}}"#, text),
    (#"{"if":\#(undecided),"then":false}"#, text),
    (#"{"if":\#(undecided),"else":false}"#, text),
    (#"{"if":\#(undecided)}"#, text),
    (#"{"oneOf":[\#(undecided),true]}"#, text),
    (#"{"oneOf":[true,\#(undecided)]}"#, text),
    (#"{"anyOf":[\#(undecided),false]}"#, text),
    (#"{"allOf":[\#(undecided)]}"#, text),
    (#"{"items":\#(undecided)}"#, "[\(text)]"),
    (#"{"prefixItems":[\#(undecided)]}"#, "[\(text)]"),
    (#"{"contains":\#(undecided)}"#, "[\(text)]"),
    (#"{"contains":\#(undecided),"minContains":0}"#, "[\(text)]"),
    (#"{"contains":\#(undecided),"maxContains":1}"#, "[\(text),\(text)]"),
    (#"{"unevaluatedItems":\#(undecided)}"#, "[\(text)]"),
    (#"{"contains":\#(undecided),"minContains":0,"unevaluatedItems":false}"#, "[\(text)]"),
    (#"{"properties":{"v":{"not":\#(undecided)}}}"#, #"{"v":\#(text)}"#),
    (#"{"patternProperties":{"\#(pattern)":true}}"#, "{\(text):1}"),
    (#"{"patternProperties":{"\#(pattern)":false}}"#, "{\(text):1}"),
    (#"{"patternProperties":{"\#(pattern)":true},"additionalProperties":false}"#, "{\(text):1}"),
    (#"{"patternProperties":{"\#(pattern)":true},"unevaluatedProperties":false}"#, "{\(text):1}"),
    (#"{"propertyNames":\#(undecided)}"#, "{\(text):1}"),
    (#"{"propertyNames":{"not":\#(undecided)}}"#, "{\(text):1}"),
    (#"{"additionalProperties":\#(undecided)}"#, #"{"v":\#(text)}"#),
    (#"{"unevaluatedProperties":\#(undecided)}"#, #"{"v":\#(text)}"#),
    (#"{"dependentSchemas":{"v":{"not":{"properties":{"v":\#(undecided)}}}}}"#, #"{"v":\#(text)}"#),
    (##"{"$ref":"#/$defs/u","$defs":{"u":{"not":\##(undecided)}}}"##, text),
  ])
  func `a pattern that cannot be decided is a fault of its own`(
    schema: String,
    value: String
  ) throws {
    let (isValid, faults) = try check(schema, value)
    #expect(!isValid)
    #expect(faults.map(\.code) == Array(repeating: "schema.pattern-undecided", count: faults.count))
    #expect(!faults.isEmpty)
  }

  @Test func `the fault names the place of the pattern and the value`() throws {
    let schema = #"{"properties":{"v":{"not":\#(Self.undecided)}}}"#
    let fault = try #require(try check(schema, #"{"v":\#(Self.text)}"#).1.first)
    #expect(fault.instanceLocation == "/v")
    #expect(fault.keywordLocation == "/properties/v/not/pattern")
    #expect(fault.keyword == "pattern")
  }

  @Test func `an undecided pattern does not affect the next value of the validator`() throws {
    let schema = #"{"not":\#(Self.undecided)}"#
    let set = try SchemaSet(schemas: [("https://example.com/schema", Array(schema.utf8))])
    let validator = SchemaValidator(try set.schema(at: "https://example.com/schema"))
    let document = JSONDocument()
    for (value, isValid) in [(Self.text, false), (#""b""#, true), (Self.text, false)] {
      try document.parse(copying: Array(value.utf8))
      #expect(validator.isValid(document, document.root) == isValid)
    }
  }

  @Test func `annotations that depend on an undecided pattern are left out`() throws {
    let schema = #"{"anyOf":[true,{"title":"a","pattern":"\#(Self.pattern)"}]}"#
    let set = try SchemaSet(schemas: [("https://example.com/schema", Array(schema.utf8))])
    let validator = SchemaValidator(try set.schema(at: "https://example.com/schema"))
    let document = JSONDocument()
    try document.parse(copying: Array(Self.text.utf8))
    #expect(validator.annotations(document, document.root) == [])
  }
}
