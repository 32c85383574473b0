import Checkpoint
import GRDB
import Records
import Testing
import UploadPlanning

struct OperationsLeftTests {
  @Test func `what a run has left is told by kind and phase, and not what is settled`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .on(.story(1), phase: 1), .hero(3), .hero(4, action: .update),
    ])
    _ = try file.beginRun("run-2", [.hero(9)])
    try file.commit([.confirm(1, "s1")], now: 1)
    #expect(
      try file.operationsLeft(of: run) == [
        OperationsLeft(entity: "Hero", action: .create, phase: 0): 2,
        OperationsLeft(entity: "Hero", action: .update, phase: 0): 1,
        OperationsLeft(entity: "Story", action: .create, phase: 1): 1,
      ]
    )
  }

  @Test func `what may have arrived is told apart from what was answered`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(3), .hero(4),
    ])
    try file.commit([1, 2, 3].map { .begin($0) }, now: 1)
    try file.commit([.lose(1, reason: "cut"), .revoke(2), .absent(3, key: nil)], now: 2)
    #expect(
      try file.operationsLeft(of: run) == [
        OperationsLeft(entity: "Hero", action: .create, phase: 0, isInDoubt: true): 2,
        OperationsLeft(entity: "Hero", action: .create, phase: 0): 2,
      ]
    )
  }

  @Test func `a file is in doubt once it has a place at the destination, and not before`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun((1...5).map { .hero($0, action: .upload) })
    try file.commit([1, 2, 3, 4].map { .begin($0) }, now: 1)
    try file.commit([.stage(1, serverID: "place", version: nil), .revoke(1)], now: 2)
    try file.commit([.revoke(2), .revoke(3)], now: 2)
    try file.doubtFiles(of: run)
    #expect(try file.states() == ["unknown", "unknown", "unknown", "begun", "planned"])
    #expect(
      try file.operationsLeft(of: run) == [
        OperationsLeft(entity: "Hero", action: .upload, phase: 0, isInDoubt: true): 1,
        OperationsLeft(entity: "Hero", action: .upload, phase: 0): 4,
      ]
    )
  }

  @Test func `an undo is told with what it takes back`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2, action: .update), .hero(3, action: .complete),
    ])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2"), .confirm(3, "s3")], now: 1)
    try file.finish(run, now: 2)
    let undo = try file.beginRun(
      "run-2",
      kind: .rollback,
      [
        .hero(3, phase: 4, action: .restore, undoes: 3),
        .hero(2, phase: 5, action: .restore, undoes: 2),
        .hero(1, phase: 5, action: .uncreate, undoes: 1),
      ]
    )
    #expect(
      try file.operationsLeft(of: undo) == [
        OperationsLeft(entity: "Hero", action: .restore, undoes: .complete, phase: 4): 1,
        OperationsLeft(entity: "Hero", action: .restore, undoes: .update, phase: 5): 1,
        OperationsLeft(entity: "Hero", action: .uncreate, undoes: .create, phase: 5): 1,
      ]
    )
  }

  @Test func `what is left of a kind moves to another phase, and nothing else does`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .on(.story(1), phase: 1), .hero(3, action: .update),
    ])
    let other = try file.beginRun("run-2", [.hero(4)])
    try file.commit([.confirm(1, "s1")], now: 1)
    try file.move(
      [
        OperationsLeft(entity: "Hero", action: .create, phase: 0): 1,
        OperationsLeft(entity: "Story", action: .create, phase: 1): 0,
      ],
      of: run
    )
    #expect(try phases(file) == [0, 1, 0, 0, 0])
    #expect(try file.operations(of: run, phase: 1, after: 0, limit: 9).map(\.number) == [2])
    #expect(try file.operations(of: other, phase: 0, after: 0, limit: 9).map(\.number) == [5])
  }

  @Test func `undos of one action move by what they take back`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([
      .hero(1, action: .update), .hero(2, action: .complete),
    ])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2")], now: 1)
    try file.finish(run, now: 2)
    let undo = try file.beginRun(
      "run-2",
      kind: .rollback,
      [
        .hero(1, phase: 5, action: .restore, undoes: 1),
        .hero(2, phase: 5, action: .restore, undoes: 2),
      ]
    )
    try file.move(
      [OperationsLeft(entity: "Hero", action: .restore, undoes: .complete, phase: 5): 7],
      of: undo
    )
    #expect(try phases(file) == [0, 0, 5, 7])
  }

  private func phases(_ file: CheckpointFile) throws -> [Int] {
    try file.read { database in
      try Int.fetchAll(database, sql: "SELECT phase FROM operation ORDER BY number")
    }
  }

  // MARK: - The end of a run

  @Test(arguments: [[], [.begin(2)], [.lose(2, reason: "cut")]] as [[OperationChange]])
  func `a run of which anything is left is not finished`(changes: [OperationChange]) throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2, phase: -1)])
    try file.setStage(.executing, of: run, now: 1)
    try file.commit([.confirm(1, "s1")], now: 1)
    try file.commit(changes, now: 1)
    let error = #expect(throws: CheckpointError.self) { try file.finish(run, now: 2) }
    #expect(error?.description.contains("not settled: 1 of Hero (create)") == true)
    #expect(try file.runs().map(\.stage) == [.executing])
    #expect(try file.runs().first?.finishedAt == nil)
  }

  @Test func `a run whose operations are settled is finished, whatever another has left`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, "s1"), .reject(2, code: "c", reason: "r")], now: 1)
    _ = try file.beginRun("run-2", [.hero(3)])
    try file.finish(run, now: 7)
    #expect(try file.runs().map(\.stage) == [.finished, .planning])
    #expect(try file.runs().first?.finishedAt == 7)
  }

  // MARK: - The profile

  @Test func `that another version of the profile was accepted can be taken back`() throws {
    let bench = try CheckpointBench()
    _ = try bench.open()
    let changed = CheckpointBinding.sample(profileDigest: "bbbb")
    try bench.open(changed, acceptsChangedProfile: true).setProfileDigest("aaaa")
    _ = try bench.open()
    #expect(throws: CheckpointError.self) { try bench.open(changed) }
  }
}
