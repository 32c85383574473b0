package import Retrying
import Synchronization

/// A cancellation request, which any task may make.
package final class CancellationToken: Sendable {
  private struct State {
    var isCancelled = false
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var listeners: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Calls `body` once cancellation was requested, which may be now.
  package func onCancellation(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isCancelled { state.listeners.append(body) }
      return state.isCancelled
    }
    if isOver { body() }
  }

  /// Waits for some time, and no longer once cancellation was requested or the task is cancelled.
  package func sleep(for time: Duration, on clock: RunClock) async {
    await withTaskGroup { group in
      group.addTask { await clock.sleep(for: time) }
      group.addTask { await self.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  /// Whether cancellation was requested.
  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Requests cancellation.
  package func cancel() {
    let (waiters, listeners) = state.withLock { state in
      state.isCancelled = true
      defer { (state.waiters, state.listeners) = ([:], []) }
      return (state.waiters, state.listeners)
    }
    for waiter in waiters.values { waiter.resume() }
    for listener in listeners { listener() }
  }

  /// Returns when cancellation is requested, or when the task is cancelled.
  package func wait() async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isCancelled || Task.isCancelled { return true }
          state.waiters[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
  }
}

/// The first thing that went wrong among tasks that run side by side.
package final class FirstFailure: Sendable {
  private let state = Mutex<(any Error)?>(nil)

  package init() {}

  package var error: (any Error)? { state.withLock { $0 } }

  package func set(_ error: any Error) {
    state.withLock { if $0 == nil { $0 = error } }
  }
}
