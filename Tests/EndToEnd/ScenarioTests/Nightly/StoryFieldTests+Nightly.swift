import Foundation
import JSONText
import TestSupport
import Testing

extension StoryFieldTests {
  // 000-23, 000-24, 000-28, 001-56, 001-59.
  @Test func `a hero gets an age and a story a language, and unmapped fields are named`()
    async throws
  {
    try await withScenario { scenario in
      let answer = try await scenario.migrate().exits(0)
      let heroes = try scenario.backend.rows("heroes").values
      #expect(!heroes.isEmpty && heroes.allSatisfy { $0["age"] == 6 })
      let stories = try scenario.backend.rows("stories").values
      #expect(!stories.isEmpty && stories.allSatisfy { $0["language"] == "en" })
      let unmapped = answer.findings("plan.unmapped").compactMap { $0["cause"]?.text }
      #expect(unmapped.contains { $0.contains("Story.playCount") })
      #expect(unmapped.contains { $0.contains("Hero.createdAt") })
    }
  }

  // 000-23, 000-25: the app knows its words letter by letter, and reads any other as curious and kind.
  @Test func `a hero has its traits there as the app reads them, the first one first`()
    async throws
  {
    try await withBothSides { package, backend in
      let here = try package.records("Hero").map {
        Self.words($0["name"], $0["primaryTrait"], $0["secondaryTrait"])
      }
      let there = try backend.rows("heroes").values.map { hero in
        let traits = hero["traits"]?.array ?? []
        return Self.words(hero["name"], traits.first, traits.last)
      }
      #expect(!here.isEmpty && Set(here) == Set(there))
    }
  }

  @Test func `reordered traits are a change`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql(
        "UPDATE ZHERO SET ZPRIMARYTRAIT = ZSECONDARYTRAIT, ZSECONDARYTRAIT = ZPRIMARYTRAIT "
          + "WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZHERO WHERE ZPRIMARYTRAIT <> ZSECONDARYTRAIT)"
      )
      let answer = try await scenario.migrate()
      #expect(answer.count("updated", of: "Hero") == 1, "\(answer)")
    }
  }

  // An earlier profile wrote them in lower case; a new machine knows nothing of that run.
  @Test func `heroes whose traits are spelled otherwise there are found, and not made again`()
    async throws
  {
    try await withScenario { scenario in
      let profile = try String(at: scenario.profile)
      let older = profile.replacing("unique: true }", with: "unique: true, case: lower }")
      #expect(older != profile)
      try older.save(to: scenario.profile)
      try await scenario.migrate().exits(0)
      let count = try scenario.backend.rows("heroes").count
      try profile.save(to: scenario.profile)
      try FileManager.default.removeItem(atPath: scenario.state)
      let answer = try await scenario.migrate(["--on-conflict", "local"]).exits(0)
      #expect(answer.count("created") == 0 && answer.count("updated", of: "Hero") == Int64(count))
      #expect(try scenario.backend.rows("heroes").count == count)
    }
  }

  // The app sends no list where a hero has no ability.
  @Test func `a hero without an ability that the app put there is found, and not made again`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.sql("UPDATE ZHERO SET ZSPECIALABILITY = '' WHERE Z_PK = 1")
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let heroes = try PackageLines(package).records("Hero")
      let hero = try #require(heroes.first { $0["specialAbility"] == "" })
      let traits = [hero["primaryTrait"], hero["secondaryTrait"]].compactMap { $0 }
      let row: JSONValue = [
        "id": "put-by-the-app", "name": hero["name"] ?? .null, "age": 6, "traits": .array(traits),
        "appearance": hero["appearance"] ?? .null,
      ]
      try scenario.backend.seed(["account": .string(DemoAccount.email), "heroes": [row]])
      let answer = try await scenario.migrate()
      #expect(answer.count("created", of: "Hero") == Int64(heroes.count - 1))
      #expect(try scenario.backend.rows("heroes").count == heroes.count)
    }
  }

  // 000-23: a word of another spelling is a custom event to the app.
  @Test func `a story has its built-in event there as the app reads it`() async throws {
    try await withBothSides { package, backend in
      let here = try package.records("Story").filter { $0["hero"]?.text != nil }
        .map { Self.words($0["title"], $0["builtInEvent"]) }
      let there = try backend.rows("stories").values.map {
        Self.words($0["title"], $0["eventType"])
      }
      #expect(here.contains { !$0.hasSuffix("-") } && Set(here) == Set(there))
    }
  }

  // The app renamed these words when its events moved to the server.
  @Test func `an event has its category and tone there as the app reads them today`() async throws {
    try await withBothSides { package, backend in
      let here = try package.records("CustomStoryEvent").map { event in
        let category = event["category"]?.text ?? ""
        let today = ["Daily Life": "daily", "Emotional Growth": "emotional"][category]
        let tone = event["tone"]?.text ?? ""
        return Self.words(
          event["title"],
          .string(today ?? category.lowercased()),
          .string(tone.lowercased()),
          event["ageRange"]
        )
      }
      let there = try backend.rows("customEvents").values.map {
        Self.words($0["title"], $0["category"], $0["tone"], $0["ageRange"])
      }
      #expect(!here.isEmpty && Set(here) == Set(there))
    }
  }

  /// A package of the small store, and the backend to which it was migrated.
  private func withBothSides(
    _ body: (PackageLines, BackendProgram) throws -> Void
  ) async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      try await scenario.migrate().exits(0)
      try body(PackageLines(package), scenario.backend)
    }
  }

  private static func words(_ values: JSONValue?...) -> String {
    values.map { $0?.text ?? "-" }.joined(separator: " / ")
  }

  // 000-26, 000-63: a file that the app threw away by design is not a lost one, and an address is not one.
  @Test func `media files are distinguished by their outcome`() async throws {
    try await withScenario(.legacy) { scenario in
      let exported = try await scenario.program.run(
        ["export", scenario.sample.store, "--profile", scenario.profile]
          + ["-o", "\(scenario.folder)/p.ferry"],
        state: scenario.state
      ).exits(0)
      #expect(exported.standardOutput.contains("5 evicted, 1 missing, 193 present, 2 remote"))
    }
  }

  // 001-54: what was answered as done and is not there takes the whole run back.
  @Test func `a failed verification rolls the run back if the user asks for it`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("pretend:1@POST /api/batch/stories")
      let answer = try await scenario.migrate(["--on-failure", "rollback"])
      #expect(answer.status != 0, "\(answer)")
      for table in ["heroes", "stories", "customEvents"] {
        #expect(try scenario.backend.rows(table).isEmpty, "\(table): \(answer.standardError)")
      }
    }
  }

  // 000-25: never silently another one.
  @Test func `an unknown trait stops the migration by its name`() async throws {
    try await withScenario { scenario in
      try scenario.sql("UPDATE ZHERO SET ZPRIMARYTRAIT = 'Dreamy' WHERE Z_PK = 1")
      let answer = try await scenario.migrate().exits(4)
      #expect((answer.standardOutput + answer.standardError).contains("primaryTrait"))
      #expect(try scenario.backend.rows("heroes").isEmpty)
    }
  }

  // 000-10: the server draws the pictures of a story, and may draw them again.
  @Test func `a run sends no illustrations, and has none drawn`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      let answer = try await scenario.migrate()
      let unmapped = answer.count("unmapped", of: "StoryIllustration")
      #expect(unmapped > 0 && unmapped == answer.count("read", of: "StoryIllustration"))
      let asked = try scenario.backend.changes().map { change in
        (change["path"]?.text ?? "") + (change["body"]?.text ?? "")
      }
      #expect(!asked.isEmpty && asked.allSatisfy { !$0.contains("illustration") })
    }
  }

  // 000-27, 000-18: what the app noted down of a change is read, whatever came of it.
  @Test func `the pending changes of a row are in the package as JSON`() async throws {
    try await withScenario(.later) { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let pending = try PackageLines(package).records("Story").compactMap { $0["pendingChanges"] }
      #expect(
        pending.contains { $0["changedFields"]?["title"]?.text?.hasPrefix("Changed") == true }
      )
      #expect(pending.contains { $0["timestamp"]?.double != nil })
    }
  }
}
