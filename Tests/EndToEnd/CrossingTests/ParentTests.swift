import Foundation
import TestSupport
import Testing

/// Records that name others which no checkpoint knows, at a destination that has both.
@Suite(.timeLimit(.minutes(3))) struct ParentTests {
  @Test(arguments: ["local", "server", "fail"])
  func `without a checkpoint, what hangs on a record that was changed here is not made again`(
    policy: String
  ) async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      let before = try crossing.backend.rows("stories").count
      #expect(before > 0)
      try Python.edit(crossing.sample.store, "UPDATE ZHERO SET ZAPPEARANCE = 'Quite another'")
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      let found = try await elsewhere.migrate(["--on-conflict", policy])
      #expect(found.count("created", of: "Story") == 0, "\(found.standardOutput)")
      #expect(try crossing.backend.rows("stories").count == before)
      let again = try await elsewhere.migrate(["--on-conflict", policy])
      #expect(again.count("created", of: "Story") == 0, "\(again.standardOutput)")
    }
  }
}
