import Foundation
import JSONText
import TestSupport
import Testing

/// How little of a destination later runs read, and that they miss nothing by it.
@Suite(.timeLimit(.minutes(3))) struct IncrementalTests {
  /// A store of several pages of stories, moved and verified, and its package.
  private func withMoved(
    _ body: (Crossing, _ upload: [String]) async throws -> Void
  ) async throws {
    try await withCrossing { crossing in
      let store = try madeStore(in: "\(crossing.folder)/many", heroes: 4, stories: 250)
      let moved = crossing.with(store)
      let first = try await moved.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let package = "\(crossing.folder)/second.ferry"
      #expect(try await moved.export(to: package).status == 0)
      try await body(moved, ["upload", package] + moved.destination)
    }
  }

  private func pages(_ crossing: Crossing) throws -> Int64 {
    try crossing.backend.state()["requests"]?["GET /api/v1/stories"]?.integer ?? 0
  }

  // 000-71, 001-36.
  @Test func `after a run that was read back, the next asks only for what changed`() async throws {
    try await withMoved { crossing, upload in
      let before = try pages(crossing)
      #expect(before >= 4)
      let second = try await crossing.ferry(upload)
      #expect(second.status == 0, "\(second.standardError)")
      #expect(second.count("unchanged", of: "Story") > 200)
      #expect(try pages(crossing) == before + 1)
      let whole = try await crossing.ferry(upload + ["--full"])
      #expect(whole.status == 0)
      #expect(try pages(crossing) >= before + 1 + 3)
    }
  }

  // The server gives no version to what it makes by the batch.
  @Test func `what changed here alone is sent, though nothing was read back between`()
    async throws
  {
    try await withCrossing { crossing in
      let store = try madeStore(in: "\(crossing.folder)/few", heroes: 2, stories: 5)
      let few = crossing.with(store)
      for (number, title) in ["Once", "Twice"].enumerated() {
        try Python.edit(few.sample.store, "UPDATE ZSTORY SET ZTITLE = '\(title)' WHERE Z_PK = 1")
        let package = "\(crossing.folder)/\(number).ferry"
        #expect(try await few.export(to: package).status == 0)
        let upload = try await few.ferry(["upload", package] + few.destination)
        #expect(upload.status == 0, "\(upload.standardOutput)\(upload.standardError)")
        #expect(upload.count("updated", of: "Story") == Int64(number), "\(upload.standardOutput)")
      }
      let titles = try crossing.backend.rows("stories").values.compactMap { $0["title"]?.text }
      #expect(titles.contains("Twice") && !titles.contains("Once"))
    }
  }

  @Test func `a mark that the server has forgotten reads everything again`() async throws {
    try await withMoved { crossing, upload in
      let before = try pages(crossing)
      try crossing.backend.setFaults("status:n=1:410@GET /api/v1/stories")
      let second = try await crossing.ferry(upload)
      #expect(second.status == 0, "\(second.standardError)")
      #expect(second.count("unchanged", of: "Story") > 200)
      #expect(try pages(crossing) >= before + 3)
      try crossing.backend.setFaults("")
    }
  }

  @Test func `a change at the destination is told until both sides agree`() async throws {
    try await withMoved { crossing, upload in
      let story = try #require(try crossing.backend.rows("stories").values.first)
      let id = try AppClient.id(story)
      let client = try await AppClient(crossing)
      try client.patch("/api/v1/stories/\(id)", ["title": "Changed there"])
      for _ in 1...2 { #expect(try await crossing.ferry(upload).status == 0) }
      let title = try #require(story["title"]?.text).replacing("'", with: "''")
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'Changed here' WHERE ZTITLE = '\(title)'"
      )
      let third = try await crossing.migrate(["--on-conflict", "local"])
      #expect(third.count("updated", of: "Story") >= 1, "\(third.standardOutput)")
      let dump = try crossing.backend.dump().canonicalText
      #expect(dump.contains("Changed here") && !dump.contains("Changed there"))
    }
  }

  @Test func `a record under a new key is found at the account, although another has gone`()
    async throws
  {
    try await withMoved { crossing, _ in
      let before = try crossing.backend.dump()
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZID = X'00112233445566778899AABBCCDDEEFF' WHERE Z_PK = 1"
      )
      for _ in 1...2 {
        let answer = try await crossing.migrate()
        #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
        #expect(answer.count("created") == 0)
        #expect(answer.findings("plan.absent").isEmpty, "\(answer.standardOutput)")
      }
      #expect(try crossing.backend.dump() == before)
    }
  }

  @Test(arguments: [true, false])
  func `a record under a new key stays at the account, although deletions are asked for`(
    isAtOnce: Bool
  ) async throws {
    try await withMoved { crossing, _ in
      let before = try crossing.backend.dump()
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZID = X'00112233445566778899AABBCCDDEEFF' WHERE Z_PK = 1"
      )
      if !isAtOnce { #expect(try await crossing.migrate().status == 0) }
      let answer = try await crossing.migrate(["--delete"])
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("deleted") == 0)
      #expect(try crossing.backend.dump() == before)
    }
  }

  @Test func `a changed profile is planned anew, even for records that stayed as they were`()
    async throws
  {
    try await withMoved { crossing, upload in
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try profile.replacing(
        "title: title\n        content: content",
        with: "title: { field: title, case: upper }\n        content: content"
      ).write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      let second = try await crossing.ferry(upload + ["--accept-change", "profile"])
      #expect(second.count("updated", of: "Story") > 200, "\(second.standardOutput)")
    }
  }
}
