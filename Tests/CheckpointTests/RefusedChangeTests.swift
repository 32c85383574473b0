import Checkpoint
import Records
import Testing
import UploadPlanning

/// A change that the destination refused, perhaps after it took a part of it.
struct RefusedChangeTests {
  private let bench: CheckpointBench
  private let file: CheckpointFile

  /// The first run makes a hero with the content `a`.
  init() throws {
    bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1)])
    try file.commit([.confirm(1, "s1")], now: 1)
    try file.setStage(.finished, of: run, now: 2)
    self.file = file
  }

  @discardableResult private func update(
    _ content: String,
    in run: String,
    _ change: (Int64) -> OperationChange
  ) throws -> RunRecord {
    let run = try file.beginRun(
      run,
      [.hero(1, action: .update, content: content, serverID: "s1")]
    )
    let number = try #require(
      try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.number
    )
    try file.commit([.begin(number)], now: 3)
    try file.commit([change(number)], now: 3)
    try file.setStage(.finished, of: run, now: 4)
    return run
  }

  private func refuse(_ content: String, in run: String) throws {
    try update(content, in: run) { .reject($0, code: "c", reason: "dropped") }
  }

  /// A run that finds that both sides have `content` by now.
  private func agree(on content: String, in run: String) throws -> RunRecord {
    let run = try file.beginRun(run, [])
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(1),
        serverID: "s1",
        version: "another",
        content: .sample(content),
        requestDigest: .sample("request \(content)")
      )
    ]
    try file.add(step, to: run, now: 5)
    try file.setStage(.finished, of: run, now: 6)
    return run
  }

  private func isRefused(_ content: String) throws -> Bool {
    try file.refusedChange(of: .hero(1), .sample("request \(content)")) != nil
  }

  @Test func `the last change of a record is known as refused by the fields that it was to bring`()
    throws
  {
    #expect(try !isRefused("a"), "it was made")
    try refuse("b", in: "run-2")
    #expect(try isRefused("b"))
    #expect(try !isRefused("a"))
    try update("b", in: "run-3") { .confirm($0, "s1") }
    #expect(try !isRefused("b"), "it was carried out since")
  }

  @Test func `a conflict is not a refusal`() throws {
    try update("b", in: "run-2") { .conflict($0, reason: "newer") }
    #expect(try !isRefused("b"))
  }

  @Test func `a refused change is failed until both sides agree, and synced from then on`() throws {
    try refuse("b", in: "run-2")
    let between = try file.beginRun("run-3", [])
    try file.setStage(.finished, of: between, now: 5)
    #expect(try entry(of: between).status == .failed)
    #expect(try entry(of: between).reason == "dropped")
    let run = try agree(on: "c", in: "run-4")
    #expect(try !isRefused("b"))
    #expect(try entry(of: run).status == .synced)
    #expect(try entry(of: run).reason == nil)
  }

  private func entry(of run: RunRecord) throws -> WriteBackEntry {
    let view = try #require(try CheckpointView(bench.path))
    return try #require(try view.writeBack(of: run, after: nil).first)
  }
}
