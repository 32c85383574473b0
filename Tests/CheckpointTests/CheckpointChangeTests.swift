import Checkpoint
import GRDB
import Records
import Testing
import UploadPlanning

struct CheckpointChangeTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  @Test func `a reopened file knows everything that was committed`() throws {
    let run = try openAndChangeEverything(bench)
    let file = try bench.open()
    let open = try file.operations(of: run, phase: 0, after: 0, limit: 10)
    #expect(open.map(\.number) == [1, 2, 3, 7])
    #expect(open.map(\.state) == [.planned, .begun, .unknown, .planned])
    #expect(open[1].before == [1, 2])
    #expect(open[1].version == "4")
    let settled = try file.settled(of: run, after: 0, limit: 10)
    #expect(settled.count == 7)
    #expect(settled[3].state == "confirmed")
    #expect(settled[3].serverID == "s4")
    #expect(settled[3].settledAt == 50)
    #expect(settled[4].state == "rejected")
    #expect(settled[4].reason == "too long")
    #expect(settled[5].state == "conflicted")
    #expect(try file.known(.hero(4))?.serverID == "s4")
  }

  private func openAndChangeEverything(_ bench: CheckpointBench) throws -> RunRecord {
    let (file, run) = try bench.openWithRun((1...7).map { .hero($0) })
    try file.commit((2...7).map { .begin($0, before: [1, 2], version: "4") }, now: 40)
    try file.commit(
      [
        .lose(3, reason: "cut"), .confirm(4, serverID: "s4", version: "1"),
        .reject(5, code: "too-long", reason: "too long"), .conflict(6, reason: "newer"),
        .revoke(7),
      ],
      now: 50
    )
    return run
  }

  @Test func `a confirmation without an identity keeps the one that is known`() throws {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(1, action: .complete)])
    try file.commit([.confirm(1, serverID: "s1", version: "1")], now: 1)
    try file.commit([.confirm(2, serverID: nil, version: "2")], now: 2)
    #expect(try file.known(.hero(1))?.serverID == "s1")
    #expect(try file.known(.hero(1))?.version == "2")
  }

  @Test func `a change that fails takes its whole commit with it`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    #expect(throws: CheckpointError.self) {
      try file.commit(
        [.begin(1, before: nil, version: nil), .confirm(99, serverID: nil, version: nil)],
        now: 1
      )
    }
    #expect(try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.state == .planned)
  }

  @Test func `a repeated intent keeps the content from before the first one`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, action: .update)])
    try file.commit([.begin(1, before: [1], version: "1")], now: 1)
    try file.commit(
      [.lose(1, reason: "cut"), .begin(1, before: [2], version: "2")],
      now: 2
    )
    let operation = try file.operations(of: run, phase: 0, after: 0, limit: 1).first
    #expect(operation?.before == [1])
    #expect(operation?.version == "2")
  }

  @Test func `an intent after a revoked one takes the current remote content`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, action: .update)])
    try file.commit([.begin(1, before: [1], version: "1"), .revoke(1)], now: 1)
    try file.commit([.begin(1, before: [2], version: "2")], now: 2)
    #expect(try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.before == [2])
  }

  @Test
  func
    `a revoked change counts as no overwrite, and a rollback keeps the content that it restores`()
    throws
  {
    let (file, run) = try bench.openWithRun([
      .hero(1, action: .update), .hero(2, action: .restore, version: "3", before: [7]),
    ])
    try file.commit(
      [.begin(1, before: [1], version: "1"), .begin(2, before: nil, version: nil)],
      now: 1
    )
    try file.commit([.revoke(1), .revoke(2)], now: 2)
    let left = try file.operations(of: run, phase: 0, after: 0, limit: 2)
    #expect(left.map(\.before) == [nil, [7]])
  }

  @Test func `an intent without a reading keeps the plan's before-image`() throws {
    let (file, run) = try bench.openWithRun([
      .hero(1, action: .restore, version: "3", before: [7])
    ])
    try file.commit([.begin(1, before: nil, version: nil)], now: 1)
    let operation = try file.operations(of: run, phase: 0, after: 0, limit: 1).first
    #expect(operation?.before == [7])
    #expect(operation?.version == "3")
  }

  @Test func `the generation counts confirmed operations and undos`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1), .hero(1, action: .update, content: "b", serverID: "s"),
      .hero(1, action: .uncreate, serverID: "s"), .hero(1, content: "c"),
    ])
    #expect(try file.known(.hero(1)) == nil)
    for number in Int64(1)...3 {
      try file.commit([.confirm(number, serverID: "s", version: "\(number)")], now: 1)
      #expect(try file.known(.hero(1))?.generation == number)
    }
    #expect(try file.known(.hero(1))?.serverID == nil)
    try file.commit([.reject(4, code: "c", reason: "r")], now: 1)
    #expect(try file.known(.hero(1))?.generation == 3)
  }

  @Test func `a confirmation updates the sync state of the record`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1), .hero(1, action: .update, content: "b", serverID: "s"),
    ])
    try file.commit([.confirm(1, serverID: "s", version: "1")], now: 1)
    try file.commit([.confirm(2, serverID: nil, version: "2")], now: 2)
    let known = try file.known(.hero(1))
    #expect(known?.serverID == "s")
    #expect(known?.version == "2")
    #expect(known?.content == .sample("b"))
    #expect(known?.requestDigest == .sample("request b"))
  }

  @Test func `adopting keeps the origin of a created record only under the same identity`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, serverID: "s", version: "1")], now: 1)
    try adopt(.hero(1), as: "s", in: file, run)
    #expect(try origin(of: "h1", in: file) == "created")
    #expect(try file.known(.hero(1))?.version == "9")
    #expect(try file.known(.hero(1))?.generation == 1)
    try adopt(.hero(1), as: "other", in: file, run)
    #expect(try origin(of: "h1", in: file) == "adopted")
  }

  @Test func `an adopted record stays adopted when it is changed`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, action: .update, serverID: "s")])
    try adopt(.hero(1), as: "s", in: file, run)
    #expect(try file.known(.hero(1))?.generation == 0)
    try file.commit([.confirm(1, serverID: nil, version: "2")], now: 1)
    #expect(try origin(of: "h1", in: file) == "adopted")
    #expect(try file.known(.hero(1))?.generation == 1)
  }

  @Test func `intents that follow each other begin their own operations and no other`() throws {
    let (file, _) = try bench.openWithRun((1...7).map { .hero($0) })
    try file.commit([.begin(2), .begin(3), .begin(5), .confirm(6, "s6")], now: 1)
    #expect(
      try file.states() == [
        "planned", "begun", "begun", "planned", "begun", "confirmed", "planned",
      ]
    )
    #expect(try begunAt(file) == [nil, 1, 1, nil, 1, nil, nil])
    try file.commit([.begin(7), .begin(1, before: [4], version: "2"), .begin(2)], now: 9)
    // The second of them repeats a request whose fate no one knows.
    #expect(try begunAt(file) == [9, 1, 1, nil, 1, nil, 9])
    try file.commit([.absent(2, key: "k"), .begin(2)], now: 11)
    #expect(try begunAt(file) == [9, 11, 1, nil, 1, nil, 9])
  }

  @Test func `intents begin in any order`() throws {
    let (file, _) = try bench.openWithRun((1...4).map { .hero($0) })
    try file.commit([.begin(3), .begin(2), .begin(1)], now: 1)
    #expect(try file.states() == ["begun", "begun", "begun", "planned"])
  }

  private func begunAt(_ file: CheckpointFile) throws -> [Int64?] {
    try file.read { database in
      try Int64?.fetchAll(database, sql: "SELECT begun_at FROM operation ORDER BY number")
    }
  }

  @Test func `confirmations with gaps leave the operations between them open`() throws {
    let (file, run) = try bench.openWithRun((1...4).map { .hero($0) })
    try file.commit([.lose(1, reason: "cut"), .confirm(4, "s4"), .confirm(1, "s1")], now: 7)
    #expect(try file.states() == ["confirmed", "planned", "planned", "confirmed"])
    #expect(try file.known(.hero(2)) == nil)
    #expect(try file.known(.hero(3)) == nil)
    #expect(try file.known(.hero(1))?.serverID == "s1")
    #expect(try file.known(.hero(4))?.generation == 1)
    let settled = try file.settled(of: run, after: 0, limit: 9)
    #expect(settled.map(\.settledAt) == [7, nil, nil, 7])
    #expect(settled[0].reason == nil, "what was said when it was lost holds no more")
  }

  @Test func `a lost or undelivered record keeps its reason until it is settled`() throws {
    let (file, run) = try bench.openWithRun((1...4).map { .hero($0) })
    try file.commit((1...3).map { .begin($0) }, now: 1)
    try file.commit([1, 2, 3].map { .lose($0, reason: "cut") }, now: 2)
    try file.commit([.revoke(1), .absent(2, key: nil)], now: 3)
    let settled = try file.settled(of: run, after: 0, limit: 9)
    #expect(settled.map(\.state) == ["planned", "planned", "unknown", "planned"])
    #expect(settled.map(\.reason) == [nil, nil, "cut", nil])
  }

  @Test func `a decided record says when and why, and no other record does`() throws {
    let (file, run) = try bench.openWithRun((1...3).map { .hero($0) })
    try file.commit([.reject(2, code: "c", reason: "no")], now: 5)
    let settled = try file.settled(of: run, after: 0, limit: 9)
    #expect(settled.map(\.state) == ["planned", "rejected", "planned"])
    #expect(settled.map(\.settledAt) == [nil, 5, nil])
    #expect(settled.map(\.reason) == [nil, "no", nil])
  }

  @Test func `removing a second copy leaves the record's sync state`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1), .hero(1, action: .discard, content: "b", serverID: "s2"),
    ])
    try file.commit([.confirm(1, "s1"), .confirm(2)], now: 1)
    let known = try #require(try file.known(.hero(1)))
    #expect(known.serverID == "s1" && known.generation == 1 && known.content == .sample("a"))
  }

  @Test func `confirmations of several records at once move each of them`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1), .on(.story(1)), .hero(2, action: .upload), .hero(3, action: .delete, serverID: "s"),
    ])
    try file.commit([.confirm(1, "s1"), .confirm(2, "t1"), .confirm(3, "m"), .confirm(4)], now: 6)
    #expect(try file.known(.hero(1))?.serverID == "s1")
    #expect(try file.known(.story(1))?.serverID == "t1")
    #expect(try origin(of: "h2", in: file) == "created")
    #expect(try origin(of: "h3", in: file) == "adopted")
    #expect(try file.known(.hero(3))?.serverID == nil, "it is gone")
    #expect(try file.records(of: "Hero", after: "", limit: 9).map(\.syncedAt) == [6, 6, 6])
  }

  @Test func `a confirmed undo of a change keeps the place that is known`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1), .on(.story(1)), .hero(2), .hero(2, action: .restore, content: "b"),
    ])
    try file.commit([.confirm(1, "s1"), .confirm(2, "t1"), .confirm(3, "s2")], now: 1)
    try file.commit([.confirm(4)], now: 2)
    #expect(try file.known(.hero(2))?.serverID == "s2")
    #expect(try file.known(.hero(2))?.content == .sample("b"))
    #expect(try file.known(.hero(1))?.content == .sample("a"))
  }

  @Test func `a record that was found and made again by a run is the run's`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, action: .delete), .hero(1)])
    try adopt(.hero(1), as: "s", in: file, run)
    try file.commit([.confirm(1)], now: 1)
    #expect(try origin(of: "h1", in: file) == "adopted")
    try file.commit([.confirm(2, "s9")], now: 2)
    #expect(try origin(of: "h1", in: file) == "created")
  }

  private func adopt(
    _ record: RecordID,
    as serverID: String,
    in file: CheckpointFile,
    _ run: RunRecord
  ) throws {
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: record,
        serverID: serverID,
        version: "9",
        content: .sample("a"),
        requestDigest: .sample("request a")
      )
    ]
    try file.add(step, to: run, now: 5)
  }

  private func origin(of key: String, in file: CheckpointFile) throws -> String? {
    // Who counts the records has them written down.
    _ = try file.recordCount(of: "Hero")
    return try file.read { database in
      try String.fetchOne(
        database,
        sql: "SELECT origin FROM record WHERE key = ?",
        arguments: [key]
      )
    }
  }
}
