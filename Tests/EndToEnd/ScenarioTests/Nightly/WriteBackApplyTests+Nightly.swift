import Foundation
import JSONText
import TestSupport
import Testing

extension WriteBackApplyTests {
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

  @Test func `a queue of which nothing is replayed ends with status 3`() async throws {
    try await withPeated { peated in
      try peated.sql("DELETE FROM ZPENDINGMUTATION WHERE ZTYPE <> 'blockUser'")
      let answer = try await peated.scenario.migrate().exits(3)
      #expect(answer.findings("plan.queue-unreplayed").count == 1)
    }
  }
}
