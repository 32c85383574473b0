import Foundation
import JSONText
import TestSupport
import Testing

/// How long one request, and a command, may take.
@Suite(.timeLimit(.minutes(3))) struct TimeLimitTests {
  @Test func `a request that takes longer than it may is given up`() async throws {
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:n=1-100:3s@GET /api/v1/heroes")
      try await scenario.migrate(["--timeout", "300ms", "--retries", "1"]).exits(5)
      try scenario.backend.setFaults("")
      try await scenario.migrate(["--timeout", "1m"]).exits(0)
    }
  }
}
