import Backends
import Migration
import Synchronization
import Testing

/// How long a reading waits after a fault.
struct ReadPatienceTests {
  @Test func `what the destination asks for is waited out, and this side's own wait is capped`() {
    let wait = ReadPatience.wait
    #expect(wait(.seconds(40), .seconds(1)) == .seconds(40))
    #expect(wait(.seconds(2), .seconds(8)) == .seconds(8))
    #expect(wait(nil, .seconds(64)) == .seconds(30))
    #expect(wait(.seconds(299), .seconds(64)) == .seconds(299))
  }

  @Test func `a wait of hours is not waited for`() {
    #expect(ReadPatience.wait(asked: .seconds(7_200), own: .seconds(1)) == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `nobody waits any longer once somebody asked for an end`()
    async throws
  {
    let interruption = Interruption()
    let patience = ReadPatience(
      attempts: 9,
      firstWait: .zero,
      interruption: interruption,
      clock: .system
    )
    let count = Mutex(0)
    let (attempts, begun) = AsyncStream.makeStream(of: Void.self)
    let answer = Task {
      try await patience.attempt { () async throws(DestinationError) in
        count.withLock { $0 += 1 }
        begun.yield()
        throw .busy(retryAfter: .seconds(290), reason: "busy")
      }
    }
    // Told, and not asked for again and again: on a busy machine that would take a minute.
    for await _ in attempts { break }
    interruption.wish()
    await #expect(throws: DestinationError.self) { try await answer.value }
    #expect(count.withLock { $0 } == 1)
  }
}
