import Foundation
import JSONText
import TestSupport
import Testing

extension RollbackTests {
  @Test func `a deletion is warned of before, and named when its run is rolled back`() async throws
  {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql("DELETE FROM ZSTORY WHERE Z_PK = 1")
      let plan = try await scenario.migrate(["--delete", "-n"])
      #expect(plan.findings("plan.deletions").count == 1, "\(plan)")
      let second = try await scenario.migrate(["--delete"]).exits(0)
      #expect(second.count("deleted", of: "Story") == 1)
      #expect(second.standardError.contains("does not bring back what was deleted: 1 Story"))
      let after = try scenario.backend.userRows()
      for more in [["-n"], []] {
        let back = try await scenario.rollback(try second.run(), more).exits(6)
        #expect(back.count("rejected", of: "Story", in: "rollback") == 1)
        let reported = back.findings("rollback.deleted")
        #expect(reported.count == 1 && reported.allSatisfy { $0["record"]?.text?.isEmpty == false })
      }
      #expect(try scenario.backend.userRows() == after)
      try await scenario.ferry(["checkpoint", "check"]).exits(0)
    }
  }

  @Test func `another device's edit that a run overwrote survives the rollback of both runs`()
    async throws
  {
    try await withScenario { scenario in
      let first = try await scenario.migrate()
      let app = try await AppClient(scenario)
      let row = try scenario.backend.row(
        "customEvents",
        where: "title",
        is: try title(of: scenario)
      )
      let path = "/api/v1/custom-events/\(try AppClient.id(row))"
      try app.patch(path, ["description": "another device's words"])
      try scenario.sql("UPDATE ZCUSTOMSTORYEVENT SET ZEVENTDESCRIPTION = 'ours' WHERE Z_PK = 1")
      let second = try await scenario.migrate(["--on-conflict", "local"])
      #expect(second.count("updated") == 1, "\(second)")
      try await scenario.rollback(try second.run()).exits(0)
      let back = try await scenario.rollback(try first.run()).exits(6)
      #expect(back.count("conflicted", in: "rollback") == 1)
      let left = try scenario.backend.rows("customEvents").values
      #expect(left.map { $0["description"]?.text } == ["another device's words"])
      #expect(try scenario.backend.rows("heroes").isEmpty)
    }
  }

  @Test
  func
    `another client's edit that a run overwrote stays when the run before it is rolled back too`()
    async throws
  {
    try await NoteStore.with(conflict: "local") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      let second = try await app.scenario.migrate()
      #expect(second.count("updated", of: "note") == 1, "\(second)")
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      let third = try await app.scenario.migrate()
      #expect(third.count("updated", of: "note") == 1, "\(third)")
      try await app.scenario.rollback(try third.run()).exits(0)
      let back = try await app.scenario.rollback(try second.run()).exits(6)
      #expect(back.count("conflicted", in: "rollback") == 1)
      let left = try app.server()["n1"]?["data"]
      #expect(left?["title"] == "theirs" && left?["plays"] == 7)
    }
  }

  @Test func `a late second step of the run does not keep its record`() async throws {
    try await withScenario { scenario in
      let whole = try await scenario.migrate()
      let wanted = try scenario.backend.rows("heroes").values.filter {
        $0["appearance"]?.text?.isEmpty == false
      }
      _ = try await scenario.rollback(try whole.run())
      let before = try scenario.backend.userRows()
      try scenario.backend.setFaults("status:1:503@PATCH /api/v1/heroes")
      let stopped = try await scenario.migrate(["--retries", "0"]).exits(5)
      try scenario.backend.setFaults("")
      // The very request whose answer no one heard, as if it had been long on its way.
      let client = try await AppClient(scenario)
      let late = try #require(wanted.first)
      let made = try scenario.backend.rows("heroes").values.filter { $0["name"] == late["name"] }
      let hero = try #require(made.first)
      try client.patch(
        "/api/v1/heroes/\(try AppClient.id(hero))",
        ["appearance": late["appearance"] ?? .null]
      )
      try await scenario.rollback(try stopped.run()).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  @Test func `a record kept for another device's record is removed once that is gone`()
    async throws
  {
    try await withScenario { scenario in
      let before = try scenario.backend.userRows()
      let first = try await scenario.migrate()
      // Another device of the same person has one story more, of a hero of this one.
      try scenario.sql(
        "CREATE TEMP TABLE more AS SELECT * FROM ZSTORY WHERE ZHERO IS NOT NULL LIMIT 1",
        "UPDATE more SET Z_PK = 9999, ZID = randomblob(16), ZTITLE = 'Only there'",
        "INSERT INTO ZSTORY SELECT * FROM more"
      )
      var other = scenario
      other.stateName = "another-device"
      let second = try await other.migrate()
      #expect(second.count("created") == 1, "\(second)")
      try await scenario.rollback(try first.run()).exits(6)
      #expect(try scenario.backend.rows("heroes").count == 1)
      try await other.rollback(try second.run()).exits(0)
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  @Test func `a record that another client removed before is already gone, and not reversed`()
    async throws
  {
    try await withScenario { scenario in
      let first = try await scenario.migrate().exits(0)
      let story = try #require(try scenario.backend.rows("stories").values.first)
      try await AppClient(scenario).delete("/api/v1/stories/\(try AppClient.id(story))")
      let back = try await scenario.rollback(try first.run()).exits(0)
      #expect(back.count("gone", in: "rollback") == 1)
      #expect(back.count("deleted", in: "rollback") == first.count("created") - 1)
      #expect(try scenario.backend.rows("stories").isEmpty)
    }
  }

  @Test
  func `a run to another destination is named as one, and nothing is left for this destination`()
    async throws
  {
    try await withScenario { scenario in
      let first = try await scenario.migrate()
      let checkpoints = "\(scenario.state)/checkpoints"
      let before = try FileManager.default.contentsOfDirectory(atPath: checkpoints).sorted()
      var elsewhere = scenario
      elsewhere.origin = "http://127.0.0.1:9"
      for more in [[], ["-n"]] {
        let answer = try await elsewhere.rollback(try first.run(), more).exits(64)
        #expect(answer.standardError.contains(scenario.backend.origin), "\(answer)")
        #expect(!answer.standardError.contains("no run is called"))
      }
      let after = try FileManager.default.contentsOfDirectory(atPath: checkpoints).sorted()
      #expect(after == before)
    }
  }

  @Test func `a run is rolled back where the state folder was moved with its packages`()
    async throws
  {
    try await withScenario { scenario in
      let before = try scenario.backend.userRows()
      let first = try await scenario.migrate()
      var moved = scenario
      moved.stateName = "moved"
      try FileManager.default.moveItem(atPath: scenario.state, toPath: moved.state)
      try await moved.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  @Test func `a missing package is reported with both places where it was looked for`()
    async throws
  {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/mine.ferry"
      _ = try await scenario.export(to: package)
      let first = try await scenario.ferry(["upload", package] + scenario.destination)
      try FileManager.default.moveItem(atPath: package, toPath: "\(scenario.folder)/other.ferry")
      let gone = try await scenario.rollback(try first.run()).exits(64)
      #expect(gone.standardError.contains(package))
      #expect(gone.standardError.contains("\(scenario.state)/packages/mine.ferry"))
      let packages = "\(scenario.state)/packages"
      try makeFolder(packages)
      try FileManager.default.moveItem(
        atPath: "\(scenario.folder)/other.ferry",
        toPath: "\(packages)/mine.ferry"
      )
      try await scenario.rollback(try first.run()).exits(0)
    }
  }
}
