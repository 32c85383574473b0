import Foundation
import JSONText
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct RollbackTests {
  private static let earlier: JSONValue = [
    "account": .string(DemoAccount.email),
    "heroes": [
      ["name": "Old Oak", "age": 80, "traits": ["kind"], "specialAbilities": ["unchanged"]]
    ],
    "customEvents": [
      [
        "title": "Before", "description": "d", "promptSeed": "s", "category": "Custom",
        "ageRange": "All Ages", "tone": "Balanced", "keywords": [],
      ]
    ],
  ]

  // 001-60, 001-70.
  @Test func `a rollback leaves the account's earlier records untouched`() async throws {
    try await withScenario { scenario in
      try scenario.backend.seed(Self.earlier)
      let before = try scenario.backend.userRows()
      let first = try await scenario.migrate().exits(0)
      #expect(try scenario.backend.userRows() != before)
      let preview = try await scenario.rollback(try first.run(), ["-n"]).exits(0)
      #expect(preview.count("remaining", in: "rollback") == first.count("created"))
      try await scenario.rollback(try first.run()).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  // 001-60.
  @Test func `an update is reversed to the earlier content`() async throws {
    try await withScenario { scenario in
      _ = try await scenario.migrate()
      let before = try scenario.backend.contents()
      try scenario.sql(
        "UPDATE ZSTORY SET ZTITLE = 'Another', ZISFAVORITE = 1 - ZISFAVORITE WHERE Z_PK IN (1, 2)",
        "UPDATE ZHERO SET ZPRIMARYTRAIT = 'Gentle', ZAPPEARANCE = '' WHERE Z_PK = 2"
      )
      let second = try await scenario.migrate()
      #expect(second.count("updated") == 3, "\(second)")
      #expect(try scenario.backend.contents() != before)
      try await scenario.rollback(try second.run()).exits(0)
      #expect(try scenario.backend.contents() == before)
      let third = try await scenario.migrate()
      #expect(third.count("updated") == 3)
    }
  }

  func title(of scenario: MigrationScenario) throws -> JSONValue {
    .string(
      try Python.run([
        "-c",
        "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("
          + "'SELECT ZTITLE FROM ZCUSTOMSTORYEVENT WHERE Z_PK = 1').fetchone()[0], end='')",
        scenario.sample.store,
      ])
    )
  }

  @Test func `an update that arrived without an answer is reversed with its run`()
    async throws
  {
    try await withScenario { scenario in
      _ = try await scenario.migrate()
      let before = try scenario.backend.contents()
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'Another' WHERE Z_PK = 1")
      try scenario.backend.setFaults("drop-after:1@PATCH /api/v1/stories")
      let stopped = try await scenario.migrate(["--retries", "0"]).exits(5)
      try scenario.backend.setFaults("")
      #expect(try scenario.backend.contents() != before)
      try await scenario.rollback(try stopped.run()).exits(0)
      #expect(try scenario.backend.contents() == before)
    }
  }

  @Test func `a rollback keeps later remote changes, and reverses the rest`() async throws {
    try await withScenario { scenario in
      let first = try await scenario.migrate()
      let event = try #require(try scenario.backend.rows("customEvents").values.first)
      // A story that stays keeps its event too, so this one has none.
      let story = try #require(
        try scenario.backend.rows("stories").values.first { $0["customEventId"]?.isNull ?? true }
      )
      let client = try await AppClient(scenario)
      try client.patch("/api/v1/custom-events/\(try AppClient.id(event))", ["title": "Mine"])
      try client.patch("/api/v1/stories/\(try AppClient.id(story))", ["title": "Mine too"])
      let back = try await scenario.rollback(try first.run()).exits(6)
      #expect(back.count("conflicted", in: "rollback") >= 2)
      #expect(try scenario.backend.rows("customEvents").count == 1)
      #expect(try scenario.backend.rows("stories").values.map { $0["title"] } == ["Mine too"])
      try await scenario.rollback(try first.run()).exits(6)
      #expect(try scenario.backend.rows("stories").count == 1)
    }
  }
}
