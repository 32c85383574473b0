import Foundation
import JSONText
import TestSupport
import Testing

/// Two stores of one user, at one account: what both have is there once.
@Suite(.timeLimit(.minutes(3))) struct UnionTests {
  // 000-7, 002-34.
  @Test(arguments: [true, false])
  func `two stores end as their union, each record once`(firstFirst: Bool) async throws {
    try await withCrossing { crossing in
      let other = crossing.with(try otherStore(crossing))
      let (one, two) = firstFirst ? (crossing, other) : (other, crossing)
      let alone = try await contents(of: two)
      let first = try await one.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      let before = try crossing.backend.contents()
      let second = try await two.migrate()
      #expect(second.status == 0, "\(second.standardError)")
      // Two heroes, a story about each, and an event.
      #expect(second.count("unchanged", of: "Hero") == 2)
      #expect(second.count("unchanged", of: "CustomStoryEvent") == 1)
      #expect(second.count("unchanged", of: "Story") == 2)
      let union = try crossing.backend.contents()
      #expect(Set(union) == Set(before).union(alone))
      #expect(union.count == Set(union).count)
      #expect(try await one.migrate().count("created") == 0)

      let back = try await two.rollback(try second.run())
      #expect(back.status == 0, "\(back.standardError)")
      #expect(try crossing.backend.contents() == before)
    }
  }

  // 000-7, 002-34.
  @Test(arguments: ["another-machine", "state"])
  func `a store that was interrupted finds what another brought in between`(
    stateOfOther: String
  ) async throws {
    try await withCrossing { crossing in
      let other = crossing.with(try otherStore(crossing))
      var elsewhere = other
      elsewhere.stateName = stateOfOther
      let alone = try await contents(of: crossing)
      let others = try await contents(of: other)
      // Slow enough for a busy machine to kill it long before it is half through.
      try crossing.backend.setFaults("delay:1:2s@POST /api/")
      try await crossing.kill(after: 0.1)
      try crossing.backend.setFaults("")
      // What was on its way when it was killed arrives before the other device begins.
      try await Task.sleep(for: .seconds(4))
      #expect(try crossing.backend.contents().count < alone.count / 2)
      #expect(try await elsewhere.migrate().status == 0)

      let again = try await crossing.migrate()
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(again.value("verification")?["clean"] == true)
      #expect(again.findings("plan.overtaken").count == 1)
      let union = try crossing.backend.contents()
      #expect(Set(union) == Set(alone).union(others))
      #expect(union.count == Set(union).count)
      // What the other device took over of ours is its own now, and stays.
      for back in try await crossing.rollbackAll(from: again) {
        #expect([0, 6].contains(back.status), "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try crossing.backend.contents() == others)
    }
  }

  @Test func `a plan that another device has overtaken is not gone on with`() async throws {
    try await withCrossing { crossing in
      var elsewhere = crossing.with(try otherStore(crossing))
      elsewhere.stateName = "another-machine"
      let package = try await package(of: crossing)
      let plan = "\(crossing.folder)/saved.plan"
      _ = try await crossing.ferry(["plan", package, "-o", plan] + crossing.destination)
      try crossing.backend.setFaults("status:1:429:retry-after=86400@POST /api/batch/stories")
      let stopped = try await crossing.ferry(
        ["upload", plan, "--retries", "0"] + crossing.destination
      )
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      try crossing.backend.setFaults("")
      #expect(try await elsewhere.migrate().status == 0)
      let before = try crossing.backend.contents()
      let refused = try await crossing.ferry(["upload", plan] + crossing.destination)
      #expect(refused.status == 12, "\(refused.standardOutput)\(refused.standardError)")
      #expect(refused.standardError.contains("out of date"))
      #expect(try crossing.backend.contents() == before)
      let answer = try await crossing.ferry(["upload", package] + crossing.destination)
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let union = try crossing.backend.contents()
      #expect(union.count == Set(union).count)
    }
  }

  @Test func `taking the first store back leaves what the second has too`() async throws {
    try await withCrossing { crossing in
      let other = crossing.with(try otherStore(crossing))
      let alone = try await contents(of: other)
      let first = try await crossing.migrate()
      _ = try await other.migrate()
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)")
      #expect(back.count("conflicted", in: "rollback") == 5)
      #expect(try crossing.backend.contents() == alone)
      #expect(
        try await other.ferry(["verify", package(of: other)] + other.destination).status == 0
      )
    }
  }

  @Test func `what the second store had too goes once that is taken back as well`() async throws {
    try await withCrossing { crossing in
      let other = crossing.with(try otherStore(crossing))
      let first = try await crossing.migrate()
      let second = try await other.migrate()
      #expect(try await crossing.rollback(try first.run()).status == 6)
      let back = try await other.rollback(try second.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      let preview = try await crossing.rollback(try first.run(), ["-n"])
      #expect(preview.count("remaining", in: "rollback") == 5, "\(preview.standardOutput)")
      let again = try await crossing.rollback(try first.run())
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(again.count("deleted", in: "rollback") == 5)
      #expect(try crossing.backend.contents().isEmpty)
    }
  }

  @Test func `what the second store has stays while any of its runs stands`() async throws {
    try await withCrossing { crossing in
      let other = crossing.with(try otherStore(crossing))
      let first = try await crossing.migrate()
      let second = try await other.migrate()
      let third = try await other.migrate()
      #expect(try await other.rollback(try second.run()).status == 0)
      let kept = try await crossing.rollback(try first.run())
      #expect(kept.status == 6, "\(kept.standardOutput)\(kept.standardError)")
      #expect(try crossing.backend.contents().count == 5)
      #expect(try await other.rollback(try third.run()).status == 0)
      let again = try await crossing.rollback(try first.run())
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try crossing.backend.contents().isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `two stores that were taken back come again as their union`(
    firstFirst: Bool
  ) async throws {
    try await withCrossing { crossing in
      let other = crossing.with(try otherStore(crossing))
      let first = try await crossing.migrate()
      let second = try await other.migrate()
      let union = try crossing.backend.contents()
      #expect(try await other.rollback(try second.run()).status == 0)
      #expect(try await crossing.rollback(try first.run()).status == 0)
      #expect(try crossing.backend.contents().isEmpty)
      for one in firstFirst ? [crossing, other] : [other, crossing] {
        let again = try await one.migrate()
        #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      }
      #expect(try crossing.backend.contents() == union)
    }
  }

  @Test func `what a person deleted before a rollback came to it is not made again`() async throws {
    try await withCrossing { crossing in
      let other = crossing.with(try otherStore(crossing))
      let alone = try await contents(of: other)
      let first = try await crossing.migrate()
      let second = try await other.migrate()
      #expect(try await other.rollback(try second.run()).status == 0)
      let client = try await AppClient(crossing)
      for story in try crossing.backend.rows("stories").values {
        try client.delete("/api/v1/stories/\(try AppClient.id(story))")
      }
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      let told = try await other.migrate()
      #expect(told.status == 6, "\(told.standardOutput)\(told.standardError)")
      #expect(told.count("conflicted", of: "Story") == 2)
      #expect(told.count("conflicted", of: "Hero") == 0)
      #expect(try crossing.backend.contents().count == alone.count - 2)
      let asked = try await other.migrate(["--full", "--on-conflict", "local"])
      #expect(asked.status == 0, "\(asked.standardOutput)\(asked.standardError)")
      #expect(try crossing.backend.contents() == alone)
    }
  }

  /// What the account holds when only this store is there; the account is empty again afterwards.
  private func contents(of crossing: Crossing) async throws -> [String] {
    var alone = crossing
    alone.stateName = "alone"
    _ = try await alone.migrate()
    let contents = try crossing.backend.contents()
    try crossing.backend.reset()
    return contents
  }

  private func package(of crossing: Crossing) async throws -> String {
    let path = "\(crossing.folder)/verified.ferry"
    _ = try await crossing.export(to: path)
    return path
  }

  /// A store of another device: its own heroes and stories, and some that both devices have.
  private func otherStore(_ crossing: Crossing) throws -> Sample {
    let sample = try madeStore(
      in: "\(crossing.folder)/other",
      seed: "another",
      heroes: 4,
      stories: 12
    )
    try Python.edit(
      crossing.sample.store,
      "UPDATE ZSTORY SET ZHERO = Z_PK, ZCUSTOMEVENT = NULL, ZBUILTINEVENT = 'Family Time' "
        + "WHERE Z_PK IN (1, 2)"
    )
    let source = crossing.sample.store.replacing("'", with: "''")
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

  private static func copying(_ table: String, _ columns: String, _ keys: String) -> String {
    "UPDATE \(table) SET (\(columns)) = (SELECT \(columns) FROM mine.\(table) AS other "
      + "WHERE other.Z_PK = \(table).Z_PK) WHERE Z_PK IN (\(keys))"
  }
}
