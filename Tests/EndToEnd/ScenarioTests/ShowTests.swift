import Foundation
import JSONText
import TestSupport
import Testing

/// What a plan, a package and a run hold, shown record by record.
@Suite(.timeLimit(.minutes(3))) struct ShowTests {
  /// A scenario whose heroes are at the server, and one of them has another name since.
  func withRenamedHero(
    _ body: (MigrationScenario, _ run: String) async throws -> Void
  ) async throws {
    try await withScenario { scenario in
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Canary' WHERE Z_PK = 1")
      let first = try await scenario.migrate().exits(0)
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Zebra finch' WHERE Z_PK = 1")
      try await body(scenario, first.run())
    }
  }

  @Test func `a saved plan shows what it does to each record`() async throws {
    try await withRenamedHero { scenario, _ in
      let package = "\(scenario.folder)/a.ferry"
      let plan = "\(scenario.folder)/a.plan"
      try await scenario.export(to: package).exits(0)
      try await scenario.ferry(["plan", package, "-o", plan] + scenario.destination).exits(0)
      await scenario.backend.stop()
      let shown = try await scenario.ferry(["show", plan, "--show-values"]).exits(0)
      #expect(shown.value("run")?["end"] == "planned")
      let operations = shown.values.filter { $0["type"] == "operation" }
      #expect(operations.count == 1)
      #expect(operations.first?["action"] == "update")
      let name = operations.first?["fields"]?[0]
      #expect(name?.value(at: "/old/value") == "Canary")
      #expect(name?.value(at: "/new/value") == "Zebra finch")
    }
  }
}
