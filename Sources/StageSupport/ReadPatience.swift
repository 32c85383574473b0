package import DestinationModel
package import Retrying

/// Repeats a reading, which changes nothing and may therefore be repeated at once.
///
/// Where the destination asks to wait, that is waited out, as long as it is no longer than a run waits
/// for it; all other requests are held up by the gate meanwhile.
package struct ReadPatience: Sendable {
  let policy: RetryPolicy
  /// Ends the patience.
  let interruption: CancellationToken
  package let clock: RunClock

  package init(policy: RetryPolicy, interruption: CancellationToken, clock: RunClock) {
    self.policy = policy
    self.interruption = interruption
    self.clock = clock
  }

  /// Does `body` until it comes to something, or until no caller waits any longer.
  ///
  /// `whenWaited` is called after each wait.
  package func attempt<Value: Sendable>(
    _ body: () async throws(DestinationError) -> Value,
    whenWaited: () -> Void = {}
  ) async throws(DestinationError) -> Value {
    var retries = RetryCounter(policy)
    while true {
      do throws(DestinationError) {
        return try await body()
      } catch {
        guard error.isPassing, !Task.isCancelled,
          let wait = retries.wait(asked: error.askedPause)
        else { throw error }
        // A cancelled sleep ends early; the last attempt then says what is the matter.
        await Waits.during(error.askedPause == nil ? .retry : .pause, atMost: wait) {
          await interruption.sleep(for: wait, on: clock)
        }
        whenWaited()
        if interruption.isCancelled { throw error }
      }
    }
  }
}

extension DestinationError {
  /// How long the destination asked to be left alone, if it did.
  package var askedPause: Duration? {
    if case .busy(let wait, _) = self { wait } else { nil }
  }
}
