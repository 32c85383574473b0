package import Retrying

// What becomes of one operation, or of one request.

extension UploadEngine {
  var settle: Duration? { policy.phases[phase].settle }

  /// How long a request may still arrive that no one will repeat under its key.
  var settleOfKeys: Duration? {
    let phase = policy.phases[phase]
    return phase.hasKeys ? phase.settleOfRepeats : nil
  }

  var isRefusal: Bool {
    if case .refused = end { true } else { false }
  }

  /// Whether the last answer asked to wait, and not without end.
  var isAskedToWait: Bool { pausesInARow > 0 && pausesInARow <= policy.retry.pauseLimit }

  /// Why nothing is sent until the time to wake.
  package func waitReason(at now: Duration) -> Waits.Reason {
    if quietUntil > now { return .pause }
    return tracked.lostCount + tracked.deadCount > 0 ? .lateRequest : .retry
  }

  mutating func begin(_ number: Int64, group: Int) {
    guard let operation = operations[number] else { return }
    tracked[number]?.group = group
    tracked[number]?.stage = .beginning
    operations[number]?.state = .begun
    waiting.append(.begin(number, before: operation.before, version: operation.version))
  }

  /// Goes on with an operation once it is on the disk where the destination will have it.
  mutating func stage(_ number: Int64, _ serverID: String, _ version: String?) {
    operations[number]?.serverID = serverID
    operations[number]?.version = version
    tracked[number]?.stage = .beginning
    waiting.append(.stage(number, serverID: serverID, version: version))
  }

  mutating func settle(_ number: Int64, _ change: OperationChange) {
    tracked[number]?.stage = .settling
    waiting.append(change)
  }

  /// The content at the destination is kept so that it can be put back.
  ///
  /// Once a request may have arrived, what is read may be its work; the first reading is then.
  /// An undo holds what it puts back, and no reading replaces that.
  mutating func keep(_ before: [UInt8], version: String?, of number: Int64) {
    guard let entry = tracked[number], var operation = operations[number] else { return }
    let isFirst = !entry.mayHaveArrived && !entry.action.isUndo
    if isFirst || operation.before == nil { operation.before = before }
    operation.version = version
    operations[number] = operation
  }

  /// The answer was lost.
  mutating func lose(_ number: Int64, _ reason: String, now: Duration) {
    countFault(number, reason: reason, now: now)
    leaveLost(number, reason, now: now)
  }

  /// It is unknown what became of a request, and that is not counted against its operation.
  mutating func leaveLost(_ number: Int64, _ reason: String, now: Duration) {
    guard let action = tracked[number]?.action else { return }
    doubt(number, reason)
    if action.needsReading {
      delay(number, until: now + (settle ?? .zero))
      requeue(number)
    } else if let settle {
      tracked[number]?.stage = .lost(settled: now + settle)
    } else if action == .create, isUnproven {
      // Under an identity that the destination does not take, a repeat would be another record.
      tracked[number]?.stage = .lost(settled: now)
    } else {
      requeue(number)
    }
  }

  /// A repeat was refused, and the request before it may have been carried out: that is what a refusal of the
  /// repeat mostly says, in whichever words.
  ///
  /// What is not there at once may still arrive, and is looked up once more after that.
  mutating func lookUpRefused(_ number: Int64, reason: String, now: Duration) {
    guard let entry = tracked[number] else { return }
    doubt(number, "a repeat of its lost request was refused: \(reason)")
    tracked[number]?.refusedRepeats += 1
    if entry.action.needsReading {
      requeue(number)
    } else {
      tracked[number]?.isLookedUp = true
      tracked[number]?.stage = .lost(settled: now)
    }
  }

  /// Whether a refusal is looked into first: a request before it got no answer, and reading reports that.
  func isOfRepeat(_ entry: Tracked) -> Bool {
    guard entry.mayHaveArrived else { return false }
    if entry.action.needsReading { return entry.refusedRepeats == 0 }
    let phase = policy.phases[phase]
    return !phase.hasKeys || phase.settleOfRepeats != nil
  }

  /// The destination carried the request out, and has the record under another identity than it chose.
  ///
  /// Every further request would make another such record, so that the run ends. Where it is unknown that
  /// identity, the record is looked for first.
  mutating func displace(
    _ number: Int64,
    _ serverID: String?,
    _ version: String?,
    _ reason: String,
    now: Duration
  ) {
    if let serverID {
      settle(number, .displace(number, serverID: serverID, version: version, reason: reason))
      if !isRefusal, !policy.settlesOnly { end = .refused(reason: reason) }
    } else if isUnproven {
      // Written down as such: whatever goes on with the run must not send it again.
      waiting.append(.displace(number, serverID: nil, version: nil, reason: reason))
      tracked[number]?.mayHaveArrived = true
      tracked[number]?.alreadyExisted = false
      tracked[number]?.displacement = reason
      tracked[number]?.stage = .lost(settled: now)
    } else {
      lose(number, reason, now: now)
    }
  }

  /// The record is there already, which may be our own doing: after a lost answer that is what a
  /// repeat is reported, and no fault, unless a look-up then shows nothing.
  mutating func meet(_ number: Int64, now: Duration) {
    guard let entry = tracked[number] else { return }
    let reason = "the destination has a record of this identity already"
    guard !entry.action.needsReading else { return lose(number, reason, now: now) }
    doubt(number, reason)
    tracked[number]?.saidToBeThere += 1
    guard entry.saidToBeThere <= policy.retry.limit else { return conflict(unlisted: number) }
    lookUpAtOnce(number, after: entry.saidToBeThere, now: now)
  }

  mutating func doubt(_ number: Int64, _ reason: String) {
    waiting.append(.lose(number, reason: reason))
    tracked[number]?.mayHaveArrived = true
    tracked[number]?.alreadyExisted = false
  }

  /// Postpones an operation of which a look-up could not say what became, to be looked up again once
  /// nothing else of its phase is left.
  ///
  /// What may have arrived still may, and why the outcome is unknown is written down. However
  /// little patience is left with it, it ends the run only when it was looked up again. A record
  /// that the destination made under another identity is not postponed: no other one is made before
  /// it is found.
  mutating func leaveInDoubt(_ number: Int64, _ reason: String, now: Duration) {
    guard let entry = tracked[number] else { return }
    if entry.mayHaveArrived { waiting.append(.lose(number, reason: reason)) }
    countFault(number, endsRun: entry.isInDoubt, reason: reason, now: now)
    tracked[number]?.isInDoubt = true
    let isDisplaced = entry.displacement != nil
    tracked[number]?.stage = isDisplaced ? .lost(settled: now) : .parked(settled: now)
  }

  /// The record is there, and no request of ours can have made it: whose it is, a look-up shows.
  ///
  /// That nothing of ours arrived is written down, so that a run that ends here asks again.
  mutating func find(_ number: Int64, now: Duration) {
    guard let entry = tracked[number] else { return }
    waiting.append(.revoke(number))
    tracked[number]?.alreadyExisted = true
    tracked[number]?.saidToBeThere += 1
    guard entry.saidToBeThere <= policy.retry.limit else { return conflict(unlisted: number) }
    lookUpAtOnce(number, after: entry.saidToBeThere, now: now)
  }

  /// The destination keeps saying that the record is there, and shows none that it could be: two of the
  /// store may be one to it.
  private mutating func conflict(unlisted number: Int64) {
    let reason =
      "the destination answers that the record exists, and shows only another record's"
    settle(number, .conflict(number, reason: reason))
  }

  /// The record is there, so there is nothing to wait for; but a look that showed nothing `before` is
  /// not repeated at once.
  private mutating func lookUpAtOnce(_ number: Int64, after before: Int, now: Duration) {
    let due = now + (before == 0 ? .zero : backoff(after: before))
    tracked[number]?.stage = .lost(settled: due)
    tracked[number]?.notBefore = due
  }

  mutating func delay(_ number: Int64, until instant: Duration) {
    guard let due = tracked[number]?.notBefore else { return }
    tracked[number]?.notBefore = max(due, instant)
  }

  mutating func requeue(_ number: Int64) {
    tracked[number]?.stage = .ready
    queue.append(number)
  }

  /// Back into the queue after a reading that came to nothing.
  mutating func postpone(_ number: Int64, reason: String, now: Duration) {
    countFault(number, in: \.attemptsToRead, reason: reason, now: now)
    requeue(number)
  }

  /// Writes down that an intent came to nothing, where no earlier request can have arrived either.
  ///
  /// It overwrote nothing then.
  mutating func revokeIntent(_ number: Int64) {
    guard let entry = tracked[number], !entry.mayHaveArrived else { return }
    operations[number]?.state = .planned
    if !entry.action.isUndo { operations[number]?.before = nil }
    waiting.append(.revoke(number))
  }

  /// Sends the operations of a request that was too large again, at once and in halves.
  mutating func split(_ operations: [Int64]) {
    halveBatches(of: operations.count)
    for number in operations {
      revokeIntent(number)
      tracked[number]?.stage = .ready
    }
    queue = operations + queue
  }

  mutating func halveBatches(of count: Int) {
    fittingInARow = 0
    batchLimit = min(batchLimit, max(1, count / 2))
  }

  /// Doubles the requests again after some that went through, for one bad record may have been
  /// the reason for halving them.
  mutating func growBatches(after whole: BatchAnswer.Whole, count: Int) {
    let limit = policy.phases[phase].batchLimit
    guard whole == .answered, batchLimit < limit, count >= batchLimit else { return }
    fittingInARow += 1
    guard fittingInARow >= 8 else { return }
    fittingInARow = 0
    batchLimit = min(batchLimit * 2, limit)
  }

  /// Counts a fault against an operation; what cannot be read has the same patience as what cannot be sent,
  /// each for itself.
  ///
  /// One too many ends the run, unless that is left to a later one by `endsRun`.
  mutating func countFault(
    _ number: Int64,
    in attempts: WritableKeyPath<Tracked, Int> = \.attempts,
    endsRun: Bool = true,
    reason: String,
    now: Duration
  ) {
    guard var entry = tracked[number] else { return }
    entry[keyPath: attempts] += 1
    if entry[keyPath: attempts] > policy.retry.limit, endsRun, end == nil {
      end = .passingFault(reason: reason)
    }
    entry.notBefore = now + backoff(after: entry[keyPath: attempts])
    tracked[number] = entry
  }

  /// Counts a request that came to nothing: a destination at which more do than not is left alone.
  mutating func countFailure(of answer: BatchAnswer) {
    switch answer.whole {
    case .unknown where answer.pause == nil: break
    case .deferred where answer.pause == nil: break
    case .unknown, .deferred, .answered, .splittable, .refused: return
    }
    failedCount += 1
    guard failedCount > answeredCount + policy.failureBudget, end == nil else { return }
    end = .passingFault(
      reason: "\(failedCount) requests failed, and \(answeredCount) were carried out"
    )
  }

  /// How long to wait after so many faults.
  func backoff(after faults: Int) -> Duration {
    policy.retry.wait(after: faults, jitter: jitter)
  }

  mutating func takePause(_ pause: Duration, now: Duration) {
    quietUntil = max(quietUntil, now + pause)
    if pause > RetryPolicy.longestPause, end == nil {
      let seconds = pause.components.seconds
      end = .passingFault(
        reason: pause < BatchAnswer.unstatedPause
          ? "the destination asks to wait \(seconds) seconds: resume after that"
          : "the destination is not to be asked again for now, and names no time to resume after"
      )
    }
  }
}
