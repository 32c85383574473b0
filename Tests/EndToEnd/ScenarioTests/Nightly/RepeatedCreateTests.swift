import Foundation
import JSONText
import TestSupport
import Testing

/// A new record whose answer was lost, and that another device changed before it was sent again.
@Suite(.timeLimit(.minutes(3))) struct RepeatedCreateTests {
  /// Loses the answer to one new note and ends there; then changes the note at the server.
  private func lost(
    _ condition: String,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with { app in
      let profile = try String(at: app.scenario.profile)
      try profile.replacing(", if-none-match: true", with: condition).save(to: app.scenario.profile)
      try app.add(.init(id: "n1", title: "ours"))
      try app.scenario.backend.setFaults("drop-after:n=1@PUT /collections/notes/records")
      try await app.scenario.migrate(["--retries", "0"]).exits(5)
      var data = try #require(try app.server()["n1"]?["data"]?.object)
      #expect(data["title"] == "ours")
      data["title"] = "theirs"
      try app.seed("n1", data)
      try await body(app)
    }
  }

  @Test func `a repeated create does not overwrite a changed record, and reports a conflict`()
    async throws
  {
    try await lost("") { app in
      let again = try await app.scenario.migrate().exits(6)
      #expect(again.count("conflicted", of: "note") == 1)
      #expect(try app.server()["n1"]?["data"]?["title"] == "theirs")
    }
  }

  @Test func `without a create condition, the first record is looked up and not overwritten`()
    async throws
  {
    try await lost(", if-none-match: false") { app in
      try await app.scenario.migrate().exits(6)
      #expect(try app.server()["n1"]?["data"]?["title"] == "theirs")
    }
  }

  @Test func `a repeated create finds the unchanged records, and counts them as created`()
    async throws
  {
    try await NoteStore.with { app in
      let profile = try String(at: app.scenario.profile)
      try profile.replacing(", if-none-match: true", with: "").save(to: app.scenario.profile)
      try app.add(.init(id: "n1"))
      try app.scenario.backend.setFaults("drop-after:n=1@PUT /collections/notes/records")
      let moved = try await app.scenario.migrate().exits(0)
      #expect(moved.count("created", of: "note") == 1)
      #expect(moved.value("verification")?["clean"] == true)
    }
  }

  @Test func `an existing unreadable record blocks no other, and is made once`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "a"))
      try app.sql(
        """
        WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 80)
        INSERT INTO note SELECT 'n' || n, title, state, book_id, server_id, server_version,
          deleted_at, owner, plays, favourite, tags, rating, modified FROM note, number
        """
      )
      try app.scenario.backend.setFaults("drop-after:n=1@PUT /collections/notes/records")
      let stopped = try await app.scenario.migrate(["--retries", "0", "--concurrency", "1"])
      #expect(stopped.status == 5, "\(stopped)")
      try app.scenario.backend.setFaults("status:1:500@GET /collections/notes/records/a")
      let again = try await app.scenario.migrate(["--retries", "1", "--concurrency", "1"]).exits(5)
      #expect(again.count("created", of: "note") == 80)
      #expect(again.findings("upload.unknown").compactMap { $0["record"]?.text } == ["a"])
      try app.scenario.backend.setFaults("")
      let last = try await app.scenario.migrate().exits(0)
      #expect(last.count("created", of: "note") == 81)
      #expect(try app.server().count == 81)
    }
  }
}
