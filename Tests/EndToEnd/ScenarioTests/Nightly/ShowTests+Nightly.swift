import Foundation
import JSONText
import TestSupport
import Testing

extension ShowTests {
  private func text(_ scenario: MigrationScenario, _ words: [String]) async throws -> String {
    try await scenario.run(words + ["--progress", "none"]).exits(0).standardOutput
  }

  @Test func `a dry run shows an update field by field, without values`() async throws {
    try await withRenamedHero { scenario, _ in
      let line = ["migrate", scenario.sample.store] + scenario.destination
      let shown = try await text(scenario, line + ["-n", "--diff"])
      #expect(shown.contains("\n~ Hero/"), "\(shown)")
      #expect(shown.contains("    name: text of 6 characters → text of 11 characters"))
      #expect(shown.contains("+ 0  ~ 1  - 0"))
      #expect(!shown.contains("Canary") && !shown.contains("\u{1B}"))
    }
  }

  @Test func `with --show-values a dry run shows the old and the new value`() async throws {
    try await withRenamedHero { scenario, _ in
      let line = ["migrate", scenario.sample.store] + scenario.destination
      let shown = try await text(
        scenario,
        line + ["-n", "--diff", "--show-values", "--color", "always"]
      )
      #expect(shown.contains(#"    name: "Canary" → "Zebra finch""#), "\(shown)")
      #expect(shown.contains("\u{1B}[33m~ Hero/"))
    }
  }

  @Test func `a first dry run shows each new record with its fields`() async throws {
    try await withScenario { scenario in
      let answer = try await scenario.migrate(["-n", "--diff"]).exits(0)
      let heroes = answer.values.filter {
        $0["type"] == "operation" && $0["entity"] == "Hero" && $0["action"] == "create"
      }
      #expect(heroes.count == 6)
      for hero in heroes {
        let name = hero["fields"]?.array?.first { $0["name"] == "name" }
        #expect(name?["old"]?.isNull == true)
        #expect(name?.value(at: "/new/kind") == "string")
        #expect(name?.value(at: "/new/value") == nil)
      }
    }
  }

  @Test func `a run shows what it did to one record`() async throws {
    try await withRenamedHero { scenario, first in
      let second = try await scenario.migrate().exits(0)
      let made = try await scenario.ferry(["show", first, "Hero"]).exits(0)
      let heroes = made.values.filter { $0["type"] == "operation" }
      #expect(heroes.count == 6)
      #expect(heroes.allSatisfy { $0["action"] == "create" && $0["state"] == "confirmed" })
      let changed = try await scenario.ferry(["show", try second.run(), "--show-values"]).exits(0)
      let update = try #require(changed.values.first { $0["type"] == "operation" })
      let key = try #require(update["record"]?.text)
      let one = try await scenario.ferry(
        ["show", try second.run(), "Hero/\(key)", "--show-values"]
      ).exits(0)
      #expect(one.values.first { $0["type"] == "operation" } == update)
      let fields = update["fields"]?.array ?? []
      #expect(fields.map { $0["name"]?.text } == ["name"])
      #expect(fields.first?.value(at: "/old/value") == "Canary")
    }
  }

  @Test func `a package shows its entities, the records of one, and one record`() async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/a.ferry"
      try await scenario.export(to: package).exits(0)
      let whole = try await scenario.ferry(["show", package]).exits(0)
      let hero = whole.value("contents")?["entities"]?.array?.first { $0["entity"] == "Hero" }
      #expect(hero?["records"] == 6)
      let records = try await scenario.ferry(["show", package, "Hero"]).exits(0)
      let keys = records.values.compactMap { $0["record"]?.text }
      #expect(Set(keys).count == 6)
      let key = try #require(keys.last)
      let one = try await scenario.ferry(["show", package, "Hero/\(key)", "--show-values"]).exits(0)
      #expect(one.values.count == 1)
      #expect(one.values.first?["record"]?.text == key)
      let name = one.values.first?["fields"]?.array?.first { $0["name"] == "name" }
      #expect(name?["value"]?.text?.isEmpty == false)
    }
  }

  @Test(arguments: ["Unknown", "Hero/none"])
  func `an unknown entity or record of a package or a run is status 64`(
    part: String
  ) async throws {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/a.ferry"
      try await scenario.export(to: package).exits(0)
      let run = try await scenario.migrate().exits(0).run()
      for name in [package, run] {
        let answer = try await scenario.ferry(["show", name, part]).exits(64)
        #expect(answer.standardError.contains("has no \(part)"))
        #expect(answer.standardError.contains("cure: ferry show "))
      }
    }
  }

  @Test func `an unknown run is status 64, and a store is named as what it is`() async throws {
    try await withScenario { scenario in
      try await scenario.ferry(["show", "ab12cd-9"]).exits(64)
      let store = try await scenario.ferry(["show", scenario.sample.store]).exits(64)
      #expect(store.standardError.contains("ferry inspect"))
    }
  }

  @Test func `without a dry run, --diff is refused before anything is read`() async throws {
    try await withScenario { scenario in
      let refused = try await scenario.migrate(["--diff"]).exits(64)
      #expect(refused.standardError.contains("--diff needs -n here"))
      #expect(try scenario.backend.rows("heroes").isEmpty)
    }
  }
}
