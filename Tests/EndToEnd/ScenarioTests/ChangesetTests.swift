import Foundation
import JSONText
import TestSupport
import Testing

/// The sample store to a backend whose rows all travel together: heroes as notebooks, stories as
/// notes, events as tags.
@Suite(.timeLimit(.minutes(5))) struct ChangesetTests {
  @Test func `a store is migrated, repeated without a push, changed, and rolled back`() async throws
  {
    try await withNotes { scenario in
      let first = try await scenario.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(first.count("created") == 50)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try live(scenario).count == 50)
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.migrate()
      #expect(second.count("unchanged") == 50, "\(second.standardError)")
      #expect(try scenario.backend.writeCount() == writes)
      try Python.edit(
        scenario.sample.store,
        "UPDATE ZSTORY SET ZTITLE = 'Ein neuer Titel – 新' WHERE Z_PK = 1"
      )
      let third = try await scenario.migrate()
      #expect(third.status == 0, "\(third.standardOutput)\(third.standardError)")
      #expect(third.count("updated") == 1)
      #expect(try scenario.backend.writeCount() == writes + 1)
      for run in [try third.run(), try first.run()] {
        let back = try await scenario.rollback(run)
        #expect(back.status == 0, "\(back.standardOutput)\(back.standardError)")
      }
      #expect(try live(scenario).isEmpty)
    }
  }

  @Test func `a remotely removed record is made again by another machine, with a warning`()
    async throws
  {
    try await withNotes { scenario in
      let first = try await scenario.migrate()
      #expect(try await scenario.rollback(try first.run()).status == 0)
      var elsewhere = scenario
      elsewhere.stateName = "another-machine"
      let later = try await elsewhere.migrate()
      #expect(later.status == 0, "\(later.standardOutput)\(later.standardError)")
      #expect(later.count("created") == 50)
      let reported = later.findings("plan.made-again").compactMap { $0["entity"]?.text }
      #expect(Set(reported) == ["CustomStoryEvent", "Hero", "Story"])
    }
  }

  @Test func `records that the same machine rolled back are made again without a warning`()
    async throws
  {
    try await withNotes { scenario in
      let first = try await scenario.migrate()
      #expect(try await scenario.rollback(try first.run()).status == 0)
      let later = try await scenario.migrate()
      #expect(later.status == 0, "\(later.standardOutput)\(later.standardError)")
      #expect(later.count("created") == 50)
      #expect(later.findings("plan.made-again").isEmpty)
    }
  }

  @Test func `a server's list of all its rows is read into a package`() async throws {
    try await withNotes { scenario in
      #expect(try await scenario.migrate().status == 0)
      let package = "\(scenario.folder)/back.ferry"
      let flags = scenario.destination.map { $0 == "--to" ? "--from" : $0 }
      let answer = try await scenario.ferry(["export", "-o", package] + flags)
      #expect(answer.status == 0, "\(answer.standardError)")
      let counts = (answer.value("export")?["entities"]?.array ?? [])
        .compactMap { $0["records"]?.integer }
      // One notebook is the server's own.
      #expect(counts.reduce(0, +) == Int64(try live(scenario).count) + 1)
    }
  }

  @Test func `rows that the server drops silently are named, and not reported as stored`()
    async throws
  {
    try await withNotes { scenario in
      let text = try String(contentsOfFile: scenario.profile, encoding: .utf8)
      try text.replacing("owner: user_id", with: "owner: author_id")
        .write(toFile: scenario.profile, atomically: true, encoding: .utf8)
      let answer = try await scenario.migrate()
      #expect(answer.status != 0)
      #expect(answer.count("created") == 0)
      #expect(answer.standardOutput.contains("sync.dropped"))
      #expect(try live(scenario).isEmpty)
    }
  }

  @Test func `with kills and lost answers, every row is stored exactly once`()
    async throws
  {
    try await withNotes { scenario in
      try scenario.backend.setFaults("delay:1:100ms@POST /api/sync;drop-after:4@POST /api/sync")
      var kills = 0
      for wait in [0.2, 0.4] {
        let killed = try await scenario.program.run(
          ["migrate", scenario.sample.store, "--batch-size", "3"] + scenario.destination,
          environment: scenario.environment,
          state: scenario.state,
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
        if killed.wasKilled { kills += 1 }
      }
      // Its requests alone take longer than it is given.
      #expect(kills > 0)
      try scenario.backend.setFaults("drop-after:3@POST /api/sync")
      let last = try await scenario.migrate(["--batch-size", "10", "--retries", "20"])
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(last.value("verification")?["clean"] == true)
      #expect(try live(scenario).count == 50)
    }
  }

  /// The rows that the account has and the server did not make by itself.
  private func live(_ scenario: MigrationScenario) throws -> [JSONValue] {
    (try scenario.backend.dump()["syncRows"]?.array ?? []).filter { row in
      row["deleted_at"]?.isNull ?? true && row["title"] != "Main"
    }
  }

  private func withNotes(_ body: (MigrationScenario) async throws -> Void) async throws {
    try await withScenario { scenario in
      let cloud = try String(
        contentsOfFile: "\(Samples.folder)/cloudkit/profile.yaml",
        encoding: .utf8
      )
      guard let end = cloud.firstRange(of: "destinations:") else {
        throw TestSupportError("the profile names no destinations")
      }
      var copy = scenario
      copy.profile = "\(scenario.sample.folder)/notes.yaml"
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
      sync: { pull: GET /api/sync, push: POST /api/sync, changes-cursor: server_time, limit: 20 }
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
