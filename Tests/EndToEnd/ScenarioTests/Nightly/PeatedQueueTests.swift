import Foundation
import JSONText
import TestSupport
import Testing

/// What only Peated's queue speaks of, without a row: follows, toasts, comments.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct PeatedQueueTests {
  // 003-4, 003-8, 003-10: what is tied is there once, though answers are lost.
  @Test func `with kills and lost answers, each change with its own route is made once`()
    async throws
  {
    try await withPeated { peated in
      let scenario = peated.scenario
      #expect(try peated.ties() == ["friend 1007", "friend 1012"])
      try scenario.backend.setFaults(
        "delay:1:60ms@POST /v1/;drop-after:n=1@PUT /v1/friends;drop-after:2@POST /v1/tastings/"
      )
      for wait in [0.2, 0.6] { try await scenario.kill(after: wait) }
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try peated.ties() == ["friend 1007", "friend 1055", "toast 80003"])
      try scenario.backend.setFaults("")
      let writes = try scenario.backend.writeCount()
      let again = try await scenario.migrate().exits(0)
      #expect(again.count("unchanged", of: "Friend") == 1)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test func `existing records are adopted, and created ones are rolled back`() async throws {
    try await withPeated { peated in
      let rows: JSONValue = ["account": .string(DemoAccount.email), "friends": [1055]]
      _ = try peated.scenario.backend.request("POST", "/__dev/tastings", rows)
      let answer = try await peated.scenario.migrate().exits(0)
      #expect(answer.count("unchanged", of: "Friend") == 1)
      #expect(answer.count("deleted", of: "Friend") == 1)
      #expect(answer.count("created", of: "TastingToast") == 1)
      // The backend takes no toast back: that is kept, and said.
      try await peated.scenario.rollback(try answer.run()).exits(6)
      #expect(try peated.ties() == ["friend 1007", "friend 1055", "toast 80003"])
    }
  }

  // 003-6: the last of several changes of one thing counts, regardless of their priority.
  @Test(arguments: [
    (["followUser", "unfollowUser"], false), (["unfollowUser", "followUser"], true),
    (["followUser", "unfollowUser", "followUser"], true),
  ])
  func `the last of several queued changes of one person counts`(
    kinds: [String],
    isFriend: Bool
  ) async throws {
    try await withPeated { peated in
      for (hour, kind) in kinds.enumerated() {
        try peated.sql(
          "INSERT INTO ZPENDINGMUTATION (Z_ENT, Z_OPT, ZID, ZTYPE, ZENTITYID, ZPAYLOAD, ZRETRYCOUNT, "
            + "ZMAXRETRIES, ZCREATEDAT, ZPRIORITY) SELECT Z_ENT, 1, randomblob(16), '\(kind)', "
            + #"'1012', CAST('{"userId":"1012"}' AS BLOB), 0, 3, "#
            + "(SELECT max(ZCREATEDAT) FROM ZPENDINGMUTATION) + \(hour + 1), \(3 - hour) "
            + "FROM ZPENDINGMUTATION LIMIT 1"
        )
      }
      try await peated.scenario.migrate(["--only", "Friend"]).exits(0)
      #expect(try peated.ties().contains("friend 1012") == isFriend)
    }
  }

  @Test func `a rollback does not unfollow a user whom the person followed again`() async throws {
    try await withPeated { peated in
      try await peated.scenario.migrate().exits(0)
      #expect(try !peated.ties().contains("friend 1012"))
      let rows: JSONValue = ["account": .string(DemoAccount.email), "friends": [1012]]
      _ = try peated.scenario.backend.request("POST", "/__dev/tastings", rows)
      let second = try await peated.scenario.migrate()
      #expect(try peated.ties().contains("friend 1012"))
      let causes = second.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.count { $0.contains("has the record again") } == 1, "\(causes)")
    }
  }

  @Test func `a rollback does not restore a record that another device edited since`() async throws
  {
    try await withPeated { peated in
      let first = try await peated.scenario.migrate().exits(0)
      try peated.patch(90_003, ["notes": "edited later"])
      try await peated.scenario.rollback(try first.run()).exits(6)
      #expect(try peated.server("tastings")[90_003]?["notes"] == "edited later")
    }
  }

  @Test
  func `a queued change of a record that changed at the destination is a conflict by its policy`()
    async throws
  {
    try await withPeated { peated in
      try await peated.scenario.migrate().exits(0)
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = "
          + #"CAST('{"rating":2.5,"tags":["peat","ash"],"notes":"here"}' AS BLOB) "#
          + "WHERE ZENTITYID = '90003'"
      )
      for policy in ["fail", "ask", "remote"] {
        let answer = try await peated.scenario.migrate(["--on-conflict", policy])
        #expect(answer.status == 6, "\(policy): \(answer)")
        #expect(answer.count("conflicted", of: "Tasting") == 1)
        let named = answer.findings.filter { $0["record"] == "90003" }.compactMap {
          $0["code"]?.text
        }
        #expect(named.contains(policy == "remote" ? "plan.conflict-kept-remote" : "plan.conflict"))
        let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
        #expect(causes.contains { $0.contains("was changed as well") }, "\(causes)")
        #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
      }
      // Nothing was decided anew since: the change is still nowhere but in the queue.
      let again = try await peated.scenario.migrate(["--on-conflict", "remote"])
      let causes = again.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("was changed as well") }, "\(causes)")
      // A later change of the destination alone carries nothing either.
      try peated.patch(90_003, ["servingStyle": "rocks"])
      let later = try await peated.scenario.migrate(["--on-conflict", "remote"])
      let words = later.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(words.contains { $0.contains("was changed as well") }, "\(words)")
    }
  }

  @Test func `a further queued change of a record that gave way does not count as carried`()
    async throws
  {
    try await withPeated { peated in
      try await peated.scenario.migrate().exits(0)
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = "
          + #"CAST('{"rating":2.5,"tags":["peat","ash"],"notes":"here"}' AS BLOB) "#
          + "WHERE ZENTITYID = '90003'"
      )
      try await peated.scenario.migrate(["--on-conflict", "remote"]).exits(6)
      // The app queues the same again under another identity.
      try peated.sql("UPDATE ZPENDINGMUTATION SET ZID = randomblob(16) WHERE ZENTITYID = '90003'")
      let again = try await peated.scenario.migrate(["--on-conflict", "remote"])
      let causes = again.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("was changed as well") }, "\(causes)")
      #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
    }
  }

  @Test func `a queued change does not count as carried out if a person chose the remote`()
    async throws
  {
    try await withPeated { peated in
      try await peated.scenario.migrate().exits(0)
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = "
          + #"CAST('{"rating":2.5,"tags":["peat","ash"],"notes":"here"}' AS BLOB) "#
          + "WHERE ZENTITYID = '90003'"
      )
      let file = "\(peated.scenario.folder)/decisions.json"
      let flags = ["--on-conflict", "ask", "--decisions", file]
      try await peated.scenario.migrate(flags).exits(6)
      try String(at: file).replacing("\"decision\": null", with: "\"decision\": \"remote\"")
        .save(to: file)
      let answer = try await peated.scenario.migrate(flags)
      #expect(answer.findings("plan.decided").count == 1, "\(answer)")
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("was changed as well") }, "\(causes)")
      #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
    }
  }

  @Test
  func `a queued deletion without a row does not remove a record that changed at the destination`()
    async throws
  {
    try await withPeated { peated in
      try await peated.scenario.migrate().exits(0)
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZTYPE = 'deleteTasting', "
          + #"ZPAYLOAD = CAST('{"tastingId":"90003"}' AS BLOB) WHERE ZENTITYID = '90003'"#,
        "DELETE FROM ZTASTING WHERE ZID = '90003'"
      )
      let answer = try await peated.scenario.migrate(["--on-conflict", "ask"]).exits(6)
      #expect(answer.findings("plan.conflict").contains { $0["record"] == "90003" })
      #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
      let local = try await peated.scenario.migrate(["--on-conflict", "local"])
      #expect(local.count("deleted", of: "Tasting") == 1, "\(local)")
      #expect(try peated.server("tastings")[90_003] == nil)
    }
  }

  @Test func `a queued change sends only its own members after a rollback as well`() async throws {
    try await withPeated { peated in
      try peated.patch(90_003, ["servingStyle": "rocks"])
      for isLast in [false, true] {
        let answer = try await peated.scenario.migrate().exits(0)
        #expect(try peated.server("tastings")[90_003]?["servingStyle"] == "rocks")
        if !isLast { _ = try await peated.scenario.rollback(try answer.run()) }
      }
    }
  }

  @Test func `a sent record that the app gives up is neither rolled back nor created again`()
    async throws
  {
    try await withPeated { peated in
      try await peated.scenario.migrate().exits(0)
      let there = try peated.contents()
      try peated.sql("UPDATE ZPENDINGMUTATION SET ZRETRYCOUNT = ZMAXRETRIES")
      let writes = try peated.scenario.backend.writeCount()
      let second = try await peated.scenario.migrate().exits(3)
      #expect(try peated.scenario.backend.writeCount() == writes, "\(second)")
      #expect(try peated.contents() == there, "\(second)")
      #expect(second.value("verification")?["clean"] == true, "\(second)")
    }
  }

  // 003-7, 003-12: what the app would never try again is named, and not sent.
  @Test func `a follow that reached its attempt limit is not sent`() async throws {
    try await withPeated { peated in
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZRETRYCOUNT = 3 WHERE ZTYPE IN ('followUser', 'createToast')"
      )
      let answer = try await peated.scenario.migrate().exits(0)
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.count { $0.contains("tried it as often as it may") } == 3)
      #expect(try peated.ties() == ["friend 1007"])
    }
  }

  // 003-9: the backend has no route for it, and nothing else of the account is kept from going there.
  @Test func `a block is named, and is not sent`() async throws {
    try await withPeated { peated in
      let answer = try await peated.scenario.migrate().exits(0)
      let blocked = "6D07A710-0000-4000-8000-000000000021"
      let finding = answer.findings("plan.queued").first {
        $0["record"]?.text?.uppercased() == blocked
      }
      #expect(finding?["cause"]?.text?.contains("how a change of this kind is sent") == true)
      let changes = try peated.scenario.backend.changes()
      #expect(!changes.contains { $0["path"]?.text?.contains("block") == true })
    }
  }
}
