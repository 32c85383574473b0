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
