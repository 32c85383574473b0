import UploadPlanning

// What the network and the destination make of requests.

extension History {
  /// Puts a request on its way, which the network or the destination may spoil.
  mutating func put(_ whole: Request) {
    var request = whole
    attempts += 1
    if plant == .keyForEachAttempt {
      let attempt = attempts
      request.items = request.items.map { $0.with(key: "\($0.key) \(attempt)") }
    }
    guard !request.items.isEmpty else {
      return answer(request, BatchAnswer(outcomes: request.refused), after: delay(0...1))
    }
    // What the context refused is reported with the answer, whatever becomes of the rest.
    guard request.refused.isEmpty, strikes(oneIn: 3) else {
      return arrive(request, after: delay(1...30))
    }
    spoil(request)
  }

  private mutating func spoil(_ request: Request) {
    let kind = Int.random(in: 0..<13, using: &random)
    log("which goes wrong (\(kind))")
    switch kind {
    case 0: lose(request, after: delay(1...50))
    case 1:
      arrive(request.unheard(), after: delay(1...30))
      lose(request, after: delay(40...60))
    case 2, 3, 4:
      arrive(request.unheard(), after: delay(100...59_000))
      lose(request, after: delay(40...60))
    case 5: answer(request, deferral(), after: delay(1...20))
    case 6:
      answer(request, BatchAnswer(whole: .refused(reason: "quota")), after: delay(1...20))
    case 7:
      // The request is doubled on its way, and the answer to the first is heard.
      arrive(request, after: delay(1...30))
      let longest = Bool.random(using: &random) ? 59_000 : 100
      arrive(request.unheard(isDouble: true), after: delay(31...longest))
    case 8 where Int.random(in: 0..<4, using: &random) == 0:
      let outcomes = server.lie(about: request.items)
      log("the destination lies")
      answer(request, BatchAnswer(outcomes: outcomes), after: delay(1...20))
    case 9, 10:
      answer(request, BatchAnswer(broken: server.fail(request.items)), after: delay(1...20))
    default: carryOutPart(request)
    }
  }

  private mutating func arrive(_ request: Request, after delay: Duration) {
    schedule(.received(request), after: delay, isInProcess: false)
  }

  private mutating func answer(
    _ request: Request,
    _ answer: BatchAnswer,
    after delay: Duration
  ) {
    schedule(.event(.answered(request.flight, answer)), after: delay)
  }

  private mutating func lose(_ request: Request, after delay: Duration) {
    var outcomes: [Int64: ItemOutcome] = [:]
    var whole = BatchAnswer.Whole.unknown(reason: "no answer")
    if plant == .lossTakenForFailure { whole = .deferred(reason: "no answer") }
    if plant == .lossTakenForArrival {
      for item in request.items {
        let serverID = item.serverID ?? "x\(item.operation.number)"
        outcomes[item.operation.number] = .stored(serverID: serverID, version: "1")
      }
    }
    answer(request, BatchAnswer(whole: whole, outcomes: outcomes), after: delay)
  }

  /// Only a part is carried out, the rest is put off, and one is not spoken of.
  private mutating func carryOutPart(_ request: Request) {
    let count = Int.random(in: 0...request.items.count, using: &random)
    guard var outcomes = server.carryOut(request.items.prefix(count)) else {
      return lose(request, after: delay(1...20))
    }
    for item in request.items.dropFirst(count) {
      outcomes[item.operation.number] = .deferred(reason: "busy")
    }
    if let unnamed = outcomes.keys.min() { outcomes[unnamed] = nil }
    answer(request, BatchAnswer(outcomes: outcomes), after: delay(1...20))
  }

  private mutating func deferral() -> BatchAnswer {
    let pauses: [Duration?] = [nil, .seconds(5), .seconds(100), .seconds(400)]
    let pause = pauses[Int.random(in: pauses.indices, using: &random)]
    return BatchAnswer(whole: .deferred(reason: "busy"), pause: pause)
  }

  mutating func perform(_ happening: Happening) throws(Disk.Failure) {
    switch happening {
    case .event(let event): try hear(event)
    case .written(let changes):
      log("writes \(changes)")
      try disk.commit(changes)
      schedule(.event(.committed), after: delay(0...2))
    case .belatedWriting(let changes): try disk.commit(changes)
    case .received(let request):
      let outcomes = server.carryOut(request.items[...], isDouble: request.isDouble)
      log(
        "\(request.items.map(\.operation.number)) arrives: \(Self.inOrder(outcomes ?? [:]))"
      )
      guard request.listener == process else { return }
      let refused = request.refused
      let whole = BatchAnswer.Whole.splittable(reason: "something in it is wrong")
      let heard =
        outcomes.map { BatchAnswer(broken: $0.merging(refused) { _, last in last }) }
        ?? BatchAnswer(whole: whole, outcomes: refused)
      answer(request, heard, after: delay(1...30))
    case .reading(let flight, let operations):
      if let failure = failure(of: flight) { return try hear(failure) }
      let readings = try read(operations)
      log("reads \(Self.inOrder(readings))")
      try hear(.read(flight, readings))
    case .lookUp(let flight, let operations):
      if let failure = failure(of: flight) { return try hear(failure) }
      guard let failed = try failedLookUps(operations) else {
        log("looks up nothing, as no answer comes")
        return try hear(
          .readingFailed(flight, reason: "no answer", isPassing: true, pause: nil)
        )
      }
      let reported = try lookUp(operations.filter { failed[$0.number] == nil })
      let results = reported.merging(failed) { found, _ in found }
      log("looks up \(Self.inOrder(results))")
      try hear(.lookedUp(flight, results))
    }
  }

  /// Answers by their operations' numbers, so that a story reads the same each time.
  private static func inOrder<Value>(_ answers: [Int64: Value]) -> String {
    "\(answers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })"
  }

  private mutating func failure(of flight: FlightID) -> EngineEvent? {
    guard strikes(oneIn: 6) else { return nil }
    let isPassing = Int.random(in: 0..<4, using: &random) > 0
    return .readingFailed(
      flight,
      reason: "no answer",
      isPassing: isPassing,
      pause: isPassing ? deferral().pause : nil
    )
  }
}

extension History.Request {
  /// The same request on a way whose answer no one hears.
  func unheard(isDouble: Bool = false) -> Self {
    var copy = self
    copy.listener = nil
    copy.isDouble = isDouble
    return copy
  }
}

extension Item {
  /// The same item under another key.
  func with(key: String) -> Item {
    Item(
      operation: operation,
      serverID: serverID,
      content: content,
      natural: natural,
      parent: parent,
      key: key
    )
  }
}

extension BatchAnswer {
  /// An answer in which some items may be broken, each for its own sake.
  fileprivate init(broken outcomes: [Int64: ItemOutcome]) {
    let single = BatchAnswer(whole: .unknown(reason: "500"), mayLieInOne: true)
    let broken = outcomes.filter { $0.value == .broken }
    self.init(outcomes: outcomes, singles: broken.mapValues { _ in single })
  }
}
