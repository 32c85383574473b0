import Synchronization

/// How many requests a call came to, and how long they waited for their turns.
package final class WaitedTime: Sendable {
  /// That of the call which is being made; `nil` where no one wants to know.
  @TaskLocal package static var ofCall: WaitedTime?

  private let state = Mutex((sum: Duration.zero, requests: 0))

  var total: Duration { state.withLock { $0.sum } }

  /// The requests that left over HTTP; 0 where a destination is asked by other means.
  var requests: Int { state.withLock { $0.requests } }

  /// Takes in that a request leaves after it waited for `time`.
  package func note(waited time: Duration) {
    state.withLock {
      $0.sum += time
      $0.requests += 1
    }
  }
}
