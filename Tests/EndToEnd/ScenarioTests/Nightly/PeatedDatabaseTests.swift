import Foundation
import JSONText
import TestSupport
import Testing

/// The SQLite database that Peated really keeps, with its queue of operations, to the app's routes.
@Suite(.timeLimit(.minutes(5))) struct PeatedDatabaseTests {
  // 003-4, 003-7, 003-12, 003-17, 002-9: and facts about the app's own seven days.
  @Test func `rows and their queued operations are merged, and every other operation is named`()
    async throws
  {
    try await withPeatedDatabase { scenario in
      let answer = try await scenario.migrate().exits(0)
      let buckets = ["created", "updated", "deleted", "unchanged", "skipped"]
      #expect(buckets.map { answer.count($0, of: "Tasting") } == [5, 1, 1, 10, 9])
      #expect(answer.count("skipped", of: "OfflineOperation") == 18)
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      func count(_ words: String) -> Int { causes.count { $0.contains(words) } }
      // A row with the values of a creation is what that made.
      #expect(count("names no record") == 0)
      #expect(count("tried it as often") == 1)
      #expect(count("older than the app keeps") == 2)
      #expect(count("has taken it already") == 1)
      #expect(count("how a change of this kind is sent") == 2)
      // A toast that was given and rolled back, and is not there, leaves nothing to be done.
      #expect(causes.count == 6)
      #expect(answer.count("created", of: "Comment") == 1)
      #expect(answer.count("deleted", of: "Comment") == 1)
      #expect(answer.count("created", of: "Friend") == 1)
      #expect(answer.count("created", of: "TastingToast") == 1)
      #expect(answer.value("verification")?["clean"] == true)
      let comments = try scenario.backend.dump()["comments"]?.array ?? []
      #expect(comments.first { $0["comment"] == "Sláinte" }?["tasting"] == 80_002)
      #expect(!comments.contains { $0["id"] == 70_006 })
      let tastings = try scenario.backend.dump()["tastings"]?.array ?? []
      #expect(tastings.first { $0["id"] == 90_003 }?["tags"] == ["peat", "ash"])
      #expect(!tastings.contains { $0["id"] == 90_006 })
      let writes = try scenario.backend.writeCount()
      try await scenario.migrate().exits(0)
      #expect(try scenario.backend.writeCount() == writes)
      let back = try await scenario.rollback(try answer.run())
      // The backend takes no toast back: that is kept, and said.
      #expect(back.status == 6, "\(back)")
      #expect(try scenario.backend.dump()["tastings"]?.array?.count == 20)
      #expect(try scenario.backend.dump()["comments"]?.array?.count == comments.count - 1)
    }
  }

  // 003-8, 003-11, 001-61: 409 means that it is there already.
  @Test
  func `with kills and lost answers, each record exists once, and all are rolled back`()
    async throws
  {
    try await withPeatedDatabase { scenario in
      let before = try scenario.backend.dump()
      try scenario.backend.setFaults(
        "delay:1:60ms@POST /v1/;drop-after:2@POST /v1/tastings;drop-after:n=1@PUT /v1/friends"
      )
      for wait in [0.2, 0.5] { try await scenario.kill(after: wait) }
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      try scenario.backend.setFaults("")
      let there = try scenario.backend.dump()
      #expect(there["tastings"]?.array?.count == (before["tastings"]?.array?.count ?? 0) + 4)
      #expect(there["comments"]?.array?.count { $0["comment"] == "Sláinte" } == 1)
      for back in try await scenario.rollbackAll(from: last) {
        // Only a toast cannot be rolled back.
        #expect([0, 6].contains(back.status), "\(back)")
      }
      // What the person had removed stays away.
      let kept = before["tastings"]?.array?.filter { $0["id"] != 90_006 }
      #expect(try scenario.backend.dump()["tastings"]?.array == kept)
    }
  }

  // 003-4: the backend has a library, and no wishlist and no list of bottles tasted.
  @Test func `the bottles that a person owns are in the library, and the others are named`()
    async throws
  {
    try await withPeatedDatabase { scenario in
      func library() throws -> [Int64] {
        (try scenario.backend.dump()["collectionRows"]?.array ?? []).compactMap { row in
          row["list"] == "library" ? row["bottle"]?.integer : nil
        }
      }
      let token = try scenario.backend.request(
        "POST",
        "/v1/auth/login",
        ["email": "morag@example.com", "password": "correct-horse"]
      )["accessToken"]?.text
      let path = "/v1/users/me/collections/library/bottles"
      _ = try scenario.backend.request("POST", path, ["bottle": 507], token: token)
      let answer = try await scenario.migrate().exits(0)
      #expect(answer.count("created", of: "CollectionEntry") == 1, "\(answer)")
      #expect(answer.count("unchanged", of: "CollectionEntry") == 1)
      #expect(answer.count("unmapped", of: "CollectionEntry") == 2)
      #expect(try library() == [501, 507])
      try await scenario.expectNothingToSend()
      _ = try await scenario.rollback(try answer.run())
      // What was there before stays.
      #expect(try library() == [507])
    }
  }

  @Test func `the picture of a queued tasting that has a row is sent as well`() async throws {
    try await withPeatedDatabase { scenario in
      try await scenario.migrate().exits(0)
      let pictured = try PeatedScenario(scenario: scenario).server("tastings").values.filter {
        $0["imageUrl"]?.text != nil
      }
      #expect(pictured.count == 1)
    }
  }

  @Test func `a toast that existed before and was rolled back is named with the missing route`()
    async throws
  {
    try await withPeatedDatabase { scenario in
      let first = try await scenario.migrate()
      #expect(first.count("created", of: "TastingToast") == 1)
      try scenario.sql(
        "UPDATE offline_operations SET payload = "
          + #"CAST('{"tastingId":"80003","isToasted":false}' AS BLOB) "#
          + "WHERE type = 'toggleToast' AND CAST(payload AS TEXT) LIKE '%80003%'"
      )
      let answer = try await scenario.migrate()
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      // The other toast was rolled back before it was ever given.
      #expect(causes.count { $0.contains("has no way to roll it back") } == 1, "\(causes)")
      #expect(!causes.contains { $0.contains("is not in the store") })
    }
  }

  @Test func `every field that the backend has no place for is reported as unmapped`() async throws
  {
    try await withPeatedDatabase { scenario in
      let package = "\(scenario.folder)/known.ferry"
      try await scenario.export(to: package).exits(0)
      try await scenario.ferry(
        ["plan", package, "--fail-on-unmapped"] + scenario.destination
      ).exits(0)
    }
  }

  // No route gives a tasting another bottle.
  @Test func `a change that leaves a field behind is conflicted in the write-back`() async throws {
    try await withPeatedDatabase { scenario in
      try await scenario.migrate().exits(0)
      try scenario.sql(
        "UPDATE tastings SET bottle_id = 507, notes = 'edited', synced_at = NULL WHERE id = 90001"
      )
      let answer = try await scenario.migrate().exits(6)
      #expect(answer.count("updated", of: "Tasting") == 1)
      let tasting = try PeatedScenario(scenario: scenario).server("tastings")[90_001]
      #expect(tasting?["notes"] == "edited")
      let entry = try await scenario.savedWriteBack(of: answer).entry("90001")
      #expect(entry?["status"] == "conflicted", "\(String(describing: entry))")
      #expect(entry?["reason"] == "the destination takes bottle only when a record is made")
      // An answer shows the whole bottle, and the row has its number.
      #expect(entry?["attributes"]?["bottle_id"] == 501)
    }
  }

  @Test func `an unknown database user is rejected`() async throws {
    try await withPeatedDatabase { scenario in
      var other = scenario
      other.environment = DemoAccount.environment
      let refused = try await other.migrate().exits(12)
      #expect(refused.standardError.contains("morag@example.com"))
    }
  }
}
