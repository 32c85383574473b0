// How one record that the destination can never take is told from a destination that is down.

extension UploadEngine {
  /// Takes a request apart that is put off again and again; gives whether that was done.
  ///
  /// One of its records may be what the destination cannot take.
  /// The request is halved down to the record, which is rejected after as many attempts of its own
  /// when others were carried out meanwhile. While nothing else is carried out either, the
  /// destination is at fault, and patience is all.
  mutating func isolate(_ operations: [Int64], reason: String, now: Duration) -> Bool {
    for number in operations {
      guard var entry = tracked[number] else { continue }
      entry.suspicions += 1
      if operations.count == 1 { entry.suspicionsAlone += 1 }
      entry.answeredBefore = entry.answeredBefore ?? answeredCount
      tracked[number] = entry
    }
    let entries = operations.compactMap { tracked[$0] }
    let isPatienceSpent = entries.allSatisfy { $0.suspicions > policy.retryLimit }
    guard isPatienceSpent, end == nil else { return false }
    guard operations.count == 1, let number = operations.first, let entry = entries.first else {
      split(operations)
      return true
    }
    let isAlive = answeredCount > entry.answeredBefore ?? answeredCount
    guard isAlive, !entry.mayHaveArrived else { return false }
    guard entry.suspicionsAlone > policy.retryLimit else {
      takeBack(number)
      let doublings = min(entry.suspicionsAlone - 1, 16)
      let ceiling = min(policy.firstWait * (1 << doublings), policy.longestWait)
      delay(number, until: now + ceiling * jitter)
      requeue(number)
      return true
    }
    let words = "the destination cannot take it, although it takes others: \(reason)"
    settle(number, .reject(number, code: "destination.keeps-failing", reason: words))
    return true
  }
}
