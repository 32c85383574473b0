import Foundation
import JSONText
import TestSupport
import Testing

extension RememberedRunTests {
  /// Every byte of every file of the state folder.
  private func stateBytes(_ scenario: MigrationScenario) throws -> [Data] {
    let files = FileManager.default
    return try files.subpathsOfDirectory(atPath: scenario.state).compactMap { name in
      var isFolder: ObjCBool = false
      let path = "\(scenario.state)/\(name)"
      _ = files.fileExists(atPath: path, isDirectory: &isFolder)
      return isFolder.boolValue ? nil : try Data(contentsOf: URL(filePath: path))
    }
  }

  @Test func `a migration that is killed while it reads back is resumed by reading back alone`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:1:300ms@GET /api")
      _ = try await scenario.run(
        ["migrate", scenario.sample.store] + scenario.destination,
        stop: .kill(after: .zero, line: "verify …")
      )
      try scenario.backend.setFaults("")
      let run = try #require(try await lastRun(scenario)["run"]?.text)
      let writes = try scenario.backend.writeCount()
      let resumed = try await scenario.ferry(["resume", run]).exits(0)
      #expect(resumed.value("verification")?["clean"] == true, "\(resumed)")
      #expect(try scenario.backend.writeCount() == writes)
      let again = try await scenario.ferry(["resume", run]).exits(0)
      #expect(again.value("resume")?["ended"] == true, "\(again)")
    }
  }

  @Test func `an upload is resumed without being read back, and takes no --on-failure`()
    async throws
  {
    try await withScenario { scenario in
      let package = "\(scenario.folder)/p.ferry"
      try await scenario.export(to: package).exits(0)
      let slow = ["--rate", "20", "--batch-size", "1"]
      _ = try await scenario.run(
        ["upload", package] + scenario.destination + slow,
        stop: .kill(after: .seconds(0.5), line: "upload …")
      )
      let run = try #require(try await lastRun(scenario)["run"]?.text)
      let refused = try await scenario.ferry(["resume", run, "--on-failure", "rollback"]).exits(64)
      #expect(refused.standardError.contains("ferry rollback \(run)"), "\(refused)")
      let resumed = try await scenario.ferry(["resume", run, "--rate", "1000"]).exits(0)
      #expect(resumed.value("upload") != nil && resumed.value("verification") == nil, "\(resumed)")
    }
  }

  @Test func `a killed run is interrupted in status and history, with the commands to type`()
    async throws
  {
    try await withScenario { scenario in
      let run = try await killed(scenario)
      let status = try await scenario.run(["status"]).exits(0).standardOutput
      for words in [
        "\(run)  upload, interrupted", "store:    \(scenario.sample.store)",
        "resume:   ferry resume \(run)", "undo:     ferry rollback \(run)",
      ] {
        #expect(status.contains(words), "\(words): \(status)")
      }
      let history = try await scenario.run(["history", run]).exits(0).standardOutput
      #expect(history.contains("upload, interrupted"))
    }
  }

  @Test func `a run that has ended is resumed without a request`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      let writes = try scenario.backend.writeCount()
      let ended = try await scenario.ferry(["resume", run]).exits(0)
      #expect(ended.value("resume")?["ended"] == true)
      #expect(try scenario.backend.writeCount() == writes)
    }
  }

  @Test(arguments: [false, true])
  func `an interrupted rollback is resumed by its own name, and by that of its run`(
    isByRun: Bool
  ) async throws {
    try await withScenario { scenario in
      let before = try scenario.backend.userRows()
      let run = try await scenario.migrate().exits(0).run()
      _ = try await scenario.run(
        ["rollback", run, "--rate", "20", "--batch-size", "1"],
        stop: .kill(after: .seconds(0.5), line: "rollback …")
      )
      let rollback = try await lastRun(scenario)
      #expect(rollback["ended"] == "interrupted" && rollback["undoes"]?.text == run, "\(rollback)")
      let name = try #require(rollback["run"]?.text)
      let listed = try await scenario.ferry(["history", run]).exits(0)
      #expect(listed.values.first?["ended"] == "rollback-unfinished", "\(listed)")
      let verified = try await scenario.ferry(["verify", run]).exits(12)
      #expect(verified.standardError.contains("`ferry resume \(run)`"), "\(verified)")
      try await scenario.ferry(["resume", isByRun ? run : name, "--rate", "1000"]).exits(0)
      #expect(try scenario.backend.userRows() == before)
      let again = try await scenario.ferry(["resume", run]).exits(0)
      #expect(again.value("resume")?["ended"] == true, "\(again)")
    }
  }

  @Test func `the only run whose name begins so is meant`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      try await scenario.ferry(["rollback", String(run.prefix(4))]).exits(0)
      #expect(try await scenario.ferry(["history", run]).values.first?["ended"] == "rolled-back")
    }
  }

  @Test(arguments: ["rollback", "resume", "verify"])
  func `a run that no checkpoint knows is refused`(verb: String) async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let refused = try await scenario.ferry([verb, "abcdef-9"]).exits(64)
      #expect(refused.standardError.contains("no run is called abcdef-9"))
    }
  }

  @Test func `the state folder has the places of credentials, and no password`() async throws {
    try await withScenario { scenario in
      try await scenario.migrate().exits(0)
      let bytes = try stateBytes(scenario)
      #expect(bytes.contains { $0.range(of: Data("password=env:FERRY_TEST_PASSWORD".utf8)) != nil })
      #expect(bytes.allSatisfy { $0.range(of: Data("correct-horse".utf8)) == nil })
    }
  }

  @Test func `a credential that is typed wins over the place that a run remembers`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      var moved = scenario
      moved.environment = [
        "FERRY_TEST_EMAIL": DemoAccount.email, "ANOTHER_PASSWORD": "correct-horse",
      ]
      let missing = try await moved.ferry(["rollback", run]).exits(64)
      #expect(missing.standardError.contains("FERRY_TEST_PASSWORD"))
      let typed = ["--credential", "password=env:ANOTHER_PASSWORD"]
      try await moved.ferry(["rollback", run] + typed).exits(0)
    }
  }

  @Test func `a destination that is typed wins, and another one than the run's is refused`()
    async throws
  {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      let refused = try await scenario.ferry(["rollback", run, "--to", "http://127.0.0.1:9"])
      refused.exits(64)
      #expect(refused.standardError.contains("went to \(scenario.backend.origin)"))
    }
  }

  @Test func `variables for other runs do not change what a run remembers`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      var other = scenario
      other.environment["FERRY_TO"] = "http://127.0.0.1:9"
      other.environment["FERRY_PROFILE"] = "/nothing/profile.yaml"
      try await other.ferry(["verify", run]).exits(0)
      try await other.ferry(["rollback", run]).exits(0)
    }
  }

  @Test func `a run needs no file of its profile`() async throws {
    try await withScenario { scenario in
      let before = try scenario.backend.userRows()
      let run = try await killed(scenario)
      try FileManager.default.removeItem(atPath: scenario.profile)
      try await scenario.ferry(["resume", run, "--rate", "1000"]).exits(0)
      try await scenario.ferry(["verify", run]).exits(0)
      try await scenario.ferry(["rollback", run]).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  @Test func `a checkpoint that other users may write gives no flag`() async throws {
    try await withScenario { scenario in
      let run = try await scenario.migrate().exits(0).run()
      let folder = "\(scenario.state)/checkpoints"
      for name in try FileManager.default.contentsOfDirectory(atPath: folder)
      where name.hasSuffix(".sqlite") {
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o666],
          ofItemAtPath: "\(folder)/\(name)"
        )
      }
      let refused = try await scenario.ferry(["rollback", run]).exits(64)
      #expect(refused.standardError.contains("--credential"))
    }
  }
}
