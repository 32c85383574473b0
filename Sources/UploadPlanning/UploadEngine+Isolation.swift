// How one record that the destination can never take is told from a destination that is down.

extension UploadEngine {
  /// Takes a request apart that is put off or lost again and again; gives whether that was done.
  ///
  /// One of its records may be what the destination cannot take.
  /// The request is halved down to the record, which is rejected after as many attempts of its own
  /// when others were carried out meanwhile. While nothing else is carried out either, the
  /// destination is at fault, and patience is all. What was lost is first known not to have arrived.
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
    for number in operations { suspect(number, isAlone: operations.count == 1, before: before) }
    // What cannot be taken was in each of those that failed; what was with it may have come later.
    guard operations.contains(where: isSuspect), end == nil else { return false }
    let first = operations.compactMap { tracked[$0]?.answeredBefore }.min()
    let isAlive = answeredCount > first ?? answeredCount || isAllThatIsLeft(operations)
    // Each more request may arrive after all: none is sent to what does not answer at all.
    guard isAlive || !answer.isUnanswered else { return false }
    guard operations.count == 1, let number = operations.first, let entry = tracked[number] else {
      if isLost {
        halveBatches(of: operations.count)
        for number in operations { repeatLost(number, reason, now: now) }
      } else {
        split(operations)
      }
      return true
    }
    let isGivenUp = entry.suspicionsAlone > policy.retryLimit
    if isLost, isGivenUp, look(for: number, reason, isAlive: isAlive, now: now) { return true }
    // What only can be repeated is never known not to have arrived; a change that is read before is.
    let isRepeated = settle == nil && !entry.action.needsReading
    let isUncertain = isLost ? isRepeated && isGivenUp : entry.mayHaveArrived
    guard isAlive, !isUncertain else { return false }
    switch (isLost, isGivenUp) {
    case (true, _):
      tracked[number]?.isGivenUp = isGivenUp
      repeatLost(number, reason, now: now)
    case (false, true): reject(number, reason: reason)
    case (false, false):
      takeBack(number)
      delay(number, until: now + backoff(after: entry.suspicionsAlone))
      requeue(number)
    }
    return true
  }

  /// Looks whether an operation arrived whose request can be repeated, and fails each time; gives
  /// whether that is possible.
  ///
  /// What is not there goes under another key, where there are keys. Where that fails as often, or there
  /// are none, it is given up while others are carried out.
  private mutating func look(
    for number: Int64,
    _ reason: String,
    isAlive: Bool,
    now: Duration
  ) -> Bool {
    let phase = policy.phases[phase]
    guard phase.settle == nil, let settle = phase.settleOfRepeats, let entry = tracked[number],
      entry.action == .create
    else { return false }
    let isLast = entry.hasOtherKey || !phase.hasKeys
    guard isAlive || !isLast else { return false }
    doubt(number, reason)
    tracked[number]?.stage = .lost(settled: now + settle)
    tracked[number]?.isLookedUp = true
    tracked[number]?.isGivenUp = isLast
    tracked[number]?.hasOtherKey = true
    tracked[number]?.attempts = 0
    tracked[number]?.suspicions = 0
    tracked[number]?.suspicionsAlone = 0
    return true
  }

  /// Whether its requests failed more often than patience goes; it goes with no other operations then.
  func isSuspect(_ number: Int64) -> Bool {
    tracked[number].map { $0.suspicions > policy.retryLimit } ?? false
  }

  /// Whether nothing but a few operations that fail each time is left of a phase, so that no other one
  /// can show whether the destination is at work.
  ///
  /// It was before, in this run; or these failed as often in an earlier process.
  private func isAllThatIsLeft(_ numbers: [Int64]) -> Bool {
    guard case .exhausted = loading, tracked.count <= Self.fewAreLeft else { return false }
    var areAllSuspects = true
    tracked.forEach { _, entry in
      if entry.suspicions <= policy.retryLimit, !entry.hasOtherKey { areAllSuspects = false }
    }
    guard areAllSuspects else { return false }
    return answeredCount > 0 || numbers.allSatisfy { tracked[$0]?.isFromEarlier == true }
  }

  private static var fewAreLeft: Int { 3 }

  private mutating func suspect(_ number: Int64, isAlone: Bool, before: Int) {
    guard var entry = tracked[number] else { return }
    entry.suspicions += 1
    if isAlone { entry.suspicionsAlone += 1 }
    entry.answeredBefore = entry.answeredBefore ?? before
    tracked[number] = entry
  }

  private mutating func repeatLost(_ number: Int64, _ reason: String, now: Duration) {
    leaveLost(number, reason, now: now)
    delay(number, until: now + backoff(after: policy.retryLimit + 1))
  }

  mutating func reject(_ number: Int64, reason: String) {
    let words = "the destination cannot take it, although it takes others: \(reason)"
    settle(number, .reject(number, code: "destination.keeps-failing", reason: words))
  }
}
