import Foundation
import JSONText
import TestSupport
import Testing

/// What was left to the server stays known until something else is sent there.
@Suite(.timeLimit(.minutes(5))) struct UnlistedValueTests {
  /// What sends after all what was left to the server.
  private static let local = ["--on-conflict", "local", "--full"]

  /// Sends two notes, and has both sides change the title of the first one.
  private func withConflictedTitle(
    _ conflict: String = "remote",
    listsRevisions: Bool = true,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict, listsRevisions: listsRevisions) { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await body(app)
    }
  }

  /// Leaves a title to the server that both sides had changed.
  private func withLeftTitle(
    listsRevisions: Bool = true,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await withConflictedTitle(listsRevisions: listsRevisions) { app in
      let second = try await app.scenario.migrate()
      #expect(second.findings("plan.conflict-kept-remote").count == 1, "\(second)")
      try await body(app)
    }
  }

  private func title(_ app: NoteStore) throws -> JSONValue? {
    try app.server()["n1"]?["data"]?["title"]
  }

  /// Runs once more, as any day.
  private func expectLeft(_ app: NoteStore) async throws {
    try app.scenario.backend.setFaults("")
    let answer = try await app.scenario.migrate().exits(0)
    #expect(answer.count("unchanged", of: "note") == 2)
    #expect(answer.value("verification")?["clean"] == true, "\(answer)")
    #expect(try title(app) == "theirs")
  }

  @Test func `a field that the server did not take goes again only with its own change`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      // It says that it has another version, and keeps the title that it had.
      try app.scenario.backend.sql(
        "UPDATE records SET body = json_set(body, '$.title', 'as it was') WHERE id = 'n1'"
      )
      for rating in 2...3 {
        try app.sql("UPDATE note SET rating = \(rating) WHERE id = 'n1'")
        let answer = try await app.scenario.migrate().exits(6)
        #expect(answer.count("updated", of: "note") == 1, "\(answer)")
        #expect(try title(app) == "as it was")
        let entry = try await app.scenario.savedWriteBack(of: answer).entries("note").first
        #expect(entry?["status"] == "conflicted")
        #expect(entry?["reason"] == "the destination did not keep title as it was sent")
      }
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      #expect(try title(app) == "mine")
    }
  }

  @Test func `what only a create brings is not named among what a change was not taken in`()
    async throws
  {
    try await NoteStore.with { app in
      try String(at: app.scenario.profile)
        .replacing("        plays: plays\n", with: "        plays: { field: plays, on: once }\n")
        .save(to: app.scenario.profile)
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.scenario.backend.sql(
        "UPDATE records SET body = json_set(body, '$.title', 'as it was', '$.plays', 7) "
          + "WHERE id = 'n1'"
      )
      try app.sql("UPDATE note SET rating = 2 WHERE id = 'n1'")
      let answer = try await app.scenario.migrate()
      let entry = try await app.scenario.savedWriteBack(of: answer).entries("note").first
      #expect(entry?["status"] == "conflicted", "\(answer)")
      #expect(entry?["reason"] == "the destination did not keep title as it was sent")
    }
  }

  /// Another device of the same person may have sent it there.
  @Test(arguments: [true, false])
  func `a remote value that has become equal to the store's is not a difference`(
    listsRevisions: Bool
  ) async throws {
    try await withLeftTitle(listsRevisions: listsRevisions) { app in
      try app.change("n1", ["title": "mine"])
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.value("verification")?["clean"] == true, "\(answer)")
      #expect(try title(app) == "mine")
    }
  }

  @Test
  func `after a refused change the remote value that it was to overwrite stays known as kept`()
    async throws
  {
    try await withLeftTitle { app in
      try app.scenario.backend.setFaults("status:1:422@PATCH /collections")
      let refused = try await app.scenario.migrate(Self.local)
      #expect(refused.count("rejected", of: "note") == 1, "\(refused)")
      try await expectLeft(app)
    }
  }

  @Test func `after a refused plan the remote values that it was to overwrite stay known as kept`()
    async throws
  {
    try await withLeftTitle { app in
      try app.sql("DELETE FROM note WHERE id = 'n2'")
      let refused = try await app.scenario.migrate(Self.local + ["--delete", "--max-delete", "0"])
      #expect(refused.status == 8, "\(refused)")
      try app.add(.init(id: "n2"))
      try await expectLeft(app)
    }
  }

  @Test
  func `after an abandoned run the remote values that it was to overwrite stay known as kept`()
    async throws
  {
    try await withLeftTitle { app in
      try app.scenario.backend.setFaults("status:1:503@PATCH /collections")
      try await app.scenario.migrate(Self.local + ["--retries", "0"]).exits(5)
      try await expectLeft(app)
    }
  }

  @Test(arguments: [true, false])
  func `a run that stops and goes on sends the local value, as the policy asks`(
    listsRevisions: Bool
  ) async throws {
    try await withLeftTitle(listsRevisions: listsRevisions) { app in
      try app.scenario.backend.setFaults("status:1:503@PATCH /collections")
      try await app.scenario.migrate(Self.local + ["--retries", "0"]).exits(5)
      try app.scenario.backend.setFaults("")
      try await app.scenario.migrate(Self.local).exits(0)
      #expect(try title(app) == "mine")
      let again = try await app.scenario.migrate()
      #expect(again.value("verification")?["clean"] == true, "\(again)")
    }
  }

  // MARK: - What a plan leaves that is not carried out

  /// Runs once more, which says what is left; the run after that has nothing more to state.
  private func expectReported(_ code: String, _ app: NoteStore) async throws {
    try app.scenario.backend.setFaults("")
    let reported = try await app.scenario.migrate()
    #expect(reported.findings(code).count == 1, "\(reported)")
    #expect(try title(app) == "theirs")
    let later = try await app.scenario.migrate().exits(0)
    #expect(later.findings(code).isEmpty, "\(later)")
    #expect(try title(app) == "theirs")
  }

  @Test(arguments: [
    ("remote", "plan.conflict-kept-remote", true), ("remote", "plan.conflict-kept-remote", false),
    ("merge", "plan.merged", true), ("merge", "plan.merged", false),
  ])
  func `a plan that deletes too much leaves its findings to the next run`(
    policy: String,
    code: String,
    listsRevisions: Bool
  ) async throws {
    try await withConflictedTitle(policy, listsRevisions: listsRevisions) { app in
      try app.sql("DELETE FROM note WHERE id = 'n2'")
      try await app.scenario.migrate(["--delete", "--max-delete", "0"]).exits(8)
      try app.add(.init(id: "n2"))
      try await expectReported(code, app)
    }
  }

  @Test func `a run that is given up leaves its findings to the next run`()
    async throws
  {
    try await withConflictedTitle { app in
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n2'")
      try app.scenario.backend.setFaults("status:1:503@PATCH /collections")
      let stopped = try await app.scenario.migrate(["--retries", "0"])
      #expect(stopped.status != 0, "\(stopped)")
      try app.sql("UPDATE note SET plays = 1 WHERE id = 'n2'")
      try await expectReported("plan.conflict-kept-remote", app)
    }
  }

  @Test func `a change found by a verification without a checkpoint is reported by the next run`()
    async throws
  {
    try await withConflictedTitle { app in
      var elsewhere = app.scenario
      elsewhere.stateName = "another-machine"
      let package = "\(elsewhere.folder)/a.ferry"
      try await elsewhere.export(to: package).exits(0)
      _ = try await elsewhere.ferry(["verify", package] + elsewhere.destination)
      let reported = try await elsewhere.ferry(["upload", package] + elsewhere.destination)
      #expect(reported.findings("plan.conflict-kept-remote").count == 1, "\(reported)")
      #expect(try title(app) == "theirs")
    }
  }

  /// Lends a note in a book whose title the server has otherwise, by what no checkpoint knows.
  private func withOtherBook(_ body: (MigrationScenario, _ words: [String]) async throws -> Void)
    async throws
  {
    try await NoteStore.with { app in
      try String(at: app.scenario.profile)
        .replacing("body: { title: title }", with: "body: { title: title }\n      conflict: remote")
        .save(to: app.scenario.profile)
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.seed("b1", ["title": "theirs"], in: "books")
      var elsewhere = app.scenario
      elsewhere.stateName = "another-machine"
      let package = "\(elsewhere.folder)/a.ferry"
      try await elsewhere.export(to: package).exits(0)
      try await body(elsewhere, [package] + elsewhere.destination)
    }
  }

  @Test func `a verification without a checkpoint resolves references to a differing record`()
    async throws
  {
    try await withOtherBook { scenario, words in
      let verdict = try await scenario.ferry(["verify"] + words)
      #expect(verdict.findings("request.missing-reference").isEmpty, "\(verdict)")
    }
  }

  @Test func `a verification without a checkpoint names the differing fields`() async throws {
    try await withOtherBook { scenario, words in
      let verdict = try await scenario.ferry(["verify"] + words).exits(6)
      #expect(verdict.findings("verify.different").count == 1, "\(verdict)")
    }
  }

  @Test func `a verification without a checkpoint that was killed is made anew`() async throws {
    try await withOtherBook { scenario, words in
      try scenario.backend.setFaults("delay:1:1s@GET /collections/")
      let killed = try await scenario.run(
        ["verify"] + words,
        stop: .kill(after: .milliseconds(100), line: "verify …")
      )
      #expect(killed.wasKilled, "\(killed)")
      try scenario.backend.setFaults("")
      let verdict = try await scenario.ferry(["verify"] + words).exits(6)
      #expect(verdict.findings("verify.different").count == 1, "\(verdict)")
    }
  }
}
