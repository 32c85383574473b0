import Foundation
import JSONText
import TestSupport
import Testing

/// Game results from preferences, the App Group and messages to the user's private CloudKit zone.
@Suite(.timeLimit(.minutes(5))) struct StreakSyncCloudTests {
  // 002-1, 002-2, 002-3, 002-4, 002-13, 002-14, 002-25, 002-32, 002-33, 002-35, 002-55.
  @Test
  func `imported texts and preferences are migrated, repeated from a new device, and rolled back`()
    async throws
  {
    try await withResults { results in
      let all = try await results.imported()
      let first = try await results.ferry(["upload", all]).exits(0)
      #expect(first.count("created", of: "GameResult") == 19)
      let streaks = try PackageLines(all).records("GameStreak")
      #expect(first.count("skipped", of: "GameStreak") == Int64(streaks.count))
      // The app stored 7 of these results, and the others came from the App Group and the messages.
      let wordle = try #require(streaks.first { $0["gameName"] == "wordle" })
      #expect(wordle["totalGamesPlayed"] == 12 && wordle["maxStreak"] == 6)
      try results.expectAppRecords(of: all)
      try await results.ferry(["verify", all]).exits(0)
      let writes = try results.backend.writeCount()
      let second = try await results.ferry(["upload", all])
      #expect(second.count("unchanged") == 19, "\(second)")
      let reinstalled = try await results.ferry(["upload", all], state: "new-device")
      #expect(reinstalled.count("unchanged") == 19, "\(reinstalled)")
      #expect(try results.backend.writeCount() == writes)
      try await results.ferry(["rollback", try first.run()]).exits(0)
      #expect(try results.records().isEmpty)
    }
  }
}
