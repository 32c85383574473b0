import JSONText
import TestSupport
import Testing

/// How many requests the destination has to answer at the same time.
struct ConcurrencyTests {
  @Test(arguments: [nil, 1, 4] as [Int64?])
  func `a run and its rollback keep to the limit of concurrent requests`(
    request: Int64?
  ) async throws {
    // What the profile says: two.
    let most = request ?? 2
    let flags = request.map { ["--concurrency", "\($0)"] } ?? []
    try await withScenario { scenario in
      try scenario.backend.setFaults("delay:1:10ms")
      let there = try await scenario.migrate(flags).exits(0)
      let found = try scenario.backend.state()["mostAtOnce"]?.integer
      #expect(found == most, "there")

      try scenario.backend.setFaults("delay:1:10ms")
      try await scenario.rollback(try there.run(), flags).exits(0)
      let left = try scenario.backend.state()["mostAtOnce"]?.integer
      #expect(left == most, "back")
    }
  }
}
