import Foundation
import JSONText
import TestSupport
import Testing

/// How heroes look, which the app's backend keeps at an address below that of each hero.
@Suite(.timeLimit(.minutes(3))) struct LookTests {
  @Test func `each look is created below its hero, repeated without a write, and rolled back`()
    async throws
  {
    try await withScenario { scenario in
      let first = try await scenario.migrate().exits(0)
      let count = try here(scenario).count
      #expect(count > 0 && first.count("created", of: "HeroVisualProfile") == Int64(count))
      #expect(first.value("verification")?["clean"] == true)
      #expect(Set(try there(scenario)) == Set(try here(scenario)))
      #expect(try there(scenario).count == count)
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.migrate().exits(0)
      #expect(second.count("unchanged", of: "HeroVisualProfile") == Int64(count))
      #expect(try scenario.backend.writeCount() == writes)
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try there(scenario).isEmpty)
      #expect(try scenario.backend.rows("heroes").isEmpty)
    }
  }

  /// The looks that the server has, each with the name of its hero.
  func there(_ scenario: MigrationScenario) throws -> [String] {
    let heroes = try scenario.backend.rows("heroes")
    return try scenario.backend.rows("visualProfiles").values.map { look in
      let hero = try #require(look["heroId"]?.text.flatMap { heroes[$0] })
      return Self.words(
        hero["name"],
        look["hairColor"],
        look["typicalClothing"],
        look["facialFeatures"],
        look["colorPalette"]?.array?.first ?? .null,
        look["canonicalPrompt"]
      )
    }
  }

  /// The same of the store.
  func here(_ scenario: MigrationScenario) throws -> [String] {
    let lines = try Python.run([
      "-c",
      """
      import json, sqlite3, sys
      rows = sqlite3.connect(sys.argv[1]).execute(
        'SELECT h.ZNAME, p.ZHAIRCOLOR, p.ZCLOTHINGSTYLE, p.ZDISTINCTIVEFEATURES, p.ZCOLORPALETTE, '
        'p.ZCANONICALPROMPT FROM ZHEROVISUALPROFILE p JOIN ZHERO h ON h.Z_PK = p.ZHERO')
      for row in rows: print(json.dumps(row, ensure_ascii=False))
      """, scenario.sample.store,
    ])
    return try lines.split(separator: "\n").map { line in
      Self.words(try JSONValue(parsing: String(line)).array ?? [])
    }
  }

  static func words(_ values: JSONValue?...) -> String {
    words(values.map { $0 ?? .null })
  }

  static func words(_ values: [JSONValue]) -> String {
    values.map(\.canonicalText).joined(separator: " | ")
  }
}
