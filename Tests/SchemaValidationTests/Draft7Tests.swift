import JSONText
import SchemaValidation
import Testing

/// What draft-07 has otherwise than 2020-12.
struct Draft7Tests {
  private func faults(
    _ schema: String,
    _ value: String,
    formats: FormatMeaning = .assert
  ) throws -> [SchemaFault] {
    let set = try SchemaSet(
      schemas: [("https://example.com/schema", Array(schema.utf8))],
      formats: formats,
      draft: .draft7
    )
    let compiled = try set.schema(at: "https://example.com/schema")
    let document = JSONDocument()
    try document.parse(copying: Array(value.utf8))
    let faults = compiled.faults(document, document.root)
    #expect(compiled.isValid(document, document.root) == faults.isEmpty)
    return faults
  }

  @Test func `keywords beside $ref are ignored`() throws {
    let schema = ##"{"definitions":{"n":{"type":"number"}},"$ref":"#/definitions/n","maximum":1}"##
    #expect(try faults(schema, "5").isEmpty)
    #expect(try faults(schema, #""5""#).map(\.keyword) == ["type"])
  }

  @Test func `a list of items is a tuple, and additionalItems speaks of the rest`() throws {
    let schema = #"{"items":[{"type":"string"}],"additionalItems":{"type":"number"}}"#
    #expect(try faults(schema, #"["a",1,2]"#).isEmpty)
    let places = try faults(schema, #"[1,"a"]"#).map(\.keywordLocation)
    #expect(places == ["/items/0/type", "/additionalItems/type"])
  }

  @Test func `dependencies require members and schemas`() throws {
    let schema = #"{"dependencies":{"a":["b"],"c":{"maxProperties":1}}}"#
    #expect(try faults(schema, #"{"a":1,"b":2}"#).isEmpty)
    let found = try faults(schema, #"{"a":1,"c":2}"#)
    #expect(found.map(\.keywordLocation) == ["/dependencies", "/dependencies/c/maxProperties"])
  }

  @Test func `an identifier that is only a fragment is an anchor`() throws {
    let schema = ##"""
      {"definitions":{"n":{"$id":"#number","type":"number"}},"items":{"$ref":"#number"}}
      """##
    #expect(try faults(schema, "[1]").isEmpty)
    #expect(try faults(schema, #"["1"]"#).count == 1)
  }

  @Test(arguments: ["prefixItems", "$defs", "dependentRequired", "unevaluatedItems", "$anchor"])
  func `keywords of later drafts are refused`(keyword: String) throws {
    let set = try SchemaSet(
      schemas: [("https://example.com/schema", Array(#"{"\#(keyword)":{}}"#.utf8))],
      draft: .draft7
    )
    let error = #expect(throws: SchemaError.self) {
      try set.schema(at: "https://example.com/schema")
    }
    #expect(error?.reason == .unknownKeyword(keyword))
  }

  @Test func `a schema may declare draft-07 itself`() throws {
    let schema = #"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"null"}]}"#
    let set = try SchemaSet(schemas: [("https://example.com/schema", Array(schema.utf8))])
    let compiled = try set.schema(at: "https://example.com/schema")
    let document = JSONDocument()
    try document.parse(copying: Array("[1]".utf8))
    #expect(!compiled.isValid(document, document.root))
  }

  @Test(arguments: [#""e30=""#, #""e30""#, #""{}""#, #""e3x9""#])
  func `encoded JSON is looked into when formats are asserted`(value: String) throws {
    let schema = #"{"contentEncoding":"base64","contentMediaType":"application/json"}"#
    #expect(try faults(schema, value).isEmpty == (value == #""e30=""#))
    #expect(try faults(schema, value, formats: .annotate).isEmpty)
  }

  @Test func `the metaschema of draft-07 is built in and valid by itself`() throws {
    let schema = ##"{"$ref":"http://json-schema.org/draft-07/schema#"}"##
    #expect(try faults(schema, #"{"items":[true,{"type":"string"}]}"#).isEmpty)
    #expect(try !faults(schema, #"{"items":5}"#).isEmpty)
  }
}
