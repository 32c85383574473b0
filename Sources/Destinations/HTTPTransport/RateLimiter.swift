import DestinationModel
package import Retrying
import Synchronization

/// When the requests to a destination leave: at even distances, where there is a rate, and none while it
/// asks for quiet.
///
/// Whatever a request is for, and whichever host of the destination's it goes to, it takes a turn. Unused
/// turns are not saved up. A request that is cancelled while it waits goes ahead at once, and finds
/// itself cancelled there.
///
/// A destination that says that it is asked too often, and not until when, is asked less often: each time
/// after it was asked in vain the distance doubles, and it shrinks again as requests are carried out.
package final class RateLimiter: Sendable {
  private struct State {
    var next = Duration.zero
    var quietUntil = Duration.zero
    var isGivenUp = false
    var slowness = Slowness()
  }

  private let distance: Duration
  private let clock: RunClock
  private let state = Mutex(State())

  /// The fewest requests a second: one a day.
  package static let leastRate = 1.0 / 86_400

  /// How soon it is noticed that the waiting was given up.
  private static let shortestWait: Duration = .milliseconds(100)

  /// Gives at most `rate` turns a second, which must be more than none; at once if it is missing.
  package init(rate: Double? = nil, clock: RunClock = .system) {
    precondition(rate.map { $0 > 0 } ?? true, "a rate of nothing would wait for ever")
    distance = rate.map { .seconds(1 / max($0, Self.leastRate)) } ?? .zero
    self.clock = clock
  }

  /// Has no one wait any longer: anyone who has no turn by now gets none.
  package func giveUpWaiting() { state.withLock { $0.isGivenUp = true } }

  /// Gives no turn for a time that the destination asked for; anyone who waits for one waits for longer.
  package func keepQuiet(for pause: Duration) {
    let end = clock.now() + pause
    state.withLock { $0.quietUntil = max($0.quietUntil, end) }
  }

  /// Takes in that a request was carried out, or refused for its own sake.
  func noteAnswer() { state.withLock { $0.slowness.noteAnswer() } }

  /// Takes in that the destination is asked too often; gives how long it is left alone.
  func slowDown(asked: Duration?) -> Duration {
    state.withLock { $0.slowness.slowDown(asked: asked, now: clock.now()) }
  }

  /// Waits for a turn.
  ///
  /// - Throws: ``HTTPFailure/heldBack(pause:)`` where the destination asked for more quiet than anybody
  ///   waits for, and ``HTTPFailure/neverSent(reason:)`` where the waiting was given up.
  func take() async throws(HTTPFailure) {
    let begun = clock.now()
    var turn: Duration?
    while !Task.isCancelled {
      let now = clock.now()
      let (quietUntil, isGivenUp) = state.withLock { state in
        // After a time of quiet turns are given out anew, or all that waited would leave at once.
        if state.quietUntil > now {
          turn = nil
        } else if turn == nil {
          turn = max(state.next, now)
          state.next = max(state.next, now) + max(distance, state.slowness.distance)
        }
        return (state.quietUntil, state.isGivenUp)
      }
      let due = turn ?? quietUntil
      guard due > now else { break }
      if quietUntil - now > RetryPolicy.longestPause { throw .heldBack(pause: quietUntil - now) }
      if isGivenUp { throw .neverSent(reason: "the run was stopped before the request") }
      await Waits.during(quietUntil > now ? .pause : .turn, atMost: due - now) {
        await clock.sleep(for: min(due - now, Self.shortestWait))
      }
    }
    let waited = clock.now() - begun
    WaitedTime.ofCall?.note(waited: waited > .milliseconds(1) ? waited : .zero)
  }
}

/// How a destination is asked that says that it is asked too often.
package struct Slowness: Sendable {
  /// How far apart requests leave.
  package private(set) var distance: Duration = .zero
  /// How often in a row it said so, where requests that were under way together count once.
  private var refusals = 0
  private var quietUntil: Duration?

  package init() {}

  static let shortestDistance: Duration = .milliseconds(50)
  static let longestDistance: Duration = .seconds(2)
  private static let policy = RetryPolicy()

  /// Takes in that a request was carried out, or refused for its own sake.
  package mutating func noteAnswer() {
    refusals = 0
    guard distance > .zero else { return }
    distance = distance * 19 / 20
    if distance < Self.shortestDistance / 2 { distance = .zero }
  }

  /// Gives how long it is left alone, where it asked for `asked`, or named no time.
  ///
  /// What it asks for is kept. Where that did not help, or it asked for nothing, the pause doubles with
  /// each time.
  package mutating func slowDown(asked: Duration?, now: Duration) -> Duration {
    if let quietUntil, now < quietUntil { return max(asked ?? .zero, quietUntil - now) }
    // One that names a time needs no guessing.
    if refusals == 0, asked == nil {
      distance = min(max(distance * 2, Self.shortestDistance), Self.longestDistance)
    }
    let own = Self.policy.wait(after: asked == nil ? refusals + 1 : refusals)
    refusals += 1
    let pause = max(asked ?? .zero, own)
    quietUntil = now + pause
    return pause
  }
}
