import Foundation
import JSONText
import TestSupport
import Testing

/// The sample store of Noted to its own routes: notebooks, tags and notes in one changeset.
///
/// Of its 75 rows with a place there, 14 are marked as removed and were never at the server. The numbers
/// in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct NotedTests {
  static let liveCount = 61
  // 004-5, 004-7, 004-8, 004-25, 004-30, 004-32.
  @Test func `the store is migrated, repeated without a push, changed, and rolled back`()
    async throws
  {
    try await withNoted { scenario in
      let first = try await scenario.migrate()
      #expect(first.count("created") == Int64(Self.liveCount), "\(first)")
      // The rows between notes and tags are parts of their notes.
      #expect(first.count("unmapped", of: "NoteTagEntity") == 0)
      #expect(try live(scenario).count == Self.liveCount)
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.migrate()
      #expect(second.count("unchanged") == Int64(Self.liveCount), "\(second)")
      #expect(try scenario.backend.writeCount() == writes)
      try scenario.sql(
        "UPDATE ZNOTEENTITY SET ZPLAINTEXT = 'Ein neuer Text – 新', ZSYNCSTATUS = 1 WHERE Z_PK = 1"
      )
      let third = try await scenario.migrate()
      #expect(third.count("updated") == 1, "\(third)")
      #expect(try scenario.backend.writeCount() == writes + 1)
      // A push has a list for each kind, also for those of which nothing changed.
      let push = try #require(try scenario.backend.changes().last?["body"]?.text)
      let body = try JSONValue(parsing: push)
      for kind in ["notebooks", "notes", "tags"] { #expect(body[kind]?.array != nil) }
      for run in [try third.run(), try first.run()] {
        try await scenario.rollback(run).exits(0)
      }
      #expect(try live(scenario).isEmpty)
    }
  }

  /// Every row of the account but the notebook that the server made by itself.
  func rows(_ scenario: MigrationScenario) throws -> [JSONValue] {
    (try scenario.backend.dump()["syncRows"]?.array ?? []).filter { $0["title"] != "Main" }
  }

  func live(_ scenario: MigrationScenario) throws -> [JSONValue] {
    try rows(scenario).filter { $0["deleted_at"]?.isNull ?? true }
  }
}
