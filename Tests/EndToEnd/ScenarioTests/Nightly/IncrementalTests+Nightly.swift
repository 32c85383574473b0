import Foundation
import JSONText
import TestSupport
import Testing

extension IncrementalTests {
  private func pages(_ scenario: MigrationScenario) throws -> Int64 {
    try scenario.backend.state()["requests"]?["GET /api/v1/stories"]?.integer ?? 0
  }

  // 000-71, 001-36.
  @Test func `after a run that was read back, the next one asks only for changes`() async throws {
    try await withMoved { scenario, upload in
      let before = try pages(scenario)
      #expect(before >= 4)
      let second = try await scenario.ferry(upload).exits(0)
      #expect(second.count("unchanged", of: "Story") > 200)
      #expect(try pages(scenario) == before + 1)
      try await scenario.ferry(upload + ["--full"]).exits(0)
      #expect(try pages(scenario) >= before + 1 + 3)
    }
  }

  // The server gives no version to what it makes by the batch.
  @Test func `a change only in the store is sent without a verification between`()
    async throws
  {
    try await withScenario { scenario in
      let store = try madeStore(in: "\(scenario.folder)/few", heroes: 2, stories: 5)
      let few = scenario.with(store)
      for (number, title) in ["Once", "Twice"].enumerated() {
        try few.sql("UPDATE ZSTORY SET ZTITLE = '\(title)' WHERE Z_PK = 1")
        let package = "\(scenario.folder)/\(number).ferry"
        try await few.export(to: package).exits(0)
        let upload = try await few.ferry(["upload", package] + few.destination).exits(0)
        #expect(upload.count("updated", of: "Story") == Int64(number), "\(upload)")
      }
      let titles = try scenario.backend.rows("stories").values.compactMap { $0["title"]?.text }
      #expect(titles.contains("Twice") && !titles.contains("Once"))
    }
  }

  @Test func `a cursor that the server has forgotten reads everything again`() async throws {
    try await withMoved { scenario, upload in
      let before = try pages(scenario)
      try scenario.backend.setFaults("status:n=1:410@GET /api/v1/stories")
      let second = try await scenario.ferry(upload).exits(0)
      #expect(second.count("unchanged", of: "Story") > 200)
      #expect(try pages(scenario) >= before + 3)
      try scenario.backend.setFaults("")
    }
  }

  @Test func `a record under a new key is found at the account, although another has gone`()
    async throws
  {
    try await withMoved { scenario, _ in
      let before = try scenario.backend.dump()
      try scenario.sql("UPDATE ZSTORY SET ZID = X'00112233445566778899AABBCCDDEEFF' WHERE Z_PK = 1")
      for _ in 1...2 {
        let answer = try await scenario.migrate().exits(0)
        #expect(answer.count("created") == 0)
        #expect(answer.findings("plan.absent").isEmpty, "\(answer)")
      }
      #expect(try scenario.backend.dump() == before)
    }
  }

  @Test(arguments: [true, false])
  func `a record under a new key stays at the account, although deletions are asked for`(
    isAtOnce: Bool
  ) async throws {
    try await withMoved { scenario, _ in
      let before = try scenario.backend.dump()
      try scenario.sql("UPDATE ZSTORY SET ZID = X'00112233445566778899AABBCCDDEEFF' WHERE Z_PK = 1")
      if !isAtOnce { #expect(try await scenario.migrate().status == 0) }
      let answer = try await scenario.migrate(["--delete"]).exits(0)
      #expect(answer.count("deleted") == 0)
      #expect(try scenario.backend.dump() == before)
    }
  }

  // The app keeps the stories of a hero that it deletes, and the server deletes them with the hero.
  @Test func `sent stories whose hero was deleted in the app are named before they go`()
    async throws
  {
    try await withMoved { scenario, _ in
      let count = try scenario.backend.rows("stories").count
      try scenario.sql(
        "UPDATE ZSTORY SET ZHERO = NULL WHERE ZHERO = 2",
        "DELETE FROM ZHERO WHERE Z_PK = 2"
      )
      let plan = try await scenario.migrate(["--delete", "-n"])
      #expect(try scenario.backend.rows("stories").count == count)
      let answer = try await scenario.migrate(["--delete"]).exits(0)
      let gone = count - (try scenario.backend.rows("stories").count)
      #expect(gone > 1)
      for (said, type) in [(plan, "plan"), (answer, "upload")] {
        let causes = said.findings("plan.unmapped").compactMap { $0["cause"]?.text }
        #expect(
          causes.contains { $0.hasPrefix("not updated: \(gone) records of Story") },
          "\(type): \(causes)"
        )
      }
    }
  }

  @Test func `a changed profile is planned again, even for records that stayed as they were`()
    async throws
  {
    try await withMoved { scenario, upload in
      let profile = try String(at: scenario.profile)
      try profile.replacing(
        "title: title\n        content: content",
        with: "title: { field: title, case: upper }\n        content: content"
      ).save(to: scenario.profile)
      let second = try await scenario.ferry(upload + ["--accept-change", "profile"])
      #expect(second.count("updated", of: "Story") > 200, "\(second)")
    }
  }
}
