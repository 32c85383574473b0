import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import RequestMapping
import Records
import Testing

/// The forms that a destination wants values in, and the way back into the store.
@Suite struct WrittenValueTests {
  private func mapping(_ form: String) throws -> EntityMapping {
    let profile = try Profile(
      yaml: """
        ferry-profile: 1
        app: notes
        entities:
          Note: { identity: { attribute: id }, carry: listed, fields: { id: id, value: value } }
        api:
          kind: folder
          entities:
            Note: { body: { id: id, f: { field: value, as: \(form) } } }
        """,
      path: "notes.yaml"
    )
    let mappings = RequestMappings(
      profile: profile,
      references: [:],
      keyMembers: ["Note": "id"],
      queue: .none
    )
    return try #require(mappings)["Note"]
  }

  private func sent(_ value: JSONValue, as form: String) throws -> JSONValue? {
    let mapping = try mapping(form)
    let record = try mapping.record(JSONValue.object(["id": "1", "value": value]).canonicalBytes)
    let body = mapping.body(of: try record.form(.planning).create)
    return try JSONValue(parsing: body)["f"]
  }

  private static let forms: [(form: String, value: JSONValue, sent: JSONValue)] = [
    ("bit", true, 1), ("bit", "no", 0),
    ("boolean", 1, true), ("boolean", "false", false),
    ("text", 12, "12"), ("text", true, "true"),
    ("text", .number(JSONNumber(9_007_199_254_740_993)), "9007199254740993"),
    ("double", 9_007_199_254_740_992, 9_007_199_254_740_992), ("double", 0.1, 0.1),
    ("double", "some words", "some words"),
    ("number", "12.50", .number(JSONNumber(literal: "12.50") ?? 0)),
    ("epoch", "2026-03-04T05:06:07.890Z", 1_772_600_767),
    ("epoch", "1969-12-31T23:59:59.5Z", -1),
    ("epoch-ms", "2026-03-04T05:06:07.890Z", 1_772_600_767_890),
    ("epoch", ["2026-03-04T05:06:07Z"], [1_772_600_767]),
    ("{ date: yyyy-MM-dd }", "2026-03-04T05:06:07Z", "2026-03-04"),
    ("{ date: \"yyyy-MM-dd HH:mm:ss.SSS\" }", "2026-03-04T05:06:07.89Z", "2026-03-04 05:06:07.890"),
    ("hex", "AAEC/w==", "000102ff"), ("base64url", "+/8=", "-_8"),
    ("json", ["b": 1, "a": ["x"]], "{\"a\":[\"x\"],\"b\":1}"), ("json", "a", "\"a\""),
  ]

  @Test(arguments: forms)
  func `a value is sent in its form`(form: String, value: JSONValue, sent: JSONValue) throws {
    #expect(try self.sent(value, as: form) == sent)
  }

  @Test(arguments: [
    "bit", "boolean", "epoch", "epoch-ms", "{ date: yyyy-MM-dd }", "hex", "base64url",
  ])
  func `a value that has no such form is refused and not sent`(form: String) throws {
    let error = try #require(throws: MappingError.self) { try sent("some words", as: form) }
    #expect(error.code == "request.unsendable")
  }

  @Test(arguments: ["9007199254740993", "0.12345678901234567890", "1e400"])
  func `a number that a double would round is refused and not sent`(literal: String) throws {
    let number = try #require(JSONNumber(literal: literal))
    let error = try #require(throws: MappingError.self) {
      try sent([.number(number)], as: "double")
    }
    #expect(error.code == "request.rounded")
    #expect(!error.reason.contains(literal))
  }

  @Test(arguments: ["bit", "epoch", "hex", "json", "{ date: yyyy-MM-dd }"])
  func `nothing stays nothing in every form`(form: String) throws {
    #expect(try sent(.null, as: form) == nil)
  }

  private static let exact: [(form: String, value: JSONValue)] = [
    ("bit", true), ("epoch", "2026-03-04T05:06:07Z"),
    ("epoch-ms", "2026-03-04T05:06:07.89Z"), ("{ date: yyyy-MM-dd }", "2026-03-04T00:00:00Z"),
    ("hex", "AAEC/w=="), ("base64url", "+/8="), ("json", ["b": 1, "a": ["x", .null]]),
  ]

  @Test(arguments: exact)
  func `what was sent has its way back into the store`(form: String, value: JSONValue) throws {
    let mapping = try mapping(form)
    var fields = JSONObject()
    fields["f"] = try sent(value, as: form)
    let found = mapping.storeValues(of: fields) { _, _ -> String? in nil }
    #expect(found.attributes["value"] == value, "\(found)")
  }

  @Test func `a text that may have been a number has no way back`() throws {
    let found = try mapping("text").storeValues(of: ["f": "12"]) { _, _ -> String? in nil }
    #expect(found.unmapped == ["f"])
  }

  @Test func `a form of dates that names no day is refused with what it may have`() throws {
    let error = try #require(throws: ProfileError.self) { try mapping("{ date: HH:mm }") }
    #expect(error.faults.first?.pointer == "/api/entities/Note/body/f/as")
    #expect(error.faults.first?.cure.contains("yyyy-MM-dd HH:mm:ss") == true)
  }

  @Test func `texts are compared by the JSON in them`() throws {
    #expect(
      try #require(
        try Profile(
          yaml: """
            ferry-profile: 1
            app: notes
            entities: { Note: { identity: { attribute: id }, fields: { id: id, v: v } } }
            api: { kind: folder, entities: { Note: { body: { id: id, v: v }, compare: { v: json } } } }
            """,
          path: "n"
        ).api?.entities.first
      ).agree("{\"a\": 1, \"b\":2}", "{\"b\":2,\"a\":1}", of: "v")
    )
  }
}
