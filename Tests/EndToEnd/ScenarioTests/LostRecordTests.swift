import Foundation
import JSONText
import TestSupport
import Testing

/// Records that runs sent to a destination and that are not there any more.
@Suite(.timeLimit(.minutes(3))) struct LostRecordTests {
  func withMoved(
    _ body: (MigrationScenario, _ words: [String]) async throws -> Void
  ) async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      try await body(scenario, [package] + scenario.destination)
    }
  }

  func remove(_ path: String, _ table: String, _ scenario: MigrationScenario) async throws {
    let client = try await AppClient(scenario)
    for row in try scenario.backend.rows(table).values {
      try client.delete("/api/v1/\(path)/\(try AppClient.id(row))")
    }
  }

  @Test func `a record missing from a whole reading is reported, and made again on request`()
    async throws
  {
    try await withMoved { scenario, words in
      let count = Int64(try scenario.backend.rows("customEvents").count)
      try await remove("custom-events", "customEvents", scenario)
      for verb in ["plan", "upload"] {
        let later = try await scenario.ferry([verb] + words).exits(6)
        #expect(later.count("conflicted", of: "CustomStoryEvent", in: verb) == count)
        #expect(later.findings("plan.conflict").count == Int(count))
      }
      let mended = try await scenario.ferry(["upload"] + words + ["--on-conflict", "local"])
      #expect(mended.count("created", of: "CustomStoryEvent") == count, "\(mended)")
      #expect(try scenario.backend.rows("customEvents").count == Int(count))
    }
  }
}
