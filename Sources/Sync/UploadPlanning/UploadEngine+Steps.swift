// What happens next.

extension UploadEngine {
  mutating func step(now: Duration) -> [EngineEffect] {
    var effects: [EngineEffect] = []
    if end == nil {
      advancePhase()
      load(into: &effects)
      turnToParked()
      sendBegun(now: now, into: &effects)
      startReadingsAndIntents(now: now, into: &effects)
      startLookUp(now: now, into: &effects)
    } else {
      revokeUnsent()
    }
    commit(into: &effects)
    if !finish(into: &effects) { askToWake(now: now, into: &effects) }
    return effects
  }

  var isPhaseOver: Bool {
    guard case .exhausted = loading else { return false }
    return tracked.isEmpty && waiting.isEmpty && committing.isEmpty && flights.isEmpty
  }

  mutating func advancePhase() {
    guard phase < policy.phases.count, isPhaseOver else { return }
    phase += 1
    isProven = false
    queue = []
    guard phase < policy.phases.count else { return }
    loading = .wanted(after: 0)
    batchLimit = policy.phases[phase].batchLimit
    fittingInARow = 0
  }

  /// At the end of a run, what was begun and never sent is planned again.
  mutating func revokeUnsent() {
    guard tracked.preparedCount > 0 else { return }
    var unsent: [Int64] = []
    tracked.forEach { number, entry in if entry.isPrepared { unsent.append(number) } }
    for number in unsent {
      revokeIntent(number)
      tracked[number]?.stage = .ready
    }
  }

  mutating func load(into effects: inout [EngineEffect]) {
    guard phase < policy.phases.count, case .wanted(let after) = loading, hasCapacity else {
      return
    }
    loading = .asked(after: after)
    effects.append(.load(phase: phase, after: after, limit: round * 2))
  }

  private var round: Int { policy.phases[phase].batchLimit * policy.concurrency }

  /// Whether more operations are loaded: the next ones are there before the last ones are begun, so that
  /// no request waits for them.
  private var hasCapacity: Bool { queue.count <= round && tracked.count <= round * 3 }

  /// Looks up what could be repeated and failed each time, or could not be looked up, once nothing else is
  /// left to be done.
  private mutating func turnToParked() {
    guard tracked.parkedCount > 0, tracked.parkedCount == tracked.count else { return }
    guard flights.isEmpty, waiting.isEmpty, committing.isEmpty else { return }
    switch loading {
    case .asked: return
    case .wanted where hasCapacity: return
    case .wanted, .exhausted: break
    }
    var parked: [(number: Int64, settled: Duration)] = []
    tracked.forEach { number, entry in
      if case .parked(let settled) = entry.stage { parked.append((number, settled)) }
    }
    for (number, settled) in parked { tracked[number]?.stage = .lost(settled: settled) }
  }

  mutating func startReadingsAndIntents(
    now: Duration,
    into effects: inout [EngineEffect]
  ) {
    guard now >= quietUntil, tracked.lostCount == 0 else { return }
    var groups = flights.count + preparedGroupCount
    while groups < pace.width * 2, let batch = nextBatch(now: now) {
      groups += 1
      if batch.first.flatMap({ tracked[$0]?.action.needsReading }) == true {
        fly(.read, batch, into: &effects)
      } else {
        lastGroup += 1
        for number in batch { begin(number, group: lastGroup) }
        effects.append(.prepare(batch.compactMap { operations[$0] }))
      }
    }
  }

  /// The groups whose intents are being committed or are ready to be sent.
  var preparedGroupCount: Int {
    guard tracked.preparedCount > 0 else { return 0 }
    var groups: Set<Int> = []
    var last: Int?
    tracked.forEach { _, entry in
      guard entry.isPrepared, entry.group != last else { return }
      groups.insert(entry.group)
      last = entry.group
    }
    return groups.count
  }

  /// Takes the next operations of one action from the queue, those whose time has come; those that
  /// are read first only while there is space for another flight.
  mutating func nextBatch(now: Duration) -> [Int64]? {
    var batch: [Int64] = []
    var kept: [Int64] = []
    var action: Operation.Action?
    var isSuspected = false
    let mayRead = flights.count < pace.width
    let mayMake = !isUnproven || !isMaking
    for (place, number) in queue.enumerated() {
      if batch.count == (isUnproven && action == .create ? 1 : batchLimit) {
        kept += queue[place...]
        break
      }
      guard let entry = tracked[number], case .ready = entry.stage else { continue }
      let isOpen =
        entry.action == .create ? mayMake : mayRead || !entry.action.needsReading
      let suspected = isIsolated(number)
      let fits =
        isOpen && (action == nil || (action == entry.action && isSuspected == suspected))
      if fits, entry.notBefore <= now {
        action = entry.action
        isSuspected = suspected
        batch.append(number)
      } else {
        kept.append(number)
      }
    }
    queue = kept
    return batch.isEmpty ? nil : batch
  }

  /// Whether the destination takes the identities that requests of this phase choose, as far as nothing has
  /// shown that.
  var isUnproven: Bool {
    !isProven && phase < policy.phases.count && policy.phases[phase].isUnproven
  }

  /// Whether a record is being made.
  private var isMaking: Bool {
    var isMaking = false
    tracked.forEach { _, entry in
      guard entry.action == .create else { return }
      switch entry.stage {
      case .beginning, .begun, .sending: isMaking = true
      case .ready, .reading, .lost, .parked, .lookingUp, .settling, .revoking: break
      }
    }
    return isMaking
  }

  /// Looks up everything that was lost, once all of it had time to arrive and nothing is in flight.
  mutating func startLookUp(now: Duration, into effects: inout [EngineEffect]) {
    guard tracked.lostCount > 0, now >= quietUntil else { return }
    guard flights.isEmpty, waiting.isEmpty, committing.isEmpty else { return }
    // What was begun before the loss is sent first: a look-up needs a quiet destination.
    var isQuiet = true
    var lost: [Int64] = []
    tracked.forEach { number, entry in
      switch entry.stage {
      case .lost(let settled):
        if settled > now || entry.notBefore > now { isQuiet = false }
        lost.append(number)
      case .begun, .beginning, .sending, .settling: isQuiet = false
      case .ready, .reading, .lookingUp, .revoking, .parked: break
      }
    }
    guard isQuiet, !lost.isEmpty else { return }
    fly(.lookUp, lost, into: &effects)
  }

  mutating func sendBegun(now: Duration, into effects: inout [EngineEffect]) {
    guard now >= quietUntil, tracked.begunCount > 0, flights.count < pace.width else { return }
    revokeOutdated(now: now)
    var groups: [(group: Int, numbers: [Int64])] = []
    tracked.forEach { number, entry in
      guard entry.isBegun else { return }
      if let place = groups.lastIndex(where: { $0.group == entry.group }) {
        groups[place].numbers.append(number)
      } else {
        groups.append((entry.group, [number]))
      }
    }
    for group in groups.sorted(by: { $0.group < $1.group }) {
      guard flights.count < pace.width else { return }
      fly(.send, group.numbers, into: &effects)
    }
  }

  /// Has what was read before the destination asked to wait, and too long ago, read once more.
  ///
  /// Whatever is read after the wait is, however long it takes to be sent.
  private mutating func revokeOutdated(now: Duration) {
    guard quietUntil > .zero else { return }
    var outdated: [Int64] = []
    tracked.forEach { number, entry in
      guard entry.isBegun, let readAt = entry.readAt else { return }
      if readAt < quietUntil, now - readAt > EnginePolicy.readingHolds { outdated.append(number) }
    }
    for number in outdated {
      revokeIntent(number)
      tracked[number]?.stage = .ready
    }
    queue = outdated + queue
  }

  mutating func fly(
    _ kind: Flight.Kind,
    _ numbers: [Int64],
    into effects: inout [EngineEffect]
  ) {
    lastFlight += 1
    let flight = FlightID(number: lastFlight)
    flights[flight] = Flight(kind: kind, operations: numbers)
    let operations = numbers.compactMap { self.operations[$0] }
    for number in numbers {
      switch kind {
      case .read: tracked[number]?.stage = .reading
      case .send: tracked[number]?.stage = .sending
      case .lookUp: tracked[number]?.stage = .lookingUp
      }
    }
    switch kind {
    case .read: effects.append(.read(flight, operations))
    case .send: effects.append(.send(flight, operations))
    case .lookUp: effects.append(.lookUp(flight, operations))
    }
  }

  /// One commit covers all that is waiting; the next one begins when this one is on the disk.
  mutating func commit(into effects: inout [EngineEffect]) {
    guard committing.isEmpty, !waiting.isEmpty else { return }
    committing = waiting
    waiting = []
    effects.append(.commit(committing))
  }

  mutating func finish(into effects: inout [EngineEffect]) -> Bool {
    guard flights.isEmpty, waiting.isEmpty, committing.isEmpty else { return false }
    if let end {
      if case .asked = loading { return false }
      effects.append(.finish(end))
      isFinished = true
      return true
    }
    guard phase >= policy.phases.count else { return false }
    effects.append(.finish(.done))
    isFinished = true
    return true
  }

  mutating func askToWake(now: Duration, into effects: inout [EngineEffect]) {
    guard quietUntil > now || tracked.delayedCount > 0 || tracked.lostCount > 0 else { return }
    var soonest: Duration?
    tracked.forEach { _, entry in
      let due: Duration
      switch entry.stage {
      case .ready: due = max(entry.notBefore, quietUntil)
      case .lost(let settled): due = max(settled, entry.notBefore, quietUntil)
      case .begun: due = quietUntil
      case .reading, .beginning, .sending, .lookingUp, .settling, .revoking, .parked: return
      }
      if due > now { soonest = min(soonest ?? due, due) }
    }
    guard let soonest else { return }
    if let wakeAt, wakeAt > now, wakeAt <= soonest { return }
    wakeAt = soonest
    effects.append(.wake(at: soonest))
  }
}
