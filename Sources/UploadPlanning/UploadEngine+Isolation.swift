import Retrying

// How one record that the destination can never take is told from a destination that is down.

extension UploadEngine {
  /// Takes a request apart that is put off or lost again and again; gives whether that was done.
  ///
  /// One of its records may be what the destination cannot take.
  /// The request is halved down to the record, which is rejected after as many attempts of its own
  /// when others were carried out in between. While nothing else is carried out either, the
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
    let last = operations.compactMap { tracked[$0]?.answeredBefore }.min()
    for number in operations { suspect(number, isAlone: operations.count == 1, now: now) }
    // What cannot be taken was in each of those that failed; what was with it may have come later.
    guard operations.contains(where: isSuspect), end == nil else { return false }
    let patience = patienceWithTheLast(now: now)
    let isAlive = before > last ?? before || patience == .over
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
    let isGivenUp = entry.suspicionsAlone > policy.retry.limit
    if isLost, isGivenUp, park(number, reason, isAlive: isAlive, now: now) { return true }
    // What only can be repeated is never known not to have arrived; a change that is read before is.
    let isRepeated = settle == nil && !entry.action.needsReading
    let isUncertain = isLost ? isRepeated && isGivenUp : entry.mayHaveArrived
    guard isAlive, !isUncertain else {
      return patience == .lasts && wait(for: number, reason, isLost: isLost, now: now)
    }
    switch (isLost, isGivenUp) {
    case (true, _):
      tracked[number]?.isGivenUp = isGivenUp
      repeatLost(number, reason, now: now)
      // The last reading must not come before the last request.
      if isGivenUp, entry.action.needsReading {
        delay(number, until: now + (settle ?? policy.phases[phase].settleOfRepeats ?? .zero))
      }
    case (false, true): reject(number, reason: reason)
    case (false, false):
      takeBack(number)
      delay(number, until: now + backoff(after: entry.suspicionsAlone))
      requeue(number)
    }
    return true
  }

  /// Reads the record of an operation again later, whose reading failed.
  ///
  /// Where that goes on while others are carried out, or while those of its kind are listed and nothing else
  /// is left, the record is what cannot be read, and it is rejected. What may have arrived is not: only a
  /// reading tells.
  mutating func leaveUnread(
    _ number: Int64,
    _ reason: String,
    isUnanswered: Bool,
    areListed: Bool,
    now: Duration
  ) {
    guard let entry = tracked[number] else { return }
    tracked[number]?.unread += 1
    tracked[number]?.answeredBeforeReading = answeredCount
    tracked[number]?.suspectedSince = entry.suspectedSince ?? now
    guard isUnreadable(number), end == nil, !isUnanswered, !entry.mayHaveArrived else {
      return postpone(number, reason: reason, now: now)
    }
    let patience = patienceWithTheLast(areListed: areListed, now: now)
    if answeredCount > entry.answeredBeforeReading ?? answeredCount || patience == .over {
      let isOnlyListed = answeredCount == 0 && areListed
      reject(number, reason: reason, isOnlyListed: isOnlyListed)
    } else if patience == .lasts {
      delay(number, until: now + policy.retry.longest / 2)
      requeue(number)
    } else {
      postpone(number, reason: reason, now: now)
    }
  }

  /// Puts an operation aside whose request can be repeated, and fails each time, to be looked up; gives
  /// whether that is possible.
  ///
  /// What is not there goes under another key, where there are keys. Where that fails as often, or there
  /// are none, it is given up while others are carried out. All else of the phase is settled by the time
  /// of the look, so that nothing that is there can be taken for what it is not.
  private mutating func park(
    _ number: Int64,
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
    tracked[number]?.stage = .parked(settled: now + settle)
    tracked[number]?.isLookedUp = true
    tracked[number]?.isGivenUp = isLast
    tracked[number]?.hasOtherKey = true
    tracked[number]?.attempts = 0
    tracked[number]?.suspicions = 0
    tracked[number]?.suspicionsAlone = 0
    tracked[number]?.suspectedSince = nil
    return true
  }

  /// Whether it goes with no other operations, as its requests or its readings failed too often.
  func standsApart(_ number: Int64) -> Bool { isSuspect(number) || isUnreadable(number) }

  /// Whether its requests failed more often than patience goes.
  private func isSuspect(_ number: Int64) -> Bool {
    tracked[number].map { $0.suspicions > policy.retry.limit } ?? false
  }

  private func isUnreadable(_ number: Int64) -> Bool {
    tracked[number].map { $0.unread > policy.retry.limit } ?? false
  }

  private enum Patience {
    /// Others are left that can show whether the destination is at work, or it was not in this run.
    case none
    case lasts
    case over
  }

  /// How far the patience is with the last operations of a phase, where nothing else is left that can
  /// show whether the destination is at work: it goes on for longer than with others, and ends.
  ///
  /// Only where it was at work in this run, or where they failed in an earlier process too; or where it
  /// lists what it fails to show.
  private func patienceWithTheLast(areListed: Bool = false, now: Duration) -> Patience {
    guard case .exhausted = loading, tracked.count - tracked.parkedCount <= Self.fewAreLeft else {
      return .none
    }
    var areAllSuspects = true
    var areFromEarlier = true
    var since = now
    tracked.forEach { _, entry in
      if case .parked = entry.stage { return }
      if entry.suspectedSince == nil { areAllSuspects = false }
      if !entry.isFromEarlier { areFromEarlier = false }
      since = min(since, entry.suspectedSince ?? now)
    }
    guard areAllSuspects, answeredCount > 0 || areFromEarlier || areListed else { return .none }
    return now - since >= policy.retry.longest * 4 ? .over : .lasts
  }

  private static var fewAreLeft: Int { 16 }

  /// Sends an operation again later, without counting that as a fault; gives that this was done.
  private mutating func wait(
    for number: Int64,
    _ reason: String,
    isLost: Bool,
    now: Duration
  ) -> Bool {
    if isLost { leaveLost(number, reason, now: now) } else { takeBack(number) }
    delay(
      number,
      until: now + max(policy.retry.longest / 2, backoff(after: policy.retry.limit + 1))
    )
    if !isLost { requeue(number) }
    return true
  }

  private mutating func suspect(_ number: Int64, isAlone: Bool, now: Duration) {
    guard var entry = tracked[number] else { return }
    entry.suspicions += 1
    if isAlone { entry.suspicionsAlone += 1 }
    entry.answeredBefore = answeredCount
    entry.suspectedSince = entry.suspectedSince ?? now
    tracked[number] = entry
  }

  private mutating func repeatLost(_ number: Int64, _ reason: String, now: Duration) {
    leaveLost(number, reason, now: now)
    delay(number, until: now + backoff(after: policy.retry.limit + 1))
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
