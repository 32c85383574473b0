import Foundation
import JSONText
import TestSupport
import Testing

/// What others change at the destination while a run reads its pages, where no answer has a mark.
@Suite(.timeLimit(.minutes(3))) struct ReadingCursorTests {
  private func pages(_ scenario: MigrationScenario) throws -> Int64 {
    try scenario.backend.state()["requests"]?["GET /api/v1/stories"]?.integer ?? 0
  }

  private func wait(forPages count: Int64, _ scenario: MigrationScenario) async throws {
    for _ in 0..<1_500 {
      if try pages(scenario) >= count { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    try #require(try pages(scenario) >= count)
  }

  @Test func `the next run reports a story that changed after its page was read`() async throws {
    try await withScenario { scenario in
      let many = scenario.with(
        try madeStore(in: "\(scenario.folder)/many", heroes: 4, stories: 250)
      )
      try await many.migrate().exits(0)
      let package = "\(scenario.folder)/same.ferry"
      try await many.export(to: package).exits(0)

      // The newest come first. The second page is held up while a story of the first is changed, and
      // then, without another content, one of the last.
      let stories = try scenario.backend.rows("stories").values.sorted {
        ($0["createdAt"]?.text ?? "") > ($1["createdAt"]?.text ?? "")
      }
      let newest = try #require(stories.first)
      let oldest = try #require(stories.last)
      let client = try await AppClient(scenario)
      let before = try pages(scenario)
      try scenario.backend.setFaults("delay:n=2:4s@GET /api/v1/stories")
      async let reading = many.ferry(["upload", package, "--full"] + many.destination)
      try await wait(forPages: before + 2, scenario)
      let id = try AppClient.id(newest)
      try client.patch("/api/v1/stories/\(id)", ["title": "Changed there"])
      try client.patch(
        "/api/v1/stories/\(try AppClient.id(oldest))",
        ["title": oldest["title"] ?? .null]
      )
      let whole = try await reading
      #expect(whole.status == 0, "\(whole)")
      try scenario.backend.setFaults("")

      let title = try #require(newest["title"]?.text).replacing("'", with: "''")
      try many.sql("UPDATE ZSTORY SET ZTITLE = 'Changed here' WHERE ZTITLE = '\(title)'")
      let next = try await many.migrate()
      #expect(!next.findings("plan.conflict-kept-remote").isEmpty, "\(next)")
      #expect(try scenario.backend.rows("stories")[id]?["title"] == "Changed there")
    }
  }
}
