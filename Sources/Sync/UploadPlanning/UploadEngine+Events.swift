// What the engine makes of what it is reported.

extension UploadEngine {
  mutating func take(_ event: EngineEvent, now: Duration) {
    switch event {
    case .started: break
    case .woke: if let due = wakeAt, due <= now { wakeAt = nil }
    case .interrupted: if end == nil { end = .interrupted }
    case .loaded(let phase, let operations, let isLast):
      precondition(phase == self.phase, "operations of another phase")
      take(loaded: operations, isLast: isLast, now: now)
    case .committed: takeCommitted()
    case .read(let flight, let readings): take(readings, of: flight, now: now)
    case .answered(let flight, let answer): take(answer, of: flight, now: now)
    case .lookedUp(let flight, let results): take(results, of: flight, now: now)
    case .readingFailed(let flight, let reason, let isPassing, let pause):
      takeFailure(of: flight, reason: reason, isPassing: isPassing, pause: pause, now: now)
    }
  }

  mutating func take(loaded operations: [Operation], isLast: Bool, now: Duration) {
    for operation in operations {
      precondition(!operation.state.isSettled, "a settled operation is loaded again")
      precondition(
        !policy.settlesOnly || operation.state != .planned,
        "only what was begun is settled"
      )
      var entry = Tracked(action: operation.action, stage: .ready)
      entry.mayHaveArrived = operation.state != .planned
      let isLookedUp =
        policy.settlesOnly || (settle != nil && !operation.action.needsReading)
        || (isUnproven && operation.action == .create)
      if entry.mayHaveArrived, isLookedUp {
        entry.stage = .lost(settled: now + (settle ?? settleOfKeys ?? .zero))
      } else {
        if entry.mayHaveArrived, let settle { entry.notBefore = now + settle }
        queue.append(operation.number)
      }
      tracked[operation.number] = entry
      self.operations[operation.number] = operation
    }
    if !isLast, let last = operations.last {
      loading = .wanted(after: last.number)
    } else {
      loading = .exhausted
    }
  }

  mutating func takeCommitted() {
    for change in committing {
      let number = change.operation
      guard var entry = tracked[number] else { continue }
      switch (entry.stage, change) {
      case (.beginning, .begin), (.beginning, .stage): entry.stage = .begun
      case (.settling, .confirm), (.settling, .displace(_, _?, _, _)), (.settling, .adopt),
        (.settling, .reject), (.settling, .conflict):
        forget(number)
        continue
      case (.revoking, .absent) where policy.settlesOnly:
        forget(number)
        continue
      case (.revoking, .absent):
        entry.stage = .ready
        entry.mayHaveArrived = false
        queue.append(number)
      default: break
      }
      tracked[number] = entry
    }
    committing = []
  }

  mutating func take(_ readings: [Int64: Reading], of flight: FlightID, now: Duration) {
    guard let operations = flights.removeValue(forKey: flight)?.operations else { return }
    lastGroup += 1
    if !readings.values.contains(where: \.isAnswered) { slowDown(after: flight) }
    for number in operations {
      switch readings[number] {
      case .ready where tracked[number]?.isDeadLetter == true:
        reject(number, reason: "its request was lost each time")
      case .ready(let before, let version):
        keep(before, version: version, of: number)
        tracked[number]?.readAt = now
        tracked[number]?.failures.readings = 0
        tracked[number]?.attemptsToRead = 0
        begin(number, group: lastGroup)
      case .alreadyDone(let version):
        let serverID = self.operations[number]?.serverID
        settle(number, .confirm(number, serverID: serverID, version: version))
      case .conflicted(let reason): settle(number, .conflict(number, reason: reason))
      case .refused(let code, let reason):
        settle(number, .reject(number, code: code, reason: reason))
      case .failed(let reason, let isUnanswered, let areListed):
        leaveUnread(number, reason, isUnanswered: isUnanswered, areListed: areListed, now: now)
      case .unasked: requeue(number)
      case nil: postpone(number, reason: "the destination gave no reason", now: now)
      }
    }
  }

  mutating func take(_ results: [Int64: LookUpResult], of flight: FlightID, now: Duration) {
    guard let operations = flights.removeValue(forKey: flight)?.operations else { return }
    for number in operations {
      switch results[number] {
      case .displaced(let serverID, let version, let reason) where isUnproven:
        displace(number, serverID, version, reason, now: now)
      case .found(let serverID, let version):
        if tracked[number]?.action == .create { isProven = true }
        let isOurs = tracked[number]?.alreadyExisted != true
        settle(
          number,
          isOurs
            ? .confirm(number, serverID: serverID, version: version)
            : .adopt(number, serverID: serverID, version: version)
        )
      case .replaced(let serverID, let version):
        settle(number, .adopt(number, serverID: serverID, version: version))
      case .different(let reason): settle(number, .conflict(number, reason: reason))
      // A destination that takes the identities of requests has given none itself: another writer made it.
      case .displaced(_, _, _), .notThere: takeAbsence(of: number, now: now)
      case .failed(let reason): leaveInDoubt(number, reason, now: now)
      case nil: leaveInDoubt(number, "the destination gave no reason", now: now)
      }
    }
  }

  private mutating func takeAbsence(of number: Int64, now: Duration) {
    if let reason = tracked[number]?.displacement {
      // It stays lost: it was made, and it is unknown where.
      tracked[number]?.stage = .ready
      if !isRefusal { end = .refused(reason: reason) }
      return
    }
    if tracked[number]?.isUnnamed == true {
      let reason = "the destination answered that it created it, and no record like it is there"
      return settle(number, .reject(number, code: ItemOutcome.unnamed, reason: reason))
    }
    if tracked[number]?.refusedRepeats == 1, let settle = policy.phases[phase].settleOfRepeats {
      tracked[number]?.refusedRepeats += 1
      tracked[number]?.stage = .lost(settled: now + settle)
      return
    }
    let isRepeated = settle == nil && !policy.settlesOnly && tracked[number]?.isLookedUp != true
    tracked[number]?.isLookedUp = false
    tracked[number]?.refusedRepeats = 0
    if isRepeated, tracked[number]?.mayHaveArrived == true {
      // What existed by then was another's, and no one waited for a lost request to arrive: it
      // stays lost, and is repeated.
      requeue(number)
    } else if tracked[number]?.isDeadLetter == true {
      reject(number, reason: "its request was lost each time")
    } else {
      tracked[number]?.stage = .revoking
      waiting.append(.absent(number, key: renewKey(of: number)))
    }
  }

  mutating func take(_ answer: BatchAnswer, of flight: FlightID, now: Duration) {
    guard let operations = flights.removeValue(forKey: flight)?.operations else { return }
    // Requests that were under way together are asked to wait once.
    let isAskedAnew = now >= quietUntil
    if let pause = answer.pause { takePause(pause, now: now) }
    findPace(after: answer, of: flight)
    // Anyone who is asked to wait and does has not failed, unless it goes on without end.
    pausesInARow = answer.pause == nil ? 0 : max(1, pausesInARow + (isAskedAnew ? 1 : 0))
    if case .splittable = answer.whole, operations.count > 1 {
      split(operations)
      return
    }
    let before = answeredCount
    if answer.carriedAnyOut { answeredCount += 1 } else { countFailure(of: answer) }
    if answer.mayLieInOne, isolate(operations, answer, before: before, now: now) { return }
    growBatches(after: answer.whole, count: operations.count)
    for number in operations {
      if let single = answer.singles[number],
        isolate([number], single, before: before, now: now)
      {
        continue
      }
      let outcome = answer.outcomes[number] ?? answer.whole.outcomeForAll
      take(outcome, of: number, now: now)
    }
    if case .refused(let reason) = answer.whole, !isRefusal { end = .refused(reason: reason) }
  }

  mutating func take(_ outcome: ItemOutcome, of number: Int64, now: Duration) {
    guard let entry = tracked[number] else { return }
    switch outcome {
    case .stored(let serverID, let version):
      if entry.action == .create { isProven = true }
      settle(number, .confirm(number, serverID: serverID, version: version))
    case .displaced(let serverID, let version, let reason):
      displace(number, serverID, version, reason, now: now)
    case .adopted(let serverID, let version):
      settle(number, .adopt(number, serverID: serverID, version: version))
    case .staged(let serverID, let version): stage(number, serverID, version)
    case .removed:
      settle(number, .confirm(number, serverID: operations[number]?.serverID, version: nil))
    case .rejected(_, let reason) where isOfRepeat(entry):
      lookUpRefused(number, reason: reason, now: now)
    case .rejected(let code, let reason):
      settle(number, .reject(number, code: code, reason: reason))
    case .conflicted
    where entry.mayHaveArrived && entry.action.needsReading && !entry.isConflictRead:
      // It may be the lost request itself that moved the version, which a reading shows.
      tracked[number]?.isConflictRead = true
      requeue(number)
    case .conflicted(let reason) where !entry.action.needsReading && isOfRepeat(entry):
      lookUpRefused(number, reason: reason, now: now)
    case .conflicted(let reason): settle(number, .conflict(number, reason: reason))
    case .missing where entry.action.removes:
      // No request of the run removed it, unless an earlier one was lost.
      revokeIntent(number)
      settle(number, .confirm(number, serverID: operations[number]?.serverID, version: nil))
    case .missing:
      settle(number, .conflict(number, reason: "the record is no longer at the destination"))
    case .exists where !entry.mayHaveArrived && !entry.action.needsReading:
      find(number, now: now)
    case .exists: meet(number, now: now)
    case .unnamed(let reason) where settle != nil && entry.action == .create:
      tracked[number]?.isUnnamed = true
      leaveLost(number, reason, now: now)
    case .unnamed(let reason): lose(number, reason, now: now)
    case .unknown(let reason) where isAskedToWait: leaveLost(number, reason, now: now)
    case .unknown(let reason): lose(number, reason, now: now)
    case .deferred(let reason):
      revokeIntent(number)
      if !isAskedToWait { countFault(number, reason: reason, now: now) }
      requeue(number)
    }
  }

  /// Gives a record that is to be made, and is not there, another key; gives that key.
  private mutating func renewKey(of number: Int64) -> String? {
    guard let operation = operations[number], operation.action == .create else { return nil }
    let key = OperationKey.following(operation.key)
    operations[number] = operation.keyed(key)
    tracked[number]?.hasOtherKey = true
    return key
  }

  /// The operation is settled.
  private mutating func forget(_ number: Int64) {
    tracked[number] = nil
    operations[number] = nil
  }

  mutating func takeFailure(
    of flight: FlightID,
    reason: String,
    isPassing: Bool,
    pause: Duration?,
    now: Duration
  ) {
    guard let gone = flights.removeValue(forKey: flight) else { return }
    if let pause { takePause(pause, now: now) }
    if isPassing { slowDown(after: flight) }
    if !isPassing, !isRefusal { end = .refused(reason: reason) }
    for number in gone.operations {
      if gone.kind == .lookUp {
        tracked[number]?.stage = .lost(settled: now)
        countFault(number, reason: reason, now: now)
      } else {
        postpone(number, reason: reason, now: now)
      }
    }
  }
}
