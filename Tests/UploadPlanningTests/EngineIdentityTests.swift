import Testing
import UploadPlanning

/// A destination that may ignore the identities that requests choose.
struct EngineIdentityTests {
  private static func policy(isUnproven: Bool = true, settlesOnly: Bool = false) -> EnginePolicy {
    .sample(
      batchLimit: 2,
      settle: nil,
      settleOfRepeats: .seconds(60),
      hasKeys: false,
      settlesOnly: settlesOnly,
      isUnproven: isUnproven
    )
  }

  private static func displaced(_ number: Int64, to serverID: String?) -> BatchAnswer {
    BatchAnswer(
      outcomes: [number: .displaced(serverID: serverID, version: "1", reason: "it chooses itself")]
    )
  }

  private static let displacement = OperationChange.displace(
    1,
    serverID: "other",
    version: "1",
    reason: "it chooses itself"
  )

  @Test func `the first record is created alone, and the others after it shows`() {
    var bench = EngineBench(Self.policy(), .samples(5))
    #expect(bench.sends.map(\.numbers) == [[1]])
    bench.answerSend()
    #expect(bench.sends.map(\.numbers) == [[2, 3], [4, 5]])
    bench.runToTheEnd()
    #expect(bench.conclusion == .done)
  }

  @Test func `a record under another identity is recorded, and ends the run`() {
    var bench = EngineBench(Self.policy(), .samples(5))
    bench.answerSend(Self.displaced(1, to: "other"))
    #expect(bench.changes.last == Self.displacement)
    #expect(bench.conclusion == .refused(reason: "it chooses itself"))
    #expect(!bench.changes.contains { $0.operation == 2 })
  }

  @Test func `a record whose identity the answer left out is looked up before the run ends`() {
    var bench = EngineBench(Self.policy(), .samples(5))
    bench.answerSend(Self.displaced(1, to: nil))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    var absent = bench
    bench.answerLookUp(
      .displaced(serverID: "other", version: "1", reason: "it chooses itself")
    )
    #expect(bench.changes.last == Self.displacement)
    #expect(bench.conclusion == .refused(reason: "it chooses itself"))
    absent.answerLookUp(.notThere)
    #expect(
      absent.changes(of: 1).last
        == .displace(1, serverID: nil, version: nil, reason: "it chooses itself")
    )
    #expect(absent.conclusion == .refused(reason: "it chooses itself"))
    #expect(absent.sends.isEmpty)
  }

  @Test
  func
    `a lost request is looked up, not repeated, until one record shows that the server takes client identities`()
  {
    var bench = EngineBench(Self.policy(), .samples(3))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    #expect(bench.sends.isEmpty)
    bench.answerLookUp(.found(serverID: "server-1", version: "1"))
    #expect(bench.sends.map(\.numbers) == [[2, 3]])
  }

  @Test func `if the server did not take an identity, a failing look-up stops further creations`() {
    var bench = EngineBench(Self.policy(), .samples(3))
    bench.answerSend(Self.displaced(1, to: nil))
    bench.pass(.seconds(1))
    bench.answerLookUp(.failed(reason: "500"))
    #expect(bench.sends.isEmpty && bench.conclusion == nil)
    bench.pass(.seconds(30))
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    bench.answerLookUp(.found(serverID: "server-1", version: "1"))
    #expect(bench.sends.map(\.numbers) == [[2, 3]])
  }

  @Test func `a look-up that fails each time ends the run before another record is made`() {
    var bench = EngineBench(Self.policy(), .samples(3))
    bench.answerSend(Self.displaced(1, to: nil))
    for _ in 0..<10 where bench.conclusion == nil {
      bench.pass(.seconds(30))
      bench.answerLookUp(.failed(reason: "500"))
    }
    #expect(bench.conclusion == .passingFault(reason: "500"))
    #expect(!bench.changes.contains { $0.operation == 2 })
  }

  @Test func `if the server takes client identities, a lost request is repeated at once`() {
    var bench = EngineBench(Self.policy(), .samples(2))
    bench.answerSend()
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    #expect(bench.lookUps.isEmpty)
    #expect(bench.sends.map(\.numbers) == [[2]])
  }

  @Test
  func
    `if the server takes client identities, a record under another one belongs to another writer`()
  {
    var bench = EngineBench(Self.policy(), .samples(2))
    bench.answerSend()
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerSend(
      BatchAnswer(outcomes: [2: .rejected(code: "http.400", reason: "it already exists")])
    )
    #expect(bench.lookUps.map(\.numbers) == [[2]])
    bench.answerLookUp(
      .displaced(serverID: "other", version: "1", reason: "it chooses itself")
    )
    bench.pass(.seconds(60))
    bench.answerLookUp(.notThere)
    #expect(bench.sends.map(\.numbers) == [[2]])
    bench.answerSend()
    #expect(bench.conclusion == .done)
  }

  @Test func `a record that an earlier process began is looked up before any request`() {
    let begun = Operation.sample(1, state: .begun)
    let bench = EngineBench(Self.policy(), [begun, .sample(2)])
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    #expect(bench.sends.isEmpty)
  }

  @Test func `a paused run goes on after a record under another identity`() {
    let begun = [Operation.sample(1, state: .begun), .sample(2, state: .unknown)]
    var bench = EngineBench(Self.policy(settlesOnly: true), begun)
    bench.pass(.seconds(60))
    bench.answerLookUps { number in
      number == 1
        ? .displaced(serverID: "other", version: "1", reason: "it chooses itself") : .notThere
    }
    #expect(bench.changes(of: 1).last == Self.displacement)
    #expect(bench.changes(of: 2).last.map { if case .absent = $0 { true } else { false } } == true)
    #expect(bench.conclusion == .done)
  }

  @Test func `the next record is sent alone if the first one is refused`() {
    var bench = EngineBench(Self.policy(), .samples(3))
    let refusal = ItemOutcome.rejected(code: "http.400", reason: "no title")
    bench.answerSend(BatchAnswer(outcomes: [1: refusal]))
    #expect(bench.sends.map(\.numbers) == [[2]])
  }

  // MARK: - Refusals of repeats

  private static let exists = BatchAnswer(
    outcomes: [1: .rejected(code: "http.400", reason: "it already exists")]
  )

  @Test func `a repeat that is refused after a lost answer is looked up, regardless of the reason`()
  {
    var bench = EngineBench(Self.policy(isUnproven: false), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerSend(Self.exists)
    #expect(bench.lookUps.map(\.numbers) == [[1]])
    bench.answerLookUp(.found(serverID: "server-1", version: "1"))
    #expect(bench.changes.last == .confirm(1, serverID: "server-1", version: "1"))
    #expect(bench.conclusion == .done)
  }

  @Test func `a refused repeat counts as refused if no record shows after its settle time`() {
    var bench = EngineBench(Self.policy(isUnproven: false), .samples(1))
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerSend(Self.exists)
    bench.answerLookUp(.notThere)
    #expect(bench.lookUps.isEmpty && bench.sends.isEmpty)
    bench.pass(.seconds(60))
    bench.answerLookUp(.notThere)
    #expect(bench.sends.map(\.numbers) == [[1]])
    bench.answerSend(Self.exists)
    #expect(
      bench.changes.last == .reject(1, code: "http.400", reason: "it already exists")
    )
    #expect(bench.conclusion == .done)
  }

  @Test func `a refusal counts at once if no answer was lost before it`() {
    var bench = EngineBench(Self.policy(isUnproven: false), .samples(1))
    bench.answerSend(Self.exists)
    #expect(bench.lookUps.isEmpty)
    #expect(bench.conclusion == .done)
  }

  @Test func `a change that is refused after a lost answer is read again before that counts`() {
    var bench = EngineBench(Self.policy(isUnproven: false), .samples(1, action: .update))
    bench.answerRead()
    bench.answerSend(.lost)
    bench.pass(.seconds(1))
    bench.answerRead()
    bench.answerSend(Self.exists)
    #expect(bench.reads.map(\.numbers) == [[1]])
    bench.answerRead(.alreadyDone(version: "2"))
    #expect(bench.changes.last == .confirm(1, serverID: "server-1", version: "2"))
  }
}
