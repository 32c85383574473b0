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

  /// Sends a note, and has another device change its title.
  private func moveTitle(_ app: NoteStore) async throws {
    try app.add(.init(id: "n1", plays: 3))
    try await app.scenario.migrate().exits(0)
    try app.change("n1", ["title": "theirs"])
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
}
