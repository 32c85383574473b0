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

  /// What the account holds when only this store is there; the account is empty again afterwards.
  func contents(of scenario: MigrationScenario) async throws -> [String] {
    var alone = scenario
    alone.stateName = "alone"
    _ = try await alone.migrate()
    let contents = try scenario.backend.contents()
    try scenario.backend.reset()
    return contents
  }

  /// A store of another device: its own heroes and stories, and some that both devices have.
  ///
  /// The heroes of both devices look the same on both, unless the other one `hasOwnLooks` for them.
  func otherStore(
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
  static let look =
    "ZHAIRCOLOR, ZHAIRSTYLE, ZEYECOLOR, ZSKINTONE, ZBODYTYPE, ZCLOTHINGSTYLE, "
    + "ZDISTINCTIVEFEATURES, ZCOLORPALETTE, ZARTSTYLE, ZCANONICALPROMPT, ZSIMPLIFIEDPROMPT"

  static func copying(_ table: String, _ columns: String, _ keys: String) -> String {
    "UPDATE \(table) SET (\(columns)) = (SELECT \(columns) FROM mine.\(table) AS other "
      + "WHERE other.Z_PK = \(table).Z_PK) WHERE Z_PK IN (\(keys))"
  }
}
