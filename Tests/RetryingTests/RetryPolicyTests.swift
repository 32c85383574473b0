import Retrying
import Testing

struct RetryPolicyTests {
  private static func seconds(_ numbers: [Int]) -> [Duration] { numbers.map { .seconds($0) } }

  // 001-48.
  @Test func `the defaults are three more attempts, after a second and at most after thirty`() {
    let policy = RetryPolicy()
    #expect(policy.limit == 3)
    #expect((0...7).map { policy.wait(after: $0) } == Self.seconds([0, 1, 2, 4, 8, 16, 30, 30]))
  }

  @Test func `a backoff factor of one gives equal waits`() {
    let policy = RetryPolicy(first: .seconds(2), factor: 1)
    #expect((1...3).map { policy.wait(after: $0) } == Self.seconds([2, 2, 2]))
  }

  @Test func `a wait is cut to the longest one`() {
    let policy = RetryPolicy(first: .seconds(60))
    #expect(policy.wait(after: 1) == .seconds(30))
    #expect(RetryPolicy().wait(after: 1_000_000) == .seconds(30))
  }

  @Test func `jitter shortens the wait by a share`() {
    let policy = RetryPolicy()
    #expect(policy.wait(after: 3, jitter: 0) == .zero)
    #expect(policy.wait(after: 3, jitter: 0.5) == .seconds(2))
  }

  @Test func `a reading is repeated sooner than a write, and as often`() {
    let policy = RetryPolicy(limit: 5, first: .seconds(8)).forReading
    #expect(policy.limit == 5)
    #expect((1...4).map { policy.wait(after: $0) } == Self.seconds([2, 4, 8, 16]))
  }
}

struct RetryCounterTests {
  /// What a counter says to so many faults in a row.
  private func waits(_ count: Int, asked: Duration? = nil, _ policy: RetryPolicy) -> [Duration?] {
    var counter = RetryCounter(policy)
    return (0..<count).map { _ in counter.wait(asked: asked) }
  }

  @Test func `no attempt follows the last one`() {
    #expect(waits(4, RetryPolicy()) == [.seconds(1), .seconds(2), .seconds(4), nil])
    #expect(waits(1, RetryPolicy(limit: 0)) == [nil])
  }

  @Test func `a server's Retry-After is kept, and at least the policy's wait`() {
    #expect(waits(1, asked: .seconds(40), RetryPolicy()) == [.seconds(40)])
    #expect(waits(1, asked: .seconds(299), RetryPolicy(first: .seconds(64))) == [.seconds(299)])
    #expect(waits(1, asked: .seconds(2), RetryPolicy(first: .seconds(8))) == [.seconds(8)])
  }

  @Test func `a server that asks for more than five minutes is not waited for`() {
    #expect(waits(1, asked: .seconds(300), RetryPolicy()) == [.seconds(300)])
    #expect(waits(1, asked: .seconds(301), RetryPolicy()) == [nil])
  }

  @Test(arguments: [0, 1, 2])
  func `a chosen number of attempts holds for requested waits too`(attempts: Int) {
    let waits = waits(4, asked: .seconds(9), RetryPolicy().limited(to: attempts))
    #expect(waits.count { $0 == .seconds(9) } == attempts)
    #expect(waits.last == .some(nil))
  }

  @Test func `a requested wait counts as no fault twenty times`() {
    let waits = waits(24, asked: .seconds(9), RetryPolicy(limit: 3))
    #expect(waits.count { $0 == .seconds(9) } == 23)
    #expect(waits.last == .some(nil))
  }
}
