import Foundation
import JSONText
import SchemaValidation
import Testing

struct AnnotationTests {
  private static let address = "https://example.com/schema"

  private func annotations(
    _ schema: String,
    _ instance: String
  ) throws -> [SchemaAnnotation] {
    let set = try SchemaSet(
      schemas: [(Self.address, Array(schema.utf8))],
      unknownKeywords: .ignore
    )
    let document = JSONDocument()
    try document.parse(copying: Array(instance.utf8))
    let schema = try set.schema(at: Self.address)
    return SchemaValidator(schema).annotations(document, document.root)
  }

  @Test func `a schema's fault is reported with the places of value and keyword`() throws {
    let found = try annotations(
      ##"{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"~b":{"title":"B"}}}}}"##,
      #"{"~b":1,"c":2}"#
    )
    #expect(found.map(\.keyword) == ["title", "properties"])
    #expect(found.first?.instanceLocation == "/~0b")
    #expect(found.first?.keywordLocation == "/$ref/properties/~0b/title")
    #expect(found.first?.schemaLocation == "https://example.com/schema#/$defs/a/properties/~0b")
    #expect(found.last?.value == ["~b"])
  }

  @Test func `an invalid value has no annotations`() throws {
    #expect(try annotations(#"{"type":"string","readOnly":true}"#, "1").isEmpty)
  }

  private static let folder = OfficialSuite.folder.map { $0 + "/annotations/tests" }

  @Test(
    .enabled(
      if: folder != nil,
      "skipped: \(OfficialSuite.variable) does not name the folder of the official suite"
    ),
    arguments: [
      "applicators", "content", "core", "format", "meta-data", "unevaluated", "unknown",
    ]
  )
  func `the official annotation tests pass`(name: String) throws {
    let suite = try JSONValue(parsing: OfficialSuite.bytes("annotations/tests/\(name).json"))
    // Those of compatibility 9999 are for drafts to come.
    let groups = try #require(suite["suite"]?.array)
    for group in groups where group["compatibility"]?.text != "9999" {
      let schema = try #require(group["schema"])
      for test in try #require(group["tests"]?.array) {
        let instance = try #require(test["instance"])
        let found = try annotations(schema.canonicalText, instance.canonicalText)
        for assertion in try #require(test["assertions"]?.array) {
          try hold(assertion, against: found, group["description"]?.text ?? "", instance)
        }
      }
    }
  }

  private func hold(
    _ assertion: JSONValue,
    against found: [SchemaAnnotation],
    _ group: String,
    _ instance: JSONValue
  ) throws {
    let keyword = try #require(assertion["keyword"]?.text)
    let location = try #require(assertion["location"]?.text)
    var reported: [String: JSONValue] = [:]
    for annotation in found
    where annotation.keyword == keyword && annotation.instanceLocation == location {
      let place = annotation.schemaLocation.drop { $0 != "#" }
      reported[String(place)] = annotation.value
    }
    var expected: [String: JSONValue] = [:]
    for member in try #require(assertion["expected"]?.object).members {
      let place = try #require(member.name.removingPercentEncoding)
      expected[String(place.drop { $0 != "#" })] = member.value
    }
    #expect(reported == expected, "\(group): \(instance.canonicalText) \(keyword) at \(location)")
  }
}
