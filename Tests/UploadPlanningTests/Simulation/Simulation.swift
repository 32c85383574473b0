import UploadPlanning

/// One history: an engine, a disk, a destination and a clock, with faults and crashes by the seed.
///
/// Time is a queue of happenings. A crash throws away what was to happen in the process; what is
/// on its way to the destination still arrives.
struct Simulation {
  enum Happening {
    case event(EngineEvent)
    /// The disk has a commit; the event follows.
    case written([OperationChange])
    /// A request arrives at the destination; the answer follows if the process that listens for it,
    /// counted by its restarts, is still there.
    case arrival(FlightID, [Operation], listener: Int?)
    case reading(FlightID, [Operation])
    case lookUp(FlightID, [Operation])
    /// A commit that the planted fault lets come late.
    case belatedWriting([OperationChange])
  }

  struct Entry {
    let due: Duration
    let order: Int
    let happening: Happening
    let isInProcess: Bool
  }

  let seed: UInt64
  let plant: Plant?
  let scenario: Scenario
  var random: SeededRandom
  var now: Duration = .zero
  var disk: SimulatedDisk
  var server: SimulatedServer
  var faultsLeft: Int
  /// What went wrong on the way; the end is held against the disk and the destination.
  var violations: [String] = []

  private var engine: UploadEngine
  private var began: Duration = .zero
  private var settlesOnly = false
  private var conclusion: EngineConclusion?
  private var entries: [Entry] = []
  private var lastOrder = 0
  private(set) var restartCount = 0
  private(set) var crashCount = 0

  init(seed: UInt64, plant: Plant? = nil) {
    var random = SeededRandom(seed: seed)
    self.seed = seed
    self.plant = plant
    scenario = Scenario(random: &random)
    self.random = random
    disk = SimulatedDisk(operations: scenario.operations)
    server = SimulatedServer(scenario: scenario)
    faultsLeft = scenario.faultCount
    engine = UploadEngine(policy: scenario.policy(seed: seed, settlesOnly: false, plant: plant))
  }

  /// Lives the history through, and says what was wrong with it.
  mutating func run() -> [String] {
    tell(.started)
    var steps = 0
    while true {
      steps += 1
      guard steps < 20_000 else { return violations + ["it never comes to an end"] }
      if conclusion == .done, !settlesOnly { break }
      if conclusion != nil {
        noteSettling()
        restart()
        continue
      }
      guard let entry = takeNext(isInProcessLeft: entries.contains { $0.isInProcess }) else {
        return violations + ["nothing is under way, and it is not over"]
      }
      now = max(now, entry.due)
      if entry.isInProcess, strikes(oneIn: 25) {
        crashCount += 1
        restart()
      } else {
        perform(entry.happening)
        if conclusion == nil, strikes(oneIn: 60) { tell(.interrupted) }
      }
    }
    while let entry = takeNext(isInProcessLeft: true) { perform(entry.happening) }
    return violations + SimulationChecker(simulation: self).violations()
  }

  /// Whether one of the faults that are left strikes now.
  mutating func strikes(oneIn chance: Int) -> Bool {
    guard faultsLeft > 0, Int.random(in: 0..<chance, using: &random) == 0 else { return false }
    faultsLeft -= 1
    return true
  }

  mutating func delay(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &random))
  }

  mutating func schedule(
    _ happening: Happening,
    after delay: Duration,
    isInProcess: Bool = true
  ) {
    lastOrder += 1
    entries.append(
      Entry(due: now + delay, order: lastOrder, happening: happening, isInProcess: isInProcess)
    )
  }

  /// The next happening; `nil` when only a destination that nobody listens to would still act.
  private mutating func takeNext(isInProcessLeft: Bool) -> Entry? {
    guard isInProcessLeft || entries.contains(where: isAwaited) else { return nil }
    let next = entries.indices.min { left, right in
      (entries[left].due, entries[left].order) < (entries[right].due, entries[right].order)
    }
    return next.map { entries.remove(at: $0) }
  }

  /// Whether an answer that the process listens for follows from it.
  private func isAwaited(_ entry: Entry) -> Bool {
    if case .arrival(_, _, restartCount) = entry.happening { true } else { false }
  }

  private mutating func restart() {
    entries.removeAll { $0.isInProcess }
    restartCount += 1
    settlesOnly = Int.random(in: 0..<6, using: &random) == 0
    engine = UploadEngine(
      policy: scenario.policy(
        seed: seed &+ UInt64(restartCount),
        settlesOnly: settlesOnly,
        plant: plant
      )
    )
    conclusion = nil
    began = now
    tell(.started)
  }

  /// A run that only settles leaves nothing open when it is done, and sends nothing.
  private mutating func noteSettling() {
    guard settlesOnly, conclusion == .done, plant == nil else { return }
    if disk.operations.contains(where: { $0.state == .begun || $0.state == .unknown }) {
      violations.append("something is left open after settling")
    }
  }

  mutating func tell(_ event: EngineEvent) {
    guard conclusion == nil else { return }
    for effect in engine.handle(event, now: now - began) { perform(effect) }
  }

  private mutating func perform(_ effect: EngineEffect) {
    switch effect {
    case .load(let phase, let after, let limit):
      let page = disk.page(
        phase: phase,
        after: after,
        limit: limit + 1,
        onlyBegun: settlesOnly
      )
      schedule(
        .event(.loaded(phase: phase, Array(page.prefix(limit)), isLast: page.count <= limit)),
        after: delay(0...1)
      )
    case .commit(let changes): commit(changes)
    case .read(let flight, let operations):
      schedule(.reading(flight, operations), after: delay(1...20))
    case .send(let flight, let operations): send(flight, operations)
    case .lookUp(let flight, let operations):
      schedule(.lookUp(flight, operations), after: delay(1...20))
    case .wake(let instant):
      schedule(.event(.woke), after: max(.zero, began + instant - now))
    case .finish(let conclusion): self.conclusion = conclusion
    }
  }

  private mutating func commit(_ changes: [OperationChange]) {
    switch plant {
    case .sentBeforeCommit:
      schedule(.event(.committed), after: .zero)
      schedule(.belatedWriting(changes), after: delay(20...200))
    case .forgottenCommit where strikes(oneIn: 10):
      schedule(.event(.committed), after: delay(1...5))
    default: schedule(.written(changes), after: delay(1...5))
    }
  }

  private mutating func send(_ flight: FlightID, _ operations: [Operation]) {
    if settlesOnly { violations.append("a run that only settles sends") }
    for operation in operations {
      if disk[operation.number].state != .begun, plant == nil {
        violations.append("\(operation.number) is sent before its intent is on the disk")
      }
      let isEarly = disk.operations.contains { $0.phase < operation.phase && !$0.state.isSettled }
      if isEarly, plant == nil { violations.append("\(operation.number) is sent too early") }
    }
    sendWithFaults(flight, operations)
  }
}
