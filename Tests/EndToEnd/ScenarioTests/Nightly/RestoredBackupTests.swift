import Foundation
import JSONText
import TestSupport
import Testing

/// Servers of which a backup was restored that is older than the last runs.
@Suite(.timeLimit(.minutes(5))) struct RestoredBackupTests {
  /// What asks for the store's own, whatever is there.
  private static let local = ["--full", "--on-conflict", "local"]

  // MARK: - What was changed

  /// Sends two notes, then another title of the first one, and gives what the server had of that before.
  private func withChanged(
    conflict: String = "remote",
    listsRevisions: Bool = true,
    _ body: (NoteStore, _ before: JSONObject) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: conflict, listsRevisions: listsRevisions) { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      let before = try #require(try app.server()["n1"]?["data"]?.object)
      try app.sql("UPDATE note SET title = 'mine' WHERE id = 'n1'")
      let second = try await app.scenario.migrate().exits(0)
      #expect(second.count("updated", of: "note") == 1)
      try await body(app, before)
    }
  }

  private func title(_ app: NoteStore) throws -> JSONValue? {
    try app.server()["n1"]?["data"]?["title"]
  }

  @Test(arguments: [("remote", true), ("remote", false), ("local", true)])
  func `a record in its state before a run's change is a conflict under every policy`(
    conflict: String,
    listsRevisions: Bool
  ) async throws {
    try await withChanged(conflict: conflict, listsRevisions: listsRevisions) { app, before in
      try app.seed("n1", before)
      for more in [["--full"], Self.local] {
        let reported = try await app.scenario.migrate(more).exits(6)
        #expect(reported.findings("plan.conflict").count == 1)
        #expect(reported.count("updated", of: "note") == 0)
        #expect(try title(app) == "a title")
      }
    }
  }

  @Test func `a record in its state before the last but one change is a conflict`()
    async throws
  {
    try await withChanged { app, before in
      try app.sql("UPDATE note SET title = 'mine too' WHERE id = 'n1'")
      #expect(try await app.scenario.migrate().count("updated", of: "note") == 1)
      try app.seed("n1", before)
      try await app.scenario.migrate(Self.local).exits(6)
      #expect(try title(app) == "a title")
    }
  }

  @Test(arguments: [true, false])
  func `another device's later change stays, although a person chose the store's own`(
    listsRevisions: Bool
  ) async throws {
    try await withChanged(listsRevisions: listsRevisions) { app, before in
      var data = before
      data["plays"] = 7
      try app.seed("n1", data)
      let answer = try await app.scenario.migrate(Self.local)
      #expect(answer.count("updated", of: "note") == 0, "\(answer)")
      #expect(try title(app) == "a title")
      #expect(try app.server()["n1"]?["data"]?["plays"] == 7)
    }
  }

  // MARK: - What was deleted

  /// Sends two notes, has the first one deleted, and puts it at the server again.
  private func withReturned(
    title: String? = nil,
    isFilledIn: Bool = false,
    _ body: (NoteStore) async throws -> Void
  ) async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      if isFilledIn { try app.sql("UPDATE note SET modified = NULL WHERE id = 'n1'") }
      try await app.scenario.migrate().exits(0)
      var data = try #require(try app.server()["n1"]?["data"]?.object)
      try app.sql("DELETE FROM note WHERE id = 'n1'")
      let deleted = try await app.scenario.migrate(["--delete"])
      #expect(deleted.count("deleted", of: "note") == 1, "\(deleted)")
      if let title { data["title"] = .string(title) }
      if isFilledIn { data["modified"] = "2025-01-01T00:00:00Z" }
      try app.seed("n1", data)
      try await body(app)
    }
  }

  @Test func `a restored deleted record is reported, and stays`() async throws {
    try await withReturned { app in
      for more in [[], ["--delete"], ["--delete", "--full"]] {
        let reported = try await app.scenario.migrate(more).exits(0)
        #expect(reported.findings("plan.returned").count == 1)
        #expect(reported.count("deleted", of: "note") == 0)
        #expect(Set(try app.server().keys) == ["n1", "n2"])
      }
    }
  }

  @Test func `a restored deleted record is deleted if a person asks for it`()
    async throws
  {
    try await withReturned { app in
      let deleted = try await app.scenario.migrate(["--delete"] + Self.local).exits(0)
      #expect(deleted.count("deleted", of: "note") == 1)
      #expect(Set(try app.server().keys) == ["n2"])
      let again = try await app.scenario.migrate(["--delete"] + Self.local)
      #expect(again.count("deleted", of: "note") == 0, "\(again)")
      #expect(again.findings("plan.returned").isEmpty)
    }
  }

  @Test(arguments: [("made anew", false), (nil, true)] as [(String?, Bool)])
  func `a deleted record that another device created differently is reported, and stays`(
    title: String?,
    isFilledIn: Bool
  ) async throws {
    try await withReturned(title: title, isFilledIn: isFilledIn) { app in
      let answer = try await app.scenario.migrate(["--delete"] + Self.local).exits(0)
      #expect(answer.findings("plan.returned").count == 1)
      #expect(answer.count("deleted", of: "note") == 0)
      #expect(Set(try app.server().keys) == ["n1", "n2"])
    }
  }

  @Test func `a deleted record that the store has again does not count as restored`()
    async throws
  {
    try await withReturned { app in
      try app.add(.init(id: "n1"))
      let answer = try await app.scenario.migrate(["--delete"]).exits(0)
      #expect(answer.findings("plan.returned").isEmpty)
      #expect(answer.count("deleted", of: "note") == 0)
      #expect(Set(try app.server().keys) == ["n1", "n2"])
    }
  }
}
