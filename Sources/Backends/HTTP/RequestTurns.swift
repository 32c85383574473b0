import Synchronization

/// When the requests to a destination leave: at even distances, where there is a rate.
///
/// Whatever a request is for, and whichever host of the destination's it goes to, it takes a turn. Unused
/// turns are not saved up. A request that is cancelled while it waits goes ahead at once, and finds
/// itself cancelled there.
package final class RequestTurns: Sendable {
  private struct State {
    var next = ContinuousClock.now
    var isGivenUp = false
  }

  private let distance: Duration
  private let state = Mutex(State())

  /// The fewest requests a second: one a day.
  package static let leastRate = 1.0 / 86_400

  /// How soon it is noticed that the waiting was given up.
  private static let shortestWait: Duration = .milliseconds(100)

  /// Gives at most `rate` turns a second, which must be more than none; at once where there is none.
  package init(rate: Double? = nil) {
    precondition(rate.map { $0 > 0 } ?? true, "a rate of nothing would wait for ever")
    distance = rate.map { .seconds(1 / max($0, Self.leastRate)) } ?? .zero
  }

  /// Has nobody wait any longer: whoever has no turn by now gets none.
  package func giveUpWaiting() { state.withLock { $0.isGivenUp = true } }

  /// Waits for a turn.
  ///
  /// - Throws: ``HTTPFailure/neverSent(reason:)`` where the waiting was given up.
  func take() async throws(HTTPFailure) {
    let begun = ContinuousClock.now
    let turn = state.withLock { state in
      let turn = max(state.next, begun)
      state.next = turn + distance
      return turn
    }
    while turn > .now, !Task.isCancelled {
      if state.withLock({ $0.isGivenUp }) { throw .neverSent(reason: "stopped before the request") }
      try? await Task.sleep(until: min(turn, .now + Self.shortestWait), clock: .continuous)
    }
    if turn > begun { WaitedTime.ofCall?.add(ContinuousClock.now - begun) }
  }
}

/// How long the requests of a call waited for their turns.
final class WaitedTime: Sendable {
  /// That of the call which is being made; `nil` where nobody wants to know.
  @TaskLocal static var ofCall: WaitedTime?

  private let sum = Mutex(Duration.zero)

  var total: Duration { sum.withLock { $0 } }

  func add(_ time: Duration) { sum.withLock { $0 += time } }
}
