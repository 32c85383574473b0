import Foundation
import JSONText
import TestSupport
import Testing

/// The sample store to a backend whose rows all travel together: heroes as notebooks, stories as
/// notes, events as tags.
@Suite(.timeLimit(.minutes(5))) struct ChangesetTests {
  @Test func `a store goes there, again without a push, changed, and back`() async throws {
    try await withNotes { crossing in
      let first = try await crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.count("created") == 50)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try live(crossing).count == 50)
      let writes = try crossing.backend.writeCount()
      let second = try await crossing.migrate()
      #expect(second.count("unchanged") == 50, "\(second.standardError)")
      #expect(try crossing.backend.writeCount() == writes)
      try Python.edit(
        crossing.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'Ein neuer Titel – 新' WHERE Z_PK = 1"
      )
      let third = try await crossing.migrate()
      #expect(third.status == 0, "\(third.standardOutput)\(third.standardError)")
      #expect(third.count("updated") == 1)
      #expect(try crossing.backend.writeCount() == writes + 1)
      for run in [try third.run(), try first.run()] {
        let back = try await crossing.rollback(run)
        #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try live(crossing).isEmpty)
    }
  }

  @Test func `what was removed there is made again by another machine, and not without a word`()
    async throws
  {
    try await withNotes { crossing in
      let first = try await crossing.migrate()
      #expect(try await crossing.rollback(try first.run()).status == 0)
      var elsewhere = crossing
      elsewhere.stateName = "another-machine"
      let later = try await elsewhere.migrate()
      #expect(later.status == 0, "\(later.standardOutput)\(later.standardError)")
      #expect(later.count("created") == 50)
      let told = later.findings("plan.made-again").compactMap { $0["entity"]?.text }
      #expect(Set(told) == ["CustomStoryEvent", "Hero", "Story"])
    }
  }

  @Test func `what the same machine took back is made again without a word`() async throws {
    try await withNotes { crossing in
      let first = try await crossing.migrate()
      #expect(try await crossing.rollback(try first.run()).status == 0)
      let later = try await crossing.migrate()
      #expect(later.status == 0, "\(later.standardOutput)\(later.standardError)")
      #expect(later.count("created") == 50)
      #expect(later.findings("plan.made-again").isEmpty)
    }
  }

  @Test func `what a server tells of all its rows is read into a package`() async throws {
    try await withNotes { crossing in
      #expect(try await crossing.migrate().status == 0)
      let package = "\(crossing.folder)/back.ferry"
      let flags = crossing.destination.map { $0 == "--to" ? "--from" : $0 }
      let answer = try await crossing.ferry(["export", "-o", package] + flags)
      #expect(answer.status == 0, "\(answer.standardError)")
      let counts = (answer.value("export")?["entities"]?.array ?? [])
        .compactMap { $0["records"]?.integer }
      // One notebook is the server's own.
      #expect(counts.reduce(0, +) == Int64(try live(crossing).count) + 1)
    }
  }

  @Test func `rows that the server drops without a word are named, and never called stored`()
    async throws
  {
    try await withNotes { crossing in
      let text = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try text.replacing("owner: user_id", with: "owner: author_id")
        .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      let answer = try await crossing.migrate()
      #expect(answer.status != 0)
      #expect(answer.count("created") == 0)
      #expect(answer.standardOutput.contains("sync.dropped"))
      #expect(try live(crossing).isEmpty)
    }
  }

  @Test func `killed on the way and with lost answers, every row is there exactly once`()
    async throws
  {
    try await withNotes { crossing in
      try crossing.backend.setFaults("delay:1:100ms@POST /api/sync;drop-after:4@POST /api/sync")
      var kills = 0
      for wait in [0.2, 0.4] {
        let killed = try await crossing.program.run(
          ["migrate", crossing.sample.store, "--batch-size", "3"] + crossing.destination,
          environment: crossing.environment,
          state: crossing.state,
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
        if killed.wasKilled { kills += 1 }
      }
      // Its requests alone take longer than it is given.
      #expect(kills > 0)
      try crossing.backend.setFaults("drop-after:3@POST /api/sync")
      let last = try await crossing.migrate(["--batch-size", "10", "--retries", "20"])
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(last.value("verification")?["clean"] == true)
      #expect(try live(crossing).count == 50)
    }
  }

  /// The rows that the account has and the server did not make by itself.
  private func live(_ crossing: Crossing) throws -> [JSONValue] {
    (try crossing.backend.dump()["syncRows"]?.array ?? []).filter { row in
      row["deleted_at"]?.isNull ?? true && row["title"] != "Main"
    }
  }

  private func withNotes(_ body: (Crossing) async throws -> Void) async throws {
    try await withCrossing { crossing in
      let cloud = try String(
        contentsOfFile: "\(Samples.folder)/cloudkit/profile.yaml",
        encoding: .utf8
      )
      guard let end = cloud.firstRange(of: "destinations:") else {
        throw TestSupportError("the profile names no destinations")
      }
      var copy = crossing
      copy.profile = "\(crossing.sample.folder)/notes.yaml"
      try (String(cloud[..<end.lowerBound]) + Self.interface)
        .write(toFile: copy.profile, atomically: true, encoding: .utf8)
      try await body(copy)
    }
  }

  private static let interface = """
    api:
      kind: changeset
      credentials: [email, password]
      sign-in:
        request: POST /api/auth/sign-in/email
        body: { email: "{email}", password: "{password}" }
        token: { header: set-auth-token }
      account: { request: GET /api/auth/get-session, member: user.id }
      sync: { pull: GET /api/sync, push: POST /api/sync, mark: server_time, limit: 20 }
      client-id: uuid5
      entities:
        CustomStoryEvent:
          rows: tags
          deleted: deleted_at
          changed: updated_at
          owner: user_id
          version: updated_at
          body: { name: title, event: { record: all } }
        Hero:
          rows: notebooks
          deleted: deleted_at
          changed: updated_at
          owner: user_id
          version: updated_at
          body: { title: name, hero: { record: all } }
        Story:
          rows: notes
          deleted: deleted_at
          changed: updated_at
          owner: user_id
          version: version
          body:
            plain_text: content
            title: title
            is_done: isFavorite
            notebook_id: { reference: hero }
            story: { record: all }
          compare: { plain_text: blank }
    """
}
