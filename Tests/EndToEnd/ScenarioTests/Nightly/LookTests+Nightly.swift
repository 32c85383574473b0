import Foundation
import JSONText
import TestSupport
import Testing

extension LookTests {
  @Test func `a changed look is sent as a patch of its changed fields`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql("UPDATE ZHEROVISUALPROFILE SET ZHAIRCOLOR = 'green' WHERE Z_PK = 1")
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("updated", of: "HeroVisualProfile") == 1)
      let change = try #require(try scenario.backend.changes().last)
      #expect(change["method"] == "PATCH")
      #expect(change["path"]?.text?.hasSuffix("/visual-profile") == true)
      #expect(change["body"] == #"{"hairColor":"green"}"#)
    }
  }

  // The route takes no null.
  @Test func `an eye colour that the server alone has is emptied where the store wins`()
    async throws
  {
    try await withScenario { scenario in
      func look(_ hair: JSONValue) throws -> JSONValue {
        let looks = try scenario.backend.rows("visualProfiles").values
        return try #require(looks.first { $0["hairColor"] == hair })
      }
      let set = "UPDATE ZHEROVISUALPROFILE SET ZEYECOLOR = NULL, ZHAIRCOLOR = "
      try scenario.sql("\(set) 'green' WHERE Z_PK = 1")
      try await scenario.migrate().exits(0)
      let hero = try #require(try look("green")["heroId"]?.text)
      let path = "/api/v1/heroes/\(hero)/visual-profile"
      try await AppClient(scenario).patch(path, ["eyeColor": "amber"])
      try scenario.sql("\(set) 'blue' WHERE Z_PK = 1")
      let answer = try await scenario.migrate(["--on-conflict", "local"]).exits(0)
      #expect(try look("blue")["eyeColor"] == "")
      try await scenario.rollback(try answer.run()).exits(0)
      #expect(try look("green")["eyeColor"] == "amber")
    }
  }

  @Test func `without a checkpoint, looks are found below their heroes and not made again`()
    async throws
  {
    try await withScenario { scenario in
      var before = scenario
      before.stateName = "before"
      try await before.migrate().exits(0)
      let writes = try scenario.backend.writeCount()
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created", of: "HeroVisualProfile") == 0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `with lost answers, each hero has one look`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("drop-after:3@POST /api/v1/heroes")
      let profile = try String(at: scenario.profile)
      try profile.replacing("settle: 60s", with: "settle: 0s").save(to: scenario.profile)
      try await scenario.migrate(["--retries", "10"]).exits(0)
      #expect(Set(try there(scenario)) == Set(try here(scenario)))
      #expect(try !there(scenario).isEmpty)
    }
  }

  @Test func `a look of a list of several pages is found`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let profile = try String(at: scenario.profile)
      try profile.replacing("value: 100", with: "value: 5").save(to: scenario.profile)
      let answer = try await scenario.migrate(["--accept-change", "profile"]).exits(0)
      #expect(answer.count("unchanged", of: "HeroVisualProfile") == Int64(try here(scenario).count))
    }
  }

  @Test func `without a change, no more of a long list of heroes is read than of any list`()
    async throws
  {
    try await withScenario { scenario in
      let many = scenario.with(
        try madeStore(in: "\(scenario.folder)/many", heroes: 1_500, stories: 3)
      )
      try await many.migrate().exits(0)
      let package = "\(scenario.folder)/many.ferry"
      try await many.export(to: package).exits(0)
      let before = try pages(many)
      let second = try await many.ferry(["upload", package] + many.destination).exits(0)
      #expect(second.count("unchanged", of: "HeroVisualProfile") == 2)
      // A thousand heroes for their looks, and one request for those that changed.
      #expect(try pages(many) - before <= 12)
    }
  }

  @Test func `where the store has no look, no list is read for looks`() async throws {
    try await withScenario { scenario in
      try scenario.sql(
        "DELETE FROM ZHEROVISUALPROFILE",
        "UPDATE ZHERO SET ZVISUALPROFILE = NULL"
      )
      try await scenario.migrate().exits(0)
      let hero = try #require(try scenario.backend.rows("heroes").values.first)
      let path = "/api/v1/heroes/\(try AppClient.id(hero))/visual-profile"
      try await AppClient(scenario).post(path, ["height": "tall"])
      let before = try pages(scenario)
      let second = try await scenario.migrate().exits(0)
      #expect(second.value("verification")?["clean"] == true)
      // One for the heroes that changed, and one to verify all of them.
      #expect(try pages(scenario) - before == 2)
      #expect(try there(scenario).count == 1)
    }
  }

  private func pages(_ scenario: MigrationScenario) throws -> Int64 {
    try scenario.backend.state()["requests"]?["GET /api/v1/heroes"]?.integer ?? 0
  }
}
