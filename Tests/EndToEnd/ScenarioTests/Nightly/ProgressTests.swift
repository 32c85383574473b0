import Foundation
import TestSupport
import Testing

/// What a person sees while a run goes on.
@Suite(.timeLimit(.minutes(3))) struct ProgressTests {
  private func migrate(
    _ scenario: MigrationScenario,
    _ more: [String] = [],
    _ environment: [String: String] = [:],
    stop: FerryProgram.Stop? = nil
  ) async throws -> FerryProgram.Finished {
    try await scenario.program.run(
      ["migrate", scenario.sample.store] + scenario.destination + more,
      environment: scenario.environment.merging(environment) { _, new in new },
      state: scenario.state,
      stop: stop
    )
  }

  private func lines(_ finished: FerryProgram.Finished) -> [Substring] {
    finished.standardError.split(separator: "\n").filter { $0.hasPrefix("  upload: ") }
  }

  @Test func `progress shows counts, rate, amount and time, also after a resume`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:1:150ms@POST /api")
      let flags = ["--progress", "plain", "--concurrency", "1", "--batch-size", "4"]
      let killed = try await migrate(
        scenario,
        flags,
        stop: .kill(after: .milliseconds(1_500), line: "upload …")
      )
      #expect(killed.wasKilled)
      let resumed = try await migrate(scenario, flags).exits(0)
      for finished in [killed, resumed] {
        let reported = lines(finished).contains {
          $0.contains("%, ") && $0.contains("/s, ") && $0.contains(" left")
        }
        #expect(reported, "\(finished)")
      }
      // What the killed run had done counts for how far it is.
      let first = try #require(lines(resumed).first)
      #expect(!first.hasPrefix("  upload: 0 of"), "\(first)")
    }
  }

  @Test func `output has no colour off a terminal, or with the option against it`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let program = try FerryProgram()
      func status(_ flags: [String], _ environment: [String: String] = [:]) async throws -> String {
        try await program.run(
          ["inspect", "\(folder)/none"] + flags,
          environment: environment,
          state: "\(folder)/state"
        ).standardError
      }
      #expect(try await !status([]).contains("\u{1B}"))
      #expect(try await !status([], ["NO_COLOR": "1"]).contains("\u{1B}"))
      #expect(try await status(["--color", "always"]).contains("\u{1B}[31m"))
      #expect(try await !status(["--color", "never"]).contains("\u{1B}"))
    }
  }
}
