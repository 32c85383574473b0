import Foundation
import TestSupport
import Testing

/// Records that name others which no checkpoint knows, at a destination that has both.
@Suite(.timeLimit(.minutes(3))) struct ParentTests {
  @Test(arguments: ["local", "remote", "fail"])
  func `without a checkpoint, dependents of a changed record are not made again`(
    policy: String
  ) async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let before = try scenario.backend.rows("stories").count
      #expect(before > 0)
      try scenario.sql("UPDATE ZHERO SET ZAPPEARANCE = 'Quite another'")
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let found = try await elsewhere.migrate(["--on-conflict", policy])
      #expect(found.count("created", of: "Story") == 0, "\(found)")
      #expect(try scenario.backend.rows("stories").count == before)
      let again = try await elsewhere.migrate(["--on-conflict", policy])
      #expect(again.count("created", of: "Story") == 0, "\(again)")
    }
  }
}
