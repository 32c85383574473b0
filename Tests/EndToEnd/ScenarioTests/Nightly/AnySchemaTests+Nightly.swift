import Foundation
import JSONText
import SchemaValidation
import TestSupport
import Testing

extension AnySchemaTests {
  @Test func `with ndjson each document is one line`() async throws {
    let schema = #"{"properties":{"n":{"type":"number"}}}"#
    let finished = try await run(
      "{\"n\":1}\n{\"n\":\"x\"}\n{\n",
      schema: schema,
      ["--format", "ndjson"]
    ).exits(4)
    let lines = try finished.standardOutput.split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
    #expect(lines.map { $0["line"]?.integer } == [1, 2, 3])
    #expect(lines.map { $0["valid"]?.boolean } == [true, false, false])
    #expect(lines[1]["findings"]?.array?.first?["pointer"] == "/n")
    #expect(lines[2]["findings"]?.array?.first?["code"] == "json.malformed")
  }

  @Test func `a schema of draft-07 is applied by the rules of draft-07`() async throws {
    let schema = #"{"items":[{"type":"string"}],"additionalItems":false}"#
    try await run("[\"a\"]", schema: schema, ["--draft", "07"]).exits(0)
    try await run("[\"a\",1]", schema: schema, ["--draft", "07"]).exits(4)
  }

  @Test func `formats are asserted unless the user asks for annotations`() async throws {
    let schema = #"{"format":"date"}"#
    try await run("\"no date\"", schema: schema).exits(4)
    try await run("\"no date\"", schema: schema, ["--formats", "annotate"]).exits(0)
  }

  @Test func `a schema that cannot be used is named with its place`() async throws {
    let finished = try await run("1", schema: #"{"properties":{"a":{"type":"text"}}}"#).exits(12)
    #expect(finished.standardError.contains("schema.json"))
    #expect(finished.standardError.contains("/properties/a"))
  }

  @Test func `the output does not depend on the number of workers`() async throws {
    let schema = #"{"$id":"urn:some:schema","required":["n"]}"#
    let filler = String(repeating: "of some length ", count: 12)
    let text = (0..<8_000).map { number in
      number % 500 == 3 ? "{\"m\":\(number)}\n" : "{\"n\":\(number),\"text\":\"\(filler)\"}\n"
    }.joined()
    for flags in [["--format", "ndjson"], []] {
      let one = try await run(text, schema: schema, flags + ["--workers", "1"])
      let three = try await run(text, schema: schema, flags + ["--workers", "3"])
      #expect(one.status == 4)
      #expect(three.status == 4)
      // Only the folder of the file is another one each time.
      let words = { (output: String) in output.replacing(/\S*\/data\.jsonl/, with: "data.jsonl") }
      #expect(words(one.standardOutput) == words(three.standardOutput))
    }
    try await run("1", schema: "true", ["--workers", "0"]).exits(64)
  }

  private static let suite = ProcessInfo.processInfo.environment["FERRY_JSON_SCHEMA_SUITE"]
    .map { $0 + "/output-tests" }

  @Test(
    .enabled(
      if: suite != nil,
      "skipped: FERRY_JSON_SCHEMA_SUITE does not name the folder of the official suite"
    ),
    arguments: [
      ("draft2020-12", "basic", "escape"), ("draft2020-12", "basic", "general"),
      ("draft2020-12", "basic", "readOnly"), ("draft2020-12", "basic", "type"),
      ("v1", "list", "general"), ("v1", "list", "readOnly"), ("v1", "list", "type"),
    ]
  )
  func `the official output tests pass`(draft: String, form: String, name: String) async throws {
    let folder = try #require(Self.suite) + "/\(draft)"
    // What the form itself asks for is the same in both drafts.
    let text = { (path: String) in
      try String(at: path)
        .replacing(
          "https://json-schema.org/v1\"",
          with: "https://json-schema.org/draft/2020-12/schema\""
        )
    }
    let outputSchema = try text("\(folder)/output-schema.json")
    let address = try #require(JSONValue(parsing: outputSchema)["$id"]?.text)
    let groups = try JSONValue(parsing: text("\(folder)/content/\(name).json"))
    for group in try #require(groups.array) {
      for test in try #require(group["tests"]?.array) {
        let finished = try await run(
          try #require(test["data"]).canonicalText,
          schema: try #require(group["schema"]).canonicalText,
          ["--output", form]
        )
        let expected = try #require(test["output"]?[form])
        let set = try SchemaSet(
          schemas: [
            (address, Array(outputSchema.utf8)), ("urn:expected", expected.canonicalBytes),
          ],
          unknownKeywords: .ignore
        )
        let document = JSONDocument()
        try document.parse(copying: Array(finished.standardOutput.utf8))
        let faults = try set.schema(at: "urn:expected").faults(document, document.root)
        #expect(faults.isEmpty, "\(finished)")
      }
    }
  }
}
