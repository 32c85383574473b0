import Foundation
import JSONText
import TestSupport
import Testing

/// How little of a destination later runs read, and that they miss nothing by it.
@Suite(.timeLimit(.minutes(3))) struct IncrementalTests {
  /// A store of several pages of stories, moved and verified, and its package.
  func withMoved(
    _ body: (MigrationScenario, _ upload: [String]) async throws -> Void
  ) async throws {
    try await withScenario { scenario in
      let store = try madeStore(in: "\(scenario.folder)/many", heroes: 4, stories: 250)
      let moved = scenario.with(store)
      try await moved.migrate().exits(0)
      let package = "\(scenario.folder)/second.ferry"
      try await moved.export(to: package).exits(0)
      try await body(moved, ["upload", package] + moved.destination)
    }
  }

  @Test func `a change at the destination is reported until both sides agree`() async throws {
    try await withMoved { scenario, upload in
      let story = try #require(try scenario.backend.rows("stories").values.first)
      let id = try AppClient.id(story)
      let client = try await AppClient(scenario)
      try client.patch("/api/v1/stories/\(id)", ["title": "Changed there"])
      for _ in 1...2 { #expect(try await scenario.ferry(upload).status == 0) }
      let title = try #require(story["title"]?.text).replacing("'", with: "''")
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'Changed here' WHERE ZTITLE = '\(title)'")
      let third = try await scenario.migrate(["--on-conflict", "local"])
      #expect(third.count("updated", of: "Story") >= 1, "\(third)")
      let dump = try scenario.backend.dump().canonicalText
      #expect(dump.contains("Changed here") && !dump.contains("Changed there"))
    }
  }
}
