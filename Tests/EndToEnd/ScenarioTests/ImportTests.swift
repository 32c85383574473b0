import Foundation
import JSONText
import TestSupport
import Testing

/// Results from the app's store, its other files and messages, the whole way.
@Suite(.timeLimit(.minutes(3))) struct ImportTests {
  @Test func `results of the store, the share extension and messages are migrated once`()
    async throws
  {
    try await withStreakSync { scenario in
      let stored = "\(scenario.folder)/stored.ferry"
      let all = "\(scenario.folder)/all.ferry"
      try await scenario.export(to: stored).exits(0)
      let imported = try await scenario.ferry(
        ["import", "\(scenario.sample.folder)/group", "\(scenario.sample.folder)/sms-backup.xml"]
          + ["--profile", scenario.profile, "--time-zone", "Europe/London"]
          + ["--into", stored, "-o", all]
      ).exits(3)
      let counts = try #require(imported.value("import")?["counts"])
      #expect(counts["complete"] == true && counts["texts"] == 12)
      #expect(counts["imported"] == 7 && counts["duplicate"] == 3)
      #expect(counts["refused"] == 1 && counts["none"] == 1)
      #expect(counts["newResults"] == 8)
      // Of the results that the app stored: one lost game stored as completed, and two wrong scores.
      let differences = counts["findings"]
      #expect(differences?["import.completed-differs"] == 1)
      #expect(differences?["import.score-differs"] == 3)
      try await scenario.ferry(["validate", all]).exits(0)
      try await scenario.ferry(["plan", all] + scenario.destination).exits(0)

      let upload = try await scenario.ferry(["upload", all] + scenario.destination).exits(0)
      #expect(upload.count("created") == 19)
      try expectAppRecords(scenario, of: all)
      let wrong = try PackageLines(all).records("GameResult").filter {
        $0["stored"]?.isNull == false
      }
      #expect(wrong.contains { $0["score"] == 4 && $0["stored"] == ["score": 3] })
      let lost = try #require(wrong.first { $0["stored"]?["completed"] == true })
      let sent = try scenario.backend.rows("records")[try #require(lost["id"]?.text)]
      let data = try #require(sent?["data"])
      #expect(data["completed"] == false && data["score"]?.isNull ?? true, "\(data)")
      try await scenario.ferry(["verify", all] + scenario.destination).exits(0)
      try await scenario.rollback(try upload.run()).exits(0)
      #expect(try scenario.backend.dump()["records"] == [])
    }
  }

  /// The server has the app's own members, and none that the package adds.
  private func expectAppRecords(_ scenario: MigrationScenario, of package: String) throws {
    let rows = try scenario.backend.rows("records")
    let records = try PackageLines(package).records("GameResult")
    #expect(rows.count == records.count)
    for record in records {
      let key = try #require(record["id"]?.text)
      let data = try #require(rows[key]?["data"]?.object)
      #expect(data["sharedText"] == record["sharedText"] && data["gameId"] == record["gameId"])
      #expect(data["origin"] == nil && data["puzzleNumber"] == nil)
    }
  }

  func withStreakSync(_ body: (MigrationScenario) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      var sample = Sample(folder: "\(folder)/streaksync")
      sample.storeName = "preferences.plist"
      try FileManager.default.copyItem(
        atPath: "\(Samples.folder)/streaksync",
        toPath: sample.folder
      )
      try await withBackend(in: "\(folder)/server") { backend in
        try await body(
          MigrationScenario(
            folder: folder,
            backend: backend,
            program: try FerryProgram(),
            sample: sample,
            profile: sample.profile
          )
        )
      }
    }
  }
}
