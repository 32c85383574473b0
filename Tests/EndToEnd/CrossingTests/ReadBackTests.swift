import Foundation
import JSONText
import TestSupport
import Testing

/// Rollbacks whose destination answers that something is undone, and does not do it.
@Suite(.timeLimit(.minutes(3))) struct ReadBackTests {
  @Test func `what the server says that it removed, and still has, failed and is tried again`()
    async throws
  {
    try await withCrossing { crossing in
      let before = try crossing.backend.userRows()
      let run = try await crossing.migrate().run()
      try crossing.backend.setFaults("pretend:n=2-4@DELETE /api/v1/stories")
      let back = try await crossing.rollback(run)
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.findings("rollback.still-there").count == 3)
      #expect(back.count("rejected", of: "Story", in: "rollback") == 3)
      #expect(try crossing.backend.rows("stories").count == 3)
      try crossing.backend.setFaults("")
      let again = try await crossing.rollback(run)
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try again.run("rollback") != back.run("rollback"))
      #expect(again.count("deleted", of: "Story", in: "rollback") == 3)
      #expect(try crossing.backend.userRows() == before)
      #expect(try await crossing.ferry(["checkpoint", "check"]).status == 0)
    }
  }

  @Test func `a server without the route that removes is not said to have removed anything`()
    async throws
  {
    try await withCrossing { crossing in
      let run = try await crossing.migrate().run()
      let there = try crossing.backend.userRows()
      try crossing.backend.setFaults("status:1:404@DELETE")
      let back = try await crossing.rollback(run)
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.count("deleted", in: "rollback") == 0)
      #expect(back.count("rejected", in: "rollback") > 0)
      let cures = back.findings("rollback.still-there").compactMap { $0["cure"]?.text }
      #expect(cures.allSatisfy { $0.contains("the same line again") } && !cures.isEmpty)
      #expect(try crossing.backend.userRows() == there)
      let third = try await crossing.migrate()
      #expect(third.count("created") == 0, "\(third.standardOutput)")
      #expect(try crossing.backend.userRows() == there)
    }
  }

  @Test func `what was put back and does not stand there failed, and is tried again`() async throws
  {
    try await withCrossing { crossing in
      _ = try await crossing.migrate()
      let before = try crossing.backend.contents()
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'Another' WHERE Z_PK IN (1, 2)"
      )
      let run = try await crossing.migrate().run()
      let changed = try crossing.backend.contents()
      try crossing.backend.setFaults("pretend:1@PATCH")
      let back = try await crossing.rollback(run)
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.findings("rollback.not-restored").count == 2)
      #expect(try crossing.backend.contents() == changed)
      try crossing.backend.setFaults("")
      let again = try await crossing.rollback(run)
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(again.count("updated", in: "rollback") == 2)
      #expect(try crossing.backend.contents() == before)
    }
  }

  @Test func `a rollback that was interrupted is read back as a whole when it goes on`()
    async throws
  {
    try await withCrossing { crossing in
      let before = try crossing.backend.userRows()
      let run = try await crossing.migrate().run()
      try crossing.backend.setFaults(
        "pretend:n=1-2@DELETE /api/v1/stories;status:n=9:503@DELETE /api/v1/stories"
      )
      let stopped = try await crossing.rollback(run, ["--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      try crossing.backend.setFaults("")
      let back = try await crossing.rollback(run)
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(try back.run("rollback") == stopped.run("rollback"))
      #expect(back.findings("rollback.still-there").count == 2)
      #expect(try await crossing.rollback(run).status == 0)
      #expect(try crossing.backend.userRows() == before)
    }
  }

  @Test func `a reading back that the server does not answer is gone on with`() async throws {
    try await withCrossing { crossing in
      let run = try await crossing.migrate().run()
      let reads = try crossing.backend.rows("stories").count
      try crossing.backend.setFaults("status:n=\(reads + 3)-10000:503@GET /api/v1/stories/")
      let stopped = try await crossing.rollback(run, ["--retries", "0"])
      #expect(stopped.status == 5, "\(stopped.standardOutput)\(stopped.standardError)")
      #expect(try crossing.backend.rows("stories").isEmpty)
      try crossing.backend.setFaults("")
      let back = try await crossing.rollback(run)
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      #expect(try back.run("rollback") == stopped.run("rollback"))
    }
  }

  @Test func `records of a database that stay when they are removed are told`() async throws {
    try await withCloudVoyage(isPublic: true) { voyage in
      let run = try await voyage.ferry(["migrate", voyage.store]).run()
      let names = try voyage.names().count
      try voyage.backend.setFaults("pretend:1@POST \(voyage.modify)")
      let back = try await voyage.ferry(["rollback", run])
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(!back.findings("rollback.still-there").isEmpty)
      #expect(back.count("deleted", in: "rollback") == 0)
      try voyage.backend.setFaults("")
      #expect(try voyage.names().count == names)
      let again = try await voyage.ferry(["rollback", run])
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(try voyage.names().isEmpty)
    }
  }

  @Test func `a destination without a route that reads one record is read from its list`()
    async throws
  {
    try await NoteStore.with { notes in
      let crossing = notes.crossing
      let profile = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try profile.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !$0.contains("read: { request:") }.joined(separator: "\n")
        .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      try notes.add(NoteStore.Note(id: "n1"), NoteStore.Note(id: "n2"), NoteStore.Note(id: "n3"))
      let run = try await crossing.migrate().run()
      try crossing.backend.setFaults("pretend:n=2@DELETE /collections/notes")
      let back = try await crossing.rollback(run)
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(back.findings("rollback.still-there").count == 1)
      #expect(try notes.server().count == 1)
      try crossing.backend.setFaults("")
      #expect(try await crossing.rollback(run).status == 0)
      #expect(try notes.server().isEmpty)
    }
  }

  @Test func `files of a server that lists none are not claimed to be gone`() async throws {
    try await withCrossing(takesMedia: true) { crossing in
      let run = try await crossing.migrate().run()
      let back = try await crossing.rollback(run)
      #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      let told = back.findings("rollback.unread")
      #expect(!told.isEmpty)
      #expect(told.allSatisfy { $0["severity"] == "note" })
    }
  }
}
