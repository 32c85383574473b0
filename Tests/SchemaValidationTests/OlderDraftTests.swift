import JSONText
import SchemaValidation
import Testing

/// What the drafts before 2020-12 have otherwise, and what becomes of a schema of any other.
struct OlderDraftTests {
  private static let address = "https://example.com/schema"

  private func faults(
    _ schema: String,
    _ value: String,
    draft: SchemaDraft = .draft2020
  ) throws -> [SchemaFault] {
    let set = try SchemaSet(
      schemas: [(Self.address, Array(schema.utf8))],
      unknownKeywords: .ignore,
      draft: draft
    )
    let compiled = try set.schema(at: Self.address)
    let document = JSONDocument()
    try document.parse(copying: Array(value.utf8))
    let faults = compiled.faults(document, document.root)
    #expect(compiled.isValid(document, document.root) == faults.isEmpty)
    return faults
  }

  @Test(arguments: [
    "http://json-schema.org/draft-03/schema#", "http://json-schema.org/schema#",
    "https://json-schema.org/v1/2026", "https://example.com/unknown",
  ])
  func `a schema of an unknown draft is refused by name`(address: String) {
    let schema = #"{"$schema":"\#(address)","type":"string"}"#
    let error = #expect(throws: SchemaError.self) { try faults(schema, "1") }
    #expect(error?.description.contains(address.replacing("#", with: "")) == true)
    #expect(error?.isOfDraft == true)
  }

  @Test(arguments: [SchemaDraft.draft2019, .draft6, .draft4])
  func `schemas of packages are of 2020-12 or draft-07 alone`(draft: SchemaDraft) {
    let addresses = [
      SchemaDraft.draft2019: "https://json-schema.org/draft/2019-09/schema",
      .draft6: "http://json-schema.org/draft-06/schema#",
      .draft4: "http://json-schema.org/draft-04/schema#",
    ]
    let schema = #"{"$schema":"\#(addresses[draft] ?? "")"}"#
    let error = #expect(throws: SchemaError.self) {
      try SchemaSet(schemas: [(Self.address, Array(schema.utf8))])
    }
    #expect(error?.isOfDraft == true)
  }

  @Test func `a schema names its draft by either protocol`() throws {
    let schema = #"{"$schema":"https://json-schema.org/draft-07/schema","items":[{"type":"null"}]}"#
    #expect(try faults(schema, "[1]").map(\.code) == ["schema.type"])
  }

  @Test func `a $schema that is not text is refused`() {
    #expect(throws: SchemaError.self) { try faults(#"{"$schema":4}"#, "1") }
  }

  @Test func `2019-09 follows a recursive reference to the outermost schema that allows it`() throws
  {
    let schema = #"""
      {"$schema":"https://json-schema.org/draft/2019-09/schema","$id":"https://example.com/strict",
       "$recursiveAnchor":true,"$ref":"https://example.com/tree","unevaluatedProperties":false,
       "$defs":{"tree":{"$id":"https://example.com/tree","$recursiveAnchor":true,"type":"object",
        "properties":{"data":true,"children":{"type":"array","items":{"$recursiveRef":"#"}}}}}}
      """#
    #expect(try faults(schema, #"{"children":[{"data":1}]}"#).isEmpty)
    let found = try faults(schema, #"{"children":[{"daat":1}]}"#)
    #expect(found.map(\.instanceLocation) == ["/children/0/daat"])
  }

  @Test func `2019-09 has tuples, and contains leaves elements unevaluated`() throws {
    let tuple = #"{"items":[{"type":"string"}],"additionalItems":false}"#
    #expect(try faults(tuple, #"["a",1]"#, draft: .draft2019).map(\.keyword) == ["additionalItems"])
    let rest = #"{"contains":{"type":"string"},"unevaluatedItems":false}"#
    #expect(try faults(rest, #"["a"]"#, draft: .draft2020).isEmpty)
    #expect(try faults(rest, #"["a"]"#, draft: .draft2019).map(\.keyword) == ["unevaluatedItems"])
    #expect(try faults(#"{"prefixItems":[false]}"#, "[1]", draft: .draft2019).isEmpty)
  }

  @Test func `draft-06 has no conditions`() throws {
    #expect(try faults(#"{"if":true,"then":false,"const":1}"#, "1", draft: .draft6).isEmpty)
    #expect(try faults(#"{"const":1}"#, "2", draft: .draft6).map(\.keyword) == ["const"])
  }

  @Test(arguments: [
    (#"{"minimum":3,"exclusiveMinimum":true}"#, "3", ["exclusiveMinimum"]),
    (#"{"minimum":3,"exclusiveMinimum":false}"#, "3", []),
    (#"{"maximum":3,"exclusiveMaximum":true}"#, "3", ["exclusiveMaximum"]),
    (#"{"type":"integer"}"#, "1.0", ["type"]),
    (#"{"type":"integer"}"#, "1", []),
    (#"{"const":1,"contains":false,"propertyNames":false}"#, "[2]", []),
    (
      #"{"id":"https://example.com/a/","properties":{"b":{"$ref":"c"}},"definitions":{"c":{"id":"c","type":"null"}}}"#,
      #"{"b":1}"#, ["type"]
    ),
  ])
  func `draft-04 has its own bounds, integers and identifiers`(
    schema: String,
    value: String,
    keywords: [String]
  ) throws {
    #expect(try faults(schema, value, draft: .draft4).map(\.keyword) == keywords)
  }

  @Test func `a metaschema without vocabularies has the keywords of its own draft`() throws {
    struct Finder: SchemaFinder {
      func document(with address: String) -> (address: String, bytes: [UInt8])? {
        let text = #"{"$schema":"http://json-schema.org/draft-04/schema#","id":"\#(address)"}"#
        return address.hasSuffix("/own") ? (address, Array(text.utf8)) : nil
      }
    }
    let schema = #"{"$schema":"https://example.com/own","minimum":3,"exclusiveMinimum":true}"#
    let set = try SchemaSet(
      schemas: [(Self.address, Array(schema.utf8))],
      unknownKeywords: .ignore,
      finder: Finder()
    )
    let document = JSONDocument()
    try document.parse(copying: Array("3".utf8))
    #expect(try set.schema(at: Self.address).isValid(document, document.root) == false)
  }

  @Test(arguments: [SchemaDraft.draft2019, .draft6, .draft4])
  func `the metaschema of an older draft is built in and valid by itself`(draft: SchemaDraft) throws
  {
    let address =
      draft == .draft2019
      ? "https://json-schema.org/draft/2019-09/schema"
      : "http://json-schema.org/draft-\(draft.rawValue)/schema#"
    let schema = #"{"$ref":"\#(address)"}"#
    #expect(try faults(schema, #"{"items":[{"type":"string"}]}"#, draft: draft).isEmpty)
    #expect(try !faults(schema, #"{"items":5}"#, draft: draft).isEmpty)
  }
}
