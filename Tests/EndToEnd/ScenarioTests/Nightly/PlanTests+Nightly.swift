import Foundation
import JSONText
import TestSupport
import Testing

extension PlanTests {
  // 004-8.
  @Test func `a plan of changes is carried out as updates`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK IN (1, 2)")
      let saved = try await save(scenario)
      #expect(planned(saved.answer, "update") == 2)
      #expect(planned(saved.answer, "create") == 0)
      let done = try await scenario.ferry(["upload", saved.plan] + scenario.destination).exits(0)
      #expect(done.count("updated") == 2)
    }
  }

  @Test func `a plan that was carried out and rolled back is not reported as done`() async throws {
    try await withScenario { scenario in
      let saved = try await save(scenario)
      let words = ["upload", saved.plan] + scenario.destination
      let done = try await scenario.ferry(words)
      try await scenario.rollback(try done.run()).exits(0)
      let again = try await scenario.ferry(words)
      // It is planned anew: sent, or refused because the destination is not as it was.
      let heroes = try scenario.backend.rows("heroes")
      #expect(again.status == 0 ? !heroes.isEmpty : again.status == 12, "\(again)")
      let second = try await save(scenario, "b")
      try await scenario.ferry(["upload", second.plan] + scenario.destination).exits(0)
      #expect(try !scenario.backend.rows("heroes").isEmpty)
    }
  }

  @Test func `a plan leaves nothing behind but its file`() async throws {
    try await withScenario { scenario in
      let saved = try await save(scenario)
      #expect(!FileManager.default.fileExists(atPath: scenario.state))
      let rights = try FileManager.default.attributesOfItem(atPath: saved.plan)[.posixPermissions]
      #expect(rights as? Int == 0o600)
      #expect(!FileManager.default.fileExists(atPath: saved.plan + ".draft"))
      #expect(try scenario.backend.state()["writes"] == 0)
    }
  }

  @Test func `a plan is refused when a run was made since`() async throws {
    try await withScenario { scenario in
      let saved = try await save(scenario)
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK = 1")
      try await scenario.migrate().exits(0)
      let refused = try await scenario.ferry(["upload", saved.plan] + scenario.destination)
      #expect(refused.status == 12)
      #expect(refused.standardError.contains("a run has been made since"))
    }
  }

  @Test func `a plan is refused when its package was replaced`() async throws {
    try await withScenario { scenario in
      let saved = try await save(scenario)
      try scenario.sql("UPDATE ZHERO SET ZNAME = 'Neu' WHERE Z_PK = 1")
      try FileManager.default.removeItem(atPath: saved.package)
      try await scenario.export(to: saved.package).exits(0)
      let refused = try await scenario.ferry(["upload", saved.plan] + scenario.destination)
      #expect(refused.status == 12)
      #expect(refused.standardError.contains("the package is not the one that it was made for"))
      #expect(try scenario.backend.state()["writes"] == 0)
    }
  }

  @Test func `a file that is not a plan is refused`() async throws {
    try await withScenario { scenario in
      let file = "\(scenario.folder)/x.plan"
      try Data("not a plan".utf8).write(to: URL(filePath: file))
      try await scenario.ferry(["upload", file] + scenario.destination).exits(12)
    }
  }
}
