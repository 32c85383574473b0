import UploadPlanning

extension Simulation {
  /// Puts a request on its way, which the network or the destination may spoil.
  mutating func sendWithFaults(_ flight: FlightID, _ operations: [Operation]) {
    let lost = EngineEvent.answered(flight, BatchAnswer(whole: .unknown(reason: "no answer")))
    guard strikes(oneIn: 3) else {
      schedule(
        .arrival(flight, operations, listener: restartCount),
        after: delay(1...30),
        isInProcess: false
      )
      return
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: schedule(.event(lost), after: delay(1...50))
    case 1:
      schedule(
        .arrival(flight, operations, listener: nil),
        after: delay(1...30),
        isInProcess: false
      )
      schedule(.event(lost), after: delay(40...60))
    case 2, 3, 4:
      let late = delay(100...59_000)
      schedule(.arrival(flight, operations, listener: nil), after: late, isInProcess: false)
      schedule(.event(lost), after: delay(40...60))
    case 5:
      schedule(.event(.answered(flight, deferral)), after: delay(1...20))
    case 6:
      let answer = BatchAnswer(whole: .refused(reason: "quota"))
      schedule(.event(.answered(flight, answer)), after: delay(1...20))
    default:
      // Only a part is carried out, and the rest is put off.
      let count = Int.random(in: 0...operations.count, using: &random)
      guard let done = server.carryOut(Array(operations.prefix(count))) else {
        schedule(.event(lost), after: delay(1...20))
        return
      }
      var outcomes = done
      for operation in operations.dropFirst(count) {
        outcomes[operation.number] = .deferred(reason: "busy")
      }
      if let unnamed = outcomes.keys.min() { outcomes[unnamed] = nil }
      schedule(.event(.answered(flight, BatchAnswer(outcomes: outcomes))), after: delay(1...20))
    }
  }

  private var deferral: BatchAnswer {
    mutating get {
      let pauses: [Duration?] = [nil, .seconds(5), .seconds(100), .seconds(400)]
      let pause = pauses[Int.random(in: pauses.indices, using: &random)]
      return BatchAnswer(whole: .deferred(reason: "busy"), pause: pause)
    }
  }

  mutating func perform(_ happening: Happening) {
    switch happening {
    case .event(let event): tell(event)
    case .written(let changes):
      disk.write(changes)
      schedule(.event(.committed), after: delay(0...2))
    case .belatedWriting(let changes): disk.write(changes)
    case .arrival(let flight, let operations, let listener):
      let outcomes = server.carryOut(operations)
      guard listener == restartCount else { return }
      let answer =
        outcomes.map { BatchAnswer(outcomes: $0) }
        ?? BatchAnswer(whole: .splittable(reason: "something in it is wrong"))
      schedule(.event(.answered(flight, answer)), after: delay(1...30))
    case .reading(let flight, let operations):
      tell(failure(of: flight) ?? .read(flight, answers(to: operations) { $0.reading(for: $1) }))
    case .lookUp(let flight, let operations):
      tell(
        failure(of: flight) ?? .lookedUp(flight, answers(to: operations) { $0.lookUp($1) })
      )
    }
  }

  private mutating func failure(of flight: FlightID) -> EngineEvent? {
    guard strikes(oneIn: 6) else { return nil }
    let isPassing = Int.random(in: 0..<4, using: &random) > 0
    return .readingFailed(
      flight,
      reason: "no answer",
      isPassing: isPassing,
      pause: isPassing ? deferral.pause : nil
    )
  }

  private func answers<Answer>(
    to operations: [Operation],
    _ ask: (SimulatedServer, Operation) -> Answer
  ) -> [Int64: Answer] {
    Dictionary(uniqueKeysWithValues: operations.map { ($0.number, ask(server, $0)) })
  }
}
