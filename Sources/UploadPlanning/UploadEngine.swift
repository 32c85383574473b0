/// Decides what a run does next, and touches nothing itself.
///
/// The engine is a value. It is told what happened (``EngineEvent``) and answers with what has to
/// be done (``EngineEffect``); a shell reads, sends, commits and waits for it. The same engine
/// therefore runs for real, under test and under simulation.
///
/// An operation travels like this; `│` is a commit that has to be on the disk before the next step:
///
/// ```
/// planned ─► (read) ─► begin │ send ─► confirm / reject / conflict │ settled
///                              └─► lost │ look up ─► confirm │ settled
///                                              └─► revoke │ planned
/// ```
///
/// Three rules keep it safe:
///
/// - Nothing is sent whose intent is not on the disk.
/// - A lost answer is looked up before anything of its phase is sent again, once `settle` has
///   passed and no request of the phase is in flight. Where a key or the identity makes a repeat
///   the same request, it is repeated instead.
/// - The next phase begins only when every operation of this one is settled.
package struct UploadEngine: Sendable {
  private let policy: EnginePolicy
  private var random: SeededRandom
  private var jitter = 0.0

  private var phase = 0
  private var loading = Loading.wanted(after: 0)
  private var tracked: [Int64: Tracked] = [:]
  /// Operations that may be begun, in their order.
  private var queue: [Int64] = []
  private var flights: [FlightID: Flight] = [:]
  private var lastFlight = 0
  private var lastGroup = 0

  private var waiting: [OperationChange] = []
  private var committing: [OperationChange] = []

  private var quietUntil: Duration = .zero
  private var wakeAt: Duration?
  private var batchLimit: Int
  private var end: EngineConclusion?
  private var isFinished = false

  package init(policy: EnginePolicy) {
    self.policy = policy
    self.random = SeededRandom(seed: policy.seed)
    self.batchLimit = policy.phases.first?.batchLimit ?? 1
  }

  /// Takes an event in and says what has to be done now.
  ///
  /// - Parameter now: The time since the run began, never going back.
  package mutating func handle(_ event: EngineEvent, now: Duration) -> [EngineEffect] {
    precondition(!isFinished, "a finished run takes no events")
    // One draw an event keeps the operations of a request together when they wait.
    jitter = Double.random(in: 0..<1, using: &random)
    take(event, now: now)
    return step(now: now)
  }

  /// The operations that are in memory, which never grows with the plan.
  package var trackedCount: Int { tracked.count }
}

// MARK: - What it remembers

extension UploadEngine {
  private enum Loading {
    case wanted(after: Int64)
    case asked(after: Int64)
    case exhausted
  }

  private enum Stage {
    /// In the queue, or waiting for its time to come again.
    case ready
    case reading
    /// Its intent is waiting for a commit.
    case beginning
    /// Its intent is on the disk.
    case begun
    case sending
    /// Lost; may still arrive until then.
    case lost(settled: Duration)
    case lookingUp
    /// Its outcome is waiting for a commit.
    case settling
    /// It is known not to have arrived, and that is waiting for a commit.
    case revoking
  }

  private struct Tracked {
    var operation: Operation
    var stage: Stage
    var attempts = 0
    var notBefore: Duration = .zero
    /// The group it was begun with, which is sent together.
    var group = 0

    var isBegun: Bool {
      if case .begun = stage { true } else { false }
    }
  }

  private struct Flight {
    enum Kind { case read, send, lookUp }
    let kind: Kind
    let operations: [Int64]
  }
}

// MARK: - Events

extension UploadEngine {
  private mutating func take(_ event: EngineEvent, now: Duration) {
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
    case .lookedUp(let flight, let results): take(results, of: flight)
    case .readingFailed(let flight, let reason, let isPassing, let pause):
      takeFailure(of: flight, reason: reason, isPassing: isPassing, pause: pause, now: now)
    }
  }

  private mutating func take(loaded operations: [Operation], isLast: Bool, now: Duration) {
    for operation in operations {
      precondition(!operation.state.isSettled, "a settled operation is loaded again")
      var entry = Tracked(operation: operation, stage: .ready)
      if operation.state != .planned, !operation.action.needsReading, let settle {
        entry.stage = .lost(settled: now + settle)
      } else {
        queue.append(operation.number)
      }
      tracked[operation.number] = entry
    }
    loading = isLast ? .exhausted : .wanted(after: operations.last?.number ?? 0)
  }

  private mutating func takeCommitted() {
    for change in committing {
      let number = change.operation
      guard var entry = tracked[number] else { continue }
      switch (entry.stage, change) {
      case (.beginning, .begin): entry.stage = .begun
      case (.settling, .confirm), (.settling, .reject), (.settling, .conflict):
        tracked[number] = nil
        continue
      case (.revoking, .revoke):
        entry.stage = .ready
        queue.append(number)
      default: break
      }
      tracked[number] = entry
    }
    committing = []
  }

  private mutating func take(_ readings: [Int64: Reading], of flight: FlightID, now: Duration) {
    guard let operations = flights.removeValue(forKey: flight)?.operations else { return }
    lastGroup += 1
    for number in operations {
      switch readings[number] {
      case .ready(let before, let version):
        tracked[number]?.operation.before = before
        tracked[number]?.operation.version = version
        begin(number, group: lastGroup)
      case .alreadyDone(let version):
        let serverID = tracked[number]?.operation.serverID
        settle(number, .confirm(number, serverID: serverID, version: version))
      case .conflicted(let reason): settle(number, .conflict(number, reason: reason))
      case nil: postpone(number, reason: "the destination did not say", now: now)
      }
    }
  }

  private mutating func take(_ results: [Int64: LookUpResult], of flight: FlightID) {
    guard let operations = flights.removeValue(forKey: flight)?.operations else { return }
    for number in operations {
      switch results[number] {
      case .found(let serverID, let version):
        settle(number, .confirm(number, serverID: serverID, version: version))
      case .different(let reason): settle(number, .conflict(number, reason: reason))
      case .notThere, nil:
        tracked[number]?.stage = .revoking
        waiting.append(.revoke(number))
      }
    }
  }

  private mutating func take(_ answer: BatchAnswer, of flight: FlightID, now: Duration) {
    guard let operations = flights.removeValue(forKey: flight)?.operations else { return }
    if let pause = answer.pause { takePause(pause, now: now) }
    if case .splittable(let reason) = answer.whole, operations.count > 1 {
      batchLimit = max(1, min(batchLimit, operations.count) / 2)
      for number in operations { requeue(number, reason: reason, now: now, isFault: false) }
      return
    }
    for number in operations {
      let outcome = answer.outcomes[number] ?? answer.whole.outcomeForAll
      take(outcome, of: number, now: now)
    }
    if case .refused(let reason) = answer.whole, !isRefusal { end = .refused(reason: reason) }
  }

  private mutating func take(_ outcome: ItemOutcome, of number: Int64, now: Duration) {
    guard let operation = tracked[number]?.operation else { return }
    switch outcome {
    case .stored(let serverID, let version):
      settle(number, .confirm(number, serverID: serverID, version: version))
    case .removed:
      settle(number, .confirm(number, serverID: operation.serverID, version: nil))
    case .rejected(let code, let reason):
      settle(number, .reject(number, code: code, reason: reason))
    case .conflicted(let reason): settle(number, .conflict(number, reason: reason))
    case .missing where operation.action.removes:
      settle(number, .confirm(number, serverID: operation.serverID, version: nil))
    case .missing:
      settle(number, .conflict(number, reason: "it is no longer at the destination"))
    case .exists, .unknown: lose(number, outcome, now: now)
    case .deferred(let reason): requeue(number, reason: reason, now: now, isFault: true)
    }
  }

  private mutating func takeFailure(
    of flight: FlightID, reason: String, isPassing: Bool, pause: Duration?, now: Duration
  ) {
    guard let gone = flights.removeValue(forKey: flight) else { return }
    if let pause { takePause(pause, now: now) }
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

// MARK: - Decisions on one operation

extension UploadEngine {
  private var settle: Duration? { policy.phases[phase].settle }

  private var isRefusal: Bool {
    if case .refused = end { true } else { false }
  }

  private mutating func begin(_ number: Int64, group: Int) {
    guard let operation = tracked[number]?.operation else { return }
    tracked[number]?.group = group
    tracked[number]?.stage = .beginning
    tracked[number]?.operation.state = .begun
    waiting.append(.begin(number, before: operation.before, version: operation.version))
  }

  private mutating func settle(_ number: Int64, _ change: OperationChange) {
    tracked[number]?.stage = .settling
    waiting.append(change)
  }

  /// The answer was lost, or says that the record is there already, which may be our own doing.
  private mutating func lose(_ number: Int64, _ outcome: ItemOutcome, now: Duration) {
    guard let operation = tracked[number]?.operation else { return }
    let reason: String
    var wait: Duration = settle ?? .zero
    switch outcome {
    case .exists:
      reason = "a record of this identity is there already"
      wait = .zero
    case .unknown(let words): reason = words
    default: reason = "the answer was lost"
    }
    waiting.append(.lose(number, reason: reason))
    if operation.action.needsReading {
      requeue(number, reason: reason, now: now, isFault: true)
    } else if settle != nil || outcome == .exists {
      tracked[number]?.stage = .lost(settled: now + wait)
      countFault(number, reason: reason, now: now)
    } else {
      requeue(number, reason: reason, now: now, isFault: true)
    }
  }

  private mutating func requeue(_ number: Int64, reason: String, now: Duration, isFault: Bool) {
    if isFault { countFault(number, reason: reason, now: now) }
    tracked[number]?.stage = .ready
    queue.append(number)
  }

  /// Back into the queue after a reading that came to nothing.
  private mutating func postpone(_ number: Int64, reason: String, now: Duration) {
    requeue(number, reason: reason, now: now, isFault: true)
  }

  private mutating func countFault(_ number: Int64, reason: String, now: Duration) {
    guard var entry = tracked[number] else { return }
    entry.attempts += 1
    if entry.attempts > policy.retryLimit, end == nil {
      end = .passingFault(reason: reason)
    }
    let doublings = min(entry.attempts - 1, 16)
    let ceiling = min(policy.firstWait * (1 << doublings), policy.longestWait)
    // Full jitter: an even choice between nothing and the ceiling keeps many clients apart.
    entry.notBefore = now + ceiling * jitter
    tracked[number] = entry
  }

  private mutating func takePause(_ pause: Duration, now: Duration) {
    quietUntil = max(quietUntil, now + pause)
    if pause > policy.longestPause, end == nil {
      let seconds = pause.components.seconds
      end = .passingFault(reason: "the destination asks to wait \(seconds) seconds")
    }
  }
}

// MARK: - What happens next

extension UploadEngine {
  private mutating func step(now: Duration) -> [EngineEffect] {
    var effects: [EngineEffect] = []
    if end == nil {
      advancePhase()
      load(into: &effects)
      startReadingsAndIntents(now: now, into: &effects)
      startLookUp(now: now, into: &effects)
      sendBegun(now: now, into: &effects)
    }
    commit(into: &effects)
    if !finish(into: &effects) { askToWake(now: now, into: &effects) }
    return effects
  }

  private var isPhaseOver: Bool {
    guard case .exhausted = loading else { return false }
    return tracked.isEmpty && waiting.isEmpty && committing.isEmpty && flights.isEmpty
  }

  private mutating func advancePhase() {
    guard phase < policy.phases.count, isPhaseOver else { return }
    phase += 1
    queue = []
    guard phase < policy.phases.count else { return }
    loading = .wanted(after: 0)
    batchLimit = policy.phases[phase].batchLimit
  }

  private mutating func load(into effects: inout [EngineEffect]) {
    guard phase < policy.phases.count, case .wanted(let after) = loading else { return }
    let window = policy.phases[phase].batchLimit * policy.concurrency * 2
    guard tracked.count <= window / 2 else { return }
    loading = .asked(after: after)
    effects.append(.load(phase: phase, after: after, limit: window))
  }

  private var hasLost: Bool {
    tracked.values.contains { entry in
      switch entry.stage {
      case .lost, .lookingUp, .revoking: true
      case .ready, .reading, .beginning, .begun, .sending, .settling: false
      }
    }
  }

  private mutating func startReadingsAndIntents(
    now: Duration, into effects: inout [EngineEffect]
  ) {
    guard now >= quietUntil, !hasLost else { return }
    var groups = flights.count + preparedGroupCount
    while groups < policy.concurrency * 2, let batch = nextBatch(now: now) {
      groups += 1
      if batch.first.flatMap({ tracked[$0]?.operation.action.needsReading }) == true {
        fly(.read, batch, into: &effects)
      } else {
        lastGroup += 1
        for number in batch { begin(number, group: lastGroup) }
      }
    }
  }

  /// The groups whose intents are being committed or are ready to be sent.
  private var preparedGroupCount: Int {
    var groups: Set<Int> = []
    for entry in tracked.values {
      switch entry.stage {
      case .beginning, .begun: groups.insert(entry.group)
      default: break
      }
    }
    return groups.count
  }

  /// Takes the next operations of one action from the queue, those whose time has come.
  private mutating func nextBatch(now: Duration) -> [Int64]? {
    var batch: [Int64] = []
    var kept: [Int64] = []
    var action: Operation.Action?
    for number in queue {
      guard let entry = tracked[number], case .ready = entry.stage else { continue }
      let fits = action == nil || action == entry.operation.action
      if batch.count < batchLimit, fits, entry.notBefore <= now {
        action = entry.operation.action
        batch.append(number)
      } else {
        kept.append(number)
      }
    }
    queue = kept
    return batch.isEmpty ? nil : batch
  }

  /// Looks up everything that was lost, once all of it had time to arrive and nothing is in flight.
  private mutating func startLookUp(now: Duration, into effects: inout [EngineEffect]) {
    guard now >= quietUntil, flights.isEmpty, waiting.isEmpty, committing.isEmpty else { return }
    // What was begun before the loss is sent first: a look-up needs a quiet destination.
    var lost: [Int64] = []
    for (number, entry) in tracked {
      switch entry.stage {
      case .lost(let settled):
        guard settled <= now, entry.notBefore <= now else { return }
        lost.append(number)
      case .begun, .beginning, .sending, .settling: return
      default: break
      }
    }
    guard !lost.isEmpty else { return }
    fly(.lookUp, lost.sorted(), into: &effects)
  }

  private mutating func sendBegun(now: Duration, into effects: inout [EngineEffect]) {
    guard now >= quietUntil else { return }
    var groups: [Int: [Int64]] = [:]
    for (number, entry) in tracked where entry.isBegun {
      groups[entry.group, default: []].append(number)
    }
    for group in groups.keys.sorted() {
      guard flights.count < policy.concurrency else { return }
      guard let numbers = groups[group]?.sorted() else { continue }
      fly(.send, numbers, into: &effects)
    }
  }

  private mutating func fly(
    _ kind: Flight.Kind, _ numbers: [Int64], into effects: inout [EngineEffect]
  ) {
    lastFlight += 1
    let flight = FlightID(number: lastFlight)
    flights[flight] = Flight(kind: kind, operations: numbers)
    let operations = numbers.compactMap { tracked[$0]?.operation }
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
  private mutating func commit(into effects: inout [EngineEffect]) {
    guard committing.isEmpty, !waiting.isEmpty else { return }
    committing = waiting
    waiting = []
    effects.append(.commit(committing))
  }

  private mutating func finish(into effects: inout [EngineEffect]) -> Bool {
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

  private mutating func askToWake(now: Duration, into effects: inout [EngineEffect]) {
    var soonest: Duration?
    for entry in tracked.values {
      let due: Duration
      switch entry.stage {
      case .ready: due = max(entry.notBefore, quietUntil)
      case .lost(let settled): due = max(settled, entry.notBefore, quietUntil)
      case .begun: due = quietUntil
      default: continue
      }
      if due > now { soonest = min(soonest ?? due, due) }
    }
    guard let soonest else { return }
    if let wakeAt, wakeAt > now, wakeAt <= soonest { return }
    wakeAt = soonest
    effects.append(.wake(at: soonest))
  }
}
