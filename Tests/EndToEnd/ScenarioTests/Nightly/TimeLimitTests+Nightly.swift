import Foundation
import JSONText
import TestSupport
import Testing

extension TimeLimitTests {
  @Test func `a run whose time is over saves, says so, and the same line goes on`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:1:2s@POST /api/v1")
      let report = "\(scenario.folder)/r.json"
      let flags = ["--concurrency", "1", "--max-duration", "4s", "--report", report]
      let stopped = try await scenario.migrate(flags).exits(8)
      #expect(stopped.standardError.contains("--max-duration is over"))
      #expect(stopped.standardError.contains("the same command again"))
      let end = try JSONValue(parsing: String(at: report))["end"]
      #expect(end?["status"] == 8 && end?["mayRetry"] == true)
      try scenario.backend.setFaults("")
      try await scenario.migrate().exits(0)
    }
  }

  @Test func `a destination that always asks to wait is asked as often as --retries says`()
    async throws
  {
    try await withScenario { scenario in
      try scenario.backend.setFaults("status:1:503:retry-after=4@GET /api/v1/heroes")
      let time = try await ContinuousClock().measure {
        try await scenario.migrate(["--retries", "2"]).exits(5)
      }
      // Two waits of four seconds; twenty of them without the flag.
      #expect(time >= .seconds(8) && time < .seconds(60))
    }
  }

  @Test func `a destination that does not answer is reported every ten seconds`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:n=1-100:14s@GET /api/v1/heroes")
      let flags = ["--timeout", "12s", "--retries", "0", "--progress", "plain"]
      let stopped = try await scenario.migrate(flags).exits(5)
      #expect(
        stopped.standardError.contains("still waiting for an answer of the destination: at most")
      )
    }
  }

  @Test(arguments: [
    ["--timeout", "0s"], ["--timeout", "5"], ["--timeout", "nan"],
    ["--max-duration", "999999999h"],
    ["--max-duration", "-1s"],
  ])
  func `an impossible time is refused`(words: [String]) async throws {
    try await withTemporaryFolder { folder in
      let line = ["plan", "\(folder)/no.ferry", "\(words[0])=\(words[1])"]
      try await Answer(FerryProgram().run(line, state: "\(folder)/state")).exits(64)
    }
  }
}
