import Foundation
import JSONText
import TestSupport
import Testing

/// Rollbacks whose destination answers that something is undone, and does not do it.
@Suite(.timeLimit(.minutes(3))) struct ReadBackTests {
  @Test func `a record that the server says it removed, and still has, failed and is tried again`()
    async throws
  {
    try await withScenario { scenario in
      let before = try scenario.backend.userRows()
      let run = try await scenario.migrate().run()
      try scenario.backend.setFaults("pretend:n=2-4@DELETE /api/v1/stories")
      let back = try await scenario.rollback(run).exits(6)
      #expect(back.findings("rollback.still-present").count == 3)
      #expect(back.count("rejected", of: "Story", in: "rollback") == 3)
      #expect(try scenario.backend.rows("stories").count == 3)
      try scenario.backend.setFaults("")
      let again = try await scenario.rollback(run).exits(0)
      #expect(try again.run("rollback") != back.run("rollback"))
      #expect(again.count("deleted", of: "Story", in: "rollback") == 3)
      #expect(try scenario.backend.userRows() == before)
      try await scenario.ferry(["checkpoint", "check"]).exits(0)
    }
  }

  @Test func `no removal is reported for a server without a removal route`()
    async throws
  {
    try await withScenario { scenario in
      let run = try await scenario.migrate().run()
      let there = try scenario.backend.userRows()
      try scenario.backend.setFaults("status:1:404@DELETE")
      let back = try await scenario.rollback(run).exits(6)
      #expect(back.count("deleted", in: "rollback") == 0)
      #expect(back.count("rejected", in: "rollback") > 0)
      let cures = back.findings("rollback.still-present").compactMap { $0["cure"]?.text }
      #expect(cures.allSatisfy { $0.contains("the same command again") } && !cures.isEmpty)
      #expect(try scenario.backend.userRows() == there)
      let third = try await scenario.migrate()
      #expect(third.count("created") == 0, "\(third)")
      #expect(try scenario.backend.userRows() == there)
    }
  }

  @Test func `a restored record that is missing counts as failed, and is tried again`() async throws
  {
    try await withScenario { scenario in
      _ = try await scenario.migrate()
      let before = try scenario.backend.contents()
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'Another' WHERE Z_PK IN (1, 2)")
      let run = try await scenario.migrate().run()
      let changed = try scenario.backend.contents()
      try scenario.backend.setFaults("pretend:1@PATCH")
      let back = try await scenario.rollback(run).exits(6)
      #expect(back.findings("rollback.not-restored").count == 2)
      #expect(try scenario.backend.contents() == changed)
      try scenario.backend.setFaults("")
      let again = try await scenario.rollback(run).exits(0)
      #expect(again.count("updated", in: "rollback") == 2)
      #expect(try scenario.backend.contents() == before)
    }
  }

  @Test func `a rollback that was interrupted is read back as a whole when it goes on`()
    async throws
  {
    try await withScenario { scenario in
      let before = try scenario.backend.userRows()
      let run = try await scenario.migrate().run()
      try scenario.backend.setFaults(
        "pretend:n=1-2@DELETE /api/v1/stories;status:n=9:503@DELETE /api/v1/stories"
      )
      let stopped = try await scenario.rollback(run, ["--retries", "0"]).exits(5)
      try scenario.backend.setFaults("")
      let back = try await scenario.rollback(run).exits(6)
      #expect(try back.run("rollback") == stopped.run("rollback"))
      #expect(back.findings("rollback.still-present").count == 2)
      try await scenario.rollback(run).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  @Test func `an unanswered reading after a rollback is resumed by the next rollback`() async throws
  {
    try await withScenario { scenario in
      let run = try await scenario.migrate().run()
      let reads = try scenario.backend.rows("stories").count
      try scenario.backend.setFaults("status:n=\(reads + 3)-10000:503@GET /api/v1/stories/")
      let stopped = try await scenario.rollback(run, ["--retries", "0"]).exits(5)
      #expect(try scenario.backend.rows("stories").isEmpty)
      try scenario.backend.setFaults("")
      let back = try await scenario.rollback(run).exits(0)
      #expect(try back.run("rollback") == stopped.run("rollback"))
    }
  }

  @Test func `records of a database that stay after their removal are reported`() async throws {
    try await withCloudKitScenario(isPublic: true) { scenario in
      let run = try await scenario.ferry(["migrate", scenario.store]).run()
      let names = try scenario.names().count
      try scenario.backend.setFaults("pretend:1@POST \(scenario.modify)")
      let back = try await scenario.ferry(["rollback", run]).exits(6)
      #expect(!back.findings("rollback.still-present").isEmpty)
      #expect(back.count("deleted", in: "rollback") == 0)
      try scenario.backend.setFaults("")
      #expect(try scenario.names().count == names)
      try await scenario.ferry(["rollback", run]).exits(0)
      #expect(try scenario.names().isEmpty)
    }
  }

  @Test func `a destination without a route that reads one record is read from its list`()
    async throws
  {
    try await NoteStore.with { notes in
      let scenario = notes.scenario
      let profile = try String(at: scenario.profile)
      try profile.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.contains("read: { request:") }.joined(separator: "\n")
        .save(to: scenario.profile)
      try notes.add(NoteStore.Note(id: "n1"), NoteStore.Note(id: "n2"), NoteStore.Note(id: "n3"))
      let run = try await scenario.migrate().run()
      try scenario.backend.setFaults("pretend:n=2@DELETE /collections/notes")
      let back = try await scenario.rollback(run).exits(6)
      #expect(back.findings("rollback.still-present").count == 1)
      #expect(try notes.server().count == 1)
      try scenario.backend.setFaults("")
      try await scenario.rollback(run).exits(0)
      #expect(try notes.server().isEmpty)
    }
  }

  @Test func `files of a server without a file list are not reported as gone`() async throws {
    try await withScenario(takesMedia: true) { scenario in
      let run = try await scenario.migrate().run()
      let back = try await scenario.rollback(run).exits(0)
      let reported = back.findings("rollback.unread")
      #expect(!reported.isEmpty)
      #expect(reported.allSatisfy { $0["severity"] == "note" })
    }
  }
}
