import Foundation
import JSONText
import TestSupport
import Testing

/// Commands about a run that get nothing but its name.
@Suite(.timeLimit(.minutes(3))) struct RememberedRunTests {
  /// The last run that the state folder knows.
  func lastRun(_ scenario: MigrationScenario) async throws -> JSONValue {
    let history = try await scenario.ferry(["history"]).exits(0)
    return try #require(history.values.last)
  }

  /// Begins to migrate slowly, and is killed while records are sent; gives the run.
  func killed(_ scenario: MigrationScenario, _ more: [String] = []) async throws -> String {
    try await scenario.kill(after: 0.5, ["--rate", "20", "--batch-size", "1"] + more)
    let run = try await lastRun(scenario)
    #expect(run["ended"] == "interrupted", "\(run)")
    return try #require(run["run"]?.text)
  }

  @Test func `a run is verified and rolled back by its name alone`() async throws {
    try await withScenario { scenario in
      let before = try scenario.backend.userRows()
      let run = try await scenario.migrate().exits(0).run()
      let verified = try await scenario.ferry(["verify", run]).exits(0)
      #expect(verified.value("verification")?["clean"] == true)
      try await scenario.ferry(["rollback", run, "-n"]).exits(0)
      #expect(try scenario.backend.userRows() != before)
      try await scenario.ferry(["rollback", run]).exits(0)
      #expect(try scenario.backend.userRows() == before)
    }
  }

  @Test
  func `a killed migration is resumed and read back by its run, and each record is stored once`()
    async throws
  {
    try await withScenario { scenario in
      let run = try await killed(scenario)
      let resumed = try await scenario.run(["resume", run, "--rate", "1000"]).exits(0)
      #expect(resumed.standardOutput.contains("run \(run) to "), "\(resumed)")
      #expect(resumed.standardError.contains("resuming run \(run): "), "\(resumed)")
      #expect(resumed.standardOutput.contains("read back:"), "\(resumed)")
      // Another run finds nothing left to send, and no record twice.
      let again = try await scenario.migrate().exits(0)
      #expect(again.count("created") == 0 && again.count("unchanged") > 0)
    }
  }
}
