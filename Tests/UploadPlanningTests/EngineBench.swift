import UploadPlanning

/// An engine on a bench: loads and, unless set otherwise, commits are answered at once, and the
/// test plays the destination and the clock.
struct EngineBench {
  struct Request: Equatable {
    let flight: FlightID
    let operations: [Operation]
    var numbers: [Int64] { operations.map(\.number) }
  }

  private var engine: UploadEngine
  private let operations: [Operation]
  private let commitsAtOnce: Bool
  private(set) var now: Duration = .zero

  /// Everything the engine asked for, oldest first.
  private(set) var log: [EngineEffect] = []
  private(set) var commits: [[OperationChange]] = []
  private(set) var openCommitCount = 0
  /// Requests without an answer so far.
  private(set) var sends: [Request] = []
  private(set) var reads: [Request] = []
  private(set) var lookUps: [Request] = []
  private(set) var wakes: [Duration] = []
  private(set) var conclusion: EngineConclusion?

  init(
    _ policy: EnginePolicy,
    _ operations: [Operation],
    commitsAtOnce: Bool = true
  ) {
    engine = UploadEngine(policy: policy)
    self.operations = operations
    self.commitsAtOnce = commitsAtOnce
    feed(.started)
  }

  var changes: [OperationChange] { commits.flatMap { $0 } }
  var flightCount: Int { sends.count + reads.count + lookUps.count }
  var trackedCount: Int { engine.trackedCount }

  /// The changes of one operation, in the order they were committed.
  func changes(of number: Int64) -> [OperationChange] {
    changes.filter { $0.operation == number }
  }

  mutating func feed(_ event: EngineEvent) {
    var events = [event]
    while !events.isEmpty, conclusion == nil {
      let effects = engine.handle(events.removeFirst(), now: now)
      log += effects
      for effect in effects { events += answer(effect) }
    }
  }

  private mutating func answer(_ effect: EngineEffect) -> [EngineEvent] {
    switch effect {
    case .load(let phase, let after, let limit):
      let rest = operations.filter { $0.phase == phase && $0.number > after }
      return [
        .loaded(phase: phase, Array(rest.prefix(limit)), isLast: rest.count <= limit)
      ]
    case .commit(let changes):
      commits.append(changes)
      openCommitCount += 1
      guard commitsAtOnce else { return [] }
      openCommitCount -= 1
      return [.committed]
    case .read(let flight, let operations):
      reads.append(Request(flight: flight, operations: operations))
    case .prepare: break
    case .send(let flight, let operations):
      sends.append(Request(flight: flight, operations: operations))
    case .lookUp(let flight, let operations):
      lookUps.append(Request(flight: flight, operations: operations))
    case .wake(let instant): wakes.append(instant)
    case .finish(let conclusion): self.conclusion = conclusion
    }
    return []
  }

  mutating func commit() {
    openCommitCount -= 1
    feed(.committed)
  }

  /// Answers the oldest request; without an answer, everything in it was stored.
  mutating func answerSend(_ answer: BatchAnswer? = nil) {
    guard !sends.isEmpty else { return }
    let request = sends.removeFirst()
    feed(.answered(request.flight, answer ?? .stored(request.numbers)))
  }

  mutating func answerRead(_ reading: Reading = .ready(before: [1], version: "1")) {
    answerReads { _ in reading }
  }

  /// Answers the oldest reading, by the operation.
  mutating func answerReads(_ reading: (Int64) -> Reading) {
    guard !reads.isEmpty else { return }
    let request = reads.removeFirst()
    let readings = request.numbers.map { ($0, reading($0)) }
    feed(.read(request.flight, Dictionary(uniqueKeysWithValues: readings)))
  }

  mutating func answerLookUp(_ result: LookUpResult) {
    answerLookUps { _ in result }
  }

  /// Answers the oldest look-up, by the operation; of some it may not speak.
  mutating func answerLookUps(_ result: (Int64) -> LookUpResult?) {
    guard !lookUps.isEmpty else { return }
    let request = lookUps.removeFirst()
    let results = request.numbers.compactMap { number in result(number).map { (number, $0) } }
    feed(.lookedUp(request.flight, Dictionary(uniqueKeysWithValues: results)))
  }

  mutating func failReading(isPassing: Bool, pause: Duration? = nil) {
    guard !reads.isEmpty || !lookUps.isEmpty else { return }
    let request = reads.isEmpty ? lookUps.removeFirst() : reads.removeFirst()
    feed(
      .readingFailed(request.flight, reason: "no answer", isPassing: isPassing, pause: pause)
    )
  }

  /// Lets time go by, and wakes the engine.
  mutating func pass(_ duration: Duration) {
    now += duration
    feed(.woke)
  }

  /// Answers everything well until the run is over or nothing more happens.
  mutating func runToTheEnd() {
    while conclusion == nil, flightCount > 0 || openCommitCount > 0 {
      if openCommitCount > 0 { commit() }
      answerSend()
      answerRead()
      answerLookUp(.notThere)
    }
  }
}
