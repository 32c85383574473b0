import JSONText
import SchemaValidation
import Testing

/// Compiles one schema and holds values against it.
private struct Bench {
  let schema: Schema

  init(
    _ source: String,
    formats: FormatMeaning = .assert,
    unknownKeywords: UnknownKeywordMeaning = .refuse
  ) throws {
    let set = try SchemaSet(
      schemas: [("https://example.com/schema", Array(source.utf8))],
      formats: formats,
      unknownKeywords: unknownKeywords
    )
    schema = try set.schema(at: "https://example.com/schema")
  }

  func isValid(_ text: String) throws -> Bool {
    let document = JSONDocument()
    try document.parse(copying: Array(text.utf8))
    let isValid = schema.isValid(document, document.root)
    #expect(schema.faults(document, document.root).isEmpty == isValid)
    return isValid
  }

  func faults(_ text: String) throws -> [SchemaFault] {
    let document = JSONDocument()
    try document.parse(copying: Array(text.utf8))
    return schema.faults(document, document.root)
  }
}

struct UnevaluatedTests {
  @Test(arguments: [
    (#"{"a":1,"b":1}"#, true), (#"{"a":1,"b":2}"#, true), (#"{"a":1,"b":2,"r":0}"#, false),
    (#"{"a":1,"b":1,"r":0}"#, false), (#"{"a":1,"b":1,"z":0}"#, false),
  ])
  func `only the branch that was taken evaluates members`(value: String, isValid: Bool) throws {
    let bench = try Bench(
      #"""
      {
        "allOf": [{ "properties": { "a": true } }],
        "properties": { "b": true },
        "if": { "properties": { "b": { "const": 1 } } },
        "then": { "required": ["b"] },
        "else": { "properties": { "r": false } },
        "unevaluatedProperties": false
      }
      """#
    )
    #expect(try bench.isValid(value) == isValid)
  }
}

struct SchemaCompilingTests {
  @Test(arguments: [
    (#"{"properties":{"a":{"minLenght":3}}}"#, "/properties/a", "minLenght"),
    (#"{"$defs":{"unused":{"definitions":{}}}}"#, "/$defs/unused", "definitions"),
    (#"{"allOf":[{"x-note":1},{"dependencies":{}}]}"#, "/allOf/1", "dependencies"),
  ])
  func `a keyword that is not known is refused with its place`(
    source: String,
    location: String,
    keyword: String
  ) throws {
    let error = #expect(throws: SchemaError.self) { try Bench(source) }
    #expect(error?.location == location)
    #expect(error?.reason == .unknownKeyword(keyword))
  }

  @Test func `a keyword that is not known can be ignored`() throws {
    #expect(try Bench(#"{"minLenght":3}"#, unknownKeywords: .ignore).isValid("1"))
  }

  @Test func `notes that begin with x- are let through`() throws {
    #expect(try Bench(#"{"x-column":"ZNAME","type":"integer"}"#).isValid("1"))
  }

  @Test(arguments: [
    #"{"type":"text"}"#, #"{"minLength":-1}"#, #"{"minLength":1.5}"#, #"{"pattern":"("}"#,
    #"{"pattern":1}"#, #"{"required":"a"}"#, #"{"required":[1]}"#, #"{"properties":[]}"#,
    #"{"allOf":[]}"#, #"{"anyOf":{}}"#, #"{"multipleOf":0}"#, #"{"multipleOf":-1}"#,
    #"{"enum":1}"#, #"{"items":[{}]}"#, #"{"uniqueItems":1}"#, #"{"$ref":1}"#, #"{"$id":1}"#,
    ##"{"$ref":"#/$defs/none"}"##, ##"{"$ref":"other.json"}"##, ##"{"$ref":"#none"}"##,
    #"{"patternProperties":{"[":true}}"#, #"{"format":"colour"}"#, #"{"additionalProperties":1}"#,
    "1", "[", ##"{"$schema":"http://json-schema.org/draft-04/schema#"}"##, ##"{"$anchor":""}"##,
    #"{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}"#,
    #"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"#,
  ])
  func `an invalid schema is refused`(source: String) {
    #expect(throws: SchemaError.self) { try Bench(source) }
  }

  @Test(arguments: [
    ##"{"$ref":"#"}"##, ##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}"##,
    ##"{"if":{"$ref":"#"}}"##, ##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
  ])
  func `an endless recursive schema is refused`(source: String) {
    let error = #expect(throws: SchemaError.self) { try Bench(source) }
    #expect(error?.reason == .endless)
  }

  @Test func `a recursive schema that descends into the value is accepted`() throws {
    let bench = try Bench(##"{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}"##)
    #expect(try bench.isValid(#"{"next":{"next":{}}}"#))
    #expect(try !bench.isValid(#"{"next":{"next":{"a":1}}}"#))
  }

  @Test func `schemas of a set know each other by address`() throws {
    let set = try SchemaSet(schemas: [
      ("https://example.com/a", Array(#"{"items":{"$ref":"b#name"}}"#.utf8)),
      (
        "file:///b",
        Array(
          #"{"$id":"https://example.com/b","$defs":{"n":{"$anchor":"name","type":"null"}}}"#.utf8
        )
      ),
    ])
    let schema = try set.schema(at: "https://example.com/a")
    let document = JSONDocument()
    try document.parse(copying: Array("[null,1]".utf8))
    #expect(schema.faults(document, document.root).map(\.instanceLocation) == ["/1"])
    _ = try set.schema(at: "file:///b")
    #expect(throws: SchemaError.self) { try set.schema(at: "https://example.com/c") }
  }

  @Test func `a schema can be validated against its metaschema`() throws {
    let bench = try Bench(#"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"#)
    #expect(try bench.isValid(#"{"properties":{"a":{"type":"string"}}}"#))
    let faults = try bench.faults(#"{"properties":{"a":{"minLength":-1}}}"#)
    #expect(faults.map(\.instanceLocation) == ["/properties/a/minLength"])
    #expect(faults.map(\.code) == ["schema.minimum"])
  }

  @Test func `formats can be annotations`() throws {
    #expect(try Bench(#"{"format":"uuid"}"#, formats: .annotate).isValid(#""x""#))
    #expect(try !Bench(#"{"format":"uuid"}"#, formats: .assert).isValid(#""x""#))
  }
}

struct SchemaValidationTests {
  @Test(arguments: [
    (#"{"a":1,"b":1}"#, true), (#"{"a":1,"b":2}"#, true), (#"{"a":1,"b":2,"r":0}"#, false),
    (#"{"a":1,"b":1,"r":0}"#, false), (#"{"a":1,"b":1,"z":0}"#, false),
  ])
  func `members that allOf evaluated stay evaluated beside a condition`(
    value: String,
    isValid: Bool
  )
    throws
  {
    let bench = try Bench(
      #"""
      {"allOf":[{"properties":{"a":true}}],"properties":{"b":true},
       "if":{"properties":{"b":{"const":1}}},"then":{"required":["b"]},
       "else":{"properties":{"r":false}},"unevaluatedProperties":false}
      """#
    )
    #expect(try bench.isValid(value) == isValid)
  }

  @Test func `property names are compared by bytes, escaped or not`() throws {
    let bench = try Bench(#"{"properties":{"é":{"type":"integer"}},"additionalProperties":false}"#)
    #expect(try bench.isValid(#"{"\u00e9":1}"#))
    #expect(try !bench.isValid(#"{"e\u0301":1}"#))
  }

  @Test func `members beyond sixty-four are evaluated too`() throws {
    let names = (0..<200).map { "\"n\($0)\":true" }.joined(separator: ",")
    let bench = try Bench(
      "{\"allOf\":[{\"properties\":{\(names)}}],\"unevaluatedProperties\":false}"
    )
    let members = (0..<200).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
    #expect(try bench.isValid("{\(members)}"))
    #expect(try !bench.isValid("{\(members),\"other\":1}"))
  }

  @Test(arguments: [
    ("0.01", "0.07", true), ("0.01", "19.99", true), ("0.01", "0.075", false),
    ("1e-8", "12391239123", true), ("0.5", "1e308", true), ("3", "9007199254740993", true),
    ("3", "9007199254740994", false), ("7", "-14", true), ("7", "0.0", true),
    ("2.5", "1e400", true), ("3", "1e400", false),
  ])
  func `multiples are decided by digits`(step: String, value: String, isValid: Bool) throws {
    #expect(try Bench("{\"multipleOf\":\(step)}").isValid(value) == isValid)
  }

  @Test(arguments: [
    ("9007199254740993", "9007199254740992", false), ("9007199254740993", "9007199254740993", true),
    ("0.1", "0.1000000000000000000001", true), ("0.1", "0.0999999999999999999999", false),
    ("1e400", "1e401", true), ("1e400", "1e399", false), ("-1", "-1.0", true),
    ("5", "4.999", false),
  ])
  func `numeric bounds are exact`(minimum: String, value: String, isValid: Bool) throws {
    #expect(try Bench("{\"minimum\":\(minimum)}").isValid(value) == isValid)
  }

  @Test(arguments: [
    "[1,1.0]", "[\"a\",\"\\u0061\"]", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", "[0,-0]", "[[],[]]",
    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,1.0]",
  ])
  func `equal elements are found however they are spelled`(value: String) throws {
    #expect(try !Bench(#"{"uniqueItems":true}"#).isValid(value))
  }

  @Test(arguments: [
    (#""é""#, 1), (#""\u00e9""#, 1), (#""😀""#, 1), (#""\ud83d\ude00""#, 1), (#""\n\\\"""#, 3),
    (#""a\ud83d\ude00bcdefghijk\u00e9é""#, 14), (#""""#, 0), (#""e\u0301""#, 2),
  ])
  func `lengths count characters, not bytes`(value: String, count: Int) throws {
    #expect(try Bench("{\"minLength\":\(count),\"maxLength\":\(count)}").isValid(value))
    #expect(try !Bench("{\"minLength\":\(count + 1)}").isValid(value))
    guard count > 0 else { return }
    #expect(try !Bench("{\"maxLength\":\(count - 1)}").isValid(value))
  }

  @Test func `exponentially many alternatives are stopped`() throws {
    let bench = try Bench(
      ##"{"anyOf":[{"items":{"$ref":"#"},"type":"array"},{"items":{"$ref":"#"},"type":"array","minItems":1},{"const":0}]}"##
    )
    let value = String(repeating: "[", count: 100) + "1" + String(repeating: "]", count: 100)
    #expect(try !bench.isValid(value))
  }

  @Test func `one compiled schema serves many tasks`() async throws {
    let bench = try Bench(#"{"items":{"type":"string","pattern":"^a+$","format":"hostname"}}"#)
    let schema = bench.schema
    let verdicts = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          let document = JSONDocument()
          let validator = SchemaValidator(schema)
          let text = number.isMultiple(of: 2) ? #"["aa","a"]"# : #"["aa","b"]"#
          var isAsExpected = true
          for _ in 0..<200 {
            guard (try? document.parse(copying: Array(text.utf8))) != nil else { return false }
            let isValid = validator.isValid(document, document.root)
            isAsExpected = isAsExpected && isValid == number.isMultiple(of: 2)
          }
          return isAsExpected
        }
      }
      return await group.reduce(true) { $0 && $1 }
    }
    #expect(verdicts)
  }
}

struct SchemaFaultTests {
  private let hero = #"""
    {"type":"object","required":["name","powers"],
     "properties":{"name":{"type":"string","maxLength":5},"strength":{"$ref":"#/$defs/percent"},
       "powers":{"type":"array","items":{"enum":["flight","fire"]},"uniqueItems":true}},
     "additionalProperties":false,
     "$defs":{"percent":{"type":"integer","maximum":100}}}
    """#

  @Test func `all faults of a record are reported at once, with their places`() throws {
    let faults = try Bench(hero).faults(
      #"{"name":"Anastasia","strength":101,"powers":["flight","ice","flight"],"x/y":1}"#
    )
    #expect(
      faults.map { "\($0.instanceLocation) \($0.keywordLocation) \($0.code)" } == [
        "/name /properties/name/maxLength schema.maxLength",
        "/strength /properties/strength/$ref/maximum schema.maximum",
        "/powers/1 /properties/powers/items/enum schema.enum",
        "/powers /properties/powers/uniqueItems schema.uniqueItems",
        "/x~1y /additionalProperties schema.additionalProperties",
      ]
    )
    #expect(faults[1].schemaLocation == "https://example.com/schema#/$defs/percent")
  }

  @Test func `faults are described in words`() throws {
    let faults = try Bench(hero).faults(#"{"name":7,"strength":1.5,"powers":["ice"]}"#)
    #expect(
      faults.map(\.description) == [
        "/name: expected a text, found 7",
        "/strength: expected a whole number, found 1.5",
        #"/powers/0: expected one of "flight", "fire", found "ice""#,
      ]
    )
    #expect(
      try Bench(hero).faults("[]").map(\.description) == [
        "the record: expected an object, found a list of 0 elements"
      ]
    )
    #expect(
      try Bench(hero).faults(#"{"name":"A"}"#).map(\.description) == [
        #"the record: expected a member called "powers", found no such member"#
      ]
    )
  }

  @Test func `long values are shortened`() throws {
    let long = String(repeating: "é", count: 1_000)
    let fault = try #require(Bench(#"{"const":1}"#).faults("\"\(long)\"").first)
    #expect(fault.found.unicodeScalars.count == 62)
    #expect(fault.found.hasSuffix("…\""))
  }

  @Test func `the nearest of several failed alternatives is explained`() throws {
    let bench = try Bench(
      #"""
      {"oneOf":[
        {"properties":{"kind":{"const":"a"},"size":{"type":"integer"}},"required":["kind"]},
        {"properties":{"kind":{"const":"b"},"name":{"type":"string"}},"required":["kind"]}]}
      """#
    )
    let faults = try bench.faults(#"{"kind":"b","name":5}"#)
    #expect(faults.map(\.code) == ["schema.oneOf", "schema.type"])
    #expect(faults.last?.instanceLocation == "/name")
    #expect(faults.last?.keywordLocation == "/oneOf/1/properties/name/type")
  }

  @Test func `a name that is not allowed is named`() throws {
    let faults = try Bench(#"{"propertyNames":{"pattern":"^[a-z]+$"}}"#).faults(#"{"A\n":1}"#)
    #expect(faults.map(\.found) == [#""A\n""#])
  }
}
