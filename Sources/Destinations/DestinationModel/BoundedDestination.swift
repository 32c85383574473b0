package import Retrying
import Synchronization
import UploadPlanning

/// A destination that has no more calls to answer at once than a gate lets through.
///
/// Where it asks to be left alone, whatever the call was, no one is let through until then. A change that
/// would wait there for longer than what was read before it holds is put off instead.
package struct BoundedDestination<Base: Destination>: WrappedDestination {
  package let base: Base
  private let gate: ConcurrencyLimiter

  /// Lets calls to a destination through a gate, which may be that of others too.
  package init(_ base: Base, gate: ConcurrencyLimiter) {
    self.base = base
    self.gate = gate
  }

  package func around<Value, Failure: Error>(
    _ kind: RequestMeter.Kind,
    _ call: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let entry = await gate.enter(waiting: kind.blocksReading ? EnginePolicy.readingHolds : nil)
    defer { gate.leave() }
    switch entry {
    case .open: break
    case .held(let pause):
      let reason = "the destination asks to wait"
      let answer = BatchAnswer(whole: .deferred(reason: reason), pause: pause)
      if let answer = answer as? Value { return answer }
    case .givenUp:
      let reason = "the destination asks to wait, and the run ends"
      let error = DestinationError.busy(retryAfter: nil, reason: reason)
      if let error = error as? Failure { throw error }
      if let answer = BatchAnswer(whole: .deferred(reason: reason)) as? Value { return answer }
    }
    do throws(Failure) {
      let value = try await call()
      if let answer = value as? BatchAnswer, let pause = answer.pause { gate.hold(for: pause) }
      return value
    } catch {
      if case .busy(let pause?, _) = error as? DestinationError { gate.hold(for: pause) }
      throw error
    }
  }
}

/// Lets so many through at once; who comes later waits for its turn, and no one passes while it is held.
///
/// A call that is cancelled while it waits still waits: those before it are cancelled too, or end.
package final class ConcurrencyLimiter: Sendable {
  private struct State {
    var limit: Int
    var inside = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var heldUntil = Duration.zero
    var isGivenUp = false

    /// Lets in who waits, as far as there is space, and gives their continuations.
    mutating func admit() -> [CheckedContinuation<Void, Never>] {
      let count = min(max(0, limit - inside), waiting.count)
      let admitted = Array(waiting.prefix(count))
      waiting.removeFirst(count)
      inside += count
      return admitted
    }
  }

  private let state: Mutex<State>
  private let clock: RunClock

  /// Opens for `limit` at once, which must be more than none.
  package init(limit: Int, clock: RunClock = .system) {
    precondition(limit > 0, "a limit of no requests at all would be waited for without an end")
    state = Mutex(State(limit: limit))
    self.clock = clock
  }

  /// Lets so many through at once from now on; who is inside stays.
  package func setLimit(_ limit: Int) {
    precondition(limit > 0, "a limit of no requests at all would be waited for without an end")
    change { $0.limit = limit }
  }

  /// Lets no one through for a time that the destination asked for.
  package func hold(for pause: Duration) {
    guard pause <= RetryPolicy.longestPause else { return }
    let end = clock.now() + pause
    state.withLock { $0.heldUntil = max($0.heldUntil, end) }
  }

  /// Notes that a person waited for the destination who was not asked to.
  package func noteWait() { hold(for: .zero) }

  /// Whether what was read at one instant is too old at another for a change to be based on it, as the
  /// destination was waited for since.
  package func outdates(_ readAt: Duration, at instant: Duration) -> Bool {
    guard instant - readAt > EnginePolicy.readingHolds else { return false }
    return state.withLock { $0.heldUntil > readAt }
  }

  /// Has no one wait any longer, from now on, until the gate is not held.
  package func giveUpWaiting() { state.withLock { $0.isGivenUp = true } }

  /// How a person came in.
  enum Entry {
    case open
    /// The gate is held for this long, which is longer than they wait.
    case held(Duration)
    /// The gate is held, and the waiting was given up.
    case givenUp
  }

  /// Waits for space, and until the gate is not held, where that takes no longer than `patience`.
  ///
  /// Whatever comes of it, anyone who entered leaves.
  func enter(waiting patience: Duration? = nil) async -> Entry {
    await waitForCapacity()
    while true {
      let (end, isGivenUp) = state.withLock { ($0.heldUntil, $0.isGivenUp) }
      let now = clock.now()
      guard end > now, !Task.isCancelled else { return .open }
      if isGivenUp { return .givenUp }
      if let patience, end - now > patience { return .held(end - now) }
      await Waits.during(.pause, atMost: end - now) {
        await clock.sleep(for: min(end - now, Self.shortestWait))
      }
    }
  }

  /// How soon it is noticed that the waiting was given up.
  private static let shortestWait: Duration = .milliseconds(100)

  private func waitForCapacity() async {
    // Where there is space, no caller has to wait.
    let isInside = state.withLock { state in
      guard state.inside < state.limit, state.waiting.isEmpty else { return false }
      state.inside += 1
      return true
    }
    if isInside { return }
    await withCheckedContinuation { continuation in
      change { $0.waiting.append(continuation) }
    }
  }

  func leave() { change { $0.inside -= 1 } }

  private func change(_ body: (inout State) -> Void) {
    let admitted = state.withLock { state in
      body(&state)
      return state.admit()
    }
    for continuation in admitted { continuation.resume() }
  }
}

extension RequestMeter.Kind {
  /// Whether what is asked for depends on what was read right before.
  fileprivate var blocksReading: Bool {
    switch self {
    case .update, .delete: true
    case .account, .page, .read, .media, .preflight, .create, .uploadMedia, .removeMedia: false
    }
  }
}
