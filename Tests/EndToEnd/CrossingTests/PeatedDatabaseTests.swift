import Foundation
import JSONText
import TestSupport
import Testing

/// The SQLite database that Peated really keeps, with its queue of operations, to the app's routes.
@Suite(.timeLimit(.minutes(5))) struct PeatedDatabaseTests {
  // 003-4, 003-7, 003-12, 003-17, 002-9: and facts about the app's own seven days.
  @Test func `rows and the operations that name them are one, and every other operation is named`()
    async throws
  {
    try await withDatabase { crossing in
      let answer = try await crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let buckets = ["created", "updated", "deleted", "unchanged", "skipped"]
      #expect(buckets.map { answer.count($0, of: "Tasting") } == [5, 1, 1, 10, 9])
      #expect(answer.count("skipped", of: "OfflineOperation") == 18)
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      func count(_ words: String) -> Int { causes.count { $0.contains(words) } }
      #expect(count("names no record") == 4)
      #expect(count("tried it as often") == 1)
      #expect(count("older than the app keeps") == 2)
      #expect(count("has taken it already") == 1)
      #expect(count("no place for a change of this kind") == 2)
      // A toast that was given and taken back, and is not there, leaves nothing to be done.
      #expect(causes.count == 10)
      #expect(answer.count("created", of: "Comment") == 1)
      #expect(answer.count("deleted", of: "Comment") == 1)
      #expect(answer.count("created", of: "Friend") == 1)
      #expect(answer.count("created", of: "TastingToast") == 1)
      #expect(answer.value("verification")?["clean"] == true)
      let comments = try crossing.backend.dump()["comments"]?.array ?? []
      #expect(comments.first { $0["comment"] == "Sláinte" }?["tasting"] == 80_002)
      #expect(!comments.contains { $0["id"] == 70_006 })
      let tastings = try crossing.backend.dump()["tastings"]?.array ?? []
      #expect(tastings.first { $0["id"] == 90_003 }?["tags"] == ["peat", "ash"])
      #expect(!tastings.contains { $0["id"] == 90_006 })
      let writes = try crossing.backend.writeCount()
      #expect(try await crossing.migrate().status == 0)
      #expect(try crossing.backend.writeCount() == writes)
      let back = try await crossing.rollback(try answer.run())
      // The backend takes no toast back: that is kept, and said.
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(try crossing.backend.dump()["tastings"]?.array?.count == 20)
      #expect(try crossing.backend.dump()["comments"]?.array?.count == comments.count - 1)
    }
  }

  // 003-8, 003-11, 001-61: 409 means that it is there already.
  @Test
  func `killed on the way and with lost answers, each is there once; then all of it goes back`()
    async throws
  {
    try await withDatabase { crossing in
      let before = try crossing.backend.dump()
      try crossing.backend.setFaults(
        "delay:1:60ms@POST /v1/;drop-after:2@POST /v1/tastings;drop-after:n=1@PUT /v1/friends"
      )
      for wait in [0.2, 0.5] { try await crossing.kill(after: wait) }
      let last = try await crossing.migrate(["--retries", "20"])
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(last.value("verification")?["clean"] == true)
      try crossing.backend.setFaults("")
      let there = try crossing.backend.dump()
      #expect(there["tastings"]?.array?.count == (before["tastings"]?.array?.count ?? 0) + 4)
      #expect(there["comments"]?.array?.count { $0["comment"] == "Sláinte" } == 1)
      for back in try await crossing.rollbackAll(from: last) {
        // Only a toast cannot be taken back.
        #expect([0, 6].contains(back.status), "\(back.standardOutput)\(back.standardError)")
      }
      // What the person had taken away stays away.
      let kept = before["tastings"]?.array?.filter { $0["id"] != 90_006 }
      #expect(try crossing.backend.dump()["tastings"]?.array == kept)
    }
  }

  /// The app fills no table but that of its operations, and its caches.
  @Test func `a database with nothing but its queue gives its toasts, comments and follows`()
    async throws
  {
    try await withDatabase { crossing in
      try Python.edit(
        crossing.sample.store,
        "DELETE FROM tastings",
        "DELETE FROM collection",
        "DELETE FROM bottles",
        "DELETE FROM users",
        "DELETE FROM offline_operations WHERE type IN ('createTasting', 'updateTasting', "
          + "'deleteTasting', 'deleteComment', 'uploadImage', 'updateProfile')"
      )
      let answer = try await crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("created", of: "Comment") == 1)
      #expect(answer.count("created", of: "TastingToast") == 1)
      #expect(answer.count("created", of: "Friend") == 1)
      let ties = try PeatedVoyage(crossing: crossing).ties()
      #expect(ties.contains("toast 80003") && !ties.contains("toast 80004"))
    }
  }

  @Test func `a toast that stands and was taken back is named with what the backend lacks`()
    async throws
  {
    try await withDatabase { crossing in
      let first = try await crossing.migrate()
      #expect(first.count("created", of: "TastingToast") == 1)
      try Python.edit(
        crossing.sample.store,
        "UPDATE offline_operations SET payload = "
          + #"CAST('{"tastingId":"80003","isToasted":false}' AS BLOB) "#
          + "WHERE type = 'toggleToast' AND CAST(payload AS TEXT) LIKE '%80003%'"
      )
      let answer = try await crossing.migrate()
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      // The other toast was taken back before it was ever given.
      #expect(causes.count { $0.contains("has no way to take it back") } == 1, "\(causes)")
      #expect(!causes.contains { $0.contains("is not in the store") })
    }
  }

  @Test func `all that the backend has no place for is known to have none`() async throws {
    try await withDatabase { crossing in
      let package = "\(crossing.folder)/known.ferry"
      let exported = try await crossing.export(to: package)
      #expect(exported.status == 0, "\(exported.standardOutput)\(exported.standardError)")
      let plan = try await crossing.ferry(
        ["plan", package, "--fail-on-unplaced"] + crossing.destination
      )
      #expect(plan.status == 0, "\(plan.standardOutput)\(plan.standardError)")
    }
  }

  @Test func `somebody whom the database does not know is refused`() async throws {
    try await withDatabase { crossing in
      var other = crossing
      other.environment = DemoAccount.environment
      let refused = try await other.migrate()
      #expect(refused.status == 12)
      #expect(refused.standardError.contains("morag@example.com"))
    }
  }

  /// Lends the database and a server that has what it says was sent.
  private func withDatabase(_ body: (Crossing) async throws -> Void) async throws {
    let email = "morag@example.com"
    try await withPeated { peated in
      var crossing = peated.crossing
      crossing.sample.storeName = "peated.sqlite3"
      crossing.profile = "\(crossing.sample.folder)/sqlite.profile.yaml"
      let text = try String(contentsOfFile: crossing.profile, encoding: .utf8)
      try text.replacing("settle: 60s", with: "settle: 200ms")
        .write(toFile: crossing.profile, atomically: true, encoding: .utf8)
      try PeatedVoyage.unbind(crossing.profile)
      // The person has another number here, and is known by the address.
      try crossing.backend.reset()
      try crossing.backend.addAccount(email: email, password: "correct-horse")
      for (name, value) in crossing.environment where value == DemoAccount.email {
        crossing.environment[name] = email
      }
      try await peated.seed(own: email)
      try await body(crossing)
    }
  }
}
