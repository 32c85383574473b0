import Foundation
import JSONText
import TestSupport
import Testing

/// A plan that is saved, and what an upload then does with it.
@Suite(.timeLimit(.minutes(3))) struct PlanTests {
  struct Saved {
    let package: String
    let plan: String
    let answer: Answer
  }

  func save(_ scenario: MigrationScenario, _ name: String = "a") async throws -> Saved {
    let package = "\(scenario.folder)/\(name).ferry"
    let plan = "\(scenario.folder)/\(name).plan"
    try await scenario.export(to: package).exits(0)
    let answer = try await scenario.ferry(["plan", package, "-o", plan] + scenario.destination)
    #expect(answer.status == 0, "\(answer)")
    return Saved(package: package, plan: plan, answer: answer)
  }

  func planned(_ answer: Answer, _ action: String) -> Int64 {
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
}
