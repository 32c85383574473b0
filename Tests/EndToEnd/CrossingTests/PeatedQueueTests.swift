import Foundation
import JSONText
import TestSupport
import Testing

/// What only Peated's queue speaks of, without a row: follows, toasts, comments.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct PeatedQueueTests {
  // 003-4, 003-8, 003-10: what is tied is there once, though answers are lost.
  @Test func `each change with a route of its own is there once, through kills and lost answers`()
    async throws
  {
    try await withPeated { peated in
      let crossing = peated.crossing
      #expect(try peated.ties() == ["friend 1007", "friend 1012"])
      try crossing.backend.setFaults(
        "delay:1:60ms@POST /v1/;drop-after:n=1@PUT /v1/friends;drop-after:2@POST /v1/tastings/"
      )
      for wait in [0.2, 0.6] { try await crossing.kill(after: wait) }
      let last = try await crossing.migrate(["--retries", "20"])
      #expect(last.status == 0, "\(last.standardOutput)\(last.standardError)")
      #expect(last.value("verification")?["clean"] == true)
      #expect(try peated.ties() == ["friend 1007", "friend 1055", "toast 80003"])
      try crossing.backend.setFaults("")
      let writes = try crossing.backend.writeCount()
      let again = try await crossing.migrate()
      #expect(again.status == 0, "\(again.standardOutput)\(again.standardError)")
      #expect(again.count("unchanged", of: "Friend") == 1)
      #expect(try crossing.backend.writeCount() == writes)
    }
  }

  @Test func `what is there already is adopted, and what was made goes back`() async throws {
    try await withPeated { peated in
      let rows: JSONValue = ["account": .string(DemoAccount.email), "friends": [1055]]
      _ = try peated.crossing.backend.request("POST", "/__dev/tastings", rows)
      let answer = try await peated.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.count("unchanged", of: "Friend") == 1)
      #expect(answer.count("deleted", of: "Friend") == 1)
      #expect(answer.count("created", of: "TastingToast") == 1)
      // The backend takes no toast back: that is kept, and said.
      let back = try await peated.crossing.rollback(try answer.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(try peated.ties() == ["friend 1007", "friend 1055", "toast 80003"])
    }
  }

  // 003-6: the last of several changes of one thing counts, whatever their priority.
  @Test(arguments: [
    (["followUser", "unfollowUser"], false), (["unfollowUser", "followUser"], true),
    (["followUser", "unfollowUser", "followUser"], true),
  ])
  func `of several changes about one person the last one counts`(
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
      let answer = try await peated.crossing.migrate(["--only", "Friend"])
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      #expect(try peated.ties().contains("friend 1012") == isFriend)
    }
  }

  @Test func `whom the person followed again since is not left again`() async throws {
    try await withPeated { peated in
      let first = try await peated.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      #expect(try !peated.ties().contains("friend 1012"))
      let rows: JSONValue = ["account": .string(DemoAccount.email), "friends": [1012]]
      _ = try peated.crossing.backend.request("POST", "/__dev/tastings", rows)
      let second = try await peated.crossing.migrate()
      #expect(try peated.ties().contains("friend 1012"))
      let causes = second.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.count { $0.contains("has the record again") } == 1, "\(causes)")
    }
  }

  @Test func `what somebody edited since is not put back to what it was`() async throws {
    try await withPeated { peated in
      let first = try await peated.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try peated.patch(90_003, ["notes": "edited later"])
      let back = try await peated.crossing.rollback(try first.run())
      #expect(back.status == 6, "\(back.standardOutput)\(back.standardError)")
      #expect(try peated.server("tastings")[90_003]?["notes"] == "edited later")
    }
  }

  @Test func `a queued change of what was changed at the server is a conflict by its policy`()
    async throws
  {
    try await withPeated { peated in
      let first = try await peated.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = "
          + #"CAST('{"rating":2.5,"tags":["peat","ash"],"notes":"here"}' AS BLOB) "#
          + "WHERE ZENTITYID = '90003'"
      )
      for policy in ["fail", "ask", "server"] {
        let answer = try await peated.crossing.migrate(["--on-conflict", policy])
        #expect(answer.status == 6, "\(policy): \(answer.standardOutput)")
        #expect(answer.count("conflicted", of: "Tasting") == 1)
        let named = answer.findings.filter { $0["record"] == "90003" }.compactMap {
          $0["code"]?.text
        }
        #expect(named.contains(policy == "server" ? "plan.yielded" : "plan.conflict"))
        let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
        #expect(causes.contains { $0.contains("was changed as well") }, "\(causes)")
        #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
      }
    }
  }

  @Test func `a queued change does not count as carried where a person decided for the server`()
    async throws
  {
    try await withPeated { peated in
      let first = try await peated.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = "
          + #"CAST('{"rating":2.5,"tags":["peat","ash"],"notes":"here"}' AS BLOB) "#
          + "WHERE ZENTITYID = '90003'"
      )
      let file = "\(peated.crossing.folder)/decisions.json"
      let flags = ["--on-conflict", "ask", "--decisions", file]
      #expect(try await peated.crossing.migrate(flags).status == 6)
      try String(contentsOfFile: file, encoding: .utf8)
        .replacing("\"decision\": null", with: "\"decision\": \"server\"")
        .write(toFile: file, atomically: true, encoding: .utf8)
      let answer = try await peated.crossing.migrate(flags)
      #expect(answer.findings("plan.decided").count == 1, "\(answer.standardOutput)")
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("was changed as well") }, "\(causes)")
      #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
    }
  }

  @Test func `a queued deletion without a row does not remove what was changed at the server`()
    async throws
  {
    try await withPeated { peated in
      let first = try await peated.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZTYPE = 'deleteTasting', "
          + #"ZPAYLOAD = CAST('{"tastingId":"90003"}' AS BLOB) WHERE ZENTITYID = '90003'"#,
        "DELETE FROM ZTASTING WHERE ZID = '90003'"
      )
      let answer = try await peated.crossing.migrate(["--on-conflict", "ask"])
      #expect(answer.status == 6, "\(answer.standardOutput)\(answer.standardError)")
      #expect(answer.findings("plan.conflict").contains { $0["record"] == "90003" })
      #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
      let local = try await peated.crossing.migrate(["--on-conflict", "local"])
      #expect(local.count("deleted", of: "Tasting") == 1, "\(local.standardOutput)")
      #expect(try peated.server("tastings")[90_003] == nil)
    }
  }

  @Test func `a queued change sends only its own members after a rollback as well`() async throws {
    try await withPeated { peated in
      try peated.patch(90_003, ["servingStyle": "rocks"])
      for isLast in [false, true] {
        let answer = try await peated.crossing.migrate()
        #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
        #expect(try peated.server("tastings")[90_003]?["servingStyle"] == "rocks")
        if !isLast { _ = try await peated.crossing.rollback(try answer.run()) }
      }
    }
  }

  @Test func `what the app gives up once it was carried is neither taken back nor made again`()
    async throws
  {
    try await withPeated { peated in
      let first = try await peated.crossing.migrate()
      #expect(first.status == 0, "\(first.standardOutput)\(first.standardError)")
      let there = try peated.contents()
      try peated.sql("UPDATE ZPENDINGMUTATION SET ZRETRYCOUNT = ZMAXRETRIES")
      let writes = try peated.crossing.backend.writeCount()
      let second = try await peated.crossing.migrate()
      #expect(second.status == 0, "\(second.standardOutput)\(second.standardError)")
      #expect(try peated.crossing.backend.writeCount() == writes, "\(second.standardOutput)")
      #expect(try peated.contents() == there, "\(second.standardOutput)")
      #expect(second.value("verification")?["clean"] == true, "\(second.standardOutput)")
    }
  }

  // 003-7, 003-12: what the app would never try again is named, and not sent.
  @Test func `a follow that was tried as often as it may be is not sent`() async throws {
    try await withPeated { peated in
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZRETRYCOUNT = 3 WHERE ZTYPE IN ('followUser', 'createToast')"
      )
      let answer = try await peated.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.count { $0.contains("tried it as often as it may") } == 3)
      #expect(try peated.ties() == ["friend 1007"])
    }
  }

  // 003-9: the backend has no route for it, and nothing else of the account is kept from going there.
  @Test func `a block is named, and is not sent`() async throws {
    try await withPeated { peated in
      let answer = try await peated.crossing.migrate()
      #expect(answer.status == 0, "\(answer.standardOutput)\(answer.standardError)")
      let blocked = "6D07A710-0000-4000-8000-000000000021"
      let finding = answer.findings("plan.queued").first {
        $0["record"]?.text?.uppercased() == blocked
      }
      #expect(finding?["cause"]?.text?.contains("no place for a change of this kind") == true)
      let changes = try peated.crossing.backend.changes()
      #expect(!changes.contains { $0["path"]?.text?.contains("block") == true })
    }
  }
}
