import Checkpoint
import Testing
import UploadPlanning

/// A run ends once each of its operations is settled.
struct RunEndTests {
  @Test(arguments: [[], [.begin(2)], [.lose(2, reason: "cut")]] as [[OperationChange]])
  func `a run with open operations is not finished`(changes: [OperationChange]) throws {
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

  @Test func `a run whose operations are settled is finished, regardless of other runs`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, "s1"), .reject(2, code: "c", reason: "r")], now: 1)
    _ = try file.beginRun("run-2", [.hero(3)])
    try file.finish(run, now: 7)
    #expect(try file.runs().map(\.stage) == [.finished, .planning])
    #expect(try file.runs().first?.finishedAt == 7)
  }
}
