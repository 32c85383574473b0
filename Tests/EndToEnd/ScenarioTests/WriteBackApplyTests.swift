import Foundation
import JSONText
import TestSupport
import Testing

/// A write-back that is applied to a copy of the store, and what the next run makes of that copy.
@Suite(.timeLimit(.minutes(5))) struct WriteBackApplyTests {
  // MARK: - A plain SQLite database

  @Test func `a change at the server alone is reported as newer, and never as different`()
    async throws
  {
    try await NoteStore.withoutState { app in
      try await moveTitle(app)
      for _ in 1...2 {
        let answer = try await app.scenario.migrate().exits(0)
        #expect(answer.findings("plan.remote-newer").count == 1, "\(answer)")
        #expect(answer.findings("verify.different").isEmpty, "\(answer)")
        #expect(answer.value("verification")?["clean"] == true, "\(answer)")
        let entry = try await app.scenario.savedWriteBack(of: answer).entry("n1")
        #expect(entry?["status"] == "replace")
        #expect(entry?["attributes"]?["title"] == "theirs")
        #expect(entry?["unmapped"] == [])
      }
    }
  }

  // 000-13, 000-30: the app takes the server's content, and both sides agree.
  @Test func `a copy that took the server's title has nothing left to send`() async throws {
    try await NoteStore.withoutState { app in
      try await moveTitle(app)
      let answer = try await app.scenario.migrate().exits(0)
      let applied = try await app.scenario.appliedWriteBack(of: answer)
      #expect(applied.answer.value("write-back-applied")?["skipped"] == [])
      #expect(try StoreQuery.rows(applied.store, "SELECT title, plays FROM note") == ["theirs|3"])
      try app.scenario.install(applied.store)
      try await app.scenario.expectNothingToSend()
    }
  }

  @Test func `a deletion that gave way to the server's change makes the row again`() async throws {
    try await NoteStore.with(conflict: "remote") { app in
      try app.add(.init(id: "n1"))
      try await app.scenario.migrate().exits(0)
      try app.change("n1", ["title": "theirs"])
      try app.sql("UPDATE note SET state = 'gone' WHERE id = 'n1'")
      let answer = try await app.scenario.migrate().exits(6)
      let entry = try await app.scenario.savedWriteBack(of: answer).entry("n1")
      #expect(entry?["status"] == "restore", "\(String(describing: entry))")
      #expect(entry?["attributes"]?["title"] == "theirs")
      let applied = try await app.scenario.appliedWriteBack(of: answer)
      #expect(
        try StoreQuery.rows(applied.store, "SELECT title, state FROM note") == ["theirs|done"]
      )
      try app.scenario.install(applied.store)
      try await app.scenario.expectNothingToSend()
      #expect(try app.server()["n1"] != nil)
    }
  }

  @Test func `a record that both sides deleted leaves the copy, and no later run names it`()
    async throws
  {
    try await NoteStore.with { app in
      for id in ["n1", "n2"] { try app.add(.init(id: id)) }
      try await app.scenario.migrate().exits(0)
      try await AppClient(app.scenario).delete("/collections/notes/records/n1")
      try app.sql("UPDATE note SET state = 'gone' WHERE id = 'n1'")
      let answer = try await app.scenario.migrate().exits(0)
      let applied = try await app.scenario.appliedWriteBack(of: answer)
      #expect(try StoreQuery.rows(applied.store, "SELECT id FROM note") == ["n2"])
      try app.scenario.install(applied.store)
      let next = try await app.scenario.migrate(["--delete"]).exits(0)
      #expect(next.findings("plan.absent").isEmpty && next.count("deleted") == 0, "\(next)")
      #expect(next.count("unchanged", of: "note") == 1)
    }
  }

  // 000-4, 000-31: what failed is sent again, and is synced then.
  @Test func `a refused record is failed with its reason, and its row stays`() async throws {
    try await NoteStore.with { app in
      let profile = try String(at: app.scenario.profile)
      try profile.replacing(
        "title: title\n        book:",
        with: "title: { field: title, longest: 5 }\n        book:"
      )
      .save(to: app.scenario.profile)
      try app.add(.init(id: "n1", title: "seven__"))
      let answer = try await app.scenario.migrate().exits(3)
      let entry = try await app.scenario.savedWriteBack(of: answer).entry("n1")
      #expect(entry?["status"] == "failed")
      #expect(entry?["reason"]?.text?.contains("7 characters") == true)
      let applied = try await app.scenario.appliedWriteBack(of: answer)
      #expect(
        try StoreQuery.rows(applied.store, "SELECT title, state FROM note") == ["seven__|new"]
      )
      try app.sql("UPDATE note SET title = 'five_' WHERE id = 'n1'")
      let again = try await app.scenario.migrate().exits(0)
      let settled = try await app.scenario.savedWriteBack(of: again).entry("n1")
      #expect(settled?["status"] == "synced" && settled?["reason"] == .null)
    }
  }

  @Test func `a write-back of another store is refused, and nothing is written`() async throws {
    try await NoteStore.with { app in
      let answer = try await app.scenario.migrate().exits(0)
      _ = try await app.scenario.savedWriteBack(of: answer)
      try app.sql("CREATE TABLE more (id INTEGER PRIMARY KEY)")
      let copy = "\(app.scenario.folder)/new.store"
      try await app.scenario.applyWriteBack(to: copy).exits(12)
      #expect(!FileManager.default.fileExists(atPath: copy))
    }
  }

  /// Sends a note, and has another device change its title.
  private func moveTitle(_ app: NoteStore) async throws {
    try app.add(.init(id: "n1", plays: 3))
    try await app.scenario.migrate().exits(0)
    try app.change("n1", ["title": "theirs"])
  }

  // MARK: - Core Data

  // 004-10
  @Test func `a renamed tag is taken into a Core Data copy, which keeps its keys`() async throws {
    try await withNoted { scenario in
      try scenario.sql("UPDATE ZTAGENTITY SET ZSYNCSTATUS = 0")
      try await scenario.migrate().exits(0)
      let before = try tag(scenario.sample.store, "urgent")
      try rename("urgent", to: "from the web", scenario)
      let answer = try await scenario.migrate().exits(0)
      let entries = try await scenario.savedWriteBack(of: answer).entries("TagEntity")
      #expect(entries.count { $0["status"] == "replace" } == 1, "\(entries)")
      let applied = try await scenario.appliedWriteBack(of: answer)
      let after = try tag(applied.store, "from the web")
      #expect(after.prefix(2) == before.prefix(2))
      #expect(after[2] == before[2] + 1)
      try scenario.install(applied.store)
      try await scenario.expectNothingToSend()
    }
  }

  /// Key, entity and counter of a tag's row.
  private func tag(_ store: String, _ name: String) throws -> [Int] {
    let rows = try StoreQuery.rows(
      store,
      "SELECT Z_PK, Z_ENT, Z_OPT FROM ZTAGENTITY WHERE ZNAME = '\(name)'"
    )
    return try #require(rows.first).split(separator: "|").compactMap { Int($0) }
  }

  /// Renames a tag at the server, as the app's web page does.
  private func rename(_ name: String, to other: String, _ scenario: MigrationScenario) throws {
    let rows = try scenario.backend.dump()["syncRows"]?.array ?? []
    var row = try #require(rows.first { $0["name"]?.text == name }?.object)
    row["name"] = .string(other)
    row["updated_at"] = .string(Date().addingTimeInterval(60).ISO8601Format())
    row["kind"] = nil as JSONValue?
    let login = try scenario.backend.request(
      "POST",
      "/api/auth/login",
      ["email": .string(DemoAccount.email), "password": "correct-horse"]
    )
    _ = try scenario.backend.request(
      "POST",
      "/api/sync",
      ["tags": .array([.object(row)])],
      token: login["access_token"]?.text
    )
  }

  // MARK: - A queue of changes

  // 003-8, 003-34: what was carried is gone from the queue, and its rows are synced.
  @Test func `each row of Peated's queue has an outcome, and the carried ones leave the copy`()
    async throws
  {
    try await withPeated { peated in
      let scenario = peated.scenario
      let answer = try await scenario.migrate().exits(0)
      let operations = try await scenario.savedWriteBack(of: answer)["operations"]?.array ?? []
      let rows = try StoreQuery.rows(scenario.sample.store, "SELECT count(*) FROM ZPENDINGMUTATION")
      #expect(rows == ["\(operations.count)"])
      let blocked = operations.first {
        $0["key"]?.text?.uppercased() == "6D07A710-0000-4000-8000-000000000021"
      }
      #expect(blocked?["outcome"] == "not-carried", "\(operations)")
      #expect(blocked?["reason"]?.text?.contains("how a change of this kind is sent") == true)
      let settled = operations.count { ["carried", "folded"].contains($0["outcome"]?.text) }
      #expect(settled > 0)
      let applied = try await scenario.appliedWriteBack(of: answer)
      let result = try #require(applied.answer.value("write-back-applied"))
      #expect(result["operationsRemoved"] == .number(JSONNumber(Int64(settled))))
      #expect(result["skipped"]?.array?.isEmpty == true)
      let left = try StoreQuery.rows(applied.store, "SELECT count(*) FROM ZPENDINGMUTATION")
      #expect(left == ["\(operations.count - settled)"])
      let pending = "SELECT count(*) FROM ZTASTING WHERE ZSYNCSTATUS = 'pending' AND ZUSER = 1"
      #expect(try StoreQuery.rows(applied.store, pending) == ["0"])
      try scenario.install(applied.store)
      let writes = try scenario.backend.writeCount()
      let second = try await scenario.migrate()
      #expect(second.count("updated") + second.count("created") + second.count("deleted") == 0)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `a queue of which nothing is replayed ends with status 3`() async throws {
    try await withPeated { peated in
      try peated.sql("DELETE FROM ZPENDINGMUTATION WHERE ZTYPE <> 'blockUser'")
      let answer = try await peated.scenario.migrate().exits(3)
      #expect(answer.findings("plan.queue-unreplayed").count == 1)
    }
  }
}
