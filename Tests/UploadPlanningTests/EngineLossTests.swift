import Testing
import UploadPlanning

struct EngineLossTests {
  @Test func `a lost answer is looked up after the settle time`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.lost)
    #expect(bench.changes.last == .lose(1, reason: "the line was cut"))
    bench.pass(.seconds(59))
    #expect(bench.lookUps.isEmpty)
    bench.pass(.seconds(1))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
  }

  @Test func `the engine asks to be woken at the settle time of a lost request`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.lost)
    #expect(bench.wakes.last == .seconds(60))
  }

  @Test func `a look-up waits until no request is in flight`() {
    var bench = EngineBench(.sample(batchLimit: 1), .samples(2))
    bench.answerSend(.lost)
    bench.pass(.seconds(100))
    #expect(bench.lookUps.isEmpty)
    bench.answerSend()
    #expect(bench.lookUps.map(\.numbers) == [[1]])
  }

  @Test func `no operation is begun while an answer is lost`() {
    var bench = EngineBench(.sample(batchLimit: 1, concurrency: 1), .samples(9))
    bench.answerSend(.lost)
    let begun = bench.changes.count { if case .begin = $0 { true } else { false } }
    bench.answerSend()
    bench.pass(.seconds(30))
    #expect(bench.flightCount == 0)
    #expect(bench.changes.count { if case .begin = $0 { true } else { false } } == begun)
  }

  @Test func `a record that a look-up finds is confirmed and not sent again`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(60))
    bench.answerLookUp(.found(serverID: "s", version: "3"))
    #expect(bench.changes.last == .confirm(1, serverID: "s", version: "3"))
    #expect(bench.conclusion == .done)
  }

  @Test
  func
    `a record that was created, as the answer said, is not sent again where a look-up finds none`()
  {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(BatchAnswer(outcomes: [1: .unnamed(reason: "it names no record")]))
    #expect(bench.changes.last == .lose(1, reason: "it names no record"))
    bench.pass(.seconds(60))
    bench.answerLookUp(.notThere)
    let words = "the destination answered that it created it, and no record like it is there"
    #expect(bench.changes.last == .reject(1, code: "upload.unnamed", reason: words))
    #expect(bench.conclusion == .done)
  }

  @Test
  func `a record that was created, as the answer said, is confirmed where a look-up finds it`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(BatchAnswer(outcomes: [1: .unnamed(reason: "it names no record")]))
    bench.pass(.seconds(60))
    bench.answerLookUp(.found(serverID: "s", version: nil))
    #expect(bench.changes.last == .confirm(1, serverID: "s", version: nil))
  }

  @Test func `a record that a look-up does not find is revoked and sent again`() {
    var bench = EngineBench(.sample(), .samples(1), commitsAtOnce: false)
    bench.commit()
    bench.answerSend(.lost)
    bench.commit()
    bench.pass(.seconds(60))
    bench.answerLookUp(.notThere)
    #expect(bench.commits.last == [.absent(1, key: OperationKey.following("key-1"))])
    bench.commit()
    #expect(bench.commits.last == [.begin(1, before: nil, version: nil)])
    bench.commit()
    #expect(bench.sends.map(\.numbers) == [[1]])
  }

  @Test func `a revoked operation that is deferred the next time is planned again`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(60))
    bench.answerLookUp(.notThere)
    bench.pass(.seconds(1))
    bench.answerSend(.deferred)
    #expect(bench.changes.suffix(2).map(\.isRevocation) == [false, true])
  }

  @Test func `a record that a look-up finds to be different is a conflict`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(60))
    bench.answerLookUp(.different(reason: "other content"))
    #expect(bench.changes.last == .conflict(1, reason: "other content"))
    #expect(bench.conclusion == .done)
  }

  @Test func `a look-up that failed is repeated`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(60))
    bench.failReading(isPassing: true)
    bench.pass(.seconds(30))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
  }

  @Test func `with a key, a lost request is repeated and not looked up`() {
    var bench = EngineBench(.sample(settle: nil), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    #expect(bench.lookUps.isEmpty)
    #expect(bench.sends.map(\.numbers) == [[1]])
    #expect(
      bench.changes.map(\.isBegin) == [true, false, true],
      "the repeat has an intent of its own"
    )
  }

  @Test func `an item that the answer does not name is lost`() {
    var bench = EngineBench(.sample(), .samples(2))
    bench.answerSend(.stored([2]))
    #expect(bench.changes(of: 1).last?.isLoss == true)
    #expect(bench.changes(of: 2).last?.isLoss == false)
  }

  @Test(arguments: [Duration.seconds(60), nil])
  func `a record that the server calls existing is looked up at once`(settle: Duration?) {
    var bench = EngineBench(.sample(settle: settle), .samples(1))
    bench.answerSend(BatchAnswer(outcomes: [1: .exists]))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    #expect(bench.now == .zero)
  }

  @Test func `finding a lost request's content counts as success, however often answers are lost`()
  {
    var bench = EngineBench(.sample(settle: nil), .samples(1))
    for _ in 0..<3 {
      bench.answerSend(.lost)
      bench.pass(.seconds(60))
    }
    bench.answerSend(BatchAnswer(outcomes: [1: .exists]))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    bench.answerLookUp(.found(serverID: "s", version: nil))
    #expect(bench.conclusion == .done)
  }

  @Test func `a record that the server says exists and never shows becomes a conflict`() {
    var bench = EngineBench(.sample(settle: nil), .samples(1))
    bench.answerSend(.lost)
    for _ in 0..<10 where bench.conclusion == nil {
      bench.pass(.seconds(60))
      bench.answerSend(BatchAnswer(outcomes: [1: .exists]))
      bench.answerLookUp(.notThere)
    }
    #expect(bench.conclusion == .done)
    #expect(bench.changes.last.map { if case .conflict(1, _) = $0 { true } else { false } } == true)
  }

  @Test func `a record that existed before the request is adopted, and does not belong to the run`()
  {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(BatchAnswer(outcomes: [1: .exists]))
    #expect(bench.changes.last == .revoke(1), "a run that ends here asks again")
    bench.answerLookUp(.found(serverID: "theirs", version: "7"))
    #expect(bench.changes.last == .adopt(1, serverID: "theirs", version: "7"))
    #expect(bench.conclusion == .done)
  }

  @Test func `content found after a lost request is taken as the run's own`() {
    var bench = EngineBench(.sample(settle: nil), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerSend(BatchAnswer(outcomes: [1: .exists]))
    bench.answerLookUp(.found(serverID: "ours", version: "7"))
    #expect(bench.changes.last == .confirm(1, serverID: "ours", version: "7"))
  }

  /// Another device's record of that identity can have come and gone, and the lost request be under way.
  @Test
  func `with a key, a lost request is not judged absent because another device's record is gone`() {
    var bench = EngineBench(.sample(settle: nil), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerSend(BatchAnswer(outcomes: [1: .exists]))
    bench.answerLookUp(.notThere)
    #expect(
      !bench.changes.contains { if case .absent = $0 { true } else { false } },
      "a run that ends here has it looked up"
    )
    bench.answerSend()
    #expect(bench.conclusion == .done)
  }

  @Test func `a record that the destination equates with another one does not hold up the others`()
  {
    var bench = EngineBench(.sample(), .samples(8))
    for _ in 0..<100 where bench.conclusion == nil {
      if let request = bench.sends.first {
        let others = request.numbers.filter { $0 != 3 }
        var outcomes = BatchAnswer.stored(others).outcomes
        if request.numbers.contains(3) { outcomes[3] = .exists }
        bench.answerSend(BatchAnswer(outcomes: outcomes))
      } else if !bench.lookUps.isEmpty {
        bench.answerLookUp(.notThere)
      } else {
        bench.pass(.seconds(30))
      }
    }
    #expect(bench.conclusion == .done)
    #expect(bench.changes.count { if case .confirm = $0 { true } else { false } } == 7)
    #expect(
      bench.changes(of: 3).last.map { if case .conflict = $0 { true } else { false } } == true
    )
  }

  @Test func `a change whose answer was lost is read again after the settle time`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .update)])
    bench.answerRead(.ready(before: [1], version: "1"))
    bench.answerSend(.lost)
    bench.pass(.seconds(59))
    #expect(bench.reads.isEmpty)
    bench.pass(.seconds(1))
    bench.answerRead(.alreadyDone(version: "2"))
    #expect(bench.conclusion == .done)
    #expect(bench.changes.last == .confirm(1, serverID: "server-1", version: "2"))
  }

  @Test func `a postponed change is read again as one that was not begun`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .update)])
    bench.answerRead()
    bench.answerSend(.deferred)
    bench.pass(.seconds(60))
    #expect(bench.reads.first?.operations.first?.state == .planned)
  }

  @Test func `the before-image of a change is the content read first`() {
    var bench = EngineBench(.sample(settle: nil), [.sample(1, action: .update)])
    bench.answerRead(.ready(before: [1], version: "1"))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerRead(.ready(before: [2], version: "2"))
    #expect(bench.sends.first?.operations.first?.before == [1])
    #expect(bench.sends.first?.operations.first?.version == "2")
  }

  @Test func `the content to be restored is not replaced by a reading`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .restore, before: [5])])
    bench.answerRead(.ready(before: [1], version: "1"))
    #expect(bench.sends.first?.operations.first?.before == [5])
  }

  @Test func `a conflict after a lost answer is read, since the run itself may have caused it`() {
    var bench = EngineBench(.sample(settle: nil), [.sample(1, action: .update)])
    bench.answerRead()
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerRead()
    bench.answerSend(BatchAnswer(outcomes: [1: .conflicted(reason: "version 2")]))
    bench.answerRead(.alreadyDone(version: "2"))
    #expect(bench.changes.last == .confirm(1, serverID: "server-1", version: "2"))
  }

  @Test(arguments: [Operation.State.begun, .unknown])
  func `an earlier run's open operations are looked up first`(state: Operation.State) {
    var bench = EngineBench(.sample(), [.sample(1, state: state), .sample(2)])
    #expect(bench.commits.isEmpty)
    bench.pass(.seconds(60))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    bench.answerLookUp(.found(serverID: "s", version: nil))
    #expect(bench.sends.map(\.numbers) == [[2]])
  }

  @Test func `a change that an earlier run left open is read after the settle time`() {
    var bench = EngineBench(.sample(), [.sample(1, action: .update, state: .begun)])
    bench.pass(.seconds(59))
    #expect(bench.reads.isEmpty)
    bench.pass(.seconds(1))
    #expect(bench.reads.map(\.numbers) == [[1]])
  }

  @Test func `with a key, an operation that an earlier run left open is sent again`() {
    let bench = EngineBench(.sample(settle: nil), [.sample(1, state: .unknown)])
    #expect(bench.sends.map(\.numbers) == [[1]])
  }

  @Test(arguments: [Operation.Action.delete, .uncreate, .unupload])
  func `a removal that finds nothing is confirmed`(action: Operation.Action) {
    var bench = EngineBench(.sample(), [.sample(1, action: action)])
    bench.answerRead()
    bench.answerSend(BatchAnswer(outcomes: [1: .missing]))
    #expect(bench.changes.last == .confirm(1, serverID: "server-1", version: nil))
    #expect(bench.conclusion == .done)
  }
}

/// What a look-up cannot mention one operation.
extension EngineLossTests {
  private static let silence = "the destination gave no reason"

  /// Two operations of a run that is paused, and a look-up that reports the second alone.
  private func halfLookedUp(retryLimit: Int = 3) -> EngineBench {
    var bench = EngineBench(
      .sample(settle: nil, retryLimit: retryLimit, settlesOnly: true),
      [.sample(1, state: .begun), .sample(2, state: .begun)]
    )
    bench.answerLookUps { $0 == 2 ? LookUpResult.found(serverID: "s", version: nil) : nil }
    return bench
  }

  @Test func `an outcome that a look-up cannot find is unknown, and not absent`() {
    let bench = halfLookedUp()
    #expect(bench.changes(of: 1) == [.lose(1, reason: Self.silence)])
    #expect(bench.changes(of: 2) == [.confirm(2, serverID: "s", version: nil)])
  }

  @Test func `an outcome that a look-up cannot find is looked up again, by itself`() {
    var bench = halfLookedUp()
    bench.pass(.seconds(30))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    bench.answerLookUp(.found(serverID: "t", version: nil))
    #expect(bench.changes(of: 1).last == .confirm(1, serverID: "t", version: nil))
    #expect(bench.conclusion == .done)
  }

  @Test func `an outcome that no look-up finds ends the run, and stays unknown`() {
    var bench = halfLookedUp(retryLimit: 1)
    bench.pass(.seconds(30))
    bench.answerLookUps { _ in nil }
    #expect(bench.conclusion == .passingFault(reason: Self.silence))
    #expect(bench.changes(of: 1).allSatisfy { $0.isLoss })
  }

  @Test(arguments: [3, 0])
  func `a record that no look-up finds is sent once, and all others are sent`(retryLimit: Int) {
    var bench = EngineBench(
      .sample(batchLimit: 1, settle: nil, concurrency: 1, retryLimit: retryLimit),
      [.sample(1, state: .unknown)] + (2...8).map { .sample($0) }
    )
    for _ in 0..<100 where bench.conclusion == nil {
      if let request = bench.sends.first {
        bench.answerSend(request.numbers == [1] ? BatchAnswer(outcomes: [1: .exists]) : nil)
      } else if !bench.lookUps.isEmpty {
        bench.answerLookUps { _ in nil }
      } else {
        bench.pass(.seconds(5))
      }
    }
    #expect(bench.conclusion == .passingFault(reason: Self.silence))
    #expect(bench.changes(of: 1).count(where: \.isBegin) == 1)
    #expect(bench.changes(of: 1).last?.isLoss == true)
    #expect(bench.changes.count { if case .confirm = $0 { true } else { false } } == 7)
  }

  @Test func `a record that existed before the run is not unknown after a failed look-up`() {
    var bench = EngineBench(.sample(), .samples(1))
    bench.answerSend(BatchAnswer(outcomes: [1: .exists]))
    bench.answerLookUps { _ in nil }
    bench.pass(.seconds(30))
    bench.answerLookUp(.found(serverID: "theirs", version: "7"))
    #expect(!bench.changes.contains { $0.isLoss })
    #expect(bench.changes.last == .adopt(1, serverID: "theirs", version: "7"))
  }
}

extension OperationChange {
  var isBegin: Bool { if case .begin = self { true } else { false } }
  var isLoss: Bool { if case .lose = self { true } else { false } }
  /// Whether it is planned again.
  var isRevocation: Bool {
    switch self {
    case .revoke, .absent: true
    case .begin, .stage, .confirm, .displace, .adopt, .reject, .conflict, .lose: false
    }
  }
}
