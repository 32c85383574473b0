/// How often a passing fault is tried again, and how long to wait before.
///
/// There is one set of defaults for the whole program. A profile (`retry`), a flag (`--retries`) or a kind of
/// destination replaces single values.
package struct RetryPolicy: Hashable, Sendable {
  /// How many attempts follow the first one.
  package var limit: Int
  /// The longest wait before the second attempt.
  package var first: Duration
  /// How much longer each further wait is.
  package var factor: Int
  /// The longest wait of Ferry's own choice; a server may ask for more.
  package var longest: Duration

  /// The longest wait that a server may ask for; where it asks for more, the run ends and can be resumed.
  package static let longestPause: Duration = .seconds(300)
  /// How often in a row a server may ask to wait before that counts as a fault.
  package var pauseLimit: Int
  /// The same where no person chose how often to try again.
  package static let usualPauseLimit = 20

  package init(
    limit: Int = 3,
    first: Duration = .seconds(1),
    factor: Int = 2,
    longest: Duration = .seconds(30),
    pauseLimit: Int = usualPauseLimit
  ) {
    self.limit = limit
    self.first = first
    self.factor = factor
    self.longest = longest
    self.pauseLimit = pauseLimit
  }

  /// The same policy with so many attempts after the first one, whatever the destination asks for: a wait that it
  /// asks for counts as a fault.
  package func limited(to attempts: Int) -> RetryPolicy {
    var policy = self
    policy.limit = attempts
    policy.pauseLimit = 0
    return policy
  }

  /// The same policy for requests that change nothing: their first wait is a quarter as long.
  package var forReading: RetryPolicy {
    var policy = self
    policy.first = first / 4
    return policy
  }

  /// How long to wait after so many faults in a row; nothing after none.
  ///
  /// `jitter` is a random number from 0 to 1 of the caller's generator (“full jitter”, which keeps many clients
  /// apart); 1 gives the whole wait.
  package func wait(after faults: Int, jitter: Double = 1) -> Duration {
    guard faults > 0 else { return .zero }
    var wait = min(first, longest)
    for _ in 1..<faults where wait < longest && factor > 1 { wait = min(wait * factor, longest) }
    return jitter < 1 ? wait * jitter : wait
  }
}

/// Counts the faults of one thing that is tried again, and says how long to wait before the next attempt.
package struct RetryCounter: Sendable {
  package let policy: RetryPolicy
  private var faults = 0
  private var pauses = 0

  package init(_ policy: RetryPolicy) { self.policy = policy }

  /// Takes in a fault, and gives how long to wait; `nil` where no attempt follows.
  ///
  /// A server that asks to wait is given its time, and that is no fault, up to ``RetryPolicy/pauseLimit`` times.
  /// No attempt follows where it asks for more than ``RetryPolicy/longestPause``. `asked` is how long it asked to
  /// wait, as by `Retry-After`; `nil` where it did not.
  package mutating func wait(asked: Duration? = nil) -> Duration? {
    if let asked, asked > RetryPolicy.longestPause { return nil }
    let wait = max(asked ?? .zero, policy.wait(after: faults + 1))
    if asked != nil, pauses < policy.pauseLimit {
      pauses += 1
      return wait
    }
    faults += 1
    return faults > policy.limit ? nil : wait
  }
}
