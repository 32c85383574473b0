import Foundation
import JSONText
import TestSupport
import Testing

/// The sample store of Peated, with its queue of changes, to its own routes.
///
/// The numbers in comments are those of the designs' behaviours.
@Suite(.timeLimit(.minutes(5))) struct PeatedTests {
  // 003-4, 003-6, 003-7, 003-8, 003-9, 003-10, 003-11, 003-12, 003-14, 003-17, 003-30, 003-34.
  @Test func `a row and its queued changes become one operation, and other changes are reported`()
    async throws
  {
    try await withPeated { peated in
      let answer = try await peated.scenario.migrate().exits(0)
      let buckets = ["created", "updated", "deleted", "unchanged", "skipped"]
      #expect(buckets.map { answer.count($0, of: "Tasting") } == [4, 1, 1, 10, 10])
      #expect(buckets.map { answer.count($0, of: "Comment") } == [2, 0, 1, 2, 3])
      #expect(answer.count("skipped", of: "PendingMutation") == 26)
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.count { $0.contains("how a change of this kind is sent") } == 9)
      let tried = answer.findings("plan.queued").filter {
        $0["cause"]?.text?.contains("tried it as often as it may") == true
      }
      // Its row is sent, and doing it by hand would do it twice.
      #expect(tried.map { $0["cure"] } == ["no action is needed"])
      #expect(causes.count == 10)
      let left = answer.findings("plan.skipped").compactMap { $0["cause"]?.text }
      #expect(left.contains { $0.contains("16 records of PendingMutation") })
      let writes = try peated.scenario.backend.writeCount()
      try await peated.scenario.migrate().exits(0)
      #expect(try peated.scenario.backend.writeCount() == writes)
    }
  }

  // 003-5, 003-6, 003-11.
  @Test
  func `queued changes are merged to the last one, with remote identities, urgent ones first`()
    async throws
  {
    try await withPeated { peated in
      let before = try peated.server("tastings")
      let profile = peated.scenario.profile
      try String(at: profile).replacing("concurrency: 2", with: "concurrency: 1").save(to: profile)
      _ = try await peated.scenario.migrate()
      let tastings = try peated.server("tastings")
      // Made, then changed twice.
      let fourth = try #require(
        tastings.values.first { $0["notes"] == "Opened up after an hour" }
      )
      #expect(fourth["rating"] == 2)
      // Changed in the queue alone; what the queue does not speak of stays as it was.
      #expect(tastings[90_003]?["rating"] == 1)
      #expect(tastings[90_003]?["tags"] == ["peat", "ash"])
      #expect(tastings[90_003]?["notes"] == before[90_003]?["notes"])
      // Made and removed before the server heard of it; removed after.
      #expect(tastings.count == before.count + 4 - 1 && tastings[90_006] == nil)
      let comment = try #require(
        try peated.server("comments").values.first {
          $0["comment"] == "Forgot to say: from a sample"
        }
      )
      let parent = try #require(comment["tasting"]?.integer.flatMap { tastings[$0] })
      #expect(parent["id"]?.integer.map { before[$0] == nil } == true)
      let new = tastings.keys.filter { before[$0] == nil }.sorted()
      #expect(new.first == fourth["id"]?.integer)
    }
  }

  // 003-17, 002-9: whose rows these are, and whose store.
  @Test func `other people's tastings are not sent, and another person is refused`() async throws {
    try await withPeated { peated in
      let answer = try await peated.scenario.migrate(["-n"])
      let left = answer.findings("plan.skipped").compactMap { $0["cause"]?.text }
      #expect(left.contains { $0.contains("9 records of Tasting") && $0.contains("another") })
      var other = peated.scenario
      for (name, value) in other.environment where value == DemoAccount.email {
        other.environment[name] = "feed@example.com"
      }
      let writes = try other.backend.writeCount()
      try await other.migrate().exits(12)
      #expect(try other.backend.writeCount() == writes)
    }
  }

  // 003-19, 000-37: what the app removed by itself, and what the person removed.
  @Test func `deletions are limited, and a row that the app discarded does not count`() async throws
  {
    try await withPeated { peated in
      try await peated.scenario.migrate(["--max-delete", "1"]).exits(8)
      try await peated.scenario.migrate(["--max-delete", "3"]).exits(0)
      let before = try peated.server("tastings")
      try peated.sql("DELETE FROM ZTASTING WHERE ZID = '90001'")
      let later = try await peated.scenario.migrate(["--delete"])
      #expect(later.count("deleted") == 0, "\(later)")
      #expect(try peated.server("tastings") == before)
    }
  }

  // 003-6: the app has removed the row at once, and only the queue still has it.
  @Test func `a queued deletion whose row is gone deletes the remote record`() async throws {
    try await withPeated { peated in
      try peated.sql("DELETE FROM ZTASTING WHERE ZID = '90006'")
      let answer = try await peated.scenario.migrate().exits(0)
      #expect(try peated.server("tastings")[90_006] == nil)
      #expect(answer.findings("plan.queued").count == 10)
      let again = try await peated.scenario.migrate().exits(0)
      let before = Set(answer.findings("plan.queued").map(\.canonicalText))
      let now = again.findings("plan.queued").map(\.canonicalText)
      #expect(now.filter { !before.contains($0) } == [])
      #expect(now.count == 10)
    }
  }

  // 003-9, 003-10: a change whose row is not in the store is reported, never dropped.
  @Test func `a queued change without its row is named`() async throws {
    try await withPeated { peated in
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZENTITYID = '5E0A7C3D-0000-4000-8000-000000000999' "
          + "WHERE ZENTITYID = '90003'"
      )
      let answer = try await peated.scenario.migrate()
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.count { $0.contains("is not in the store") } == 1)
    }
  }

  // 003-23, 003-25, 003-26: an edit on both sides.
  @Test func `tags of both sides are merged, and the remote note is kept and listed`()
    async throws
  {
    try await withPeated { peated in
      _ = try await peated.scenario.migrate()
      try peated.patch(90_003, ["tags": ["peat", "ash", "iodine"], "notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = "
          + #"CAST('{"rating":2.5,"tags":["peat","ash","salt"],"notes":"here"}' AS BLOB) "#
          + "WHERE ZENTITYID = '90003'"
      )
      let answer = try await peated.scenario.migrate()
      let tasting = try #require(try peated.server("tastings")[90_003])
      #expect(tasting["tags"] == ["peat", "ash", "iodine", "salt"], "\(answer)")
      #expect(tasting["notes"] == "from the web")
      #expect(answer.findings("plan.merged").count == 1)
    }
  }

  // 000-41, 003-23: the server keeps no versions, and what both began with decides all the same.
  @Test func `a deletion in the store of a record that changed at the destination is a conflict`()
    async throws
  {
    try await withPeated { peated in
      _ = try await peated.scenario.migrate()
      try peated.patch(90_003, ["notes": "from the web"])
      try peated.sql(
        "UPDATE ZPENDINGMUTATION SET ZTYPE = 'deleteTasting', "
          + #"ZPAYLOAD = CAST('{"tastingId":"90003"}' AS BLOB) WHERE ZENTITYID = '90003'"#
      )
      for _ in 1...2 {
        let answer = try await peated.scenario.migrate().exits(6)
        #expect(answer.findings("plan.conflict-kept-remote").count == 1)
        #expect(try peated.server("tastings")[90_003]?["notes"] == "from the web")
      }
      let requestedPause = try await peated.scenario.migrate(["--on-conflict", "local"])
      #expect(requestedPause.count("deleted") == 1, "\(requestedPause)")
      #expect(try peated.server("tastings")[90_003] == nil)
    }
  }

  // 003-17: a change of another device's row.
  @Test func `a queued change of a record that is not sent is named`() async throws {
    try await withPeated { peated in
      try peated.sql("UPDATE ZPENDINGMUTATION SET ZENTITYID = '80001' WHERE ZENTITYID = '90003'")
      let before = try peated.server("tastings")[80_001]
      let answer = try await peated.scenario.migrate().exits(0)
      let causes = answer.findings("plan.queued").compactMap { $0["cause"]?.text }
      #expect(causes.count { $0.contains("the record it changes is not sent") } == 1)
      #expect(try peated.server("tastings")[80_001] == before)
    }
  }

  // 003-8: 409 means that it is there already.
  @Test(arguments: [0.2, 0.5])
  func `with kills and lost answers, each record exists once, and all are rolled back`(
    wait: Double
  ) async throws {
    try await withPeated { peated in
      let scenario = peated.scenario
      let before = try peated.server("tastings")
      try scenario.backend.setFaults("delay:1:80ms@POST /v1/;drop-after:2@POST /v1/tastings")
      try await scenario.kill(after: wait)
      try scenario.backend.setFaults("drop-after:2@POST /v1/tastings/")
      let last = try await scenario.migrate(["--retries", "20"]).exits(0)
      #expect(last.value("verification")?["clean"] == true)
      #expect(try peated.server("tastings").count == before.count + 3)
      #expect(try peated.server("comments").count == 7)
      // The run that was killed, and the one that only finished it.
      for back in try await scenario.rollbackAll(from: last) {
        // Only a toast cannot be rolled back.
        #expect([0, 6].contains(back.status), "\(back)")
      }
      // What the person had removed stays away.
      #expect(try peated.server("tastings") == before.filter { $0.key != 90_006 })
    }
  }

  // The app calls synced what the rollback removed from the server.
  @Test func `a queued change that a rollback reversed is a conflict until a policy sends it`()
    async throws
  {
    try await withPeated { peated in
      let scenario = peated.scenario
      let answer = try await scenario.migrate().exits(0)
      try scenario.install(try await scenario.appliedWriteBack(of: answer).store)
      try await scenario.rollback(try answer.run()).exits(6)
      let next = try await scenario.migrate().exits(6)
      #expect(next.count("conflicted", of: "Tasting") == 1, "\(next)")
      #expect(next.findings("plan.remote-newer").isEmpty)
      let local = try await scenario.migrate(["--on-conflict", "local"])
      #expect(local.value("verification")?["clean"] == true, "\(local)")
      #expect(try peated.server("tastings")[90_003]?["tags"] == ["peat", "ash"])
    }
  }

  // 003-17: the server takes no moment of more than seven days ago.
  @Test func `a tasting with a date too long ago is refused by name, and the others arrive`()
    async throws
  {
    try await withPeated { peated in
      let key = "5E0A7C3D-0000-4000-8000-000000000002"
      try peated.sql("UPDATE ZTASTING SET ZCREATEDAT = ZCREATEDAT - 864000 WHERE ZID = '\(key)'")
      let before = try peated.server("tastings").count
      let answer = try await peated.scenario.migrate().exits(3)
      #expect(answer.count("rejected", of: "Tasting") == 1)
      #expect(answer.count("created", of: "Tasting") == 3)
      #expect(answer.findings("request.too-old").count == 1, "\(answer)")
      #expect(try peated.server("tastings").count == before + 3 - 1)
    }
  }

  // 003-14: what the server changes by itself is no difference.
  @Test func `tags in capitals, empty notes and comments with spaces cause no repeated changes`()
    async throws
  {
    try await withPeated { peated in
      try peated.sql(
        "UPDATE ZCOMMENT SET ZTEXT = '  ' || ZTEXT || ' ' WHERE ZID LIKE '5E0A7C3D%'",
        "UPDATE ZTASTING SET ZNOTES = '' WHERE ZID LIKE '5E0A7C3D%'",
        "UPDATE ZPENDINGMUTATION SET ZPAYLOAD = "
          + #"CAST('{"tags":["Peat","ash","peat"]}' AS BLOB) WHERE ZENTITYID = '90003'"#
      )
      let answer = try await peated.scenario.migrate().exits(0)
      #expect(answer.value("verification")?["clean"] == true, "\(answer)")
      #expect(try peated.server("tastings")[90_003]?["tags"] == ["peat", "ash"])
      let writes = try peated.scenario.backend.writeCount()
      try await peated.scenario.migrate().exits(0)
      #expect(try peated.scenario.backend.writeCount() == writes)
    }
  }

  // 003-25: two devices of one person, in both orders and interleaved.
  @Test func `two devices end in the same state, whichever comes first`() async throws {
    var ends: [[String]] = []
    for order in DeviceOrder.allCases {
      try await withPeated { phone in
        let tablet = PeatedScenario(scenario: phone.scenario.with(try Self.tablet(of: phone)))
        if order == .interleaved {
          try phone.scenario.backend.setFaults("delay:1:150ms@POST /v1/")
          try await phone.scenario.kill(after: 0.25)
          try phone.scenario.backend.setFaults("")
          #expect(try phone.contents().count < 25 + 7)
        }
        for one in order == .firstFirst ? [phone, tablet, phone] : [tablet, phone, tablet] {
          try await one.scenario.migrate().exits(0)
        }
        ends.append(Self.distances(in: try phone.contents()) + (try phone.ties().sorted()))
      }
    }
    for end in ends { #expect(end == ends[0], "\(Set(end).symmetricDifference(ends[0]))") }
    #expect(ends[0].count == 25 + 7 + 3)
  }

  /// The same with each moment as its distance from the first one, in seconds: the dates of a sample are those
  /// of the days before it was made.
  private static func distances(in lines: [String]) -> [String] {
    let pattern = /"(\d{4}-[^"]*Z)"/
    let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    func moment(_ text: Substring) -> Date? { try? form.parse(String(text)) }
    let first = lines.flatMap { $0.matches(of: pattern).compactMap { moment($0.1) } }.min()
    guard let first else { return lines }
    return lines.map { line in
      line.replacing(pattern) { match in
        moment(match.1).map { "\($0.timeIntervalSince(first).rounded())" } ?? "\(match.0)"
      }
    }.sorted()
  }

  /// A store of another device: one tasting is its own, the others both have under other identities.
  private static func tablet(of phone: PeatedScenario) throws -> Sample {
    let sample = try phone.scenario.sample.copied(into: "\(phone.scenario.folder)/tablet")
    for table in ["ZTASTING", "ZCOMMENT"] {
      try Python.edit(
        sample.store,
        "UPDATE \(table) SET ZID = replace(ZID, '5E0A7C3D-0000', '5E0A7C3D-0001')"
      )
    }
    try Python.edit(
      sample.store,
      "UPDATE ZPENDINGMUTATION SET ZENTITYID = replace(ZENTITYID, '5E0A7C3D-0000', '5E0A7C3D-0001')",
      "UPDATE ZTASTING SET ZCREATEDAT = ZCREATEDAT + 600 WHERE ZID LIKE '5E0A7C3D-0001%0002'"
    )
    return sample
  }
}
