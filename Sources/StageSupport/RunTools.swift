package import Retrying
import Synchronization

/// A wish to stop, that anyone may utter and the run waits for.
package final class Interruption: Sendable {
  private struct State {
    var isWished = false
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var listeners: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Calls `body` once somebody asked for an end, which may be now.
  package func whenWished(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isWished { state.listeners.append(body) }
      return state.isWished
    }
    if isOver { body() }
  }

  /// Waits for some time, and no longer once somebody asked for an end or the task is cancelled.
  package func sleep(for time: Duration, on clock: RunClock) async {
    await withTaskGroup { group in
      group.addTask { await clock.sleep(for: time) }
      group.addTask { await self.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  /// Whether somebody asked for an end.
  package var isWished: Bool { state.withLock { $0.isWished } }

  /// Asks for an end.
  package func wish() {
    let (waiters, listeners) = state.withLock { state in
      state.isWished = true
      defer { (state.waiters, state.listeners) = ([:], []) }
      return (state.waiters, state.listeners)
    }
    for waiter in waiters.values { waiter.resume() }
    for listener in listeners { listener() }
  }

  /// Returns when somebody asked for an end, or when the task is cancelled.
  package func wait() async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.isWished || Task.isCancelled { return true }
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
  private let state = Mutex<MigrationError?>(nil)

  package init() {}

  package var error: MigrationError? { state.withLock { $0 } }

  package func set(_ error: MigrationError) {
    state.withLock { if $0 == nil { $0 = error } }
  }
}
