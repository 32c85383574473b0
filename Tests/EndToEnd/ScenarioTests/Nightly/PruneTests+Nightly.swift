import Foundation
import JSONText
import TestSupport
import Testing

extension PruneTests {
  private func names(_ scenario: MigrationScenario, _ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(scenario.state)/\(folder)")
  }

  @Test func `once a run is rolled back, its package and its checkpoint go`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      try await scenario.ferry(["rollback", run]).exits(0)
      let value = try await prune(scenario)
      #expect(removedKinds(value) == ["package", "checkpoint"])
      #expect(try names(scenario, "packages").isEmpty)
      #expect(try names(scenario, "checkpoints").isEmpty)
      // A run after that begins anew.
      try await scenario.migrate().exits(0)
    }
  }

  @Test func `a dry run says the same, and changes no byte of the state folder`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      try await scenario.ferry(["rollback", run]).exits(0)
      let before = try SourceDigests(of: scenario.state)
      #expect(removedKinds(try await prune(scenario, "-n")) == ["package", "checkpoint"])
      #expect(try SourceDigests(of: scenario.state) == before)
    }
  }

  @Test func `what is not old enough, or one of the last, stays`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      try await scenario.ferry(["rollback", run]).exits(0)
      let young = try await prune(scenario, "--older-than", "1d")
      #expect(reasons(young, of: "package") == ["it is not old enough"])
      let last = try await prune(scenario, "--keep-last", "1")
      #expect(reasons(last, of: "checkpoint") == ["it is one of the last 1"])
      #expect(removedKinds(try await prune(scenario, "--keep-last", "0")).count == 2)
    }
  }

  @Test func `the package of an interrupted run stays, and the run is resumed`() async throws {
    try await withScenario { scenario in
      try await scenario.kill(after: 0.5, ["--rate", "20", "--batch-size", "1"])
      let value = try await prune(scenario)
      #expect(removedKinds(value).isEmpty)
      let run = try #require(
        try await scenario.ferry(["history"]).values.last?["run"]?.text
      )
      #expect(reasons(value, of: "package").contains("run \(run) resumes with it"))
      try await scenario.ferry(["resume", run, "--rate", "1000"]).exits(0)
    }
  }

  @Test func `a package that is named goes, and its loss is said before and afterwards`()
    async throws
  {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      for flags in [["-n"], []] {
        let text = try await scenario.run(["prune", "--force", run] + flags).exits(0)
        #expect(text.standardOutput.contains("lost: run \(run) cannot be rolled back"))
      }
      #expect(try names(scenario, "packages").isEmpty)
      #expect(try !names(scenario, "checkpoints").isEmpty)
      let refused = try await scenario.ferry(["rollback", run]).exits(64)
      #expect(refused.standardError.contains("is not there any more"))
    }
  }

  @Test func `an age without its unit is refused`() async throws {
    try await withScenario { scenario in
      try await scenario.ferry(["prune", "--older-than", "30"]).exits(64)
    }
  }

  @Test func `status counts the bytes of packages and checkpoints`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let status = try await scenario.ferry(["status"]).exits(0).value("status")
      let parts = status?["state"]?["parts"]?.array ?? []
      for name in ["packages", "checkpoints"] {
        let part = parts.first { $0["name"]?.text == name }
        #expect((part?["bytes"]?.integer ?? 0) > 1_000, "\(parts)")
      }
    }
  }
}
