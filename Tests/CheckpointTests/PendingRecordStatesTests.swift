import Checkpoint
import CheckpointMending
import Foundation
import GRDB
import Records
import Testing
import UploadPlanning

/// What is known of records while the run that makes it known is under way, and after it.
struct PendingRecordStatesTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private func rowCount(_ file: CheckpointFile) throws -> Int {
    try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM record") ?? 0 }
  }

  private func confirm(_ numbers: ClosedRange<Int64>, in file: CheckpointFile) throws {
    try file.commit(
      numbers.map { .confirm($0, serverID: "s\($0)", version: "v\($0)") },
      now: 7
    )
  }

  @Test func `a confirmed operation is known at once, and written to its record at the end`()
    throws
  {
    let (file, run) = try bench.openWithRun((1...20).map { .hero($0) })
    try confirm(1...12, in: file)
    #expect(try rowCount(file) == 0)
    #expect(try file.known(.hero(12))?.serverID == "s12")
    #expect(try file.known(.hero(12))?.generation == 1)
    #expect(try file.known(.hero(13)) == nil)
    try file.setStage(.finished, of: run, now: 8)
    #expect(try rowCount(file) == 12)
    #expect(try file.known(.hero(12))?.version == "v12")
    #expect(try file.records(of: "Hero", after: "", limit: 20).allSatisfy { $0.syncedAt == 7 })
  }

  @Test func `the states of many records are right, written or pending`() throws {
    let (file, run) = try bench.openWithRun((1...4).map { .hero($0) })
    try confirm(1...2, in: file)
    try file.setStage(.finished, of: run, now: 8)
    let second = try file.beginRun("run-2", (5...6).map { .hero($0) })
    try confirm(5...5, in: file)
    let records = (1...7).map { RecordID.hero($0) }
    let known = try file.known(records)
    #expect(zip(records, known).filter { $1 != nil }.map(\.0) == [.hero(1), .hero(2), .hero(5)])
    #expect(try records.map { try file.known($0) } == known)
    #expect(try file.known([RecordID]()).isEmpty)
    try file.setStage(.finished, of: second, now: 9)
    #expect(try file.known(records) == known)
  }

  @Test func `pending records of every entity are known, including those planned last`()
    throws
  {
    let (file, run) = try bench.openWithRun([.hero(1)])
    try confirm(1...1, in: file)
    try file.setStage(.finished, of: run, now: 8)
    let second = try file.beginRun("run-2", [.on(.story(1))])
    try confirm(2...2, in: file)
    #expect(try file.known(.story(1))?.serverID == "s2")
    #expect(try file.known(.hero(1))?.serverID == "s1")
    var step = PlanStep()
    step.operations = [.hero(1, action: .update)]
    try file.add(step, to: second, now: 9)
    #expect(try file.known(.hero(1))?.version == "v1")
    try confirm(3...3, in: file)
    #expect(try file.known(.hero(1))?.version == "v3")
  }

  @Test func `a reopened checkpoint has the confirmations of the killed run`() throws {
    var run: RunRecord?
    do {
      let (file, begun) = try bench.openWithRun((1...20).map { .hero($0) })
      try confirm(1...5, in: file)
      run = begun
    }
    let file = try bench.open()
    #expect(try file.known(.hero(5))?.serverID == "s5")
    // Who asks for an identity of the destination has them written down; what comes later goes on.
    #expect(try file.isAccountedFor("s5", of: "Hero"))
    #expect(try rowCount(file) == 5)
    try confirm(6...9, in: file)
    #expect(try file.known(.hero(9))?.serverID == "s9")
    #expect(try file.recordCount(of: "Hero") == 9)
    try file.abandon(try #require(run), now: 9)
    #expect(try file.recordCount(of: "Hero") == 9)
    #expect(try file.records(of: "Hero", after: "", limit: 20).allSatisfy(\.isCreated))
  }

  @Test func `an operation that is settled after later ones were written down counts once`() throws
  {
    let (file, run) = try bench.openWithRun((1...6).map { .hero($0) })
    try confirm(4...6, in: file)
    #expect(try file.recordCount(of: "Hero") == 3)
    try confirm(1...2, in: file)
    #expect(try rowCount(file) == 5)
    try file.setStage(.finished, of: run, now: 8)
    for number in [1, 2, 4, 5, 6] { #expect(try file.known(.hero(number))?.generation == 1) }
    #expect(try file.known(.hero(3)) == nil)
  }

  @Test func `operations on one record have the same result one by one and together`() throws {
    var outcomes: [[CheckpointLine]] = []
    for asksBetween in [false, true] {
      let bench = try CheckpointBench()
      let (file, run) = try bench.openWithRun([
        .hero(1), .hero(1, action: .complete), .hero(1, action: .update), .hero(2),
        .hero(3), .hero(3, action: .delete), .hero(4, action: .discard),
      ])
      let changes: [OperationChange] = [
        .confirm(1, serverID: "a", version: "1"), .confirm(2, serverID: nil, version: "2"),
        .confirm(3, serverID: nil, version: "3"), .adopt(4, serverID: "b", version: nil),
        .confirm(5, serverID: "c", version: "1"), .confirm(6, serverID: nil, version: nil),
        .confirm(7, serverID: nil, version: nil),
      ]
      for change in changes {
        try file.commit([change], now: 5)
        if asksBetween { _ = try file.recordCount(of: "Hero") }
      }
      #expect(try file.known(.hero(1))?.serverID == "a")
      #expect(try file.known(.hero(1))?.generation == 3)
      #expect(try file.known(.hero(2))?.generation == 0)
      #expect(try file.known(.hero(3)) != nil)
      #expect(try file.known(.hero(3))?.serverID == nil)
      #expect(try file.known(.hero(4)) == nil)
      try file.setStage(.finished, of: run, now: 8)
      var lines: [CheckpointLine] = []
      try CheckpointView(bench.path)?.forEachLine { if $0.table == "record" { lines.append($0) } }
      #expect(lines.count == 3)
      outcomes.append(lines)
      withExtendedLifetime(file) {}
    }
    #expect(outcomes[0] == outcomes[1])
  }

  @Test func `a reader of the checkpoint sees the confirmations of a running upload`() throws {
    let (file, _) = try bench.openWithRun((1...20).map { .hero($0) })
    try confirm(1...5, in: file)
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.facts().holdings.map(\.atDestination) == [5])
    #expect(try view.holds("s5", of: "Hero"))
    #expect(try view.faults() == [])
    try confirm(6...8, in: file)
    Thread.sleep(forTimeInterval: 0.3)
    #expect(try view.holds("s8", of: "Hero"))
    #expect(try view.facts().holdings.map(\.atDestination) == [8])
    // Nothing was written by looking.
    #expect(try rowCount(file) == 0)
  }

  @Test func `a run without its first operation's number is resumed`() throws {
    var begun: RunRecord?
    do {
      let (file, run) = try bench.openWithRun((1...4).map { .hero($0) })
      try file.write { try $0.execute(sql: "DELETE FROM meta WHERE name = 'recorded-to'") }
      begun = run
    }
    let (again, run) = (try bench.open(), try #require(begun))
    try confirm(1...3, in: again)
    #expect(try rowCount(again) == 3)
    try again.setStage(.finished, of: run, now: 8)
    #expect(try rowCount(again) == 3)
  }

  @Test func `a large run leaves its created records known to the next run`() throws {
    let count = 10_000
    do {
      let (file, run) = try bench.openWithRun((1...count).map { .hero($0) })
      try confirm(1...Int64(count), in: file)
      try file.setStage(.finished, of: run, now: 8)
      #expect(try rowCount(file) == 0)
      #expect(try file.known(.hero(count))?.serverID == "s\(count)")
    }
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.facts().holdings.map(\.atDestination) == [count])
    #expect(try view.faults() == [])

    let file = try bench.open()
    #expect(try file.known(.hero(7))?.version == "v7")
    #expect(try rowCount(file) == 0)
    let second = try file.beginRun("run-2", [.hero(7, action: .update)])
    #expect(try rowCount(file) == count)
    #expect(try file.known(.hero(7))?.generation == 1)

    // One that changes little of a large table writes it down when it ends.
    try file.commit([.confirm(Int64(count) + 1, serverID: nil, version: "v8")], now: 9)
    try file.setStage(.finished, of: second, now: 9)
    #expect(try file.records(of: "Hero", after: "", limit: count).count == count)
    #expect(
      try file.read {
        try Int64.fetchOne($0, sql: "SELECT max(generation) FROM record")
      } == 2
    )
  }

  @Test func `a large run's remainder is known to the next run before it sends anything`()
    throws
  {
    let count = 10_000
    do {
      let (file, run) = try bench.openWithRun((1...count).map { .hero($0) })
      try confirm(1...Int64(count), in: file)
      try file.abandon(run, now: 8)
      #expect(try rowCount(file) == 0)
      let second = try file.beginRun("run-2", [.hero(1, action: .update)])
      try file.discardPlan(of: second)
      #expect(try file.recordCount(of: "Hero") == count)
    }
    #expect(try bench.open().known(.hero(1))?.version == "v1")
  }

  @Test func `many records get an index of places when a look-up needs one`() throws {
    let count = 10_001
    let (file, run) = try bench.openWithRun((1...count).map { .hero($0) })
    try confirm(1...Int64(count), in: file)
    try file.setStage(.finished, of: run, now: 8)
    #expect(try file.recordCount(of: "Hero") == count)
    #expect(try indexes(file) == [])

    // Who only looks makes nothing.
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.facts().holdings.map(\.atDestination) == [count])
    #expect(try view.holds("s\(count)", of: "Hero"))
    #expect(try !view.holds("s0", of: "Hero"))
    #expect(try view.faults() == [])
    #expect(try indexes(file) == [])

    #expect(try file.untracked(among: ["s0", "s1", "s\(count)"], of: "Hero") == ["s0"])
    #expect(try indexes(file) == ["record_by_server"])
  }

  @Test func `a few more records keep the index of places`() throws {
    let (file, run) = try bench.openWithRun((1...20).map { .hero($0) })
    try confirm(1...20, in: file)
    try file.setStage(.finished, of: run, now: 8)
    #expect(try indexes(file) == ["record_by_server"])
    #expect(try file.holds("s20", of: "Hero"))
  }

  private func indexes(_ file: CheckpointFile) throws -> [String] {
    try file.read {
      try String.fetchAll(
        $0,
        sql: "SELECT name FROM pragma_index_list('record') WHERE origin = 'c'"
      )
    }
  }
}
