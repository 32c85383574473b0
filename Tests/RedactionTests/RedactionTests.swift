import Foundation
import JSONText
import Redaction
import Testing

/// The content of a redacted record.
struct RedactionTests {
  private static let key = [UInt8](repeating: 7, count: 32)

  private func redact(
    _ record: JSONObject,
    schema: String? = nil,
    identities: Set<String> = [],
    key: [UInt8]? = key
  ) throws -> JSONObject {
    try RecordRedactor(
      pseudonyms: Pseudonyms(key: key),
      schema: schema.map { try JSONValue(parsing: $0) },
      identities: identities
    ).redacted(record)
  }

  private func text(_ value: String, schema: String? = nil) throws -> String {
    let full = schema.map { #"{"properties":{"a":\#($0)}}"# }
    return try #require(try redact(["a": .string(value)], schema: full)["a"]?.text)
  }

  @Test(arguments: [
    (
      "6F9619FF-8B86-D011-B42D-00CF4FC964FF",
      "[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}"
    ),
    ("2024-02-29", #"20[01]\d-[01]\d-[0-2]\d"#),
    (
      "2024-02-29T23:59:59.123Z",
      #"20[01]\d-[01]\d-[0-2]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z"#
    ),
    (
      "2024-02-29T23:59:59+05:30",
      #"20[01]\d-[01]\d-[0-2]\dT[0-2]\d:[0-5]\d:[0-5]\d\+00:00"#
    ),
    ("anna@example.org", #"p[0-9a-f]{12}@example\.com"#),
    ("https://anna.example.org/secret", "https://example.com/[0-9a-f]{12}"),
    ("004917612345", #"[1-9]\d{11}"#), ("9f86d081884c7d65", "[0-9a-f]{16}"),
    ("SGVsbG8sIEFubmEhISEh", "A{32}"), ("Anna", "[0-9a-f]{4}"),
    ("A longer story about Anna.", "[0-9a-f]{12}x{20}"),
  ])
  func `a text is redacted to another of its kind`(text: String, shape: String) throws {
    let placeholder = try self.text(text)
    #expect(try placeholder.wholeMatch(of: Regex(shape)) != nil, "\(placeholder)")
    #expect(placeholder != text)
  }

  @Test(arguments: ["", " ", "\n\t "]) func `a blank value stays blank`(text: String) throws {
    #expect(try self.text(text) == text)
  }

  @Test func `numbers, booleans and null are not redacted`() throws {
    let record: JSONObject = ["n": 3, "f": 2.5, "t": true, "z": .null, "e": []]
    #expect(try redact(record) == record)
  }

  @Test func `a redacted choice stays a valid choice`() throws {
    let schema = #"{"anyOf":[{"enum":["red","green"]},{"type":"null"}]}"#
    for word in ["red", "green", "canary"] {
      #expect(["red", "green"].contains(try text(word, schema: schema)))
    }
  }

  @Test func `a redacted text keeps its schema's limits`() throws {
    #expect(try text("Grüße aus Köln", schema: #"{"maxLength":14}"#).count == 14)
    #expect(try text("ab", schema: #"{"minLength":2,"maxLength":3}"#).count == 2)
    #expect(try text("too long for it", schema: #"{"maxLength":5}"#).count > 5)
    #expect(
      try text("AB-123", schema: #"{"pattern":"^[A-Z]{2}-[0-9]{3}$"}"#).wholeMatch(
        of: /[A-Z]{2}-[0-9]{3}/
      ) != nil
    )
    #expect(try text("soon", schema: #"{"format":"date"}"#).count == 10)
  }

  @Test func `references still lead to the records that they name`() throws {
    let id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
    let parent = try redact(["id": .string(id)], identities: ["id"])
    let child = try redact(
      ["id": "c", "parent": .string(id), "all": [.string(id), "anna"], "row": 4],
      identities: ["id", "parent", "all", "row"]
    )
    #expect(child["parent"] == parent["id"] && child["parent"]?.text != id)
    #expect(child["all"]?.array?.first == parent["id"])
    #expect(child["all"]?.array?.last == (try redact(["k": "anna"], identities: ["k"]))["k"])
    #expect(child["row"] == (try redact(["r": 4], identities: ["r"]))["r"] && child["row"] != 4)
    // One that no profile declares holds as well, by its shape.
    #expect(try redact(["other": .string(id)])["other"] == parent["id"])
  }

  @Test func `another key gives other placeholders, and the same key the same ones`() throws {
    let record: JSONObject = ["name": "Anna of the green gables", "id": "anna"]
    let one = try redact(record, identities: ["id"])
    #expect(try redact(record, identities: ["id"]) == one)
    #expect(try redact(record, identities: ["id"], key: nil) != one)
  }

  @Test func `a redacted file becomes a missing one`() throws {
    let media: JSONValue = [
      "name": "anna.png", "sha256": .string(String(repeating: "a", count: 64)), "size": 9,
      "state": "present",
    ]
    let found = try redact(["picture": media])["picture"]
    #expect(found?["state"] == "missing" && found?["sha256"] == nil && found?["size"] == nil)
    #expect(found?["name"]?.text?.hasPrefix("p-") == true)
  }

  @Test func `undeclared names are redacted like values`() throws {
    let record: JSONObject = ["scores": ["anna": 3, "known": 4]]
    let schema = #"{"properties":{"scores":{"properties":{"known":{}}}}}"#
    let scores = try redact(record, schema: schema)["scores"]?.object
    #expect(scores?["known"] == 4 && scores?["anna"] == nil && scores?.members.count == 2)
  }

  @Test func `names that a draft found in rows are redacted like values`() throws {
    let record: JSONObject = ["scores": ["anna": "a word", "known": 4]]
    let schema = ##"""
      {"properties":{"scores":{
        "properties":{"known":{},"anna":{"enum":["a choice"]}},"x-seen":["anna"]}}}
      """##
    let scores = try redact(record, schema: schema)["scores"]?.object
    #expect(scores?["known"] == 4 && scores?["anna"] == nil && scores?.members.count == 2)
    // What the schema says of the value holds all the same.
    let values = (scores?.members ?? []).map { $0.value }
    #expect(values.contains("a choice"))
  }
}
