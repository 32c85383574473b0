import Foundation
import JSONText
import SchemaValidation
import Schemas
import TestSupport
import Testing

extension WriteBackTests {
  // 001-71: the way back for the app itself.
  @Test func `after a rollback the write-back file restores the store's unsent state`() async throws
  {
    try await withScenario(.later) { scenario in
      let first = try await scenario.migrate()
      _ = try await apply(try first.run(), scenario)
      try await scenario.rollback(try first.run()).exits(0)
      let withdrawal = try await apply(try first.run(), scenario)
      #expect(withdrawal.filter { $0["status"] == "synced" }.isEmpty)
      #expect(
        withdrawal.filter { $0["status"] == "withdrawn" }.count == Int(first.count("created"))
      )
      let again = try await scenario.migrate()
      #expect(again.count("created") == first.count("created"), "\(again)")
    }
  }

  @Test func `a record whose row is gone from the store is skipped in the write-back`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      try app.scenario.sql("DELETE FROM note WHERE id = 'n1'")
      let answer = try await app.scenario.migrate().exits(0)
      #expect(answer.findings("plan.absent").count == 1, "\(answer)")
      let file = try await app.scenario.savedWriteBack(of: answer)
      let gone = try #require(file.entry("n1"))
      #expect(gone["status"] == "skipped")
      #expect(gone["reason"] == "the store no longer has it")
      #expect(gone["serverID"]?.text != nil)
      #expect(gone["attributes"]?.object?.members.isEmpty == true)
      #expect(file.entry("n2")?["status"] == "synced")
    }
  }

  // “For every record exactly one entry”: what a run left out is not said to be at the server as it is.
  @Test(arguments: [
    ["--skip", "note"], ["--only", "book"], ["--skip", "note.title=changed"],
  ])
  func `a changed record that a run leaves out is skipped in its write-back, and sent by the next`(
    choice: [String]
  ) async throws {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"), .init(id: "n2"))
      try await app.scenario.migrate().exits(0)
      try app.scenario.sql("UPDATE note SET title = 'changed' WHERE id = 'n1'")
      let partial = try await app.scenario.migrate(choice).exits(0)
      let file = try await app.scenario.savedWriteBack(of: partial)
      let changed = try #require(file.entry("n1"))
      #expect(changed["status"] == "skipped")
      #expect(changed["reason"] == "this run was asked to leave it out")
      #expect(changed["serverID"]?.text != nil)
      #expect(changed["attributes"]?.object?.members.isEmpty == true)
      let last = try await app.scenario.migrate().exits(0)
      #expect(last.count("updated", of: "note") == 1)
      #expect(try await app.scenario.savedWriteBack(of: last).entry("n1")?["status"] == "synced")
    }
  }

  @Test func `records that no run took have an entry with the reason, or are counted by it`()
    async throws
  {
    try await NoteStore.with { app in
      try app.add(.init(id: "n1"), .init(id: "n2", title: "later"))
      let byValue = try await app.scenario.migrate(["--skip", "note.title=later"]).exits(0)
      let file = try await app.scenario.savedWriteBack(of: byValue)
      #expect(file.entry("n2")?["status"] == "skipped")
      #expect(file.entry("n2")?["serverID"] == .null)
      #expect(Self.counted(in: file) == ["streak: it follows from other records, 2", Self.user])
      try app.add(.init(id: "n3"))
      let whole = try await app.scenario.migrate(["--skip", "note"]).exits(0)
      let counted = try await app.scenario.savedWriteBack(of: whole)
      #expect(counted.entry("n3") == nil)
      #expect(
        Self.counted(in: counted) == [
          "note: this run was asked to leave it out, 3", "streak: it follows from other records, 2",
          Self.user,
        ]
      )
    }
  }

  private static let user = "user: it is the server's own, 1"

  /// What a file says of the records that have no entry.
  private static func counted(in file: JSONValue) -> [String] {
    (file["withoutEntry"]?.array ?? []).map { line in
      "\(line["entity"]?.text ?? ""): \(line["reason"]?.text ?? ""), \(line["count"]?.integer ?? 0)"
    }
  }

  // The stories without a hero have no place; illustrations have none at all.
  @Test func `every record of a package has one entry, or its entity is counted`() async throws {
    try await withScenario(.later) { scenario in
      let answer = try await scenario.migrate()
      let file = try await scenario.savedWriteBack(of: answer)
      let counted = Set(try #require(file["withoutEntry"]?.array).compactMap { $0["entity"]?.text })
      var compared = 0
      for line in try #require(answer.value("upload")?["records"]?.array) {
        let entity = try #require(line["entity"]?.text)
        let read = try #require(line["read"]?.integer)
        guard !counted.contains(entity) else { continue }
        #expect(Int64(file.entries(entity).count) == read, "\(entity)")
        compared += 1
      }
      #expect(compared > 1)
    }
  }

  // A report lists the first 1,000 findings; the app is told of all.
  @Test func `every record that a verification found different is in conflict`() async throws {
    try await NoteStore.withoutState { app in
      try app.add(.init(id: "n0"))
      try app.sql(
        """
        INSERT INTO note WITH RECURSIVE numbers(i) AS (
          SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 1099
        ) SELECT 'n' || i, title, state, book_id, server_id, server_version, deleted_at, owner, plays,
          favourite, tags, rating, modified FROM numbers, note
        """
      )
      let first = try await app.scenario.migrate().exits(0)
      let changed = try app.server().map { id, row -> JSONValue in
        var data = row["data"]?.object ?? JSONObject()
        data["title"] = "another device's"
        return ["collection": "notes", "id": .string(id), "data": .object(data)]
      }
      #expect(changed.count == 1_100)
      try app.scenario.backend.seed([
        "account": .string(DemoAccount.email), "records": .array(changed),
      ])
      let package = "\(app.scenario.folder)/p.ferry"
      try await app.scenario.export(to: package).exits(0)
      let verdict = try await app.scenario.ferry(["verify", package] + app.scenario.destination)
      // A report lists 1,000 findings, of which one is about the titles of all, and the first of the rule beyond.
      #expect(verdict.findings.count == 1_001)
      #expect(verdict.findings("verify.different").count == 999, "\(verdict.status)")
      let notes = try await app.scenario.savedWriteBack(of: first).entries("note")
      #expect(notes.count == 1_100)
      #expect(notes.count { $0["status"] == "conflicted" } == 1_100)
      #expect(notes.allSatisfy { $0["reason"]?.text?.hasPrefix("it differs at") == true })
    }
  }
}
