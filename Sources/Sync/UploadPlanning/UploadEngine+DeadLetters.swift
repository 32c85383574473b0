import Retrying

// How a record that the destination can never take is distinguished from a destination that is down.
//
// A request that fails again and again is halved down to the record that fails alone. After as many lone
// failures as the policy allows, that record is a dead letter, if the destination carried others
// out since the failure before. If it carried out nothing, the circuit opens: the failures count,
// and the run ends.
//
// | a dead letter | becomes |
// |---|---|
// | whose request was put off and cannot have arrived | rejected |
// | whose request may have arrived, once a look-up or a reading shows that it did not | sent under another key, else rejected |
// | whose request may have arrived, as long as nothing shows that | unknown: never rejected, and looked up again |
// | that cannot be read, and for which no request left | rejected |

extension UploadEngine {
  /// The failures of an operation that may lie in the operation itself.
  struct Failures {
    /// How many requests with it failed, and how many of them held nothing else.
    var requests = 0
    var lone = 0
    /// How many readings failed in a row.
    var readings = 0
    /// How many requests of the run the destination had carried out by the last failure.
    var carriedOut: Int?
    /// When the first one was.
    var since: Duration?

    /// Takes a failure in at a time by which so many requests were carried out.
    fileprivate mutating func note(carriedOut count: Int, now: Duration) {
      carriedOut = count
      since = since ?? now
    }
  }

  /// What shows whether a failure lies in the operation.
  private enum Evidence {
    /// The destination carried others out since, or the time of the last few operations is over.
    case works
    /// Only failing operations are left, and their time is not over.
    case lasts
    /// Nothing shows that the destination works.
    case missing
  }

  /// Takes a request apart that is put off or lost again and again; gives whether that was done.
  ///
  /// `before` is how many requests had been carried out before this answer.
  mutating func isolate(
    _ operations: [Int64],
    _ answer: BatchAnswer,
    before: Int,
    now: Duration
  ) -> Bool {
    let (reason, isLost): (String, Bool)
    switch answer.whole {
    case .deferred(let words): (reason, isLost) = (words, false)
    case .unknown(let words): (reason, isLost) = (words, true)
    case .answered, .splittable, .refused: return false
    }
    let last = operations.compactMap { tracked[$0]?.failures.carriedOut }.min()
    for number in operations {
      tracked[number]?.failures.requests += 1
      if operations.count == 1 { tracked[number]?.failures.lone += 1 }
      tracked[number]?.failures.note(carriedOut: answeredCount, now: now)
    }
    // A record that cannot be taken was in each request that failed; others may have joined it later.
    guard operations.contains(where: isIsolated), end == nil else { return false }
    let evidence = evidence(since: last, until: before, now: now)
    // Each more request may arrive after all: none is sent to a destination that does not answer at all.
    guard evidence == .works || !answer.isUnanswered else { return false }
    let longestBackoff = backoff(after: policy.retry.limit + 1)
    guard operations.count == 1, let number = operations.first, let entry = tracked[number] else {
      guard isLost else {
        split(operations)
        return true
      }
      halveBatches(of: operations.count)
      for number in operations {
        sendAgain(number, reason, isLost: isLost, after: longestBackoff, now: now)
      }
      return true
    }
    let isDead = entry.failures.lone > policy.retry.limit
    if isLost, isDead, park(number, reason, evidence, now: now) { return true }
    // A request that can only be repeated is never known not to have arrived; a change is read before.
    let isRepeated = settle == nil && !entry.action.needsReading
    switch evidence {
    case .missing: return false
    case .lasts:
      let wait = max(policy.retry.longest / 2, longestBackoff)
      sendAgain(number, reason, isLost: isLost, after: wait, now: now)
    case .works where isLost ? isDead && isRepeated : entry.mayHaveArrived: return false
    case .works where isDead && !isLost: reject(number, reason: reason)
    case .works:
      tracked[number]?.isDeadLetter = isDead
      let wait = isLost ? longestBackoff : backoff(after: entry.failures.lone)
      sendAgain(number, reason, isLost: isLost, after: wait, now: now)
      // The last reading must not come before the last request.
      if isDead, entry.action.needsReading {
        delay(number, until: now + (settle ?? policy.phases[phase].settleOfRepeats ?? .zero))
      }
    }
    return true
  }

  /// Reads the record of an operation again later, whose reading failed.
  ///
  /// Where that goes on while others are carried out, or while those of its kind are listed and nothing else
  /// is left, the record cannot be read, and it is rejected. An operation whose request may have arrived is
  /// not: only a reading shows that.
  mutating func leaveUnread(
    _ number: Int64,
    _ reason: String,
    isUnanswered: Bool,
    areListed: Bool,
    now: Duration
  ) {
    guard let entry = tracked[number] else { return }
    tracked[number]?.failures.readings += 1
    tracked[number]?.failures.note(carriedOut: answeredCount, now: now)
    let isDead = entry.failures.readings >= policy.retry.limit
    guard isDead, end == nil, !isUnanswered, !entry.mayHaveArrived else {
      return postpone(number, reason: reason, now: now)
    }
    switch evidence(
      since: entry.failures.carriedOut,
      until: answeredCount,
      areListed: areListed,
      now: now
    ) {
    case .works: reject(number, reason: reason, isOnlyListed: answeredCount == 0 && areListed)
    case .lasts:
      delay(number, until: now + policy.retry.longest / 2)
      requeue(number)
    case .missing: postpone(number, reason: reason, now: now)
    }
  }

  /// Has a dead letter looked up whose request can be repeated; gives whether that is possible.
  ///
  /// If it is not there, it goes under another key, where there are keys. Where that fails as often, or they
  /// do not exist, it is rejected. All else of the phase is settled by the time of the look-up, so
  /// that nothing that is there can be taken for what it is not.
  private mutating func park(
    _ number: Int64,
    _ reason: String,
    _ evidence: Evidence,
    now: Duration
  ) -> Bool {
    let phase = policy.phases[phase]
    guard phase.settle == nil, let settle = phase.settleOfRepeats, let entry = tracked[number],
      entry.action == .create
    else { return false }
    let isLast = entry.hasOtherKey || !phase.hasKeys
    guard evidence == .works || !isLast else { return false }
    doubt(number, reason)
    tracked[number]?.stage = .parked(settled: now + settle)
    tracked[number]?.isLookedUp = true
    tracked[number]?.isDeadLetter = isLast
    tracked[number]?.attempts = 0
    tracked[number]?.failures = Failures()
    return true
  }

  /// Whether it goes with no other operations, as its requests or its readings failed too often.
  func isIsolated(_ number: Int64) -> Bool {
    guard let failures = tracked[number]?.failures else { return false }
    return max(failures.requests, failures.readings) > policy.retry.limit
  }

  /// What shows that the destination works, where so many requests had been carried out by the
  /// failure before, and so many before this one.
  ///
  /// Where only failing operations are left, no other can show it. They get ``longestTrial``, if the
  /// destination carried something out in this run, if they failed in an earlier process too, or if it lists
  /// what it fails to show.
  private func evidence(
    since last: Int?,
    until count: Int,
    areListed: Bool = false,
    now: Duration
  ) -> Evidence {
    if let last, count > last { return .works }
    guard case .exhausted = loading, tracked.count - tracked.parkedCount <= Self.fewAreLeft else {
      return .missing
    }
    var areAllFailing = true
    var areFromEarlier = true
    var since = now
    tracked.forEach { number, entry in
      if case .parked = entry.stage { return }
      if entry.failures.since == nil { areAllFailing = false }
      if operations[number]?.wasBegun != true { areFromEarlier = false }
      since = min(since, entry.failures.since ?? now)
    }
    guard areAllFailing, answeredCount > 0 || areFromEarlier || areListed else { return .missing }
    return now - since >= longestTrial ? .works : .lasts
  }

  private static var fewAreLeft: Int { 16 }

  /// For how long the last few operations are tried before they are rejected: four times the longest wait, or
  /// shorter where fewer attempts are allowed.
  private var longestTrial: Duration { policy.retry.longest * min(4, policy.retry.limit + 1) }

  /// Sends an operation again after some time, without counting that as a fault.
  private mutating func sendAgain(
    _ number: Int64,
    _ reason: String,
    isLost: Bool,
    after wait: Duration,
    now: Duration
  ) {
    if isLost {
      leaveLost(number, reason, now: now)
    } else {
      revokeIntent(number)
      requeue(number)
    }
    delay(number, until: now + wait)
  }

  mutating func reject(_ number: Int64, reason: String, isOnlyListed: Bool = false) {
    let words =
      isOnlyListed
      ? "the destination cannot show it, although it lists what it has"
      : "the destination cannot take it, although it takes others"
    let change = OperationChange.reject(
      number,
      code: "destination.keeps-failing",
      reason: "\(words): \(reason)"
    )
    settle(number, change)
  }
}
