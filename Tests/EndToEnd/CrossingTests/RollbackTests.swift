import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct RollbackTests {
  private static let earlier: JSONValue = [
    "account": .string(DemoAccount.email),
    "heroes": [
      ["name": "Old Oak", "age": 80, "traits": ["kind"], "specialAbilities": ["standing still"]]
    ],
    "customEvents": [
      [
        "title": "Before", "description": "d", "promptSeed": "s", "category": "Custom",
        "ageRange": "All Ages", "tone": "Balanced", "keywords": [],
      ]
    ],
  ]

  // 001-60, 001-70.
  @Test func `a rollback leaves what was at the account before, untouched`() async throws {
    try await withCrossing { crossing in
      try crossing.backend.seed(Self.earlier)
      let before = try crossing.backend.userRows()
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardError)")
      #expect(try crossing.backend.userRows() != before)
      let preview = try await crossing.rollback(try first.run(), ["-n"])
      #expect(preview.status == 0)
      #expect(preview.count("remaining", in: "rollback") == first.count("created"))
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 0, "\(back.standardError)")
      #expect(try crossing.backend.userRows() == before)
    }
  }

  // 001-60.
  @Test func `an update is put back as it was`() async throws {
    try await withCrossing { crossing in
      _ = try await crossing.migrate()
      let before = try crossing.backend.contents()
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'Another', ZISFAVORITE = 1 - ZISFAVORITE WHERE Z_PK IN (1, 2)",
        "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Gentle', ZAPPEARANCE = '' WHERE Z_PK = 2"
      )
      let second = try await crossing.migrate()
      #expect(second.count("updated") == 3, "\(second.standardError)")
      #expect(try crossing.backend.contents() != before)
      let back = try await crossing.rollback(try second.run())
      #expect(back.status == 0, "\(back.standardError)")
      #expect(try crossing.backend.contents() == before)
      let third = try await crossing.migrate()
      #expect(third.count("updated") == 3)
    }
  }

  @Test func `a deletion is warned of before, and named when its run is taken back`() async throws {
    try await withCrossing { crossing in
      #expect(try await crossing.migrate().status == 0)
      try Python.edit(crossing.sample.store, "DELETE FROM ZSTORY WHERE Z_PK = 1")
      let plan = try await crossing.migrate(["--delete", "-n"])
      #expect(plan.findings("plan.deletions").count == 1, "\(plan.standardOutput)")
      let second = try await crossing.migrate(["--delete"])
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(second.count("deleted", of: "Story") == 1)
      #expect(second.standardError.contains("does not bring back what was deleted: 1 Story"))
      let after = try crossing.backend.userRows()
      for more in [["-n"], []] {
        let back = try await crossing.rollback(try second.run(), more)
        #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
        #expect(back.count("rejected", of: "Story", in: "rollback") == 1)
        let told = back.findings("rollback.deleted")
        #expect(told.count == 1 && told.allSatisfy { $0["record"]?.text?.isEmpty == false })
      }
      #expect(try crossing.backend.userRows() == after)
      let status = try await crossing.ferry(["checkpoint", "check"])
      #expect(status.status == 0, "\(status.standardOutput)")
    }
  }

  @Test func `somebody's edit that a run overwrote is not removed when both runs are taken back`()
    async throws
  {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      let app = try await AppClient(crossing)
      let row = try crossing.backend.row(
        "customEvents",
        where: "title",
        is: try title(of: crossing)
      )
      let path = "/api/v1/custom-events/\(try AppClient.id(row))"
      try app.patch(path, ["description": "somebody's words"])
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZCUSTOMSTORYEVENT SET ZEVENTDESCRIPTION = 'ours' WHERE Z_PK = 1"
      )
      let second = try await crossing.migrate(["--on-conflict", "local"])
      #expect(second.count("updated") == 1, "\(second.standardOutput)\(second.standardError)")
      #expect(try await crossing.rollback(try second.run()).status == 0)
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("conflicted", in: "rollback") == 1)
      let left = try crossing.backend.rows("customEvents").values
      #expect(left.map { $0["description"]?.text } == ["somebody's words"])
      #expect(try crossing.backend.rows("heroes").isEmpty)
    }
  }

  @Test
  func
    `another client's edit that a run overwrote stays when the run before it is rolled back too`()
    async throws
  {
    try await NoteStore.with(conflict: "local") { app in
      try app.add(.init(id: "n1"))
      #expect(try await app.crossing.migrate().status == 0)
      try app.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      let second = try await app.crossing.migrate()
      #expect(second.count("updated", of: "note") == 1, "\(second.standardOutput)")
      var data = try #require(try app.server()["n1"]?["data"]?.object)
      data["title"] = "theirs"
      try app.seed("n1", data)
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      let third = try await app.crossing.migrate()
      #expect(third.count("updated", of: "note") == 1, "\(third.standardOutput)")
      #expect(try await app.crossing.rollback(try third.run()).status == 0)
      let back = try await app.crossing.rollback(try second.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("conflicted", in: "rollback") == 1)
      let left = try app.server()["n1"]?["data"]
      #expect(left?["title"] == "theirs" && left?["plays"] == 7)
    }
  }

  private func title(of crossing: Crossing) throws -> JSONValue {
    .string(
      try Python.run([
        "-c",
        "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("
          + "'SELECT ZTITLE FROM ZCUSTOMSTORYEVENT WHERE Z_PK = 1').fetchone()[0], end='')",
        crossing.sample.store,
      ])
    )
  }

  @Test func `an update that arrived unheard is put back when its run is taken back`()
    async throws
  {
    try await withCrossing { crossing in
      _ = try await crossing.migrate()
      let before = try crossing.backend.contents()
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'Another' WHERE Z_PK = 1"
      )
      try crossing.backend.setFaults("drop-after:1@PATCH /api/v1/stories")
      let stopped = try await crossing.migrate(["--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardError)")
      try crossing.backend.setFaults("")
      #expect(try crossing.backend.contents() != before)
      let back = try await crossing.rollback(try stopped.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.contents() == before)
    }
  }

  @Test func `a second step of our own that arrived late does not keep a record`() async throws {
    try await withCrossing { crossing in
      let whole = try await crossing.migrate()
      let wanted = try crossing.backend.rows("heroes").values.filter {
        $0["appearance"]?.text?.isEmpty == false
      }
      _ = try await crossing.rollback(try whole.run())
      let before = try crossing.backend.userRows()
      try crossing.backend.setFaults("status:1:503@PATCH /api/v1/heroes")
      let stopped = try await crossing.migrate(["--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardError)")
      try crossing.backend.setFaults("")
      // The very request whose answer nobody heard, as if it had been long on its way.
      let client = try await AppClient(crossing)
      let late = try #require(wanted.first)
      let made = try crossing.backend.rows("heroes").values.filter { $0["name"] == late["name"] }
      let hero = try #require(made.first)
      try client.patch(
        "/api/v1/heroes/\(try AppClient.id(hero))",
        ["appearance": late["appearance"] ?? .null]
      )
      let back = try await crossing.rollback(try stopped.run())
      #expect(back.status == 0, "\(back.standardOutput)")
      #expect(try crossing.backend.userRows() == before)
    }
  }

  @Test func `what stayed for the sake of another device's record goes once that is gone`()
    async throws
  {
    try await withCrossing { crossing in
      let before = try crossing.backend.userRows()
      let first = try await crossing.migrate()
      // Another device of the same person has one story more, of a hero of this one.
      try Python.edit(
        crossing.sample.store,
        "CREATE TEMP TABLE more AS SELECT * FROM ZSTORY WHERE ZHERO IS NOT NULL LIMIT 1",
        "UPDATE more SET Z_PK = 9999, ZID = randomblob(16), ZTITLE = 'Only there'",
        "INSERT INTO ZSTORY SELECT * FROM more"
      )
      var other = crossing
      other.stateName = "another-device"
      let second = try await other.migrate()
      #expect(second.count("created") == 1, "\(second.standardOutput)\(second.standardError)")
      let kept = try await crossing.rollback(try first.run())
      #expect(kept.status == 6, "\(kept.standardOutput)\(kept.standardError)")
      #expect(try crossing.backend.rows("heroes").count == 1)
      #expect(try await other.rollback(try second.run()).status == 0)
      let again = try await crossing.rollback(try first.run())
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try crossing.backend.userRows() == before)
    }
  }

  @Test func `what was changed at the server since is kept, and the rest is reversed`() async throws
  {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      let event = try #require(try crossing.backend.rows("customEvents").values.first)
      // A story that stays keeps its event too, so this one has none.
      let story = try #require(
        try crossing.backend.rows("stories").values.first { $0["customEventId"]?.isNull ?? true }
      )
      let client = try await AppClient(crossing)
      try client.patch("/api/v1/custom-events/\(try AppClient.id(event))", ["title": "Mine"])
      try client.patch("/api/v1/stories/\(try AppClient.id(story))", ["title": "Mine too"])
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)")
      #expect(back.count("conflicted", in: "rollback") >= 2)
      #expect(try crossing.backend.rows("customEvents").count == 1)
      #expect(try crossing.backend.rows("stories").values.map { $0["title"] } == ["Mine too"])
      let again = try await crossing.rollback(try first.run())
      #expect(again.status == 6)
      #expect(try crossing.backend.rows("stories").count == 1)
    }
  }

  @Test func `a run to another destination is said to be that, and nothing is left for this one`()
    async throws
  {
    try await withCrossing { crossing in
      let first = try await crossing.migrate()
      let checkpoints = "\(crossing.state)/checkpoints"
      let before = try FileManager.default.contentsOfDirectory(atPath: checkpoints).sorted()
      var elsewhere = crossing
      elsewhere.origin = "http://127.0.0.1:9"
      for more in [[], ["-n"]] {
        let answer = try await elsewhere.rollback(try first.run(), more)
        #expect(answer.status == 64, "\(answer.standardOutput)\(answer.standardError)")
        #expect(answer.standardError.contains(crossing.backend.origin), "\(answer.standardError)")
        #expect(!answer.standardError.contains("no run is called"))
      }
      let after = try FileManager.default.contentsOfDirectory(atPath: checkpoints).sorted()
      #expect(after == before)
    }
  }

  @Test func `a run is taken back where the state folder was moved with its packages`()
    async throws
  {
    try await withCrossing { crossing in
      let before = try crossing.backend.userRows()
      let first = try await crossing.migrate()
      var moved = crossing
      moved.stateName = "moved"
      try FileManager.default.moveItem(atPath: crossing.state, toPath: moved.state)
      let back = try await moved.rollback(try first.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.userRows() == before)
    }
  }

  @Test func `a package that is gone is told with both places where it was looked for`()
    async throws
  {
    try await withCrossing { crossing in
      let package = "\(crossing.folder)/mine.ferry"
      _ = try await crossing.export(to: package)
      let first = try await crossing.ferry(["upload", package] + crossing.destination)
      try FileManager.default.moveItem(atPath: package, toPath: "\(crossing.folder)/other.ferry")
      let gone = try await crossing.rollback(try first.run())
      #expect(gone.status == 64, "\(gone.standardOutput)\(gone.standardError)")
      #expect(gone.standardError.contains(package))
      #expect(gone.standardError.contains("\(crossing.state)/packages/mine.ferry"))
      let packages = "\(crossing.state)/packages"
      try FileManager.default.createDirectory(
        atPath: packages,
        withIntermediateDirectories: true
      )
      try FileManager.default.moveItem(
        atPath: "\(crossing.folder)/other.ferry",
        toPath: "\(packages)/mine.ferry"
      )
      let back = try await crossing.rollback(try first.run())
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
    }
  }
}
