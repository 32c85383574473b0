import JSONText
import SchemaChanges
import Testing

/// What single changes of a schema mean to data that are there.
struct SchemaComparisonTests {
  private func compare(_ old: String, _ new: String) throws -> SchemaComparison {
    SchemaComparison(
      old: ("app.Hero.v1.schema.json", try JSONValue(parsing: old)),
      new: ("app.Hero.v2.schema.json", try JSONValue(parsing: new))
    )
  }

  static let widened: [(String, String)] = [
    (#"{"type":"string"}"#, #"{"type":["string","null"]}"#),
    (#"{"type":"integer"}"#, #"{"type":"number"}"#),
    (#"{"enum":["a"]}"#, #"{"enum":["a","b"]}"#),
    (#"{"const":"a"}"#, #"{"enum":["a","b"]}"#),
    (#"{"enum":["a","b"]}"#, #"{"type":"string"}"#),
    (#"{"minimum":3}"#, #"{"minimum":2.5}"#),
    (#"{"exclusiveMinimum":3}"#, #"{"minimum":3}"#),
    (#"{"maxLength":3}"#, #"{"maxLength":4}"#),
    (#"{"maxLength":3}"#, "{}"),
    (#"{"multipleOf":0.3}"#, #"{"multipleOf":0.1}"#),
    (#"{"pattern":"^a"}"#, "{}"),
    (#"{"required":["a","b"]}"#, #"{"required":["a"]}"#),
    (
      #"{"additionalProperties":false}"#,
      #"{"properties":{"a":{"type":"string"}},"additionalProperties":false}"#
    ),
    (#"{"properties":{"a":{"type":"string"}}}"#, "{}"),
    (#"{"items":{"type":"string"}}"#, #"{"items":{"type":["string","number"]}}"#),
    (#"{"uniqueItems":true}"#, "{}"),
    (#"{"anyOf":[{"type":"string"}]}"#, #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#),
    (#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, #"{"type":["null","string"]}"#),
    (#"{"type":"string"}"#, #"{"anyOf":[{"type":"null"},{"type":"string"}]}"#),
    (#"{"oneOf":[{"type":"string"}]}"#, #"{"oneOf":[{"type":"string"},{"type":"null"}]}"#),
    (#"{"allOf":[{"type":"string"},{"minLength":2}]}"#, #"{"allOf":[{"minLength":1}]}"#),
    (#"{"not":{"type":["string","null"]}}"#, #"{"not":{"type":"null"}}"#),
    (
      #"{"if":{"required":["a"]},"then":{"required":["b","c"]}}"#,
      #"{"if":{"required":["a"]},"then":{"required":["b"]}}"#
    ),
    ("false", #"{"type":"string"}"#),
    (##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}"##, ##"{"type":"string"}"##),
    (#"{"dependentRequired":{"a":["b"]}}"#, "{}"),
    (#"{"type":"integer"}"#, #"{"type":"integer","minLength":4}"#),
  ]

  @Test(arguments: widened)
  func `a change that accepts more values is compatible`(old: String, new: String) throws {
    let comparison = try compare(old, new)
    #expect(!comparison.isBreaking, "\(comparison.changes)")
    #expect(try compare(old, old).changes.isEmpty)
  }

  static let narrowed: [(String, String, String)] = [
    (#"{"type":["string","null"]}"#, #"{"type":"string"}"#, "/type"),
    (#"{"type":"number"}"#, #"{"type":"integer"}"#, "/type"),
    (#"{"enum":["a","b"]}"#, #"{"enum":["a"]}"#, "/enum"),
    (#"{"type":"string"}"#, #"{"type":"string","enum":["a"]}"#, "/enum"),
    (#"{"minimum":3}"#, #"{"minimum":3.01}"#, "/minimum"),
    (#"{"minimum":3}"#, #"{"exclusiveMinimum":3}"#, "/exclusiveMinimum"),
    ("{}", #"{"maxLength":4}"#, "/maxLength"),
    (#"{"multipleOf":0.1}"#, #"{"multipleOf":0.3}"#, "/multipleOf"),
    ("{}", #"{"pattern":"a"}"#, "/pattern"),
    ("{}", #"{"format":"uuid"}"#, "/format"),
    (#"{"format":"date"}"#, #"{"format":"date-time"}"#, "/format"),
    ("{}", #"{"required":["a"]}"#, "/required"),
    (
      #"{"properties":{"a":{}},"additionalProperties":false}"#, #"{"additionalProperties":false}"#,
      "/properties/a"
    ),
    ("{}", #"{"additionalProperties":false}"#, "/additionalProperties"),
    ("{}", #"{"properties":{"a":{"type":"string"}}}"#, "/properties/a/type"),
    (
      #"{"properties":{"a":{"type":"string"}}}"#, #"{"properties":{"a":{"type":"null"}}}"#,
      "/properties/a/type"
    ),
    (#"{"items":{"type":"string"}}"#, #"{"items":{"type":"null"}}"#, "/items/type"),
    (#"{"items":true}"#, #"{"prefixItems":[{"type":"null"}]}"#, "/prefixItems/0/type"),
    ("{}", #"{"uniqueItems":true}"#, "/uniqueItems"),
    (
      #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, #"{"anyOf":[{"type":"string"}]}"#,
      "/anyOf/1"
    ),
    (
      #"{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}"#,
      #"{"patternProperties":{"^x":{"type":"string"},"y$":{"type":"null"}},"additionalProperties":false}"#,
      "/patternProperties/y$/type"
    ),
    ("{}", #"{"not":{"type":"null"}}"#, "/not"),
    ("{}", #"{"contains":{"type":"null"}}"#, "/contains"),
    (
      ##"{"$defs":{"a":{"type":"string"}},"$ref":"#/$defs/a"}"##,
      ##"{"$defs":{"a":{"type":"string","maxLength":3}},"$ref":"#/$defs/a"}"##, "/$defs/a/maxLength"
    ),
    (#"{"type":"string"}"#, "false", ""),
    ("{}", #"{"propertyNames":{"maxLength":3}}"#, "/propertyNames/maxLength"),
  ]

  @Test(arguments: narrowed)
  func `a change that rejects more values is breaking, and its place is named`(
    old: String,
    new: String,
    pointer: String
  ) throws {
    let changes = try compare(old, new).changes.filter(\.isBreaking)
    #expect(changes.map(\.pointer) == [pointer], "\(changes)")
    #expect(changes.allSatisfy { $0.effect == .breaking && $0.schema == "app.Hero" })
  }

  @Test(arguments: [
    (#"{"pattern":"^a"}"#, #"{"pattern":"^(a|b)"}"#), (#"{"colour":1}"#, #"{"colour":2}"#),
    (#"{"$ref":"other.json"}"#, #"{"$ref":"another.json"}"#),
    (
      #"{"$schema":"http://json-schema.org/draft-07/schema#"}"#,
      #"{"$schema":"https://json-schema.org/draft/2020-12/schema"}"#
    ),
    (#"{"oneOf":[{"minimum":3}]}"#, #"{"oneOf":[{"minimum":3},{"maximum":5}]}"#),
  ])
  func `an undecidable change is reported as unclear, and counts as breaking`(
    old: String,
    new: String
  ) throws {
    let comparison = try compare(old, new)
    #expect(comparison.isBreaking)
    #expect(comparison.changes.contains { $0.effect == .unclear })
  }

  @Test func `annotations and own keywords do not count as changes`() throws {
    let comparison = try compare(
      #"{"title":"a","description":"b","x-seen":1,"$id":"urn:a"}"#,
      #"{"title":"c","examples":[1],"x-seen":2,"$id":"urn:b"}"#
    )
    #expect(comparison.changes.isEmpty)
  }

  @Test func `a recursive schema is compared once`() throws {
    let old = ##"{"type":"object","properties":{"next":{"$ref":"#"},"n":{"type":"number"}}}"##
    let new = ##"{"type":"object","properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}}"##
    let comparison = try compare(old, new)
    #expect(comparison.changes.map(\.pointer) == ["/properties/n/type"])
    let turned = ##"{"not":{"properties":{"a":{"$ref":"#"}}},"minimum":1}"##
    #expect(try compare(turned, turned).changes.isEmpty)
    _ = try compare(turned, ##"{"not":{"properties":{"a":{"$ref":"#"}}},"minimum":2}"##)
  }

  @Test func `folders are matched by entity, and by the newest version of each`() throws {
    func content(_ schemas: [(String, String)]) throws -> SchemaFolderContent {
      SchemaFolderContent(try schemas.map { ($0.0, try JSONValue(parsing: $0.1)) })
    }
    let comparison = SchemaComparison(
      old: try content([
        ("a.Hero.v1.schema.json", #"{"$ref":"a.common.v1.schema.json"}"#),
        ("a.common.v1.schema.json", #"{"type":"string"}"#), ("a.Gone.schema.json", "{}"),
      ]),
      new: try content([
        ("a.Hero.v1.schema.json", "false"),
        ("a.Hero.v2.schema.json", #"{"$ref":"a.common.v2.schema.json"}"#),
        ("a.common.v2.schema.json", #"{"type":["string","null"]}"#), ("a.New.json", "{}"),
      ])
    )
    #expect(comparison.comparedCount == 2)
    #expect(comparison.changes.filter(\.isBreaking).map(\.schema) == ["a.Gone"])
    #expect(
      comparison.changes.filter { !$0.isBreaking }.map(\.schema) == ["a.Hero", "a.common", "a.New"]
    )
  }
}
