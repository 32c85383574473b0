/// A destination that is not spoken to more often than so many times a second.
///
/// Calls take turns at even distances; unused turns are not saved up. A call that is cancelled
/// while it waits goes ahead at once, and finds itself cancelled there.
package struct PacedDestination<Base: Destination>: WrappedDestination {
  package let base: Base
  private let pace: Pace

  /// The fewest calls a second: one a day.
  package static var leastRate: Double { 1.0 / 86_400 }

  /// Paces a destination to at most `rate` calls a second, which must be more than none.
  package init(_ base: Base, rate: Double) {
    precondition(rate > 0, "a rate of nothing would wait for ever")
    self.base = base
    pace = Pace(distance: .seconds(1 / max(rate, Self.leastRate)))
  }

  package func around<Value, Failure: Error>(
    _ kind: RequestMeter.Kind,
    _ call: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    await pace.wait()
    return try await call()
  }
}

/// Gives out turns at even distances.
private actor Pace {
  private let distance: Duration
  private var nextTurn: ContinuousClock.Instant?

  init(distance: Duration) {
    self.distance = distance
  }

  func wait() async {
    let now = ContinuousClock.now
    let turn = max(nextTurn ?? now, now)
    nextTurn = turn + distance
    guard turn > now else { return }
    do {
      try await Task.sleep(until: turn, clock: .continuous)
    } catch {
      // Cancelled: the call itself will notice.
    }
  }
}
