import Synchronization

/// How long the requests of a call waited for their turns.
package final class WaitedTime: Sendable {
  /// That of the call which is being made; `nil` where no one wants to know.
  @TaskLocal package static var ofCall: WaitedTime?

  private let sum = Mutex(Duration.zero)

  var total: Duration { sum.withLock { $0 } }

  package func add(_ time: Duration) { sum.withLock { $0 += time } }
}
