import Checkpoint
import Records
import Testing
import UploadPlanning

/// What a rollback asks of what it has rolled back, and of what is left.
struct CheckpointUndoTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  /// Two heroes that a run made, of which it changed the first as well, a third that it changed
  /// over what existed, a fourth that it found as it was to be, and a fifth that was refused.
  private static func made(
    on bench: CheckpointBench
  ) throws -> (file: CheckpointFile, run: RunRecord) {
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(1, action: .complete),
      .hero(3, action: .update, serverID: "s3"), .hero(4, action: .update, serverID: "s4"),
      .hero(5),
    ])
    let body = Array("{}".utf8)
    try file.commit(
      [
        .confirm(1, "s1"), .confirm(2, "s2"), .begin(3, before: body, version: "1"),
        .confirm(3, "s1"), .begin(4, before: body, version: "1"), .confirm(4, "s3"),
        .confirm(5, "s4"), .reject(6, code: "c", reason: "r"),
      ],
      now: 1
    )
    try file.setStage(.finished, of: run, now: 2)
    return (file, run)
  }

  @Test func `a deletion that was not carried out leaves its record where it was`() throws {
    let (file, first) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, "s1")], now: 1)
    try file.setStage(.finished, of: first, now: 2)
    let second = try file.beginRun("run-2", [.hero(1, action: .delete, serverID: "s1")])
    try file.setStage(.executing, of: second, now: 3)
    try file.commit([.begin(2, before: [1], version: "1"), .confirm(2, "s1")], now: 4)
    #expect(try file.known(.hero(1))?.serverID == nil)
    let deletion = try #require(try file.deletions(of: "Hero", after: 0, limit: 9).first)
    let undone = RefutedUndo(
      operation: deletion.number,
      code: "verify.not-deleted",
      reason: "it is still there",
      version: "1"
    )
    try file.refute([undone], now: 5)
    #expect(try file.known(.hero(1))?.serverID == "s1")
    #expect(try file.deletions(of: "Hero", after: 0, limit: 9).isEmpty)
  }

  @Test func `an operation counts as rolled back once its reversal was carried out`() throws {
    let (file, _) = try Self.made(on: bench)
    let third = try #require(try file.lastChanges(of: .hero(3), limit: 1).first).change
    let fourth = try #require(try file.lastChanges(of: .hero(4), limit: 1).first).change
    _ = try file.beginRun(
      "undo",
      kind: .rollback,
      [
        .hero(3, action: .restore, serverID: "s3", undoes: third.number),
        .hero(4, action: .restore, serverID: "s4", undoes: fourth.number),
      ]
    )
    #expect(try !file.isUndone(third), "it is only planned")
    try file.commit([.confirm(7, "s3"), .conflict(8, reason: "newer")], now: 3)
    #expect(try file.isUndone(third))
    #expect(try !file.isUndone(fourth))
  }

  @Test func `a rollback counts as incomplete only for the given reasons`()
    throws
  {
    let (file, _) = try Self.made(on: bench)
    let undo = try file.beginRun(
      "undo",
      kind: .rollback,
      [.hero(2, action: .uncreate, serverID: "s2", undoes: 2)]
    )
    let reason = "the store of ada has it too"
    #expect(try !file.hasRejected(undo, orLeftFor: [reason]))
    try file.commit([.conflict(7, reason: reason)], now: 3)
    #expect(try !file.hasRejected(undo))
    #expect(try file.hasRejected(undo, orLeftFor: [reason]))
    #expect(try file.hasRejected(undo, orLeftFor: ["another", "the store of % has it too"]))
    #expect(try !file.hasRejected(undo, orLeftFor: ["another"]))
  }

  @Test func `a record stays a run's own until a later run finds or restores other content`()
    throws
  {
    let (file, first) = try bench.openWithRun([.hero(1), .hero(1, action: .complete), .hero(2)])
    try file.commit([.confirm(1, "s1"), .confirm(2), .confirm(3, "s2")], now: 1)
    let completed = RunOutcome(lastAction: .complete, isOwn: true)
    #expect(try file.outcome(of: .hero(1), inRunOf: 1) == completed)
    try file.setStage(.finished, of: first, now: 2)
    let second = try file.beginRun(
      "run-2",
      [
        .hero(1, action: .update, content: "b", serverID: "s1"),
        .hero(2, action: .update, content: "b", serverID: "s2"),
      ]
    )
    try file.commit([.begin(4, before: [1], version: "1"), .confirm(4), .confirm(5)], now: 3)
    #expect(try file.outcome(of: .hero(1), inRunOf: 1) == completed, "a later change is ours")
    #expect(try !file.outcome(of: .hero(2), inRunOf: 3).isOwn, "it was found as it was to be")
    try file.setStage(.finished, of: second, now: 4)
    let undo = try file.beginRun(
      "undo-2",
      kind: .rollback,
      undoes: "run-2",
      [.hero(1, action: .restore, serverID: "s1", undoes: 4)]
    )
    try file.commit([.confirm(6)], now: 5)
    try file.setStage(.finished, of: undo, now: 6)
    // What the second run overwrote may have been the content of another client.
    #expect(try !file.outcome(of: .hero(1), inRunOf: 1).isOwn)
    #expect(try file.outcome(of: .hero(1), inRunOf: 4).isOwn)
  }

  @Test func `a rollback updates the outcome of its run's records`() throws {
    let (file, first) = try bench.openWithRun([.hero(1), .hero(1, action: .complete)])
    try file.commit([.confirm(1, "s1"), .confirm(2)], now: 1)
    try file.setStage(.finished, of: first, now: 2)
    _ = try file.beginRun(
      "undo",
      kind: .rollback,
      undoes: first.id,
      [.hero(1, action: .restore, undoes: 2), .hero(1, action: .uncreate, undoes: 1)]
    )
    try file.commit([.confirm(3)], now: 3)
    let cleared = RunOutcome(lastAction: .restore, isOwn: true)
    #expect(try file.outcome(of: .hero(1), inRunOf: 1) == cleared)
  }

  @Test func `a run lists the places of one entity only`()
    throws
  {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2), .on(.story(1))])
    _ = try file.beginRun("run-2", [.hero(3)])
    try file.commit([.confirm(1, "s1"), .confirm(3, "t1"), .confirm(4, "s3")], now: 1)
    var places: [String] = []
    try file.forEachPlace(of: "Hero", inRunOf: 2) { serverID, version in
      places.append("\(serverID ?? "nowhere") \(version ?? "-")")
    }
    #expect(places.sorted() == ["nowhere -", "s1 1"])
    #expect(try !file.wasSentAgain(99))
  }

  @Test
  func `a rollback that was not carried out restores the last confirmed state, not a rejected one`()
    throws
  {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, "s1")], now: 1)
    _ = try file.beginRun(
      "run-2",
      [.hero(1, action: .update, content: "b", serverID: "s1")]
    )
    try file.commit([.reject(2, code: "c", reason: "r")], now: 2)
    _ = try file.beginRun(
      "undo",
      kind: .rollback,
      [.hero(1, action: .uncreate, serverID: "s1", undoes: 1)]
    )
    try file.commit([.confirm(3, "s1")], now: 3)
    try file.refute(
      [RefutedUndo(operation: 3, code: "rollback.still-present", reason: "r", version: nil)],
      now: 4
    )
    #expect(try file.known(.hero(1))?.content == .sample("a"))
  }

  /// A record that two runs overwrote and that was put back after each; the second run found it in revision
  /// `found`.
  private static func restored(
    on bench: CheckpointBench,
    found: String
  ) throws -> CheckpointFile {
    let (file, first) = try bench.openWithRun([.hero(1, action: .update, serverID: "s1")])
    #expect(try file.restored(.hero(1)) == nil)
    try file.commit(
      [.begin(1, before: [1], version: "4"), .confirm(1, serverID: "s1", version: "5")],
      now: 1
    )
    try file.setStage(.finished, of: first, now: 2)
    #expect(try file.restored(.hero(1)) == nil)
    var number: Int64 = 2
    func run(_ draft: OperationDraft, _ kind: RunRecord.Kind, before: String, after: String) throws
    {
      let run = try file.beginRun("run-\(number)", kind: kind, [draft])
      try file.commit(
        [
          .begin(number, before: [1], version: before),
          .confirm(number, serverID: "s1", version: after),
        ],
        now: number
      )
      try file.setStage(.finished, of: run, now: number)
      number += 1
    }
    let undone: (Int64) -> OperationDraft = {
      .hero(1, action: .restore, serverID: "s1", undoes: $0)
    }
    try run(undone(1), .rollback, before: "5", after: "6")
    try run(.hero(1, action: .update, serverID: "s1"), .upload, before: found, after: "8")
    try run(undone(3), .rollback, before: "8", after: "9")
    return file
  }

  @Test func `what rollbacks put back has the revision that it had before the first run`() throws {
    let file = try Self.restored(on: try CheckpointBench(), found: "6")
    #expect(try file.restored(.hero(1))?.revision == "4")
  }

  @Test func `what another client changed between two runs has the revision that it gave it`()
    throws
  {
    let file = try Self.restored(on: try CheckpointBench(), found: "7")
    #expect(try file.restored(.hero(1))?.revision == "7")
  }

  @Test(arguments: ["1", "2"])
  func `what a rollback put back is ours where its run found what an earlier one had left`(
    found: String
  ) throws {
    let (file, first) = try CheckpointBench().openWithRun([.hero(1)])
    try file.commit([.begin(1), .confirm(1, serverID: "s1", version: "1")], now: 1)
    try file.setStage(.finished, of: first, now: 1)
    let second = try file.beginRun("run-2", [.hero(1, action: .update, serverID: "s1")])
    try file.commit(
      [.begin(2, before: [1], version: found), .confirm(2, serverID: "s1", version: "3")],
      now: 2
    )
    try file.setStage(.finished, of: second, now: 2)
    let back = try file.beginRun(
      "run-3",
      kind: .rollback,
      [.hero(1, action: .restore, serverID: "s1", undoes: 2)]
    )
    try file.commit(
      [.begin(3, before: [1], version: "3"), .confirm(3, serverID: "s1", version: "4")],
      now: 3
    )
    try file.setStage(.finished, of: back, now: 3)
    let restored = try #require(try file.restored(.hero(1)))
    #expect(restored.isOurs == (found == "1"))
  }
}
