import Records
import Retrying
import Testing
import UploadPlanning

struct EnginePatienceTests {
  @Test func `a pause delays every request`() {
    var bench = EngineBench(.sample(batchLimit: 1), .samples(8))
    let pause = BatchAnswer(whole: .deferred(reason: "busy"), pause: .seconds(90))
    bench.answerSend(pause)
    bench.answerSend()
    bench.pass(.seconds(89))
    #expect(bench.flightCount == 0)
    #expect(bench.wakes.last == .seconds(90))
    bench.pass(.seconds(1))
    #expect(bench.flightCount == 1)
  }

  @Test func `a pause delays look-ups too`() {
    var bench = EngineBench(.sample(settle: .seconds(1)), .samples(1))
    bench.answerSend(BatchAnswer(whole: .unknown(reason: "cut"), pause: .seconds(50)))
    bench.pass(.seconds(49))
    #expect(bench.flightCount == 0)
    bench.pass(.seconds(1))
    #expect(bench.lookUps.count == 1)
    bench.failReading(isPassing: true, pause: .seconds(50))
    bench.pass(.seconds(49))
    #expect(bench.flightCount == 0)
  }

  @Test func `concurrent failures halve the number of requests in flight once`() {
    let policy = EnginePolicy.sample(batchLimit: 1, settle: nil, concurrency: 8)
    var bench = EngineBench(policy, .samples(200))
    #expect(bench.flightCount == 8)
    for _ in 1...8 { bench.answerSend(.deferred) }
    bench.pass(.seconds(60))
    #expect(bench.flightCount == 4)
    bench.answerSend(.lost)
    bench.answerSend()
    bench.pass(.seconds(60))
    #expect(bench.flightCount == 2)
  }

  @Test func `a destination that keeps up gets the same number of concurrent requests`() {
    let policy = EnginePolicy.sample(batchLimit: 1, settle: nil, concurrency: 3)
    var bench = EngineBench(policy, .samples(200))
    for _ in 1...3 { bench.answerSend(.deferred) }
    bench.pass(.seconds(60))
    #expect(bench.flightCount == 1)
    for _ in 1...7 { bench.answerSend() }
    #expect(bench.flightCount == 1)
    bench.answerSend()
    #expect(bench.flightCount == 2)
    for _ in 1...40 { bench.answerSend() }
    #expect(bench.flightCount == 3)
  }

  @Test
  func `one more concurrent request that failed is tried again after twice as many successes`() {
    let policy = EnginePolicy.sample(batchLimit: 1, settle: nil, concurrency: 2)
    var bench = EngineBench(policy, .samples(400))
    for patience in [8, 16, 32] {
      for _ in 1...2 { bench.answerSend(.deferred) }
      bench.pass(.seconds(60))
      for _ in 1..<patience { bench.answerSend() }
      #expect(bench.flightCount == 1, "before \(patience)")
      bench.answerSend()
      #expect(bench.flightCount == 2, "after \(patience)")
    }
  }

  @Test func `one more concurrent request that worked for long is soon tried again`() {
    let policy = EnginePolicy.sample(batchLimit: 1, settle: nil, concurrency: 2)
    var bench = EngineBench(policy, .samples(400))
    for answers in [8, 16 + 16 * 8] {
      for _ in 1...2 { bench.answerSend(.deferred) }
      bench.pass(.seconds(60))
      for _ in 1...answers { bench.answerSend() }
      #expect(bench.flightCount == 2)
    }
    for _ in 1...2 { bench.answerSend(.deferred) }
    bench.pass(.seconds(60))
    for _ in 1...7 { bench.answerSend() }
    #expect(bench.flightCount == 1)
    bench.answerSend()
    #expect(bench.flightCount == 2)
  }

  @Test func `a pause delays readings too`() {
    var bench = EngineBench(.sample(), .samples(1, action: .update))
    bench.failReading(isPassing: true, pause: .seconds(50))
    bench.pass(.seconds(49))
    #expect(bench.flightCount == 0)
    bench.pass(.seconds(1))
    #expect(bench.reads.count == 1)
  }

  /// A change that waits to be sent, as the one before it was answered by a pause.
  private func held(by pause: Duration) -> EngineBench {
    var bench = EngineBench(
      .sample(batchLimit: 1, concurrency: 1),
      .samples(2, action: .update)
    )
    bench.answerRead()
    bench.answerRead()
    bench.answerSend(BatchAnswer(whole: .deferred(reason: "busy"), pause: pause))
    bench.pass(pause)
    return bench
  }

  @Test func `content read before a long pause is read again before it is sent`() {
    let bench = held(by: .seconds(90))
    #expect(bench.sends.isEmpty)
    #expect(bench.reads.map(\.numbers) == [[2]])
  }

  @Test func `content read before a short pause is sent after it`() {
    let bench = held(by: .seconds(5))
    #expect(bench.sends.map(\.numbers) == [[2]])
  }

  @Test func `content read again after a pause is sent`() {
    var bench = held(by: .seconds(90))
    bench.runToTheEnd()
    #expect(bench.conclusion == .done)
  }

  @Test func `a record that is reset to be read again is on the disk as planned`() {
    let bench = held(by: .seconds(90))
    #expect(bench.changes(of: 2).last == .revoke(2))
  }

  @Test func `a record that is reset to be read again has overwritten nothing`() {
    let bench = held(by: .seconds(90))
    #expect(bench.reads.first?.operations.map(\.before) == [nil])
  }

  @Test func `a pause longer than the longest ends the run as a passing fault`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(BatchAnswer(whole: .deferred(reason: "busy"), pause: .seconds(301)))
    let reason = "the destination asks to wait 301 seconds: resume after that"
    #expect(bench.conclusion == .passingFault(reason: reason))
  }

  @Test func `a postponement without a time to ask again ends the run with that reason`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(
      BatchAnswer(whole: .deferred(reason: "busy"), pause: BatchAnswer.unstatedPause)
    )
    guard case .passingFault(let reason) = bench.conclusion else {
      Issue.record("\(String(describing: bench.conclusion))")
      return
    }
    #expect(reason.contains("names no time"))
  }

  private static let doubtful = BatchAnswer(
    whole: .unknown(reason: "503"),
    pause: .seconds(120)
  )

  /// Has a request be answered with a wait again and again, and waits each time.
  private func wait(_ times: Int, _ bench: inout EngineBench) {
    for _ in 1...times {
      bench.answerSend(Self.doubtful)
      bench.pass(.seconds(120))
      bench.answerLookUp(.notThere)
    }
  }

  @Test(arguments: [Duration.seconds(1), nil])
  func `a requested wait is not a fault, regardless of the request's outcome`(settle: Duration?) {
    var bench = EngineBench(.sample(settle: settle, retryLimit: 0), .samples(1))
    wait(20, &bench)
    #expect(bench.conclusion == nil)
    bench.answerSend()
    #expect(bench.conclusion == .done)
  }

  @Test(arguments: [Duration.seconds(1), nil])
  func `an endless requested wait is a fault, regardless of the requests' outcome`(
    settle: Duration?
  ) {
    var bench = EngineBench(.sample(settle: settle, retryLimit: 0), .samples(1))
    wait(20, &bench)
    #expect(bench.conclusion == nil)
    bench.answerSend(Self.doubtful)
    #expect(bench.conclusion == .passingFault(reason: "503"))
  }

  @Test(arguments: [0, 1, 2])
  func `a chosen number of attempts bounds the pauses that a destination asks for`(attempts: Int) {
    let policy = EnginePolicy(
      phases: EnginePolicy.sample(settle: nil).phases,
      retry: RetryPolicy().limited(to: attempts),
      seed: 7
    )
    var bench = EngineBench(policy, .samples(1))
    let busy = BatchAnswer(whole: .deferred(reason: "busy"), pause: .seconds(60))
    for _ in 0..<attempts {
      bench.answerSend(busy)
      #expect(bench.conclusion == nil)
      bench.pass(.seconds(60))
    }
    bench.answerSend(busy)
    #expect(bench.conclusion == .passingFault(reason: "busy"))
    #expect(bench.now == .seconds(60) * attempts)
  }

  @Test func `one pause of concurrent requests counts once`() {
    var bench = EngineBench(
      .sample(batchLimit: 1, settle: nil, concurrency: 21, retryLimit: 0),
      .samples(21)
    )
    for _ in 1...21 { bench.answerSend(Self.doubtful) }
    #expect(bench.conclusion == nil)
    bench.pass(.seconds(120))
    bench.runToTheEnd()
    #expect(bench.conclusion == .done)
  }

  @Test
  func `a request that may have arrived is looked up after the longer of pause and settle time`() {
    var bench = EngineBench(.sample(settle: .seconds(200), retryLimit: 0), .samples(1))
    bench.answerSend(Self.doubtful)
    bench.pass(.seconds(199))
    #expect(bench.conclusion == nil)
    #expect(bench.flightCount == 0)
    bench.pass(.seconds(1))
    #expect(bench.lookUps.count == 1)
  }

  @Test func `postponed requests do not count as failures`() {
    var bench = EngineBench(.sample(settle: nil, retryLimit: 2_000), .samples(1))
    wait(1_002, &bench)
    #expect(bench.conclusion == nil)
  }

  // 000-21, 000-65, 004-20.
  @Test func `retries are counted and end as a passing fault`() {
    var bench = EngineBench(.sample(retryLimit: 3), .samples(1))
    for _ in 0..<3 {
      bench.answerSend(.deferred)
      #expect(bench.conclusion == nil)
      bench.pass(.seconds(30))
    }
    bench.answerSend(.deferred)
    #expect(bench.conclusion == .passingFault(reason: "busy"))
  }

  @Test func `a reading that keeps failing ends as a passing fault`() {
    var bench = EngineBench(.sample(retryLimit: 2), [.sample(1, action: .update)])
    for _ in 0..<2 {
      bench.failReading(isPassing: true)
      bench.pass(.seconds(30))
    }
    bench.failReading(isPassing: true)
    #expect(bench.conclusion == .passingFault(reason: "no answer"))
  }

  // 000-65, 000-66, 001-48, 002-48, 003-13.
  @Test func `waits double under full jitter`() {
    var longest: [Duration] = Array(repeating: .zero, count: 7)
    var shortest: [Duration] = Array(repeating: .seconds(99), count: 7)
    for seed in 0..<200 {
      let policy = EnginePolicy(
        phases: [.init(entity: "Hero", batchLimit: 1, settle: nil)],
        retry: RetryPolicy(limit: 7),
        seed: UInt64(seed)
      )
      var bench = EngineBench(policy, .samples(1))
      for attempt in 0..<7 {
        bench.answerSend(.deferred)
        let wait = (bench.wakes.last ?? bench.now) - bench.now
        longest[attempt] = max(longest[attempt], wait)
        shortest[attempt] = min(shortest[attempt], wait)
        bench.pass(wait)
      }
    }
    for (attempt, ceiling) in [1, 2, 4, 8, 16, 30, 30].enumerated() {
      #expect(longest[attempt] <= .seconds(ceiling))
      #expect(longest[attempt] > .seconds(ceiling) * 0.9)
      #expect(shortest[attempt] < .seconds(ceiling) * 0.1)
    }
  }

  // 001-32, 002-46, 002-53.
  @Test func `a refused batch is halved down to the bad item, which alone is rejected`() {
    var bench = EngineBench(.sample(batchLimit: 16, concurrency: 1), .samples(16))
    var sizes: [Int] = []
    while bench.conclusion == nil, let request = bench.sends.first {
      sizes.append(request.numbers.count)
      let isBad = request.numbers.contains(11)
      bench.answerSend(isBad ? BatchAnswer(whole: .splittable(reason: "no")) : nil)
    }
    #expect(bench.conclusion == .done)
    let rejected = bench.changes.compactMap { change -> Int64? in
      if case .reject(let number, _, _) = change { number } else { nil }
    }
    #expect(rejected == [11])
    #expect(sizes.prefix(2) == [16, 8])
    #expect(bench.now == .zero, "halving is not a fault and waits for nothing")
  }

  @Test func `batches grow again once the bad item is out of the way`() {
    var bench = EngineBench(.sample(batchLimit: 16, concurrency: 1), .samples(2000))
    var sizes: [Int] = []
    while bench.conclusion == nil, let request = bench.sends.first {
      sizes.append(request.numbers.count)
      let isBad = request.numbers.contains(11)
      bench.answerSend(isBad ? BatchAnswer(whole: .splittable(reason: "no")) : nil)
    }
    #expect(bench.conclusion == .done)
    #expect(sizes.count < 2000 / 16 + 60)
    #expect(sizes.dropLast(5).last == 16)
  }

  // 000-38, 001-47.
  @Test func `a deferred operation is planned again on the disk`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.deferred)
    #expect(bench.changes.last == .revoke(1))
  }

  @Test func `a deferred repeat of a lost request does not prove that it never arrived`() {
    var bench = EngineBench(.sample(settle: nil), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerSend(.deferred)
    #expect(!bench.changes.contains { $0.isRevocation })
  }
}

struct EngineEndTests {
  static let refusal = BatchAnswer(whole: .refused(reason: "quota"))

  // 000-67, 001-19.
  @Test func `a refusal ends the run once everything in flight was answered`() {
    var bench = EngineBench(.sample(batchLimit: 1), .samples(9))
    bench.answerSend(Self.refusal)
    #expect(bench.conclusion == nil)
    #expect(bench.flightCount == 1)
    bench.answerSend()
    #expect(bench.conclusion == .refused(reason: "quota"))
    #expect(bench.changes(of: 2).last == .confirm(2, serverID: "server-2", version: "1"))
  }

  @Test func `a reading that is refused ends the run`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .update)])
    bench.failReading(isPassing: false)
    #expect(bench.conclusion == .refused(reason: "no answer"))
  }

  // 000-58.
  @Test func `an interruption drains requests in flight and sends no new one`() {
    var bench = EngineBench(.sample(batchLimit: 1), .samples(9))
    bench.feed(.interrupted)
    #expect(bench.flightCount == 2)
    bench.answerSend()
    #expect(bench.flightCount == 1)
    bench.answerSend()
    #expect(bench.conclusion == .interrupted)
    #expect(bench.log.count { if case .send = $0 { true } else { false } } == 2)
  }

  @Test func `an interruption waits for the commit of drained requests`() {
    var bench = EngineBench(.sample(), .samples(1), commitsAtOnce: false)
    bench.commit()
    bench.feed(.interrupted)
    bench.answerSend()
    #expect(bench.conclusion == nil)
    bench.commit()
    #expect(bench.conclusion == .interrupted)
  }

  @Test func `after an interruption no unsent operation stays begun`() {
    var bench = EngineBench(.sample(batchLimit: 1), .samples(9))
    bench.feed(.interrupted)
    bench.answerSend()
    bench.answerSend()
    for number in Int64(1)...9 {
      #expect(bench.changes(of: number).last?.isBegin != true)
    }
  }

  @Test func `an interruption does not wait for lost requests`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.lost)
    bench.feed(.interrupted)
    #expect(bench.conclusion == .interrupted)
  }
}

struct EngineSettlingTests {
  static let actions = Operation.Action.allCases

  @Test func `a request whose key is given up is looked up after its settle time`() {
    var bench = EngineBench(
      .sample(settle: nil, settleOfRepeats: .seconds(60), settlesOnly: true),
      [.sample(1, state: .begun)]
    )
    bench.pass(.seconds(59))
    #expect(bench.lookUps.isEmpty)
    bench.pass(.seconds(1))
    #expect(bench.lookUps.count == 1)
  }

  @Test(arguments: actions)
  func `every begun request is looked up, and an undelivered one is not sent`(
    action: Operation.Action
  ) {
    var bench = EngineBench(
      .sample(settlesOnly: true),
      [.sample(1, action: action, state: .begun)]
    )
    bench.pass(.seconds(60))
    bench.answerLookUp(.notThere)
    let key = action == .create ? OperationKey.following("key-1") : nil
    #expect(bench.changes == [.absent(1, key: key)])
    #expect(bench.conclusion == .done)
    #expect(bench.trackedCount == 0)
  }

  @Test func `a request that arrived is confirmed`() {
    var bench = EngineBench(
      .sample(settle: nil, settlesOnly: true),
      [.sample(1, action: .update, state: .unknown)]
    )
    bench.answerLookUp(.found(serverID: "s", version: "2"))
    #expect(bench.changes == [.confirm(1, serverID: "s", version: "2")])
    #expect(bench.conclusion == .done)
  }

  @Test func `a look-up that keeps failing ends as a passing fault`() {
    var bench = EngineBench(
      .sample(settle: nil, retryLimit: 1, settlesOnly: true),
      [.sample(1, state: .begun)]
    )
    bench.failReading(isPassing: true)
    bench.pass(.seconds(1))
    bench.failReading(isPassing: true)
    #expect(bench.conclusion == .passingFault(reason: "no answer"))
  }
}
