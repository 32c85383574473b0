package import Backends

/// Repeats a reading, which changes nothing and may therefore be repeated at once.
///
/// Where the destination asks to wait, that is waited out, as long as it is no longer than a run waits
/// for it; all other requests are held up by the gate meanwhile.
package struct ReadPatience: Sendable {
  let attempts: Int
  let firstWait: Duration
  /// Ends the patience.
  let interruption: Interruption
  let clock: RunClock
  /// The longest wait of this side's own choice.
  private static let longestWait: Duration = .seconds(30)

  /// The patience for so many attempts, with a wait after the first that doubles with each.
  package init(attempts: Int, firstWait: Duration, interruption: Interruption, clock: RunClock) {
    self.attempts = attempts
    self.firstWait = firstWait
    self.interruption = interruption
    self.clock = clock
  }

  /// How long to wait after a fault, where the destination asked for `asked` and this side would wait
  /// for `own`; `nil` where that is longer than anybody waits for it.
  package static func wait(asked: Duration?, own: Duration) -> Duration? {
    let asked = asked ?? .zero
    return asked > RequestGate.longestPause ? nil : max(asked, min(own, longestWait))
  }

  /// Does `body` until it comes to something, or until nobody waits any longer.
  ///
  /// `whenWaited` is called after each wait.
  package func attempt<Value: Sendable>(
    _ body: () async throws(DestinationError) -> Value,
    whenWaited: () -> Void = {}
  ) async throws(DestinationError) -> Value {
    var wait = firstWait
    for _ in 1..<max(1, attempts) {
      do throws(DestinationError) {
        return try await body()
      } catch {
        guard error.isPassing, !Task.isCancelled,
          let pause = Self.wait(asked: error.askedPause, own: wait)
        else { throw error }
        // A cancelled sleep ends early; the last attempt then tells what is the matter.
        await interruption.sleep(for: pause, on: clock)
        whenWaited()
        if interruption.isWished { throw error }
        wait *= 2
      }
    }
    return try await body()
  }
}
