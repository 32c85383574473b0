import Foundation
import JSONText
import SchemaValidation
import TestSupport
import Testing

/// `ferry validate --schema`: any JSON against any schema.
@Suite(.timeLimit(.minutes(2))) struct AnySchemaTests {
  func run(
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

  @Test func `no value of a document is printed unless a user asks for it`() async throws {
    let schema = #"{"properties":{"a":{"type":"boolean"},"b":{"enum":["q"]},"c":{"maxLength":3}}}"#
    let text = #"{"a":"canary-a","b":"canary-b","c":"canary-c"}"#
    for form in [
      [], ["--format", "json"], ["--format", "ndjson"], ["--output", "basic"],
      ["--output", "list"],
    ] {
      let finished = try await run(text, schema: schema, form).exits(4)
      #expect(!finished.standardOutput.contains("canary"), "\(form)")
      let asked = try await run(text, schema: schema, form + ["--show-values"])
      #expect(asked.standardOutput.contains("canary-a"), "\(form)")
    }
  }
}
