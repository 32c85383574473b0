import UploadPlanning

// One process: it drives a run, and hears what it waits for.

extension History {
  enum Happening {
    case event(EngineEvent)
    /// The disk has a commit; the event follows.
    case written([OperationChange])
    /// A request arrives; the answer follows if the process that waits for it is still there.
    case received(Request)
    case reading(FlightID, [Operation])
    case lookUp(FlightID, [Operation])
    /// A commit that a planted fault lets come late.
    case belatedWriting([OperationChange])
  }

  /// A request on its way.
  struct Request {
    let flight: FlightID
    var items: [Item]
    /// What the context refused of the flight before it was sent.
    var refused: [Int64: ItemOutcome] = [:]
    /// The process that waits for the answer; `nil` for none.
    var listener: Int?
    var isDouble = false
  }

  struct Entry {
    let due: Duration
    let order: Int
    let happening: Happening
    let isInProcess: Bool
  }

  /// Drives a run in one process; `nil` when the process crashed.
  mutating func drive(
    _ run: LedgerRun,
    settlesOnly: Bool
  ) throws(Disk.Failure) -> EngineConclusion? {
    self.run = run
    self.settlesOnly = settlesOnly
    let policy = scenario.policy(
      for: run,
      seed: seed &+ UInt64(process),
      settlesOnly: settlesOnly,
      plant: plant
    )
    engine = UploadEngine(policy: policy)
    conclusion = nil
    began = now
    log(settlesOnly ? "settles run \(run.number)" : "drives run \(run.number)")
    try hear(.started)
    var steps = 0
    while conclusion == nil {
      steps += 1
      stepCount += 1
      guard steps < 20_000 else {
        violations.append("it never comes to an end")
        return nil
      }
      guard entries.contains(where: isAwaited), let entry = takeNext() else {
        violations.append("nothing is under way, and it is not over")
        return nil
      }
      now = max(now, entry.due)
      if entry.isInProcess, strikes(oneIn: 25) {
        try crash(interrupting: pendingCommit(entry))
        return nil
      }
      try perform(entry.happening)
      if scenario.checksVersions, strikes(oneIn: 60) { meddle() }
      if conclusion == nil, strikes(oneIn: 60) { try hear(.interrupted) }
    }
    entries.removeAll { $0.isInProcess }
    let end = conclusion
    log("it ends: \(end.map { "\($0)" } ?? "")")
    return end
  }

  /// Another device works at the destination during the run, or it is restored from a backup.
  private mutating func meddle() {
    if Int.random(in: 0..<4, using: &random) == 0 {
      server.restoreBackup()
      isRestored = true
      log("the destination is restored")
    } else {
      server.actAsOtherDevice(&random)
      isEdited = true
      log("another device changes something")
    }
  }

  private func pendingCommit(_ entry: Entry) -> [OperationChange]? {
    if case .written(let changes) = entry.happening { return changes }
    for other in entries {
      if case .written(let changes) = other.happening { return changes }
    }
    return nil
  }

  mutating func schedule(_ happening: Happening, after delay: Duration, isInProcess: Bool = true) {
    lastOrder += 1
    let due = now + delay
    entries.append(
      Entry(due: due, order: lastOrder, happening: happening, isInProcess: isInProcess)
    )
  }

  mutating func delay(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &random))
  }

  /// The next happening.
  private mutating func takeNext() -> Entry? {
    guard var best = entries.indices.first else { return nil }
    for index in entries.indices {
      let (one, other) = (entries[index], entries[best])
      if one.due < other.due || (one.due == other.due && one.order < other.order) { best = index }
    }
    return entries.remove(at: best)
  }

  /// Whether something that the process waits for follows from it.
  private func isAwaited(_ entry: Entry) -> Bool {
    if entry.isInProcess { return true }
    return if case .received(let request) = entry.happening { request.listener == process } else {
      false
    }
  }

  /// What is on its way when a command is over arrives before the next one begins.
  mutating func deliverTheRest() {
    process += 1
    while let entry = takeNext() {
      now = max(now, entry.due)
      if case .received(let request) = entry.happening {
        log("\(request.items.map(\.operation.number)) arrives when all is over")
        _ = server.carryOut(request.items[...], isDouble: request.isDouble)
      }
    }
    now += .seconds(Scenario.settleSeconds)
  }

  mutating func hear(_ event: EngineEvent) throws(Disk.Failure) {
    guard conclusion == nil, var engine else { return }
    self.engine = nil
    let effects = engine.handle(event, now: now - began)
    self.engine = engine
    for effect in effects { try perform(effect) }
  }

  private mutating func perform(_ effect: EngineEffect) throws(Disk.Failure) {
    switch effect {
    case .load(let phase, let after, let limit):
      try load(phase: phase, after: after, limit: limit)
    case .commit(let changes): commit(changes)
    case .read(let flight, let operations):
      schedule(.reading(flight, operations), after: delay(1...20))
    case .prepare: break
    case .send(let flight, let operations): try send(flight, operations)
    case .lookUp(let flight, let operations):
      schedule(.lookUp(flight, operations), after: delay(1...20))
    case .wake(let instant): schedule(.event(.woke), after: max(.zero, began + instant - now))
    case .finish(let conclusion): self.conclusion = conclusion
    }
  }

  private mutating func load(phase: Int, after: Int64, limit: Int) throws(Disk.Failure) {
    guard let run else { return }
    var page = try disk.page(
      of: run.number,
      phase: phase,
      after: after,
      limit: limit + 1,
      onlyBegun: settlesOnly
    )
    if plant == .begunTakenForDone { page.removeAll { $0.state != .planned } }
    if plant == .begunTakenForPlanned, !settlesOnly {
      for index in page.indices { page[index].state = .planned }
    }
    let isLast = page.count <= limit || plant == .pageCutShort
    let event = EngineEvent.loaded(phase: phase, Array(page.prefix(limit)), isLast: isLast)
    schedule(.event(event), after: delay(0...1))
  }

  private mutating func commit(_ changes: [OperationChange]) {
    switch plant {
    case .sentBeforeCommit:
      schedule(.event(.committed), after: .zero)
      schedule(.belatedWriting(changes), after: delay(20...200))
    case .forgottenCommit where Int.random(in: 0..<30, using: &random) == 0:
      schedule(.event(.committed), after: delay(1...5))
    default: schedule(.written(changes), after: delay(1...5))
    }
  }

  private mutating func send(
    _ flight: FlightID,
    _ operations: [Operation]
  ) throws(Disk.Failure) {
    guard let run else { return }
    if settlesOnly { violations.append("a run that only settles sends") }
    if plant == nil {
      let all = try disk.operations(of: run.number)
      for operation in operations {
        if all.first(where: { $0.number == operation.number })?.state != .begun {
          violations.append("\(operation.number) is sent before its intent is on the disk")
        }
        if all.contains(where: { $0.phase < operation.phase && !$0.state.isSettled }) {
          violations.append("\(operation.number) is sent too early")
        }
      }
    }
    var items: [Item] = []
    var refused: [Int64: ItemOutcome] = [:]
    for operation in operations {
      writers[operation.number] = run.number
      records[operation.number] = operation.record
      switch try item(for: operation) {
      case .success(let item): items.append(item)
      case .failure:
        refused[operation.number] = .rejected(code: "parent", reason: "its parent is not there")
      }
    }
    log("sends \(items.map { "\($0.operation.action) \($0.operation.number)" })")
    put(Request(flight: flight, items: items, refused: refused, listener: process))
  }
}
