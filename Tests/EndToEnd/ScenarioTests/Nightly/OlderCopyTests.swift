import Foundation
import JSONText
import TestSupport
import Testing

/// Stores of which an older copy is in use again, from before the app took over the server's change.
@Suite(.timeLimit(.minutes(5))) struct OlderCopyTests {
  /// Sends a note and copies the store; then the server's title is taken over, and the copy is restored.
  private func withOlderCopy(_ body: (NoteStore) async throws -> Void) async throws {
    try await NoteStore.withoutState { app in
      try await takeOver(app)
      try restoreCopy(app)
      try await body(app)
    }
  }

  private func takeOver(_ app: NoteStore) async throws {
    try app.add(.init(id: "n1"), .init(id: "n2"))
    try await app.scenario.migrate().exits(0)
    try app.sql("VACUUM INTO '\(copy(app))'")
    try app.change("n1", ["title": "theirs"])
    let newer = try await app.scenario.migrate().exits(0)
    try app.scenario.install(try await app.scenario.appliedWriteBack(of: newer).store)
    try await app.scenario.expectNothingToSend()
  }

  private func copy(_ app: NoteStore) -> String { "\(app.scenario.folder)/copy.store" }

  private func restoreCopy(_ app: NoteStore) throws { try app.scenario.install(copy(app)) }

  private func title(_ app: NoteStore) throws -> String? {
    try app.server()["n1"]?["data"]?["title"]?.text
  }

  // MARK: - The policies

  @Test func `an older copy of the store is a conflict, and nothing of it is sent`() async throws {
    try await withOlderCopy { app in
      for more in [[], ["--full"], ["--on-conflict", "ask"]] {
        let writes = try app.scenario.backend.writeCount()
        let answer = try await app.scenario.migrate(more).exits(6)
        let conflict = try #require(answer.findings("plan.conflict").first)
        #expect(conflict["record"] == "n1")
        #expect(
          conflict["cause"]?.text?.contains("before other content was agreed on") == true,
          "\(conflict)"
        )
        #expect(try title(app) == "theirs")
        #expect(try app.scenario.backend.writeCount() == writes)
      }
    }
  }

  @Test(arguments: ["remote", "merge"])
  func `the server's content stays by policy, and the app takes it over again`(
    policy: String
  ) async throws {
    try await withOlderCopy { app in
      let kept = try await app.scenario.migrate(["--on-conflict", policy]).exits(6)
      #expect(kept.findings("plan.conflict-kept-remote").count == 1, "\(kept)")
      #expect(try title(app) == "theirs")
      try app.scenario.install(try await app.scenario.appliedWriteBack(of: kept).store)
      #expect(
        try StoreQuery.rows(app.scenario.sample.store, "SELECT title FROM note WHERE id = 'n1'")
          == ["theirs"]
      )
      try await app.scenario.expectNothingToSend()
      #expect(try title(app) == "theirs")
    }
  }

  @Test func `the store's content is sent if a person says so, and a rollback asks once more`()
    async throws
  {
    try await withOlderCopy { app in
      let sent = try await app.scenario.migrate(["--on-conflict", "local"]).exits(0)
      #expect(try title(app) == "a title")
      try await app.scenario.expectNothingToSend()
      try await app.scenario.rollback(try sent.run()).exits(0)
      #expect(try title(app) == "theirs")
      try await app.scenario.migrate().exits(6)
      #expect(try title(app) == "theirs")
    }
  }

  @Test(arguments: [("local", "a title"), ("remote", "theirs")])
  func `a person decides which copy holds`(decision: String, isKept: String) async throws {
    try await withOlderCopy { app in
      let file = "\(app.scenario.folder)/decisions.json"
      let flags = ["--on-conflict", "ask", "--decisions", file]
      try await app.scenario.migrate(flags).exits(6)
      let written = try JSONValue(parsing: String(at: file))
      #expect(written["conflicts"]?[0]?["answers"] == ["local", "remote"])
      try String(at: file).replacing(
        "\"decision\": null",
        with: "\"decision\": \"\(decision)\""
      ).save(to: file)
      try await app.scenario.migrate(flags).exits(0)
      #expect(try title(app) == isKept)
    }
  }

  // MARK: - What the app says of the row

  /// Has a list of changes only, and no way to read one record.
  private func readNothingAlone(_ app: NoteStore) throws {
    let lines = try String(at: app.scenario.profile).split(separator: "\n")
      .filter { !$0.hasPrefix("      read: {") }
    try lines.joined(separator: "\n")
      .replacing("        limit: {", with: "        since: since\n        limit: {")
      .save(to: app.scenario.profile)
  }

  @Test(arguments: [false, true])
  func `an older copy is not sent, whatever its row says, and whether it can be read or not`(
    isUnread: Bool
  ) async throws {
    try await NoteStore.with { app in
      if isUnread { try readNothingAlone(app) }
      try app.add(.init(id: "n1", state: "edited"))
      try await app.scenario.migrate().exits(0)
      let older = try app.version("n1")
      try app.change("n1", ["title": "theirs"])
      let seen = try app.version("n1")
      try app.sql("UPDATE note SET title = 'theirs', state = 'done', server_version = \(seen)")
      // The second run has an empty list of changes.
      for _ in 0..<2 { try await app.scenario.migrate().exits(0) }
      try app.sql("UPDATE note SET title = 'a title', server_version = \(older)")
      let writes = try app.scenario.backend.writeCount()
      let synced = try await app.scenario.migrate()
      #expect(synced.findings("plan.conflict").isEmpty)
      let code = isUnread ? "plan.older-copy" : "plan.remote-newer"
      #expect(synced.findings(code).count == 1, "\(synced)")
      for state in ["edited", "both"] {
        try app.sql("UPDATE note SET state = '\(state)'")
        let conflict = try #require(
          try await app.scenario.migrate().exits(6).findings("plan.conflict").first
        )
        #expect(conflict["cause"]?.text?.contains("before other content was agreed on") == true)
        #expect(conflict["cure"]?.text?.contains("`--full`") == isUnread, "\(conflict)")
      }
      #expect(try title(app) == "theirs")
      #expect(try app.scenario.backend.writeCount() == writes)
      try await app.scenario.migrate(["--full", "--on-conflict", "remote"]).exits(6)
      #expect(try title(app) == "theirs")
    }
  }

  // MARK: - What is no older copy

  @Test func `a copy from before several runs is recognised, and a later edit is not`() async throws
  {
    try await NoteStore.withoutState { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.sql("VACUUM INTO '\(copy(app))'")
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      try app.change("n1", ["title": "theirs"])
      let newer = try await app.scenario.migrate().exits(0)
      try app.scenario.install(try await app.scenario.appliedWriteBack(of: newer).store)
      try await app.scenario.migrate().exits(0)
      try app.sql("UPDATE note SET title = 'mine, later' WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      #expect(try title(app) == "mine, later")
      try restoreCopy(app)
      try await app.scenario.migrate().exits(6)
      #expect(try title(app) == "mine, later")
    }
  }

  @Test func `a row that names the server's revision is a change, also if it is as it was`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1", state: "edited"))
      try await app.scenario.migrate().exits(0)
      let older = try app.version("n1")
      try app.change("n1", ["title": "theirs"])
      let seen = try app.version("n1")
      try app.sql("UPDATE note SET title = 'theirs', server_version = \(seen) WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      try app.sql("UPDATE note SET title = 'a title', server_version = \(older) WHERE id = 'n1'")
      try await app.scenario.migrate().exits(6)
      #expect(try title(app) == "theirs")
      try app.sql("UPDATE note SET server_version = \(seen) WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      #expect(try title(app) == "a title")
    }
  }
}
