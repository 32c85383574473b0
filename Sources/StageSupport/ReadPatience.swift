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
  /// After which time a fault is left to a caller that tries again by itself; `nil` where none does.
  private var leavesAfter: Duration?

  /// The longest time of ``leavesAfter``.
  private static let longestInRun: Duration = .seconds(30)

  package init(policy: RetryPolicy, interruption: CancellationToken, clock: RunClock) {
    self.policy = policy
    self.interruption = interruption
    self.clock = clock
  }

  /// The same for a run, which tries a reading again by itself.
  ///
  /// Where a destination does not answer, each attempt takes the whole time of a request. The attempts here would
  /// multiply those of the run, so a fault is left to the run once the longest wait has passed.
  package var withinRun: ReadPatience {
    var patience = self
    patience.leavesAfter = min(policy.longest, Self.longestInRun)
    return patience
  }

  /// Whether a fault is left to the caller; a pause that counts as no fault is waited out here.
  private func isLeft(_ error: DestinationError, since begun: Duration) -> Bool {
    guard let leavesAfter else { return false }
    if error.askedPause != nil, policy.pauseLimit > 0 { return false }
    return clock.now() - begun >= leavesAfter
  }

  /// Does `body` until it comes to something, or until no caller waits any longer.
  ///
  /// `whenWaited` is called after each wait.
  package func attempt<Value: Sendable>(
    _ body: () async throws(DestinationError) -> Value,
    whenWaited: () -> Void = {}
  ) async throws(DestinationError) -> Value {
    var retries = RetryCounter(policy)
    let begun = clock.now()
    while true {
      do throws(DestinationError) {
        return try await body()
      } catch {
        guard error.isPassing, !Task.isCancelled, !isLeft(error, since: begun),
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
