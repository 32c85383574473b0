import CloudKitWeb
import DestinationModel
import DevelopmentBackend
import HTTPTransport
import JSONText
import Records
import Synchronization
import Testing
import UploadPlanning

/// The destination against the development backend's own CloudKit.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CloudKitTests {
  /// Sends a batch as the engine does: once more when the zone had to be made first.
  private static func send(
    _ destination: CloudKitDestination,
    _ batch: OutgoingBatch
  ) async -> BatchAnswer {
    let answer = await destination.send(batch)
    guard case .deferred = answer.whole else { return answer }
    return await destination.send(batch)
  }

  // 002-23, 002-26.
  @Test func `the zone is created first, in a separate step`() async throws {
    try await withCloud { destination, _, _ in
      let first = await destination.send(.results(.create, [.result(1)]))
      #expect(first.word(1) == "deferred")
      #expect(first.pause != nil)
      #expect(await destination.send(.results(.create, [.result(1)])).word(1) == "stored")
    }
  }

  // 002-26.
  @Test func `without permission no zone is created, and the cure is named`() async throws {
    try await withCloud(api: try CloudSample.api(makesZone: false)) { destination, _, _ in
      let answer = await destination.send(.results(.create, [.result(1)]))
      #expect(answer.word(1) == "refused")
      #expect(answer.reason(1).contains("create-zone"))
      let page = try await destination.page(of: "Result", after: nil, since: nil)
      #expect(page.records.isEmpty)
      let record = try await destination.record(of: "Result", serverID: "r1")
      #expect(record == nil)
    }
  }

  // 002-67.
  @Test func `every type of field is read back as it was sent`() async throws {
    try await withCloud { destination, _, _ in
      let item = OutgoingBatch.Item.number(1, id: "r1", body: CloudSample.body)
      #expect(await Self.send(destination, .results(.create, [item])).word(1) == "stored")
      let record = try #require(try await destination.record(of: "Result", serverID: "r1"))
      #expect(try JSONValue(parsing: record.body) == CloudSample.body)
    }
  }

  @Test func `a value of an impossible type is refused alone, and its record is not sent`()
    async throws
  {
    try await withCloud { destination, _, _ in
      let bad = OutgoingBatch.Item.number(2, id: "r2", body: ["score": "three"])
      let odd = OutgoingBatch.Item.number(3, id: "_r3", body: ["score": 1])
      let answer = await Self.send(destination, .results(.create, [.result(1), bad, odd]))
      #expect([1, 2, 3].map { answer.word($0) } == ["stored", "rejected", "rejected"])
      #expect(answer.reason(2).contains("score"))
    }
  }

  @Test func `creating an existing record reports that, and its neighbours are stored`()
    async throws
  {
    try await withCloud { destination, _, _ in
      _ = await Self.send(destination, .results(.create, [.result(1)]))
      let answer = await destination.send(.results(.create, [.result(1), .result(2)]))
      #expect([1, 2].map { answer.word($0) } == ["exists", "stored"])
    }
  }

  // 002-47.
  @Test func `a change and a removal need the current change tag`() async throws {
    try await withCloud { destination, _, _ in
      let made = await Self.send(destination, .results(.create, [.result(1), .result(2)]))
      guard case .stored(_, let tag?)? = made.outcomes[1] else {
        Issue.record("\(made)")
        return
      }
      func item(_ number: Int64, _ id: String, _ version: String) -> OutgoingBatch.Item {
        .number(number, serverID: id, version: version, body: ["score": 5])
      }
      let batch = OutgoingBatch.results(
        .update,
        [item(3, "r1", tag), item(4, "r2", "stale"), item(5, "r9", tag)]
      )
      let answer = await destination.send(batch)
      #expect([3, 4, 5].map { answer.word($0) } == ["stored", "conflicted", "missing"])
      guard case .stored(_, let newTag?)? = answer.outcomes[3] else {
        Issue.record("\(answer)")
        return
      }
      #expect(
        await destination.send(.results(.delete, [item(6, "r1", tag)])).word(6) == "conflicted"
      )
      let removal = OutgoingBatch.results(.delete, [item(7, "r1", newTag)])
      #expect(await destination.send(removal).word(7) == "removed")
      #expect(await destination.send(removal).word(7) == "missing")
    }
  }

  // 002-15, 002-16, 002-19, 002-24.
  @Test func `all records are listed page by page, and later only changed and deleted ones`()
    async throws
  {
    try await withCloud(change: { $0.cloudKit.recordLimit = 2 }) { destination, _, _ in
      let items = (1...5).map { OutgoingBatch.Item.result($0) }
      _ = await Self.send(destination, .results(.create, items))
      var names: [String] = []
      var place: String?
      var mark: String?
      repeat {
        let page = try await destination.page(of: "Result", after: place, since: nil)
        names += page.records.map(\.serverID)
        (place, mark) = (page.next, page.mark)
      } while place != nil
      #expect(names == ["r1", "r2", "r3", "r4", "r5"])
      let quiet = try await destination.page(of: "Result", after: nil, since: mark)
      #expect(quiet.records.isEmpty)
      let old = try #require(try await destination.record(of: "Result", serverID: "r2"))
      let removal = OutgoingBatch.Item.number(9, serverID: "r2", version: old.version)
      _ = await destination.send(.results(.delete, [removal]))
      let changed = try await destination.page(of: "Result", after: nil, since: mark)
      #expect(changed.removed == ["r2"])
      #expect(!changed.isFromTheStart)
    }
  }

  // 002-20.
  @Test func `an expired sync token causes a full reading, which is reported`() async throws {
    try await withCloud { destination, _, address in
      _ = await Self.send(destination, .results(.create, [.result(1)]))
      let mark = try await destination.page(of: "Result", after: nil, since: nil).mark
      _ = try await ask(address, "/__dev/cloudkit/expire")
      let page = try await destination.page(of: "Result", after: nil, since: mark)
      #expect(page.isFromTheStart)
      #expect(page.records.map(\.serverID) == ["r1"])
    }
  }

  @Test func `more records than a request may have are sent in halves`() async throws {
    try await withCloud(change: { $0.cloudKit.operationLimit = 2 }) { destination, _, _ in
      let items = (1...3).map { OutgoingBatch.Item.result($0) }
      let answer = await Self.send(destination, .results(.create, items))
      #expect(answer.word(1) == "splittable")
      let part = await Self.send(destination, .results(.create, Array(items.prefix(2))))
      #expect([1, 2].map { part.word($0) } == ["stored", "stored"])
    }
  }

  @Test func `a full quota refuses the account`() async throws {
    try await withCloud(change: { $0.cloudKit.recordQuota = 1 }) { destination, _, _ in
      let answer = await Self.send(destination, .results(.create, [.result(1), .result(2)]))
      #expect([1, 2].map { answer.word($0) } == ["stored", "refused"])
      #expect(answer.reason(2).contains("quota"))
    }
  }

  @Test func `no request goes to a throttled database before its Retry-After`() async throws {
    let faults = "status:1:429:retry-after=110207@POST /database/1/iCloud.sample"
    try await withCloud(faults: faults) { destination, _, _ in
      let answer = await destination.send(.results(.create, [.result(1)]))
      #expect(answer.word(1) == "deferred")
      #expect(answer.pause == .seconds(110_207))
    }
  }

  @Test func `a lost answer leaves the outcome unknown and ends the session with its token`()
    async throws
  {
    let faults = "drop-after:n=3@POST /database/1"
    try await withCloud(faults: faults) { destination, keeper, address in
      _ = try await destination.account()
      _ = await destination.send(.results(.create, [.result(1)]))
      let lost = await destination.send(.results(.create, [.result(1)]))
      #expect(lost.word(1) == "unknown")
      let next = await destination.send(.results(.create, [.result(1)]))
      #expect(next.word(1) == "refused")
      #expect(next.reason(1).contains("sign in again"))
      let fresh = try await ask(address, "/__dev/cloudkit/token")["webToken"]?.text
      keeper.put(try #require(fresh))
      // It had arrived.
      #expect(await Self.send(destination, .results(.create, [.result(1)])).word(1) == "exists")
    }
  }

  @Test func `several records are read in one request, and missing ones are left out`()
    async throws
  {
    try await withCloud { destination, keeper, _ in
      _ = await Self.send(destination, .results(.create, [.result(1), .result(2)]))
      let count = keeper.history.count
      let found = try await destination.records(
        of: "Result",
        serverIDs: ["r2", "r9", "_odd", "r1"]
      )
      #expect(found.all.map(\.serverID).sorted() == ["r1", "r2"])
      #expect(keeper.history.count == count + 1)
    }
  }

  // 002-31, 001-65.
  @Test func `missing routes are reported before any request`() async throws {
    let api = try CloudSample.api(environment: "production", makesZone: false)
    try await withCloud(api: api) { destination, _, _ in
      let checks = await destination.preflight()
      #expect(checks.map(\.name) == ["zone", "record type"])
      #expect(checks.map(\.verdict) == [.unfit, .unfit])
      #expect(checks.compactMap(\.cure).count == 2)
    }
    try await withCloud { destination, _, _ in
      let checks = await destination.preflight()
      #expect(checks.map(\.verdict) == [.fits, .fits])
    }
  }

  @Test func `concurrent requests to CloudKit are sent one by one`() async throws {
    try await withCloud { destination, keeper, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...8 {
          group.addTask {
            let record = try await destination.record(of: "Result", serverID: "r\(number)")
            #expect(record == nil)
          }
        }
        try await group.waitForAll()
      }
      #expect(keeper.history.count == 8)
      #expect(Set(keeper.history).count == 8)
    }
  }

  @Test func `another environment is another account`() async throws {
    var names: Set<String> = []
    for environment in ["development", "production"] {
      let name = Mutex("")
      let api = try CloudSample.api(environment: environment)
      try await withCloud(api: api) { destination, _, _ in
        let account = try await destination.account()
        name.withLock { $0 = String(account.drop { $0 != " " }) }
      }
      names.insert(name.withLock { $0 })
    }
    #expect(names.count == 2)
  }

  @Test func `no refusal of a real server reveals a token`() async throws {
    try await withCloud(faults: "drop-after:1@POST /database/1") { destination, keeper, _ in
      var text = "\(await destination.send(.results(.create, [.result(1)])))"
      text += "\(await destination.send(.results(.create, [.result(1)])))"
      dump(destination, to: &text)
      #expect(!text.contains("development-api-token"))
      for token in keeper.history { #expect(!text.contains(token)) }
    }
  }
}
