import Checkpoint
import Records
import Testing
import UploadPlanning

/// What a checkpoint remembers of conflicts and of content that no run sent.
struct ConflictOutcomeTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private func adoption(_ version: String?) -> PlanStep.Adoption {
    PlanStep.Adoption(
      record: .hero(1),
      serverID: "s1",
      version: version,
      content: .sample("b"),
      requestDigest: .sample("request b")
    )
  }

  /// A hero that the first run made, with the version 1.
  private func made(_ bench: CheckpointBench) throws -> CheckpointFile {
    let (file, run) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, "s1")], now: 1)
    try file.setStage(.finished, of: run, now: 2)
    return file
  }

  private func kept(_ file: CheckpointFile, _ code: String = "plan.conflict-kept-remote") throws
    -> RunRecord
  {
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    var adoption = adoption("2")
    adoption.isConcession = true
    step.adoptions = [adoption]
    step.images = [
      RecordImage(
        record: .hero(1),
        content: .sample("b"),
        requestDigest: .sample("request b"),
        base: Array("{}".utf8),
        sent: [1]
      )
    ]
    step.findings = [
      Finding(
        code: code,
        severity: .warning,
        entity: "Hero",
        record: "h1",
        cause: "both changed it",
        cure: "none"
      )
    ]
    step.tallies = ["Hero": [.conflicted: 1, .rejected: 2]]
    try file.add(step, to: run, now: 3)
    try file.setStage(.executing, of: run, now: 3)
    return run
  }

  @Test func `a revision that no run left does not belong to a run`() throws {
    let file = try made(bench)
    #expect(try file.outcome(of: .hero(1), inRunOf: 1).isOwn)
    let run = try kept(file)
    #expect(try !file.outcome(of: .hero(1), inRunOf: 1).isOwn)
    try file.discardPlan(of: run)
    #expect(try file.outcome(of: .hero(1), inRunOf: 1).isOwn)
  }

  @Test func `a record that is found as a run left it stays that run's`() throws {
    let file = try made(bench)
    var step = PlanStep()
    step.adoptions = [adoption("1")]
    try file.add(step, to: try file.beginRun("run-2", []), now: 3)
    #expect(try file.outcome(of: .hero(1), inRunOf: 1).isOwn)
  }

  @Test func `the outcome of a conflict is the last run's until another run begins`() throws {
    let file = try made(bench)
    #expect(try file.conflictOutcome(of: .hero(1)) == nil)
    let run = try kept(file)
    let outcome = try #require(try file.conflictOutcome(of: .hero(1)))
    #expect(outcome.keptRemote && outcome.isOfLastUpload)
    try file.finish(run, now: 4)
    let later = try file.beginRun("run-3", [])
    #expect(try file.keptRemoteCount(of: "Hero", before: later) == 1)
    #expect(try file.keptRemoteCount(of: "Story", before: later) == 0)
    try file.setStage(.executing, of: later, now: 5)
    #expect(try file.conflictOutcome(of: .hero(1))?.isOfLastUpload == false)
  }

  @Test(arguments: [("plan.conflict-kept-remote", 1), ("plan.decided", 1), ("plan.merged", 0)])
  func
    `content kept by a policy or a person stays a difference in later runs, merged content does not`(
      code: String,
      count: Int
    ) throws
  {
    let file = try made(bench)
    try file.finish(try kept(file, code), now: 4)
    let later = try file.beginRun("run-3", [])
    #expect(try file.keptRemoteCount(of: "Hero", before: later) == count)
  }

  @Test func `a run that kept the remote's content counts as unreported until a report says so`()
    throws
  {
    let file = try made(bench)
    #expect(try file.unreportedRun() == nil)
    let run = try kept(file)
    try file.finish(run, now: 4)
    #expect(try file.unreportedRun()?.id == "run-2")
    try file.setReported(run)
    #expect(try file.unreportedRun() == nil)
  }

  @Test(arguments: [(RunFlag.store, true), (RunFlag.profile, false)])
  func `a migration counts as unread until its end is reported, and an upload never does`(
    flag: String,
    isUnread: Bool
  ) throws {
    let file = try made(bench)
    let run = try file.beginRun("run-2", [])
    try file.setFlags([RunFlag(name: flag, value: "/app/default.store")], of: run)
    try file.setStage(.executing, of: run, now: 3)
    try file.finish(run, now: 4)
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.unreadRun()?.id == (isUnread ? "run-2" : nil))
    try file.setReported(run)
    #expect(try #require(try CheckpointView(bench.path)).unreadRun() == nil)
  }

  @Test
  func `a run that left a conflict open is not unreported, since the next plan finds it again`()
    throws
  {
    let file = try made(bench)
    try file.finish(try kept(file, "plan.conflict"), now: 4)
    #expect(try file.unreportedRun() == nil)
  }

  @Test func `the facts of a run count the refused and conflicting records of its plan`() throws {
    do { _ = try kept(try made(bench)) }
    let view = try #require(try CheckpointView(bench.path))
    let facts = try #require(try view.facts().runs.last)
    #expect(facts.conflictCount == 1)
    #expect(facts.refusedCount == 2)
    let status = try view.writeBack(of: facts.run, after: nil).map(\.status)
    #expect(status == [.conflicted])
  }
}
