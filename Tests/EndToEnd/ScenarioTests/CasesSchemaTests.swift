import Foundation
import TestSupport
import Testing

/// Small inputs about schemas on which Ferry once failed.
@Suite(.enabled(if: CaseFolder.isGiven, "skipped: FERRY_CASES is not set"))
struct CasesSchemaTests {
  private func validate(
    _ name: String,
    _ schema: String,
    _ document: String
  ) async throws -> FerryProgram.Finished {
    var finished: FerryProgram.Finished?
    try await withTemporaryFolder { folder in
      let copy = try CaseFolder.copy(name, into: URL(filePath: folder)).path
      finished = try await FerryProgram().run(
        ["validate", "--schema", "\(copy)/\(schema)", "\(copy)/\(document)"],
        state: "\(folder)/state"
      )
    }
    return try #require(finished)
  }

  @Test func `C03: a schema of draft 2019-09 is validated by that draft`() async throws {
    let answer = try await validate("C03-schema-other-draft", "tree.schema.json", "tree.json")
    #expect(answer.status == 4)
  }

  @Test func `undecided-pattern: a pattern that is too costly to decide is a separate fault`()
    async throws
  {
    let name = "A-adversary/undecided-pattern"
    let answer = try await validate(name, "not.schema.json", "nineteen.jsonl").exits(4)
    #expect(answer.standardOutput.contains("schema.pattern-undecided"))
  }
}
