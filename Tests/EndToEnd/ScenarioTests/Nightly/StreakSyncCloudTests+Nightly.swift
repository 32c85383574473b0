import Foundation
import JSONText
import TestSupport
import Testing

extension StreakSyncCloudTests {
  // 002-34, 002-40: what only one of two devices had is there once, in both orders.
  @Test(arguments: DeviceOrder.allCases)
  func `two devices end as the union of their results`(order: DeviceOrder) async throws {
    try await withResults { results in
      let stored = try await results.exported(results.preferences)
      let group = "\(results.folder)/group.ferry"
      try await results.local(
        ["import", "\(results.sample.folder)/group", results.preferences, "-o", group]
      ).exits(0)
      if order == .interleaved {
        try results.backend.setFaults("delay:1:150ms@POST \(results.modify)")
        _ = try await results.program.run(
          ["upload", group, "--batch-size", "2"] + results.flags,
          state: "\(results.folder)/device-1",
          stop: .kill(after: .seconds(0.3), line: "upload …")
        )
        try results.backend.setFaults("")
        try results.signIn()
      }
      let steps = order == .firstFirst ? [(1, group), (2, stored)] : [(2, stored), (1, group)]
      for (device, path) in steps {
        let answer = try await results.ferry(["upload", path], state: "device-\(device)")
        #expect([0, 6].contains(answer.status), "\(answer)")
      }
      let ids =
        try PackageLines(group).records("GameResult")
        + PackageLines(stored)
        .records("GameResult")
      let names = try results.records().compactMap { $0["recordName"]?.text }
      #expect(names.count == Set(names).count)
      #expect(Set(names) == Set(ids.compactMap { $0["id"]?.text }))
    }
  }

  @Test func `another device's record is reported only by the verification after it`() async throws
  {
    try await withResults { results in
      let stored = try await results.exported(results.preferences)
      let group = "\(results.folder)/group.ferry"
      try await results.local(
        ["import", "\(results.sample.folder)/group", results.preferences, "-o", group]
      ).exits(0)
      try await results.ferry(["upload", stored]).exits(0)
      let other = try await results.ferry(["upload", group], state: "other-device")
      #expect(other.count("created", of: "GameResult") > 0, "\(other)")
      let reported = try await results.ferry(["verify", stored])
      #expect(!reported.findings("verify.untracked").isEmpty, "\(reported)")
      try await results.ferry(["upload", stored]).exits(0)
      try await results.ferry(["verify", stored]).exits(0)
    }
  }

  // 002-5, 002-6, 002-7, 002-21, 002-38.
  @Test func `same id on two devices: another score is found, listed, and changes nothing there`()
    async throws
  {
    try await withResults { results in
      try await results.ferry([
        "upload", try await results.exported(results.preferences),
      ]).exits(0)
      let before = try results.records()
      let other = try results.preferences(editing: "found[0]['score'] = 6")
      let package = try await results.exported(other)
      let second = try await results.ferry(["upload", package], state: "other-device").exits(6)
      #expect(second.count("conflicted") == 1)
      #expect(second.count("unchanged") == before.count - 1)
      let id = try #require(try PackageLines(package).records("GameResult").first?["id"]?.text)
      #expect(second.findings.contains { $0["key"]?.text == id || $0["record"]?.text == id })
      #expect(try results.records() == before)
    }
  }

  // 002-24, 003-19: the app keeps the newest 500, and drops the others by itself.
  @Test func `a result that the app dropped stays there, even when deletions are asked for`()
    async throws
  {
    try await withResults { results in
      let first = try await results.exported(try results.preferences(editing: "pass"))
      try await results.ferry(["upload", first]).exits(0)
      let before = try results.records()
      let edited = try results.preferences(editing: "del found[0]")
      let package = "\(results.folder)/later.ferry"
      try await results.local(["export", edited, "-o", package]).exits(0)
      let later = try await results.ferry(["upload", package, "--delete"]).exits(0)
      #expect(later.count("deleted") == 0)
      let causes = later.findings("plan.absent").compactMap { $0["cause"]?.text }
      #expect(causes.contains { $0.contains("throws them away by itself") })
      #expect(try results.records() == before)
    }
  }

  // 002-9, 002-22: whose cloud the app itself last spoke to.
  @Test func `preferences of another person's cloud are refused on the first run`() async throws {
    try await withResults { results in
      let file = try results.preferences(
        editing: "kept['com.streaksync.sync.lastUserRecordID'] = '_somebody-else'"
      )
      let package = try await results.exported(file)
      let refused = try await results.ferry(["upload", package]).exits(12)
      #expect(refused.standardError.contains("_somebody-else"))
      #expect(try results.records().isEmpty)
      let accepted = try await results.ferry(["upload", package, "--accept-change", "account"])
      #expect(accepted.status == 0, "\(accepted)")
    }
  }

  // 002-8, 002-9, 002-22, 002-37.
  @Test func `account change: another account is refused, and sees nothing of the first`()
    async throws
  {
    try await withResults { results in
      let package = try await results.exported(results.preferences)
      _ = try await results.ferry(["upload", package])
      let before = try results.records()
      let account: JSONValue = ["email": "second@example.com", "password": "correct-horse"]
      _ = try results.backend.request("POST", "/__dev/account", account)
      try results.signIn(as: "second@example.com")
      try await results.ferry(["upload", package]).exits(12)
      #expect(try results.records() == before)
      try results.signIn(as: "second@example.com")
      let accepted = try await results.ferry(["upload", package, "--accept-change", "account"])
      #expect(accepted.status == 0, "\(accepted)")
      #expect(accepted.count("created") == Int64(before.count))
    }
  }

  // 002-36, 002-39, 002-41, 002-43, 002-45, 002-50: the scenarios by name.
  @Test(arguments: [10, 50, 100])
  func `10, 50 and 100 offline results all arrive in few requests, with kills and throttling`(
    count: Int
  ) async throws {
    try await withResults { results in
      let many = try results.preferences(
        editing: "found[:] = [dict(found[0], id=str(uuid.uuid4()).upper(), "
          + "date='2026-01-%02dT%02d:%02d:00Z' % (1 + n % 28, n // 28, n % 60), "
          + "sharedText=found[0]['sharedText'].replace('990', str(2000 + n)), "
          + "parsedData={'puzzleNumber': str(2000 + n)}) for n in range(\(count))]"
      )
      let package = try await results.exported(many)
      try results.backend.setFaults("delay:1:150ms@POST \(results.modify)")
      for wait in [0.1, 0.3] {
        _ = try await results.program.run(
          ["upload", package, "--batch-size", "3"] + results.flags,
          state: "\(results.folder)/state",
          stop: .kill(after: .seconds(wait), line: "upload …")
        )
        try results.signIn()
      }
      try results.backend.setFaults("status:2:503:retry-after=1@POST \(results.modify)")
      let before = try results.requests()
      let last = try await results.ferry(["upload", package, "--retries", "20"]).exits(0)
      let names = try results.records().compactMap { $0["recordName"]?.text }
      #expect(names.count == count && Set(names).count == count)
      #expect(try results.requests() - before <= 10)
      try await results.ferry(["verify", package]).exits(0)
      guard count == 10 else { return }
      try results.backend.setFaults("")
      for back in try await results.rollbackAll(from: last) {
        #expect(back.status == 0, "\(back)")
      }
      #expect(try results.records().isEmpty)
    }
  }

  // 002-12, 002-39, 002-11: the scenario by name, and as the app's own sketch bounds it.
  @Test func `50 results are one request, or ten with batches of five`()
    async throws
  {
    try await withResults { results in
      let many = try results.preferences(
        editing: "found[:] = [dict(found[0], id=str(uuid.uuid4()).upper(), "
          + "sharedText=found[0]['sharedText'].replace('990', str(2000 + n)), "
          + "parsedData={'puzzleNumber': str(2000 + n)}) for n in range(50)]"
      )
      let package = try await results.exported(many)
      for (size, expected) in [("50", 1), ("5", 10)] {
        let before = try results.requests()
        try await results.ferry(
          ["upload", package, "--batch-size", size],
          state: "in-\(size)"
        ).exits(0)
        // The first one is reported that the zone is not there yet.
        #expect(try results.requests() - before == Int64(expected + 1))
        #expect(try results.records().count == 50)
        try results.backend.reset()
        try results.signIn()
      }
    }
  }

  // 002-2, 002-35, 002-40: the app, its store and everything the tool remembered are gone.
  @Test
  func
    `delete and reinstall: all records are read back from the destination, and none there is changed`()
    async throws
  {
    try await withResults { results in
      let package = try await results.exported(results.preferences)
      try await results.ferry(["upload", package]).exits(0)
      let before = try results.records()
      try FileManager.default.removeItem(atPath: "\(results.folder)/state")
      try FileManager.default.removeItem(atPath: results.preferences)
      let restored = "\(results.folder)/restored.ferry"
      try await results.local(
        ["export", "-o", restored]
          + results.flags.dropFirst(2).map { $0 == "--to" ? "--from" : $0 },
        state: "reinstalled"
      ).exits(0)
      func ids(_ package: String, _ member: String) throws -> Set<String> {
        Set(try PackageLines(package).records("GameResult").compactMap { $0[member]?.text })
      }
      #expect(try ids(restored, "$id") == ids(package, "id"))
      let again = try await results.ferry(["upload", package], state: "reinstalled")
      #expect(again.count("unchanged") == Int64(before.count), "\(again)")
      #expect(try results.records() == before)
    }
  }

  // 002-25, 002-43, 002-54.
  @Test func `results in the app's offline queue are migrated with the others`()
    async throws
  {
    try await withResults { results in
      let waiting = "11111111-2222-4333-8444-555555555555"
      let file = try results.preferences(
        editing: "kept['com.streaksync.sync.offlineQueue'] = json.dumps([dict(found[0], "
          + "id='\(waiting)', date=792835200.25, "
          + "sharedText=found[0]['sharedText'].replace('990', '3001'), "
          + "parsedData={'puzzleNumber': '3001'})]).encode()"
      )
      let package = "\(results.folder)/queued.ferry"
      try await results.local(["import", file, "-o", package]).exits(0)
      try await results.ferry(["upload", package]).exits(0)
      #expect(try results.records().contains { $0["recordName"]?.text == waiting })
      // An export of the same file does not pass over the queue: it is named, and nothing is written.
      let refused = try await results.local(["export", file, "-o", "\(results.folder)/no.ferry"])
      #expect(refused.status == 12)
      #expect(refused.standardError.contains("com.streaksync.sync.offlineQueue"))
    }
  }

  // What builds of 2025 and 2026 keep as lists beside the results.
  private static let beside = [
    "tieredAchievements", "achievements", "streaks", "social_mock_scores", "social_pending_scores",
    "social_activity_reactions", "social_circles_v1", "social_leaderboard_cache",
  ]

  @Test(arguments: ["profile.yaml", "cloudkit.profile.yaml"])
  func `preferences are exported with all that the app keeps beside results`(
    profile: String
  ) async throws {
    try await withResults { results in
      let file = try results.preferences(
        editing: "kept.update({name: b'[{\"id\": \"a\"}]' for name in "
          + "'\(Self.beside.joined(separator: " "))'.split()})"
      )
      let package = "\(results.folder)/whole.ferry"
      try await results.program.answer(
        ["export", file, "-o", package, "--profile", "\(results.sample.folder)/\(profile)"],
        state: "\(results.folder)/state"
      ).exits(0)
      #expect(try PackageLines(package).records("GameResult").count == 11)
    }
  }

  @Test func `scores that were published are left out of an import of preferences`() async throws {
    try await withResults { results in
      let file = try results.preferences(
        editing: "score = dict(id='somebody|20240305|A', userId='somebody', dateInt=20240305, "
          + "gameId='A', gameName='wordle', score=3, maxAttempts=6, completed=True); "
          + "kept.update({name: json.dumps([score, score]).encode() for name in "
          + "['social_mock_scores', 'social_pending_scores']})"
      )
      let (plain, more) = ("\(results.folder)/plain.ferry", "\(results.folder)/more.ferry")
      try await results.local(["import", results.preferences, "-o", plain]).exits(0)
      try await results.local(["import", file, "-o", more]).exits(0)
      let count = try PackageLines(plain).records("GameResult").count
      #expect(try PackageLines(more).records("GameResult").count == count)
    }
  }

  // The app sends a result's moment as it has it, and keeps whole seconds of it.
  @Test func `a result that the app itself put there, fraction of a second and all, is the same`()
    async throws
  {
    try await withResults { results in
      let exact = try results.preferences(
        editing: "for one in found: one['date'] = one['date'].replace('Z', '.789Z')"
      )
      try await results.ferry(["upload", try await results.exported(exact)]).exits(0)
      let before = try results.records()
      let package = try await results.exported(results.preferences)
      let again = try await results.ferry(["upload", package], state: "another-device").exits(0)
      #expect(again.count("unchanged") == Int64(before.count))
      #expect(try results.records() == before)
    }
  }

  // 002-44.
  @Test func `a full quota ends the run at once, and the arrived records stay`() async throws {
    try await withResults { results in
      let package = try await results.exported(results.preferences)
      // The first is reported that there is no zone yet, the second brings five results.
      try results.backend.setFaults("status:n=3-1000:413@POST \(results.modify)")
      let stopped = try await results.ferry(["upload", package, "--batch-size", "5"]).exits(7)
      #expect(stopped.standardError.contains("the account's quota is used up"))
      #expect(stopped.standardError.contains("  cure: "))
      #expect(try results.requests() == 3)
      #expect(try results.records().count == 5)
    }
  }
}
