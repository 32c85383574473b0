import Foundation
import TestSupport
import Testing

/// What a person sees while a run goes on.
@Suite(.timeLimit(.minutes(3))) struct ProgressTests {
  private func migrate(
    _ crossing: Crossing,
    _ more: [String] = [],
    _ environment: [String: String] = [:],
    stop: FerryProgram.Stop? = nil
  ) async throws -> FerryProgram.Finished {
    try await crossing.program.run(
      ["migrate", crossing.sample.store] + crossing.destination + more,
      environment: crossing.environment.merging(environment) { _, new in new },
      state: crossing.state,
      stop: stop
    )
  }

  private func lines(_ finished: FerryProgram.Finished) -> [Substring] {
    finished.standardError.split(separator: "\n").filter { $0.hasPrefix("  upload: ") }
  }

  @Test func `progress tells how far, how fast, how much and how long, also after a resume`()
    async throws
  {
    try await withCrossing { crossing in
      try crossing.backend.setFaults("delay:1:150ms@POST /api")
      let flags = ["--progress", "plain", "--concurrency", "1", "--batch-size", "4"]
      let killed = try await migrate(
        crossing,
        flags,
        stop: .kill(after: .milliseconds(1_500), line: "upload …")
      )
      #expect(killed.wasKilled)
      let resumed = try await migrate(crossing, flags)
      #expect(resumed.status == 0, "\(resumed.standardError)")
      for finished in [killed, resumed] {
        let told = lines(finished).contains {
          $0.contains("%, ") && $0.contains("/s, ") && $0.contains(" left")
        }
        #expect(told, "\(finished.standardError)")
      }
      // What the killed run had done counts for how far it is.
      let first = try #require(lines(resumed).first)
      #expect(!first.hasPrefix("  upload: 0 of"), "\(first)")
    }
  }

  @Test func `there is no colour off a terminal, and none is left where it is asked for`()
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
