import JSONText
import TestSupport
import Testing

/// How many requests the destination has to answer at the same time.
struct ConcurrencyTests {
  @Test(arguments: [nil, 1, 4] as [Int64?])
  func `no more requests are in flight than are wished for, there and back`(
    wish: Int64?
  ) async throws {
    // What the profile says: two.
    let most = wish ?? 2
    let flags = wish.map { ["--concurrency", "\($0)"] } ?? []
    try await withCrossing { crossing in
      try crossing.backend.setFaults("delay:1:10ms")
      let there = try await crossing.migrate(flags)
      #expect(there.status == 0, "\(there.standardError)")
      let found = try crossing.backend.state()["mostAtOnce"]?.integer
      #expect(found == most, "there")

      try crossing.backend.setFaults("delay:1:10ms")
      let back = try await crossing.rollback(try there.run(), flags)
      #expect(back.status == 0, "\(back.standardError)")
      let left = try crossing.backend.state()["mostAtOnce"]?.integer
      #expect(left == most, "back")
    }
  }
}
