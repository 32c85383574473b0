import Foundation
import JSONText
import TestSupport
import Testing

extension UnionTests {
  @Test func `looks of one hero that differ in two stores are conflicts, and the first ones stay`()
    async throws
  {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario, hasOwnLooks: true))
      try await scenario.migrate().exits(0)
      let looks = try scenario.backend.rows("visualProfiles")
      #expect(looks.count == 2)
      let second = try await other.migrate().exits(6)
      #expect(second.count("conflicted", of: "HeroVisualProfile") == 2)
      #expect(second.count("conflicted") == 2)
      #expect(try scenario.backend.rows("visualProfiles") == looks)
      try await other.rollback(try second.run()).exits(0)
      #expect(try scenario.backend.rows("visualProfiles") == looks)
    }
  }

  // 000-7, 002-34.
  @Test(arguments: ["another-machine", "state"])
  func `an interrupted store finds the records that another store sent meanwhile`(
    stateOfOther: String
  ) async throws {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario))
      var elsewhere = other
      elsewhere.stateName = stateOfOther
      let alone = try await contents(of: scenario)
      let others = try await contents(of: other)
      // Slow enough for a busy machine to kill it long before it is half through.
      try scenario.backend.setFaults("delay:1:2s@POST /api/")
      try await scenario.kill(after: 0.1)
      try scenario.backend.setFaults("")
      // What was on its way when it was killed arrives before the other device begins.
      try await Task.sleep(for: .seconds(4))
      #expect(try scenario.backend.contents().count < alone.count / 2)
      try await elsewhere.migrate().exits(0)

      let again = try await scenario.migrate().exits(0)
      #expect(again.value("verification")?["clean"] == true)
      #expect(again.findings("plan.overtaken").count == 1)
      let union = try scenario.backend.contents()
      #expect(Set(union) == Set(alone).union(others))
      #expect(union.count == Set(union).count)
      // What the other device took over of ours is its own now, and stays.
      for back in try await scenario.rollbackAll(from: again) {
        #expect([0, 6].contains(back.status), "\(back)")
      }
      #expect(try scenario.backend.contents() == others)
    }
  }

  @Test func `a plan that another device has overtaken is not resumed`() async throws {
    try await withScenario { scenario in
      var elsewhere = scenario.with(try otherStore(scenario))
      elsewhere.stateName = "another-machine"
      let package = try await package(of: scenario)
      let plan = "\(scenario.folder)/saved.plan"
      _ = try await scenario.ferry(["plan", package, "-o", plan] + scenario.destination)
      try scenario.backend.setFaults("status:1:429:retry-after=86400@POST /api/batch/stories")
      try await scenario.ferry(
        ["upload", plan, "--retries", "0"] + scenario.destination
      ).exits(5)
      try scenario.backend.setFaults("")
      try await elsewhere.migrate().exits(0)
      let before = try scenario.backend.contents()
      let refused = try await scenario.ferry(["upload", plan] + scenario.destination).exits(12)
      #expect(refused.standardError.contains("out of date"))
      #expect(try scenario.backend.contents() == before)
      try await scenario.ferry(["upload", package] + scenario.destination).exits(0)
      let union = try scenario.backend.contents()
      #expect(union.count == Set(union).count)
    }
  }

  @Test func `rolling the first store back leaves records that the second one has too`()
    async throws
  {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario))
      let alone = try await contents(of: other)
      let first = try await scenario.migrate()
      _ = try await other.migrate()
      let back = try await scenario.rollback(try first.run()).exits(6)
      #expect(back.count("conflicted", in: "rollback") == 7)
      #expect(try scenario.backend.contents() == alone)
      try await other.ferry(["verify", package(of: other)] + other.destination).exits(0)
    }
  }

  @Test func `a record of both stores is deleted once both are rolled back`() async throws {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario))
      let first = try await scenario.migrate()
      let second = try await other.migrate()
      try await scenario.rollback(try first.run()).exits(6)
      try await other.rollback(try second.run()).exits(0)
      let preview = try await scenario.rollback(try first.run(), ["-n"])
      #expect(preview.count("remaining", in: "rollback") == 7, "\(preview)")
      let again = try await scenario.rollback(try first.run()).exits(0)
      #expect(again.count("deleted", in: "rollback") == 7)
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  @Test func `a record of both stores stays until both stores' runs are rolled back`() async throws
  {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario))
      let first = try await scenario.migrate()
      let second = try await other.migrate()
      let third = try await other.migrate()
      try await other.rollback(try second.run()).exits(0)
      try await scenario.rollback(try first.run()).exits(6)
      #expect(try scenario.backend.contents().count == 7)
      try await other.rollback(try third.run()).exits(0)
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.contents().isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `two stores that were rolled back are migrated again as their union`(
    firstFirst: Bool
  ) async throws {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario))
      let first = try await scenario.migrate()
      let second = try await other.migrate()
      let union = try scenario.backend.contents()
      try await other.rollback(try second.run()).exits(0)
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.contents().isEmpty)
      for one in firstFirst ? [scenario, other] : [other, scenario] {
        try await one.migrate().exits(0)
      }
      #expect(try scenario.backend.contents() == union)
    }
  }

  @Test func `a record that a person deleted before its rollback is not made again`() async throws {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario))
      let alone = try await contents(of: other)
      let first = try await scenario.migrate()
      let second = try await other.migrate()
      try await other.rollback(try second.run()).exits(0)
      let client = try await AppClient(scenario)
      for story in try scenario.backend.rows("stories").values {
        try client.delete("/api/v1/stories/\(try AppClient.id(story))")
      }
      try await scenario.rollback(try first.run()).exits(0)
      let reported = try await other.migrate().exits(6)
      #expect(reported.count("conflicted", of: "Story") == 2)
      #expect(reported.count("conflicted", of: "Hero") == 0)
      #expect(try scenario.backend.contents().count == alone.count - 2)
      try await other.migrate(["--full", "--on-conflict", "local"]).exits(0)
      #expect(try scenario.backend.contents() == alone)
    }
  }

  private func package(of scenario: MigrationScenario) async throws -> String {
    let path = "\(scenario.folder)/verified.ferry"
    _ = try await scenario.export(to: path)
    return path
  }
}
