// How one record that the destination can never take is told from a destination that is down.

extension UploadEngine {
  /// Takes a request apart that is put off or lost again and again; gives whether that was done.
  ///
  /// One of its records may be what the destination cannot take.
  /// The request is halved down to the record, which is rejected after as many attempts of its own
  /// when others were carried out meanwhile. While nothing else is carried out either, the
  /// destination is at fault, and patience is all. What was lost is first known not to have arrived.
  mutating func isolate(
    _ operations: [Int64],
    _ answer: BatchAnswer,
    now: Duration
  ) -> Bool {
    let (reason, isLost): (String, Bool)
    switch answer.whole {
    case .deferred(let words): (reason, isLost) = (words, false)
    case .unknown(let words): (reason, isLost) = (words, true)
    case .answered, .splittable, .refused: return false
    }
    for number in operations { suspect(number, isAlone: operations.count == 1) }
    // What cannot be taken was in each of those that failed; what was with it may have come later.
    guard operations.contains(where: isSuspect), end == nil else { return false }
    let before = operations.compactMap { tracked[$0]?.answeredBefore }.min()
    let isAlive = answeredCount > before ?? answeredCount
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
    // What only can be repeated is never known not to have arrived.
    let isUncertain = isLost ? settle == nil && isGivenUp : entry.mayHaveArrived
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

  /// Whether its requests failed more often than patience goes; it goes with no other operations then.
  func isSuspect(_ number: Int64) -> Bool {
    tracked[number].map { $0.suspicions > policy.retryLimit } ?? false
  }

  private mutating func suspect(_ number: Int64, isAlone: Bool) {
    guard var entry = tracked[number] else { return }
    entry.suspicions += 1
    if isAlone { entry.suspicionsAlone += 1 }
    entry.answeredBefore = entry.answeredBefore ?? answeredCount
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
