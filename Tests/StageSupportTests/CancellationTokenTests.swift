import StageSupport
import Testing

struct CancellationTokenTests {
  @Test func `a cancellation request cannot be withdrawn`() {
    let interruption = CancellationToken()
    #expect(!interruption.isCancelled)
    interruption.cancel()
    interruption.cancel()
    #expect(interruption.isCancelled)
  }
}
