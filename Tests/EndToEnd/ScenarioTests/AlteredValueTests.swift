import JSONText
import TestSupport
import Testing

/// A server without revisions that keeps the first nine characters of a title.
@Suite(.timeLimit(.minutes(5))) struct AlteredValueTests {
  private static let shorten = ["INSERT", "UPDATE"].map { event in
    """
    CREATE TRIGGER shorten_\(event) AFTER \(event) ON records
    WHEN NEW.collection = 'notes' AND length(json_extract(NEW.body, '$.title')) > 9
    BEGIN
      UPDATE records SET body = json_set(body, '$.title', substr(json_extract(body, '$.title'), 1, 9))
      WHERE userId = NEW.userId AND collection = NEW.collection AND id = NEW.id;
    END
    """
  }

  /// Sends a note whose title the server shortens.
  private func withShortened(
    conflict: String = "fail",
    listsRevisions: Bool = false,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict, listsRevisions: listsRevisions) { app in
      for trigger in Self.shorten { try app.scenario.backend.sql(trigger) }
      try app.add(.init(id: "n1", title: "a long title"))
      let first = try await app.scenario.migrate().exits(6)
      #expect(first.findings("verify.different").count == 1, "\(first)")
      #expect(try title(app) == "a long ti")
      try await body(app)
    }
  }

  private func title(_ app: NoteStore) throws -> JSONValue? {
    try app.server()["n1"]?["data"]?["title"]
  }

  private func entry(_ app: NoteStore, _ answer: Answer) async throws -> JSONValue? {
    try await app.scenario.savedWriteBack(of: answer).entries("note").first
  }

  @Test func `what the server made of a value is no other client's change, and is not sent again`()
    async throws
  {
    try await withShortened { app in
      let second = try await app.scenario.migrate().exits(6)
      #expect(second.count("unchanged", of: "note") == 1, "\(second)")
      #expect(second.findings("verify.different").count == 1)
      #expect(try await entry(app, second)?["status"] == "conflicted")
    }
  }

  @Test func `a change of another field is sent, and leaves the altered one as it is`() async throws
  {
    try await withShortened { app in
      try app.sql("UPDATE note SET rating = 2 WHERE id = 'n1'")
      let second = try await app.scenario.migrate().exits(6)
      #expect(second.count("updated", of: "note") == 1, "\(second)")
      #expect(try app.server()["n1"]?["data"]?["rating"]?.double == 2)
      let reason = "the destination did not keep title as it was sent"
      #expect(try await entry(app, second)?["reason"]?.text == reason)
    }
  }

  @Test func `a rolled back change is sent again, though the server altered another value`()
    async throws
  {
    try await withShortened(listsRevisions: true) { app in
      try app.sql("UPDATE note SET rating = 2 WHERE id = 'n1'")
      let second = try await app.scenario.migrate().exits(6)
      try await app.scenario.rollback(try second.run()).exits(0)
      let third = try await app.scenario.migrate().exits(6)
      #expect(third.count("updated", of: "note") == 1, "\(third)")
      #expect(third.count("conflicted", of: "note") == 0, "\(third)")
      #expect(try app.server()["n1"]?["data"]?["rating"]?.double == 2)
    }
  }

  @Test func `another client's change of the altered field is one`() async throws {
    try await withShortened { app in
      try app.change("n1", ["title": "theirs"])
      let second = try await app.scenario.migrate()
      #expect(second.findings("plan.remote-newer").count == 1, "\(second)")
      #expect(try await entry(app, second)?["status"] == "replace")
    }
  }

  @Test func `under the policy remote the app takes over what the server made of the value`()
    async throws
  {
    try await withShortened { app in
      let second = try await app.scenario.migrate(["--on-conflict", "remote", "--full"])
      #expect(try await entry(app, second)?["status"] == "replace", "\(second)")
      #expect(try await entry(app, second)?["attributes"]?["title"] == "a long ti")
    }
  }

  @Test func `under the policy local the value is sent again`() async throws {
    try await withShortened { app in
      for event in ["INSERT", "UPDATE"] {
        try app.scenario.backend.sql("DROP TRIGGER shorten_\(event)")
      }
      try await app.scenario.migrate(["--on-conflict", "local", "--full"]).exits(0)
      #expect(try title(app) == "a long title")
    }
  }
}
