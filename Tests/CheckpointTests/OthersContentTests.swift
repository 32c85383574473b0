import Checkpoint
import Records
import Testing
import UploadPlanning

/// Content that another writer sent, in a record under one that the user deletes.
struct OthersContentTests {
  private let bench: CheckpointBench
  private let file: CheckpointFile

  /// The first run makes a parent, which is hero 1, and a child, which is hero 2.
  init() throws {
    bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2")], now: 1)
    try file.setStage(.finished, of: run, now: 2)
    self.file = file
  }

  /// A run that ends, with one operation.
  private func end(
    _ run: String,
    _ draft: OperationDraft,
    now: Int64 = 3,
    _ change: (Int64) -> OperationChange
  ) throws {
    let run = try file.beginRun(run, [draft])
    let number = try #require(
      try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.number
    )
    try file.commit([.begin(number)], now: now)
    try file.commit([change(number)], now: now)
    try file.setStage(.finished, of: run, now: now)
  }

  /// A run that is not allowed to delete the parent.
  private func refuseDeletion(in run: String, now: Int64 = 3) throws {
    try end(run, .hero(1, action: .delete, content: "a", serverID: "s1"), now: now) {
      .conflict($0, reason: "others depend on it")
    }
  }

  private func changeChild(in run: String) throws {
    try end(run, .hero(2, action: .update, content: "c", serverID: "s2")) { .confirm($0, "s2") }
  }

  /// A run that takes content of the child for agreed that it does not send.
  private func takeOverChild(
    in run: String,
    version: String? = "another",
    besides drafts: [OperationDraft] = []
  ) throws {
    let run = try planTakeOver(in: run, version: version, besides: drafts)
    for operation in try file.operations(of: run, phase: 0, after: 0, limit: 1) {
      try file.commit([.begin(operation.number)], now: 5)
      try file.commit([.conflict(operation.number, reason: "others depend on it")], now: 5)
    }
    try file.setStage(.finished, of: run, now: 6)
  }

  /// The plan of that run.
  private func planTakeOver(
    in run: String,
    version: String? = "another",
    besides drafts: [OperationDraft] = [],
    isConcession: Bool = false
  ) throws -> RunRecord {
    let run = try file.beginRun(run, drafts)
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(2),
        serverID: "s2",
        version: version,
        content: .sample("b"),
        requestDigest: .sample("request b")
      )
    ]
    step.adoptions[0].isConcession = isConcession
    try file.add(step, to: run, now: 5)
    return run
  }

  private var hasOthersContent: Bool {
    get throws { try file.hasOthersContent(.hero(2), sinceDeletionOf: .hero(1)) }
  }

  @Test func `what the store itself sent is not another writer's`() throws {
    try refuseDeletion(in: "run-2")
    #expect(try !hasOthersContent)
    try changeChild(in: "run-3")
    #expect(try !hasOthersContent)
  }

  @Test func `content that the store had before the deletion went with it by the user's own will`()
    throws
  {
    try takeOverChild(in: "run-2")
    try refuseDeletion(in: "run-3")
    #expect(try !hasOthersContent)
  }

  @Test func `content that came after the deletion is another writer's, whatever the store has`()
    throws
  {
    try refuseDeletion(in: "run-2")
    try takeOverChild(in: "run-3")
    #expect(try hasOthersContent)
    try refuseDeletion(in: "run-4")
    #expect(try hasOthersContent)
  }

  @Test func `a change that the app made to it since makes it the store's own again`() throws {
    try refuseDeletion(in: "run-2")
    try takeOverChild(in: "run-3")
    try changeChild(in: "run-4")
    #expect(try !hasOthersContent)
  }

  @Test func `a deletion of another time is not counted`() throws {
    try refuseDeletion(in: "run-2")
    try takeOverChild(in: "run-3")
    // The app took the deletion back, and changed the parent.
    try end("run-4", .hero(1, action: .update, content: "b", serverID: "s1")) { .confirm($0, "s1") }
    #expect(try !hasOthersContent)
    try refuseDeletion(in: "run-5")
    #expect(try !hasOthersContent)
  }

  @Test func `a plan that is dropped leaves what it took over another writer's`() throws {
    try refuseDeletion(in: "run-2")
    try file.discardPlan(of: planTakeOver(in: "run-3"))
    #expect(try file.known(.hero(2))?.version == "another")
    #expect(try hasOthersContent)
  }

  @Test(arguments: [false, true])
  func `what a run gives back is not taken over`(isAbandoned: Bool) throws {
    try refuseDeletion(in: "run-2")
    let known = try file.known(.hero(2))
    let run = try planTakeOver(in: "run-3", isConcession: true)
    #expect(try hasOthersContent)
    if isAbandoned { try file.abandon(run, now: 6) } else { try file.discardPlan(of: run) }
    #expect(try file.known(.hero(2)) == known)
    #expect(try !hasOthersContent)
  }

  @Test func `without versions, content that no run sent is another writer's`() throws {
    try end("run-2", .hero(2, action: .update, content: "c", serverID: "s2")) {
      .confirm($0, serverID: "s2", version: nil)
    }
    #expect(try file.known(.hero(2))?.version == nil)
    try refuseDeletion(in: "run-3")
    try takeOverChild(in: "run-4", version: nil)
    #expect(try hasOthersContent)
  }

  @Test func `content that the store has when a deletion is first seen goes with it`() throws {
    let deletion = OperationDraft.hero(1, action: .delete, content: "a", serverID: "s1")
    try takeOverChild(in: "run-2", besides: [deletion])
    #expect(try !hasOthersContent)
    try refuseDeletion(in: "run-3")
    #expect(try !hasOthersContent)
  }

  @Test func `a deletion that the app took back without another change is not counted`() throws {
    try refuseDeletion(in: "run-2")
    #expect(try file.hasFailure(of: .hero(1)))
    // The run finds the parent as it was agreed on.
    let known = try #require(try file.known(.hero(1)))
    let run = try file.beginRun("run-3", [])
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(1),
        serverID: "s1",
        version: known.version,
        content: known.content,
        requestDigest: known.requestDigest
      )
    ]
    try file.add(step, to: run, now: 5)
    try file.setStage(.finished, of: run, now: 6)
    try takeOverChild(in: "run-4")
    #expect(try !hasOthersContent)
    try refuseDeletion(in: "run-5", now: 7)
    #expect(try !hasOthersContent)
  }

  @Test(arguments: ["plan.conflict-kept-remote", "plan.merged"])
  func `a conflict in the run that deletes shows another writer's content`(code: String) throws {
    let run = try file.beginRun("run-2", [.hero(1, action: .delete, content: "a", serverID: "s1")])
    #expect(try !hasOthersContent)
    var step = PlanStep()
    step.findings = [
      Finding(code: code, severity: .warning, entity: "Hero", record: "h2", cause: "c", cure: "c")
    ]
    try file.add(step, to: run, now: 5)
    #expect(try hasOthersContent)
  }
}
