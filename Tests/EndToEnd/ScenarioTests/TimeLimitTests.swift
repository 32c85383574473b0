import Foundation
import JSONText
import TestSupport
import Testing

/// How long one request, and a command, may take.
@Suite(.timeLimit(.minutes(3))) struct TimeLimitTests {
  @Test func `a run whose time is over saves, says so, and the same line goes on`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:1:2s@POST /api/v1")
      let report = "\(scenario.folder)/r.json"
      let flags = ["--concurrency", "1", "--max-duration", "4s", "--report", report]
      let stopped = try await scenario.migrate(flags)
      #expect(stopped.status == 8, "\(stopped.standardOutput)\(stopped.standardError)")
      #expect(stopped.standardError.contains("--max-duration is over"))
      #expect(stopped.standardError.contains("the same command again"))
      let end = try JSONValue(parsing: String(contentsOfFile: report, encoding: .utf8))["end"]
      #expect(end?["status"] == 8 && end?["mayRetry"] == true)
      try scenario.backend.setFaults("")
      let rest = try await scenario.migrate()
      #expect(rest.status == 0, "\(rest.standardOutput)\(rest.standardError)")
    }
  }

  @Test func `a request that takes longer than it may is given up`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:n=1-100:3s@GET /api/v1/heroes")
      let answer = try await scenario.migrate(["--timeout", "300ms", "--retries", "1"])
      #expect(answer.status == 5, "\(answer.standardOutput)\(answer.standardError)")
      try scenario.backend.setFaults("")
      #expect(try await scenario.migrate(["--timeout", "1m"]).status == 0)
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
      let answer = try await Answer(FerryProgram().run(line, state: "\(folder)/state"))
      #expect(answer.status == 64, "\(answer.standardError)")
    }
  }
}
