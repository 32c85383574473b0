import Foundation
import JSONText
import TestSupport
import Testing

/// A plan that is saved, and what an upload then does with it.
@Suite(.timeLimit(.minutes(3))) struct PlanTests {
  private struct Saved {
    let package: String
    let plan: String
    let answer: Answer
  }

  private func save(_ scenario: MigrationScenario, _ name: String = "a") async throws -> Saved {
    let package = "\(scenario.folder)/\(name).ferry"
    let plan = "\(scenario.folder)/\(name).plan"
    try await scenario.export(to: package).exits(0)
    let answer = try await scenario.ferry(["plan", package, "-o", plan] + scenario.destination)
    #expect(answer.status == 0, "\(answer)")
    return Saved(package: package, plan: plan, answer: answer)
  }

  private func planned(_ answer: Answer, _ action: String) -> Int64 {
    (answer.value("plan")?["operations"]?.array ?? []).reduce(0) {
      $0 + ($1[action]?.integer ?? 0)
    }
  }

  // 000-39, 001-23.
  @Test(arguments: [StoreChoice.small, .legacy, .later])
  func `an upload carries out its plan entity by entity`(choice: StoreChoice) async throws {
    try await withScenario(choice) { scenario in
      let saved = try await save(scenario)
      let done = try await scenario.ferry(["upload", saved.plan] + scenario.destination).exits(0)
      let operations = saved.answer.value("plan")?["operations"]?.array ?? []
      #expect(!operations.isEmpty)
      for line in operations where line["create"] != nil {
        let entity = line["entity"]?.text
        #expect(line["create"]?.integer == done.count("created", of: entity))
      }
      #expect(planned(saved.answer, "create") == done.count("created"))
      #expect(done.count("updated") == 0 && done.count("rejected") == 0)
      for bucket in ["unmapped", "unchanged", "skipped"] {
        #expect(saved.answer.count(bucket, in: "plan") == done.count(bucket))
      }
    }
  }

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

  @Test func `a plan is refused when the destination moved, and nothing is sent`() async throws {
    try await withScenario { scenario in
      let saved = try await save(scenario)
      var elsewhere = scenario
      elsewhere.stateName = "elsewhere"
      let other = try await elsewhere.ferry(["upload", saved.package] + scenario.destination)
      #expect(other.status == 0, "\(other)")
      let writes = try scenario.backend.state()["writes"]
      let refused = try await scenario.ferry(["upload", saved.plan] + scenario.destination)
      #expect(refused.status == 12)
      #expect(refused.standardError.contains("the destination, or a flag"))
      #expect(try scenario.backend.state()["writes"] == writes)
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

  @Test func `a killed plan is resumed, and carried out only once`()
    async throws
  {
    try await withScenario { scenario in
      let saved = try await save(scenario)
      try scenario.backend.setFaults("delay:1:100ms@POST /api")
      let words = ["upload", saved.plan] + scenario.destination
      _ = try await scenario.run(words, stop: .kill(after: .milliseconds(300), line: "upload …"))
      try scenario.backend.setFaults("")
      let done = try await scenario.ferry(words).exits(0)
      #expect(planned(saved.answer, "create") == done.count("created"))
      let writes = try scenario.backend.state()["writes"]
      try await scenario.ferry(words).exits(0)
      #expect(try scenario.backend.state()["writes"] == writes)
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
