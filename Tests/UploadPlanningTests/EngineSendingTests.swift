import Testing
import UploadPlanning

struct EngineSendingTests {
  // 000-3.
  @Test func `no request is sent before its intent was committed`() {
    var bench = EngineBench(.sample(), .samples(1), commitsAtOnce: false)
    #expect(bench.changes == [.begin(1, before: nil, version: nil)])
    #expect(bench.sends.isEmpty)
    bench.commit()
    #expect(bench.sends.map(\.numbers) == [[1]])
  }

  @Test func `a request is prepared while its intent is being committed`() {
    var bench = EngineBench(.sample(), .samples(2), commitsAtOnce: false)
    let prepared = bench.log.compactMap { effect -> [Operation]? in
      guard case .prepare(let operations) = effect else { return nil }
      return operations
    }
    #expect(prepared.map { $0.map(\.number) } == [[1, 2]])
    bench.commit()
    #expect(bench.sends.map(\.operations) == prepared)
  }

  @Test func `an operation that changes a record is read before its intent is committed`() {
    var bench = EngineBench(.sample(), .samples(2, action: .update), commitsAtOnce: false)
    #expect(bench.reads.map(\.numbers) == [[1, 2]])
    #expect(bench.commits.isEmpty)
    bench.answerRead(.ready(before: [9], version: "4"))
    #expect(
      bench.changes == [
        .begin(1, before: [9], version: "4"), .begin(2, before: [9], version: "4"),
      ]
    )
    bench.commit()
    #expect(bench.sends.first?.operations.map(\.before) == [[9], [9]])
  }

  @Test func `a change that the destination already has is confirmed and not sent`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .update)])
    bench.answerRead(.alreadyDone(version: "4"))
    #expect(bench.changes == [.confirm(1, serverID: "server-1", version: "4")])
    #expect(bench.conclusion == .done)
  }

  // 001-35.
  @Test func `another device's change is a conflict, and is not overwritten`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .update)])
    bench.answerRead(.conflicted(reason: "newer"))
    #expect(bench.changes == [.conflict(1, reason: "newer")])
    #expect(bench.conclusion == .done)
  }

  @Test func `a change whose request cannot be written is rejected, and is no conflict`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .update)])
    bench.answerRead(.refused(code: "request.missing-reference", reason: "it names nothing"))
    #expect(
      bench.changes == [.reject(1, code: "request.missing-reference", reason: "it names nothing")]
    )
    #expect(bench.conclusion == .done)
  }

  @Test func `a file's future place is on the disk before it is sent there`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .upload)], commitsAtOnce: false)
    bench.commit()
    bench.answerSend(BatchAnswer(outcomes: [1: .staged(serverID: "k/1", version: nil)]))
    #expect(bench.commits.last == [.stage(1, serverID: "k/1", version: nil)])
    #expect(bench.sends.isEmpty)
    bench.commit()
    #expect(bench.sends.first?.operations.map(\.serverID) == ["k/1"])
  }

  @Test func `a file is not sent if the run ends before its place is on the disk`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .upload)], commitsAtOnce: false)
    bench.commit()
    bench.answerSend(BatchAnswer(outcomes: [1: .staged(serverID: "k/1", version: nil)]))
    bench.feed(.interrupted)
    bench.commit()
    #expect(bench.sends.isEmpty)
    #expect(bench.commits.last == [.revoke(1)])
    bench.commit()
    #expect(bench.conclusion == .interrupted)
  }

  @Test func `one commit is under way at a time`() {
    var bench = EngineBench(.sample(concurrency: 3), .samples(40), commitsAtOnce: false)
    while bench.conclusion == nil {
      #expect(bench.openCommitCount <= 1)
      guard bench.openCommitCount <= 1 else { return }
      if bench.openCommitCount == 1, bench.sends.isEmpty { bench.commit() }
      bench.answerSend()
      #expect(bench.openCommitCount <= 1)
      if bench.openCommitCount == 1 { bench.commit() }
    }
    #expect(bench.conclusion == .done)
  }

  // 001-68.
  @Test(arguments: [Operation.Action.create, .update, .delete], 1...4)
  func `no request holds more than the limit`(action: Operation.Action, limit: Int) {
    var bench = EngineBench(.sample(batchLimit: limit), .samples(23, action: action))
    bench.runToTheEnd()
    #expect(bench.conclusion == .done)
    for effect in bench.log {
      switch effect {
      case .send(_, let operations), .read(_, let operations):
        #expect(operations.count <= limit)
      default: break
      }
    }
  }

  // 000-68: one request for many records instead of one for each.
  @Test func `a request is as full as its limit lets it be`() {
    var bench = EngineBench(.sample(batchLimit: 4, concurrency: 1), .samples(22))
    bench.runToTheEnd()
    let sizes = bench.log.compactMap { effect -> Int? in
      if case .send(_, let operations) = effect { operations.count } else { nil }
    }
    #expect(sizes == [4, 4, 4, 4, 4, 2])
  }

  @Test(arguments: [Operation.Action.create, .update], 1...4)
  func `the policy's limit of requests in flight is kept`(
    action: Operation.Action,
    concurrency: Int
  ) {
    var bench = EngineBench(
      .sample(batchLimit: 1, concurrency: concurrency),
      .samples(30, action: action)
    )
    var most = 0
    while bench.conclusion == nil {
      most = max(most, bench.flightCount)
      if bench.reads.isEmpty { bench.answerSend() } else { bench.answerRead() }
    }
    #expect(most == concurrency)
  }

  @Test func `a request holds operations of one action`() {
    let operations = (1...12).map { number in
      Operation.sample(number, action: number.isMultiple(of: 3) ? .delete : .create)
    }
    var bench = EngineBench(.sample(batchLimit: 5), operations)
    bench.runToTheEnd()
    for case .send(_, let operations) in bench.log {
      #expect(Set(operations.map(\.action)).count == 1)
    }
    #expect(bench.conclusion == .done)
  }

  // 001-28, 001-31, 001-33.
  @Test func `the next phase begins when every operation of this one is settled on the disk`()
    throws
  {
    let operations: [Operation] = [.sample(1), .sample(2), .sample(3, phase: 1)]
    var bench = EngineBench(
      .sample(phases: 2, batchLimit: 1),
      operations,
      commitsAtOnce: false
    )
    bench.commit()
    bench.answerSend()
    bench.answerSend(.deferred)
    let end = OperationChange.confirm(2, serverID: "server-2", version: "1")
    // An engine that goes on too early may never come to the end.
    for _ in 0..<10 where bench.changes(of: 2).last != end {
      let isTooEarly = bench.log.contains { if case .load(1, _, _) = $0 { true } else { false } }
      try #require(!isTooEarly)
      if bench.openCommitCount > 0 { bench.commit() }
      bench.pass(.seconds(1))
      bench.answerSend()
    }
    try #require(bench.changes(of: 2).last == end)
    #expect(bench.changes(of: 3).isEmpty)
    bench.runToTheEnd()
    #expect(bench.conclusion == .done)
    #expect(bench.changes(of: 3).last == .confirm(3, serverID: "server-3", version: "1"))
  }

  @Test func `an empty plan finishes without a request`() {
    let bench = EngineBench(.sample(phases: 3), [])
    #expect(bench.conclusion == .done)
  }

  @Test func `memory stays bounded however long the plan is`() {
    var bench = EngineBench(.sample(batchLimit: 50), .samples(20))
    #expect(bench.trackedCount <= 20)
    var counter = CountingRun(operationCount: 100_000, batchLimit: 100)
    counter.run()
    #expect(counter.confirmedCount == 100_000)
    #expect(counter.mostTracked <= 1_000)
    bench.runToTheEnd()
  }
}

/// A run whose operations are made when they are asked for, so that only the engine's own memory
/// counts.
private struct CountingRun {
  let operationCount: Int64
  private var engine: UploadEngine
  private(set) var confirmedCount = 0
  private(set) var mostTracked = 0

  init(operationCount: Int64, batchLimit: Int) {
    self.operationCount = operationCount
    engine = UploadEngine(policy: .sample(batchLimit: batchLimit))
  }

  mutating func run() {
    var events: [EngineEvent] = [.started]
    var next = 0
    while next < events.count {
      let effects = engine.handle(events[next], now: .zero)
      next += 1
      if next > 1000 {
        events.removeFirst(next)
        next = 0
      }
      mostTracked = max(mostTracked, engine.trackedCount)
      for effect in effects { events += answer(effect) }
    }
  }

  private mutating func answer(_ effect: EngineEffect) -> [EngineEvent] {
    switch effect {
    case .load(_, let after, let limit):
      let last = min(after + Int64(limit), operationCount)
      let operations = after < last ? ((after + 1)...last).map { Operation.sample($0) } : []
      return [.loaded(phase: 0, operations, isLast: last == operationCount)]
    case .commit(let changes):
      for case .confirm in changes { confirmedCount += 1 }
      return [.committed]
    case .send(let flight, let operations):
      return [.answered(flight, .stored(operations.map(\.number)))]
    case .prepare, .read, .lookUp, .wake, .finish: return []
    }
  }
}
