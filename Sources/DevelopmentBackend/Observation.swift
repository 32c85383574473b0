import NIOCore
import Synchronization

/// What the server has seen since it started, and which faults are due.
final class Observation: Sendable {
  private let state: Mutex<State>

  private struct State {
    var rules: [Watched]
    var requests: [String: Int] = [:]
    var writeCount = 0
    var atOnce = 0
    var mostAtOnce = 0
    var signIns: [Int64] = []
    var cloudRequests: [Int64] = []
    var changes: [Change] = []
  }

  /// A request that means to change something, as it arrived.
  struct Change: Sendable {
    let method: String
    let path: String
    let ifMatch: String?
    let ifNoneMatch: String?
    let size: Int
    /// The body, unless it is large.
    let body: ByteBuffer?
  }

  /// Only this many requests, the last ones, are remembered.
  private static let rememberedChanges = 200

  /// A rule with the requests it has counted.
  struct Watched: Sendable {
    let rule: FaultRule
    var seenCount = 0
    var firedCount = 0
  }

  /// What is to happen to one request.
  struct Verdict: Sendable {
    var delayMilliseconds = 0
    var effect: FaultRule.Effect?
  }

  init(faults: FaultPlan) {
    state = Mutex(State(rules: faults.rules.map { Watched(rule: $0) }))
  }

  /// What was counted since it started.
  struct Summary: Sendable {
    /// The rules with their counts.
    let rules: [Watched]
    /// The requests by method and pattern.
    let requests: [String: Int]
    let writeCount: Int
    /// The most requests that were answered at the same time since the plan was last replaced.
    let mostAtOnce: Int
  }

  var summary: Summary {
    state.withLock { state in
      Summary(
        rules: state.rules,
        requests: state.requests,
        writeCount: state.writeCount,
        mostAtOnce: state.mostAtOnce
      )
    }
  }

  /// Takes another plan, counting from zero.
  func replaceFaults(_ plan: FaultPlan) {
    state.withLock { state in
      state.rules = plan.rules.map { Watched(rule: $0) }
      state.mostAtOnce = state.atOnce
    }
  }

  /// Counts a request and answers what is to happen to it; ``departure()`` follows.
  func received(method: String, path: String, pattern: String) -> Verdict {
    state.withLock { state in
      state.requests["\(method) \(pattern)", default: 0] += 1
      state.atOnce += 1
      state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
      var verdict = Verdict()
      for index in state.rules.indices {
        let rule = state.rules[index].rule
        guard rule.matches(method: method, path: path) else { continue }
        state.rules[index].seenCount += 1
        guard rule.occurrence.includes(state.rules[index].seenCount) else { continue }
        if case .delay(let milliseconds) = rule.effect {
          verdict.delayMilliseconds += milliseconds
        } else if verdict.effect == nil {
          verdict.effect = rule.effect
        } else {
          continue
        }
        state.rules[index].firedCount += 1
      }
      return verdict
    }
  }

  /// Counts a request that was answered, or will not be.
  func departure() { state.withLock { $0.atOnce -= 1 } }

  /// The last requests that meant to change something, oldest first; signing in is not one.
  var changes: [Change] { state.withLock { $0.changes } }

  /// Remembers a request that means to change something.
  func note(_ change: Change) {
    state.withLock { state in
      if state.changes.count == Self.rememberedChanges { state.changes.removeFirst() }
      state.changes.append(change)
    }
  }

  /// Counts a request that changed something.
  func countWrite() {
    state.withLock { $0.writeCount += 1 }
  }

  /// Whether one more sign-in is within the limit of ten seconds, and counts it.
  func admitsSignIn(at now: Int64, limit: Int?) -> Bool {
    guard let limit else { return true }
    return state.withLock { state in
      state.signIns.removeAll { $0 <= now - 10_000 }
      guard state.signIns.count < limit else { return false }
      state.signIns.append(now)
      return true
    }
  }

  /// Whether one more request to CloudKit is within the limit of so many seconds, and counts it.
  func admitsCloudRequest(at now: Int64, limit: Int?, window: Int) -> Bool {
    guard let limit else { return true }
    return state.withLock { state in
      state.cloudRequests.removeAll { $0 <= now - Int64(window) * 1_000 }
      guard state.cloudRequests.count < limit else { return false }
      state.cloudRequests.append(now)
      return true
    }
  }
}
