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
  /// A wait that the destination asked for is no failed attempt, unless it asks without end.
  ///
  /// `whenWaited` is called after each wait.
  package func attempt<Value: Sendable>(
    _ body: () async throws(DestinationError) -> Value,
    whenWaited: () -> Void = {}
  ) async throws(DestinationError) -> Value {
    var wait = firstWait
    var left = (faults: max(1, attempts) - 1, pauses: Self.mostPauses)
    while true {
      do throws(DestinationError) {
        return try await body()
      } catch {
        let asked = error.askedPause
        guard error.isPassing, !Task.isCancelled,
          left.faults > 0 || asked != nil && left.pauses > 0,
          let pause = Self.wait(asked: asked, own: wait)
        else { throw error }
        // A cancelled sleep ends early; the last attempt then tells what is the matter.
        await interruption.sleep(for: pause, on: clock)
        whenWaited()
        if interruption.isWished { throw error }
        if asked != nil, left.pauses > 0 {
          left.pauses -= 1
        } else {
          left.faults -= 1
          wait *= 2
        }
      }
    }
  }

  /// How often in a row the destination may ask to wait before that counts as a fault.
  private static let mostPauses = 20
}
