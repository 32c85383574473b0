import DestinationModel
import Retrying
import StageSupport
import Synchronization
import Testing

/// How often a reading is tried, and how long that takes, by a clock that passes each wait at once.
struct ReadingBoundTests {
  private func read(
    _ policy: RetryPolicy,
    failing error: DestinationError,
    after time: Duration = .zero,
    withinRun isWithinRun: Bool = false
  ) async throws -> (attempts: Int, waited: Duration) {
    let passed = Mutex(Duration.zero)
    let count = Mutex(0)
    let patience = ReadPatience(
      policy: policy,
      interruption: CancellationToken(),
      clock: RunClock(
        seconds: { 1_800_000_000 },
        elapsed: { passed.withLock { $0 } },
        pause: { time in passed.withLock { $0 += time } }
      )
    )
    await #expect(throws: DestinationError.self) {
      let patience = isWithinRun ? patience.withinRun : patience
      try await patience.attempt { () async throws(DestinationError) in
        count.withLock { $0 += 1 }
        passed.withLock { $0 += time }
        throw error
      }
    }
    return (count.withLock { $0 }, passed.withLock { $0 })
  }

  private static let down = DestinationError.unreachable(origin: "https://a", reason: "refused")
  private static let busy = DestinationError.busy(retryAfter: .seconds(60), reason: "busy")

  @Test(arguments: [0, 1, 2, 5])
  func `a destination that is down is asked as often as the flag says`(retries: Int) async throws {
    let bound = try await read(RetryPolicy().limited(to: retries), failing: Self.down)
    #expect(bound.attempts == retries + 1)
  }

  @Test(arguments: [0, 1, 2, 5])
  func `a destination that asks to wait is asked as often as the flag says`(
    retries: Int
  ) async throws {
    let bound = try await read(RetryPolicy().limited(to: retries), failing: Self.busy)
    #expect(bound.attempts == retries + 1)
    #expect(bound.waited == .seconds(60) * retries)
  }

  @Test func `without the flag a destination that asks to wait is given its time`() async throws {
    let bound = try await read(RetryPolicy(), failing: Self.busy)
    #expect(bound.attempts == 24)
    #expect(bound.waited == .seconds(60) * 23)
  }

  @Test func `a run's reading that gets no answer is not tried again by itself`() async throws {
    let hanging = try await read(
      RetryPolicy().limited(to: 2),
      failing: Self.down,
      after: .seconds(30),
      withinRun: true
    )
    #expect(hanging.attempts == 1)
    #expect(hanging.waited == .seconds(30))
    let alone = try await read(
      RetryPolicy().limited(to: 2),
      failing: Self.down,
      after: .seconds(30)
    )
    #expect(alone.attempts == 3)
  }

  @Test func `a run's reading that fails at once is tried again by itself`() async throws {
    let bound = try await read(RetryPolicy().limited(to: 2), failing: Self.down, withinRun: true)
    #expect(bound.attempts == 3)
  }

  @Test func `a run's reading waits out the pauses that count as no fault`() async throws {
    let bound = try await read(RetryPolicy(), failing: Self.busy, withinRun: true)
    #expect(bound.attempts == 24)
  }

  @Test func `waits of a reading grow from the policy's first to its longest`() async throws {
    let policy = RetryPolicy(limit: 3, first: .seconds(4), longest: .seconds(10))
    let bound = try await read(policy, failing: Self.down)
    #expect(bound.waited == .seconds(4 + 8 + 10))
  }
}
