import Testing
import UploadPlanning

/// A record that the destination answers with “later” for ever.
struct EngineDeadLetterTests {
  private static let putOff = BatchAnswer(
    whole: .deferred(reason: "503"),
    pause: .seconds(3),
    mayLieInOne: true
  )

  /// Answers every request, those with a poisonous record by “later”; gives who was rejected.
  private func run(
    _ bench: inout EngineBench,
    isPoisonous: (Int64) -> Bool,
    answer: BatchAnswer = putOff
  ) -> [Int64] {
    run(&bench) { numbers in numbers.contains(where: isPoisonous) ? answer : nil }
    return bench.changes.compactMap { change in
      if case .reject(let number, "destination.keeps-failing", _) = change { number } else { nil }
    }
  }

  private func run(
    _ bench: inout EngineBench,
    answering answer: ([Int64]) -> BatchAnswer?
  ) {
    var steps = 0
    while bench.conclusion == nil, steps < 20_000 {
      steps += 1
      if let request = bench.sends.first {
        bench.answerSend(answer(request.numbers))
      } else if !bench.reads.isEmpty {
        bench.answerRead()
      } else if !bench.lookUps.isEmpty {
        bench.answerLookUp(.notThere)
      } else {
        bench.pass(.seconds(5))
      }
    }
  }

  /// What records that go one by one are answered: some of them by `single`, the others well.
  private func bundle(
    _ numbers: [Int64],
    isPoisonous: (Int64) -> Bool,
    _ single: BatchAnswer
  ) -> BatchAnswer {
    let poisonous = numbers.filter(isPoisonous)
    let isLost = single.whole == .unknown(reason: "500")
    return BatchAnswer(
      outcomes: Dictionary(
        uniqueKeysWithValues: numbers.map { number in
          guard poisonous.contains(number) else {
            return (number, .stored(serverID: "s\(number)", version: nil))
          }
          return (number, isLost ? .unknown(reason: "500") : .deferred(reason: "503"))
        }
      ),
      pause: poisonous.isEmpty ? nil : single.pause,
      singles: Dictionary(uniqueKeysWithValues: poisonous.map { ($0, single) })
    )
  }

  @Test(
    arguments: [Operation.Action.create, .update, .uncreate],
    [Duration.seconds(60), nil]
  )
  func `records that fail each time are found and rejected when sent one by one`(
    action: Operation.Action,
    settle: Duration?
  ) {
    for single in [Self.putOff, Self.lost] {
      var bench = EngineBench(
        .sample(batchLimit: 16, settle: settle, settleOfRepeats: .seconds(60)),
        .samples(40, action: action)
      )
      run(&bench) { bundle($0, isPoisonous: { $0 == 3 || $0 == 40 }, single) }
      #expect(bench.conclusion == .done)
      let rejected = bench.changes.compactMap { change in
        if case .reject(let number, "destination.keeps-failing", _) = change { number } else { nil }
      }
      #expect(rejected.sorted() == [3, 40])
      #expect(bench.changes.count { if case .confirm = $0 { true } else { false } } == 38)
    }
  }

  @Test(arguments: [Int64(16), 60])
  func `an outage of a minute in the middle rejects no record`(count: Int64) {
    for single in [Self.putOff, Self.lost] {
      var bench = EngineBench(
        .sample(batchLimit: 16, settle: nil, settleOfRepeats: .seconds(60), concurrency: 1),
        .samples(count)
      )
      var answers = 0
      for _ in 0..<2_000 where bench.conclusion == nil {
        if let request = bench.sends.first {
          // Half of the first bundle is stored before the destination goes down.
          let isDown = bench.now < .seconds(60)
          let isFirst = answers == 0
          answers += 1
          bench.answerSend(
            bundle(request.numbers, isPoisonous: { isFirst ? $0 > 8 : isDown }, single)
          )
        } else if !bench.lookUps.isEmpty {
          bench.answerLookUp(.notThere)
        } else {
          bench.pass(.seconds(1))
        }
      }
      #expect(bench.conclusion != nil)
      #expect(!bench.changes.contains { if case .reject = $0 { true } else { false } })
    }
  }

  @Test func `while every record fails, none is rejected and the run ends`() {
    for single in [Self.putOff, Self.lost] {
      for action in [Operation.Action.create, .update] {
        var bench = EngineBench(.sample(batchLimit: 16), .samples(40, action: action))
        run(&bench) { bundle($0, isPoisonous: { _ in true }, single) }
        #expect(bench.conclusion != nil && bench.conclusion != .done)
        #expect(!bench.changes.contains { if case .reject = $0 { true } else { false } })
      }
    }
  }

  @Test(arguments: [1, 16])
  func `a request that fails under its key each time is looked up, and gets another key`(
    count: Int64
  ) {
    var bench = EngineBench(
      .sample(batchLimit: 16, settle: nil, settleOfRepeats: .seconds(60)),
      .samples(count)
    )
    var requests = 0
    for _ in 0..<2_000 where bench.conclusion == nil {
      if let request = bench.sends.first {
        let isOld = request.operations.contains { $0.key == "key-1" }
        requests += request.numbers.contains(1) ? 1 : 0
        bench.answerSend(bundle(request.numbers, isPoisonous: { $0 == 1 && isOld }, Self.lost))
      } else if !bench.lookUps.isEmpty {
        bench.answerLookUp(.notThere)
      } else {
        bench.pass(.seconds(5))
      }
    }
    #expect(bench.conclusion == .done)
    #expect(requests == 5)
    #expect(bench.changes(of: 1).contains(.absent(1, key: OperationKey.following("key-1"))))
    #expect(bench.changes(of: 1).last == .confirm(1, serverID: "s1", version: nil))
  }

  @Test func `the last remaining record is given up if it failed in an earlier process too`() {
    for state in [Operation.State.planned, .unknown] {
      var bench = EngineBench(
        .sample(batchLimit: 16, settle: nil, settleOfRepeats: .seconds(60), hasKeys: false),
        [.sample(1, state: state)]
      )
      let rejected = run(&bench, isPoisonous: { _ in true }, answer: Self.lost)
      #expect(rejected == (state == .planned ? [] : [1]))
      #expect(bench.conclusion == (state == .planned ? .passingFault(reason: "500") : .done))
    }
  }

  @Test(arguments: [1, 16])
  func `a record that fails each time is looked up and given up while others arrive`(
    batchLimit: Int
  ) {
    var bench = EngineBench(
      .sample(batchLimit: batchLimit, settle: nil, settleOfRepeats: .seconds(60), hasKeys: false),
      .samples(40)
    )
    #expect(
      run(&bench, isPoisonous: { $0 == 3 || $0 == 40 }, answer: Self.lost).sorted() == [3, 40]
    )
    #expect(bench.conclusion == .done)
    #expect(
      bench.log.contains { if case .lookUp(_, let it) = $0 { it[0].number == 3 } else { false } }
    )
  }

  @Test func `a record that arrived under a key that fails each time is not sent again`() {
    var bench = EngineBench(
      .sample(batchLimit: 16, settle: nil, settleOfRepeats: .seconds(60)),
      .samples(1)
    )
    for _ in 0..<2_000 where bench.conclusion == nil {
      if let request = bench.sends.first {
        bench.answerSend(bundle(request.numbers, isPoisonous: { _ in true }, Self.lost))
      } else if !bench.lookUps.isEmpty {
        bench.answerLookUp(.found(serverID: "s", version: nil))
      } else {
        bench.pass(.seconds(5))
      }
    }
    #expect(bench.conclusion == .done)
    #expect(bench.changes(of: 1).last == .confirm(1, serverID: "s", version: nil))
    #expect(bench.changes(of: 1).count(where: \.isBegin) == 4)
  }

  @Test(arguments: [1, 2, 4])
  func `a record that the server postpones for ever is rejected, and the others arrive`(
    concurrency: Int
  ) {
    var bench = EngineBench(
      .sample(batchLimit: 16, settle: nil, concurrency: concurrency),
      .samples(200)
    )
    #expect(run(&bench, isPoisonous: { $0 == 27 }) == [27])
    #expect(bench.conclusion == .done)
  }

  @Test(arguments: [(0, 30), (1, 60), (2, 90), (3, 120)])
  func `the last record that keeps failing is decided in a time that the retries bound`(
    retries: Int,
    seconds: Int
  ) {
    var bench = EngineBench(
      .sample(batchLimit: 1, settle: nil, concurrency: 1, retryLimit: retries),
      .samples(3)
    )
    #expect(run(&bench, isPoisonous: { $0 == 3 }) == [3])
    #expect(bench.conclusion == .done)
    // Half the longest wait of 30 seconds lies between two attempts.
    let trial = Duration.seconds(seconds)
    #expect(bench.now >= trial && bench.now <= trial + .seconds(30))
  }

  private static let lost = BatchAnswer(
    whole: .unknown(reason: "500"),
    mayLieInOne: true
  )

  @Test(arguments: [1, 2, 4])
  func `a record whose request is lost each time is found and rejected, and the others arrive`(
    concurrency: Int
  ) {
    var bench = EngineBench(.sample(batchLimit: 16, concurrency: concurrency), .samples(200))
    #expect(
      run(&bench, isPoisonous: { [27, 28, 199].contains($0) }, answer: Self.lost) == [27, 28, 199]
    )
    #expect(bench.conclusion == .done)
    let confirmed = bench.changes.count { if case .confirm = $0 { true } else { false } }
    #expect(confirmed == 197)
  }

  @Test func `a record whose request was lost each time and arrived at last is not rejected`() {
    var bench = EngineBench(.sample(batchLimit: 2), .samples(8))
    var lookUps = 0
    for _ in 0..<2_000 where bench.conclusion == nil {
      if let request = bench.sends.first {
        bench.answerSend(request.numbers.contains(3) ? Self.lost : nil)
      } else if let request = bench.lookUps.first {
        lookUps += request.numbers == [3] ? 1 : 0
        bench.answerLookUp(lookUps > 3 ? .found(serverID: "s", version: nil) : .notThere)
      } else {
        bench.pass(.seconds(5))
      }
    }
    #expect(bench.changes(of: 3).last == .confirm(3, serverID: "s", version: nil))
    #expect(bench.conclusion == .done)
  }

  @Test func `while every request is lost, no record is rejected and the run ends`() {
    for settle in [Duration.seconds(60), nil] {
      var bench = EngineBench(.sample(batchLimit: 16, settle: settle), .samples(200))
      #expect(run(&bench, isPoisonous: { _ in true }, answer: Self.lost).isEmpty)
      #expect(bench.conclusion != nil && bench.conclusion != .done)
    }
  }

  @Test func `a destination without row answers gets no more requests than one with them`() {
    let silent = BatchAnswer(
      whole: .unknown(reason: "cut"),
      mayLieInOne: true,
      isUnanswered: true
    )
    var bench = EngineBench(.sample(batchLimit: 16, concurrency: 1), .samples(16))
    #expect(run(&bench, isPoisonous: { _ in true }, answer: silent).isEmpty)
    #expect(bench.changes(of: 3).count(where: \.isBegin) == 4)
    #expect(bench.conclusion == .passingFault(reason: "cut"))

    var other = EngineBench(.sample(batchLimit: 16, concurrency: 1), .samples(200))
    #expect(run(&other, isPoisonous: { $0 == 27 }, answer: silent) == [27])
    #expect(other.conclusion == .done)
  }

  @Test func `with a key, the other records of a batch that is lost each time arrive`() {
    var bench = EngineBench(.sample(batchLimit: 16, settle: nil), .samples(16))
    #expect(run(&bench, isPoisonous: { $0 == 3 }, answer: Self.lost).isEmpty)
    let confirmed = bench.changes.count { if case .confirm = $0 { true } else { false } }
    #expect(confirmed == 15)
    #expect(bench.conclusion == .passingFault(reason: "500"))
  }

  @Test func `a dead letter that no look-up shows stays unknown, and the others arrive`() {
    var bench = EngineBench(.sample(batchLimit: 1), .samples(40))
    for _ in 0..<2_000 where bench.conclusion == nil {
      if let request = bench.sends.first {
        bench.answerSend(request.numbers == [3] ? Self.lost : nil)
      } else if !bench.lookUps.isEmpty {
        let isDead = bench.changes(of: 3).count(where: \.isBegin) == 4
        bench.answerLookUps { number in
          number == 3 && isDead ? .failed(reason: "500") : .notThere
        }
      } else {
        bench.pass(.seconds(5))
      }
    }
    #expect(bench.conclusion == .passingFault(reason: "500"))
    #expect(bench.changes(of: 3).last == .lose(3, reason: "500"))
    #expect(bench.changes.count { if case .confirm = $0 { true } else { false } } == 39)
  }

  @Test
  func `a postponed dead letter is not rejected if an earlier request may have arrived`() {
    var bench = EngineBench(.sample(batchLimit: 1, settle: nil), .samples(40))
    var isLost = false
    for _ in 0..<2_000 where bench.conclusion == nil {
      if let request = bench.sends.first {
        guard request.numbers == [3] else {
          bench.answerSend()
          continue
        }
        bench.answerSend(isLost ? Self.later : Self.lost)
        isLost = true
      } else {
        bench.pass(.seconds(5))
      }
    }
    #expect(bench.conclusion == .passingFault(reason: "503"))
    #expect(!bench.changes(of: 3).contains { if case .reject = $0 { true } else { false } })
    #expect(!bench.changes(of: 3).contains(.revoke(3)))
  }

  @Test func `several records that fail each time are all found`() {
    var bench = EngineBench(.sample(batchLimit: 16, settle: nil), .samples(200))
    #expect(
      run(&bench, isPoisonous: { [5, 6, 90, 200].contains($0) }).sorted() == [5, 6, 90, 200]
    )
    #expect(bench.conclusion == .done)
  }

  @Test func `while the destination carries out no request, no record is rejected`() {
    var bench = EngineBench(.sample(batchLimit: 16, settle: nil), .samples(200))
    #expect(run(&bench, isPoisonous: { _ in true }).isEmpty)
    #expect(bench.conclusion != .done)
  }

  @Test func `a server that only asks for patience causes no rejection`() {
    var bench = EngineBench(.sample(batchLimit: 16, settle: nil), .samples(200))
    let limited = BatchAnswer(whole: .deferred(reason: "429"), pause: .seconds(3))
    #expect(run(&bench, isPoisonous: { $0 == 27 }, answer: limited).isEmpty)
  }

  // MARK: - What cannot be read

  /// Changes records of which the destination fails to read some, and answers well unless set otherwise;
  /// gives those that were rejected.
  private func change(
    _ bench: inout EngineBench,
    isUnanswered: Bool = false,
    answering answer: ([Int64]) -> BatchAnswer? = { _ in nil },
    isUnreadable: (Int64) -> Bool
  ) -> [Int64] {
    for _ in 0..<2_000 where bench.conclusion == nil {
      if let request = bench.sends.first {
        bench.answerSend(answer(request.numbers))
      } else if !bench.reads.isEmpty {
        bench.answerReads { number in
          isUnreadable(number)
            ? .failed(reason: "500", isUnanswered: isUnanswered)
            : .ready(before: [1], version: "1")
        }
      } else {
        bench.pass(.seconds(5))
      }
    }
    return bench.changes.compactMap { change in
      if case .reject(let number, "destination.keeps-failing", _) = change { number } else { nil }
    }
  }

  @Test(arguments: [1, 4])
  func `a record that cannot be read is rejected, and the others are changed`(batchLimit: Int) {
    var bench = EngineBench(.sample(batchLimit: batchLimit), .samples(100, action: .update))
    #expect(change(&bench) { $0 == 3 || $0 == 5 }.sorted() == [3, 5])
    #expect(bench.conclusion == .done)
  }

  @Test func `the last record, which cannot be read, is rejected after others were changed`() {
    var bench = EngineBench(.sample(batchLimit: 4), .samples(5, action: .update))
    #expect(change(&bench) { $0 == 5 } == [5])
    #expect(bench.conclusion == .done)
  }

  @Test func `while every reading fails, no record is rejected and the run ends`() {
    var bench = EngineBench(.sample(batchLimit: 4), .samples(40, action: .update))
    #expect(change(&bench) { _ in true } == [])
    #expect(bench.conclusion == .passingFault(reason: "500"))
  }

  @Test func `a record without any answer is not rejected`() {
    var bench = EngineBench(.sample(batchLimit: 4), .samples(40, action: .update))
    #expect(change(&bench, isUnanswered: true) { $0 == 3 } == [])
    #expect(bench.conclusion == .passingFault(reason: "500"))
  }

  /// Put off without a word about when to come again.
  private static let later = BatchAnswer(whole: .deferred(reason: "503"), mayLieInOne: true)

  @Test func `a record that was unreadable once and is postponed for ever is rejected`() {
    var bench = EngineBench(.sample(batchLimit: 1, retryLimit: 3), .samples(40, action: .update))
    var isRead = false
    let rejected = change(&bench, answering: { $0 == [1] ? Self.later : nil }) { number in
      guard number == 1, !isRead else { return false }
      isRead = true
      return true
    }
    #expect(rejected == [1])
    #expect(bench.conclusion == .done)
  }

  @Test func `a record that was postponed once and is unreadable after that is rejected`() {
    var bench = EngineBench(.sample(batchLimit: 1, retryLimit: 3), .samples(40, action: .update))
    var isPutOff = false
    let answer = { (numbers: [Int64]) -> BatchAnswer? in
      guard numbers == [1] else { return nil }
      isPutOff = true
      return Self.later
    }
    let rejected = change(&bench, answering: answer) { $0 == 1 && isPutOff }
    #expect(rejected == [1])
    #expect(bench.conclusion == .done)
  }

  @Test func `the last two records are both changed once one of them can be read`() {
    var bench = EngineBench(.sample(batchLimit: 2, retryLimit: 3), .samples(4, action: .update))
    var failures: [Int64: Int] = [1: 5, 2: 6]
    let rejected = change(&bench) { number in
      guard let left = failures[number], left > 0 else { return false }
      failures[number] = left - 1
      return true
    }
    #expect(rejected == [])
    #expect(bench.conclusion == .done)
  }

  @Test(arguments: [Duration.seconds(3), nil])
  func `a failed request counts by itself, regardless of earlier failed readings`(
    pause: Duration?
  ) {
    let putOff = BatchAnswer(whole: .deferred(reason: "503"), pause: pause, mayLieInOne: true)
    var bench = EngineBench(.sample(batchLimit: 1, retryLimit: 3), .samples(40, action: .update))
    var failures = 0
    for _ in 0..<2_000 where bench.conclusion == nil {
      if let request = bench.sends.first {
        let isFirst = request.numbers == [1] && bench.changes(of: 1).count(where: \.isBegin) == 1
        bench.answerSend(isFirst ? putOff : nil)
      } else if !bench.reads.isEmpty {
        bench.answerReads { number in
          guard number == 1, failures < 3 else { return .ready(before: [1], version: "1") }
          failures += 1
          return .failed(reason: "500", isUnanswered: false)
        }
      } else {
        bench.pass(.seconds(5))
      }
    }
    #expect(bench.conclusion == .done)
    #expect(bench.changes(of: 1).last == .confirm(1, serverID: "server-1", version: "1"))
  }

  @Test func `a record whose reading was not sent is read again, without a fault`() {
    var bench = EngineBench(.sample(batchLimit: 4, retryLimit: 0), .samples(4, action: .update))
    for _ in 1...5 { bench.answerRead(.unasked) }
    bench.answerRead()
    bench.answerSend()
    #expect(bench.conclusion == .done)
  }
}
