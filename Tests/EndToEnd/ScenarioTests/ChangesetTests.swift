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
      let first = try await scenario.migrate().exits(0)
      #expect(first.count("created") == 50)
      #expect(first.value("verification")?["clean"] == true)
      #expect(try live(scenario).count == 50)
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.migrate()
      #expect(second.count("unchanged") == 50, "\(second)")
      #expect(try scenario.backend.writeCount() == writes)
      try scenario.sql("UPDATE ZSTORY SET ZTITLE = 'Ein neuer Titel – 新' WHERE Z_PK = 1")
      let third = try await scenario.migrate().exits(0)
      #expect(third.count("updated") == 1)
      #expect(try scenario.backend.writeCount() == writes + 1)
      for run in [try third.run(), try first.run()] {
        try await scenario.rollback(run).exits(0)
      }
      #expect(try live(scenario).isEmpty)
    }
  }

  @Test func `rows that the server drops silently are named, and not reported as stored`()
    async throws
  {
    try await withNotes { scenario in
      let text = try String(at: scenario.profile)
      try text.replacing("owner: user_id", with: "owner: author_id").save(to: scenario.profile)
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
      // Its requests alone take longer than it is given.
      #expect(try await scenario.kill(after: [0.2, 0.4], ["--batch-size", "3"]) > 0)
      try scenario.backend.setFaults("drop-after:3@POST /api/sync")
      let last = try await scenario.migrate(["--batch-size", "10", "--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try live(scenario).count == 50)
    }
  }

  /// The rows that the account has and the server did not make by itself.
  func live(_ scenario: MigrationScenario) throws -> [JSONValue] {
    (try scenario.backend.dump()["syncRows"]?.array ?? []).filter { row in
      row["deleted_at"]?.isNull ?? true && row["title"] != "Main"
    }
  }

  func withNotes(_ body: (MigrationScenario) async throws -> Void) async throws {
    try await withScenario { scenario in
      let cloud = try String(at: "\(Samples.folder)/cloudkit/profile.yaml")
      guard let end = cloud.firstRange(of: "destinations:") else {
        throw TestSupportError("the profile names no destinations")
      }
      // Its heroes have more than a notebook has at Noted's own server.
      _ = try scenario.backend.request("PUT", "/__dev/sync", ["strict": false])
      var copy = scenario
      copy.profile = "\(scenario.sample.folder)/notes.yaml"
      try (String(cloud[..<end.lowerBound]) + Self.interface).save(to: copy.profile)
      try await body(copy)
    }
  }

  static let interface = """
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
