import Foundation
import JSONText
import TestSupport
import Testing

/// `ferry validate --schema`: any JSON against any schema.
@Suite(.timeLimit(.minutes(2))) struct AnySchemaTests {
  private func run(
    _ text: String,
    schema: String,
    _ flags: [String] = []
  ) async throws -> FerryProgram.Finished {
    var finished: FerryProgram.Finished?
    try await withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: URL(filePath: "\(folder)/schema.json"))
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/data.jsonl"))
      finished = try await FerryProgram().run(
        ["validate", "--schema", "\(folder)/schema.json", "\(folder)/data.jsonl", "--quiet"]
          + flags,
        state: "\(folder)/state"
      )
    }
    return try #require(finished)
  }

  @Test func `with ndjson each document is one line`() async throws {
    let schema = #"{"properties":{"n":{"type":"number"}}}"#
    let finished = try await run(
      "{\"n\":1}\n{\"n\":\"x\"}\n{\n",
      schema: schema,
      ["--format", "ndjson"]
    )
    #expect(finished.status == 4)
    let lines = try finished.standardOutput.split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
    #expect(lines.map { $0["line"]?.integer } == [1, 2, 3])
    #expect(lines.map { $0["valid"]?.boolean } == [true, false, false])
    #expect(lines[1]["findings"]?.array?.first?["pointer"] == "/n")
    #expect(lines[2]["findings"]?.array?.first?["code"] == "json.malformed")
  }

  @Test func `a schema of draft-07 is held as draft-07 has it`() async throws {
    let schema = #"{"items":[{"type":"string"}],"additionalItems":false}"#
    #expect(try await run("[\"a\"]", schema: schema, ["--draft", "07"]).status == 0)
    #expect(try await run("[\"a\",1]", schema: schema, ["--draft", "07"]).status == 4)
  }

  @Test func `formats are asserted unless they are to be remarks`() async throws {
    let schema = #"{"format":"date"}"#
    #expect(try await run("\"no date\"", schema: schema).status == 4)
    #expect(try await run("\"no date\"", schema: schema, ["--formats", "annotate"]).status == 0)
  }

  @Test func `a schema that cannot be used is named with its place`() async throws {
    let finished = try await run("1", schema: #"{"properties":{"a":{"type":"text"}}}"#)
    #expect(finished.status == 12)
    #expect(finished.standardError.contains("schema.json"))
    #expect(finished.standardError.contains("/properties/a"))
  }
}
