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
    _ change: (Int64) -> OperationChange
  ) throws {
    let run = try file.beginRun(run, [draft])
    let number = try #require(
      try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.number
    )
    try file.commit([.begin(number)], now: 3)
    try file.commit([change(number)], now: 3)
    try file.setStage(.finished, of: run, now: 4)
  }

  /// A run that is not allowed to delete the parent.
  private func refuseDeletion(in run: String) throws {
    try end(run, .hero(1, action: .delete, content: "a", serverID: "s1")) {
      .conflict($0, reason: "others depend on it")
    }
  }

  private func changeChild(in run: String) throws {
    try end(run, .hero(2, action: .update, content: "c", serverID: "s2")) { .confirm($0, "s2") }
  }

  /// A run that takes content of the child for agreed that it does not send.
  private func takeOverChild(in run: String) throws {
    let run = try file.beginRun(run, [])
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(2),
        serverID: "s2",
        version: "another",
        content: .sample("b"),
        requestDigest: .sample("request b")
      )
    ]
    try file.add(step, to: run, now: 5)
    try file.setStage(.finished, of: run, now: 6)
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
