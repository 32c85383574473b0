import Foundation
import JSONText
import TestSupport
import Testing

/// Two stores of one user, at one account: what both have is there once.
@Suite(.timeLimit(.minutes(3))) struct UnionTests {
  // 000-7, 002-34.
  @Test(arguments: [true, false])
  func `two stores end as their union, each record once`(firstFirst: Bool) async throws {
    try await withScenario { scenario in
      let other = scenario.with(try otherStore(scenario))
      let (one, two) = firstFirst ? (scenario, other) : (other, scenario)
      let alone = try await contents(of: two)
      try await one.migrate().exits(0)
      let before = try scenario.backend.contents()
      let second = try await two.migrate().exits(0)
      // Two heroes, their looks, a story about each, and an event.
      #expect(second.count("unchanged", of: "Hero") == 2)
      #expect(second.count("unchanged", of: "HeroVisualProfile") == 2)
      #expect(second.count("unchanged", of: "CustomStoryEvent") == 1)
      #expect(second.count("unchanged", of: "Story") == 2)
      let union = try scenario.backend.contents()
      #expect(Set(union) == Set(before).union(alone))
      #expect(union.count == Set(union).count)
      #expect(try await one.migrate().count("created") == 0)

      try await two.rollback(try second.run()).exits(0)
      #expect(try scenario.backend.contents() == before)
    }
  }

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

  /// What the account holds when only this store is there; the account is empty again afterwards.
  private func contents(of scenario: MigrationScenario) async throws -> [String] {
    var alone = scenario
    alone.stateName = "alone"
    _ = try await alone.migrate()
    let contents = try scenario.backend.contents()
    try scenario.backend.reset()
    return contents
  }

  private func package(of scenario: MigrationScenario) async throws -> String {
    let path = "\(scenario.folder)/verified.ferry"
    _ = try await scenario.export(to: path)
    return path
  }

  /// A store of another device: its own heroes and stories, and some that both devices have.
  ///
  /// The heroes of both devices look the same on both, unless the other one `hasOwnLooks` for them.
  private func otherStore(
    _ scenario: MigrationScenario,
    hasOwnLooks: Bool = false
  ) throws -> Sample {
    let sample = try madeStore(
      in: "\(scenario.folder)/other",
      seed: "another",
      heroes: 4,
      stories: 12
    )
    try scenario.sql(
      "UPDATE ZSTORY SET ZHERO = Z_PK, ZCUSTOMEVENT = NULL, ZBUILTINEVENT = 'Family Time' "
        + "WHERE Z_PK IN (1, 2)"
    )
    let source = scenario.sample.store.replacing("'", with: "''")
    if !hasOwnLooks {
      try Python.edit(
        sample.store,
        "ATTACH '\(source)' AS mine",
        Self.copying("ZHEROVISUALPROFILE", Self.look, "1, 2")
      )
    }
    try Python.edit(
      sample.store,
      "ATTACH '\(source)' AS mine",
      Self.copying("ZHERO", "ZNAME, ZPRIMARYTRAIT, ZSECONDARYTRAIT, ZSPECIALABILITY", "1, 2"),
      Self.copying("ZHERO", "ZAPPEARANCE, ZAVATARPROMPT, ZAVATARGENERATIONID", "1, 2"),
      Self.copying(
        "ZCUSTOMSTORYEVENT",
        "ZTITLE, ZEVENTDESCRIPTION, ZPROMPTSEED, ZCATEGORY, ZAGERANGE, ZTONE, ZKEYWORDS, ZISFAVORITE",
        "1"
      ),
      Self.copying(
        "ZSTORY",
        "ZTITLE, ZCONTENT, ZBUILTINEVENT, ZISFAVORITE, ZESTIMATEDDURATION, ZHERO, ZCUSTOMEVENT",
        "1, 2"
      ),
      "UPDATE ZCUSTOMSTORYEVENT SET ZPROMPTSEED = ZPROMPTSEED || ' again' WHERE Z_PK > 1",
      "UPDATE ZHERO SET ZSPECIALABILITY = ZSPECIALABILITY || ' again' WHERE Z_PK > 2"
    )
    return sample
  }

  /// What the server has a place for.
  private static let look =
    "ZHAIRCOLOR, ZHAIRSTYLE, ZEYECOLOR, ZSKINTONE, ZBODYTYPE, ZCLOTHINGSTYLE, "
    + "ZDISTINCTIVEFEATURES, ZCOLORPALETTE, ZARTSTYLE, ZCANONICALPROMPT, ZSIMPLIFIEDPROMPT"

  private static func copying(_ table: String, _ columns: String, _ keys: String) -> String {
    "UPDATE \(table) SET (\(columns)) = (SELECT \(columns) FROM mine.\(table) AS other "
      + "WHERE other.Z_PK = \(table).Z_PK) WHERE Z_PK IN (\(keys))"
  }
}
