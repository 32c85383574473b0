import Foundation
import JSONText
import TestSupport
import Testing

extension KeptRemoteTests {
  /// Sends a note, has both sides change its title, and runs once more, which keeps the server's.
  private func withKeptTitle(
    listsRevisions: Bool = true,
    _ body: (NoteStore, _ runs: [String]) async throws -> Void
  ) async throws {
    try await NoteStore.with(conflict: "remote", listsRevisions: listsRevisions) { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try changeBoth(app)
      let second = try await app.scenario.migrate().exits(6)
      try await body(app, try second.runs())
    }
  }

  // MARK: - Rollback

  @Test(arguments: [true, false])
  func `a rollback of all runs leaves the remote value that a conflict kept`(
    listsRevisions: Bool
  ) async throws {
    try await withKeptTitle(listsRevisions: listsRevisions) { app, runs in
      _ = try await app.scenario.rollback(runs[0])
      let back = try await app.scenario.rollback(runs[1]).exits(6)
      #expect(back.count("conflicted", of: "note", in: "rollback") == 1)
      #expect(try title(app) == "theirs")
    }
  }

  @Test func `a rollback of an update leaves the remote value that a later conflict kept`()
    async throws
  {
    try await NoteStore.with(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.sql("UPDATE note SET plays = 7 WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      try changeBoth(app)
      let last = try await app.scenario.migrate().exits(6)
      for run in try last.runs() { _ = try await app.scenario.rollback(run) }
      let data = try app.server()["n1"]?["data"]
      #expect(data?["title"] == "theirs")
      #expect(data?["plays"] == 7)
    }
  }

  @Test func `a rollback leaves a record on which both sides had agreed`() async throws {
    try await NoteStore.with(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      let first = try await app.scenario.migrate()
      try changeBoth(app)
      try app.sql("UPDATE note SET title = 'theirs' WHERE id = 'n1'")
      try await app.scenario.migrate().exits(0)
      try await app.scenario.rollback(try first.run()).exits(6)
      #expect(try title(app) == "theirs")
    }
  }

  @Test func `a rollback leaves a CloudKit record that a conflict kept`() async throws {
    try await withResults { results in
      let sent = try await results.exported(try results.preferences(editing: "del found[1:]"))
      let first = try await results.ferry(["upload", sent]).exits(0)
      let record = try #require(try results.records().first)
      let other = "\(results.folder)/other.ferry"
      let theirs = try results.preferences(editing: "del found[1:]; found[0]['score'] = 5")
      try await results.local(["export", theirs, "-o", other]).exits(0)
      let otherDevice = try await results.ferry(
        ["upload", other, "--on-conflict", "local"],
        state: "other-device"
      )
      #expect(otherDevice.count("updated") == 1, "\(otherDevice)")
      let mine = "\(results.folder)/mine.ferry"
      let edited = try results.preferences(editing: "del found[1:]; found[0]['score'] = 6")
      try await results.local(["export", edited, "-o", mine]).exits(0)
      let second = try await results.ferry(["upload", mine]).exits(6)
      _ = try await results.ferry(["rollback", try second.run()])
      try await results.ferry(["rollback", try first.run()]).exits(6)
      let left = try results.records()
      #expect(left.map { $0["recordName"] } == [record["recordName"]])
      #expect(left.first?["fields"]?["score"]?["value"] == 5)
    }
  }

  #if os(Linux)
  @Test func `a kept conflict is status 6 again if a file about its run could not be written`()
    async throws
  {
    try await NoteStore.with(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try changeBoth(app)
      for flags in [["--metrics", "/dev/full"], []] {
        let answer = try await app.scenario.migrate(flags).exits(6)
        #expect(answer.findings("plan.conflict-kept-remote").count == 1)
      }
      try await app.scenario.migrate().exits(0)
    }
  }
  #endif

  @Test func `verify does not report an existing record as missing`() async throws {
    try await NoteStore.with(conflict: "fail") { app in
      try app.seed("n1", ["title": "theirs"])
      try app.add(.init(id: "n1", title: "mine"))
      let answer = try await app.scenario.migrate().exits(6)
      let causes = answer.findings("verify.unsent").compactMap { $0["cause"]?.text }
      #expect(causes == ["it was not sent, and the destination has other content in its place"])
    }
  }
}
