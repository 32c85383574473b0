import DestinationModel
import Retrying
import StageSupport
import Synchronization
import Testing

/// How long a reading waits after a fault.
struct ReadPatienceTests {
  @Test(.timeLimit(.minutes(1))) func `a cancellation request ends every wait`()
    async throws
  {
    let interruption = CancellationToken()
    let patience = ReadPatience(
      policy: RetryPolicy(limit: 8, first: .zero),
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
    // Stated, and not asked for again and again: on a busy machine that would take a minute.
    for await _ in attempts { break }
    interruption.cancel()
    await #expect(throws: DestinationError.self) { try await answer.value }
    #expect(count.withLock { $0 } == 1)
  }
}
