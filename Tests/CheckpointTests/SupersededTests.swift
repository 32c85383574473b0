import Checkpoint
import Records
import Testing
import UploadPlanning

/// What a store had before it took over the destination's content, by which an older copy of it is recognised.
struct SupersededTests {
  private let bench: CheckpointBench
  private let file: CheckpointFile

  /// The first run makes a hero with the content `a`.
  init() throws {
    bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2")], now: 1)
    try file.setStage(.finished, of: run, now: 2)
    self.file = file
  }

  /// Plans that a run takes content for agreed that it does not send.
  @discardableResult private func plan(
    taking content: String,
    form: String? = nil,
    isConcession: Bool = false,
    in run: String
  ) throws -> RunRecord {
    let run = try file.beginRun(run, [])
    var adoption = PlanStep.Adoption(
      record: .hero(1),
      serverID: "s1",
      version: nil,
      content: .sample(content),
      requestDigest: .sample("request \(form ?? content)")
    )
    adoption.isConcession = isConcession
    var step = PlanStep()
    step.adoptions = [adoption]
    try file.add(step, to: run, now: 3)
    return run
  }

  private func takeOver(_ content: String, in run: String) throws {
    try file.setStage(.finished, of: try plan(taking: content, in: run), now: 4)
  }

  private func update(_ content: String, in run: String, _ change: (Int64) -> OperationChange)
    throws
  {
    let run = try file.beginRun(
      run,
      [.hero(1, action: .update, content: content, serverID: "s1")]
    )
    let number = try #require(
      try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.number
    )
    try file.commit([.begin(number)], now: 5)
    try file.commit([change(number)], now: 5)
    try file.setStage(.finished, of: run, now: 6)
  }

  private func isSuperseded(_ content: String, _ record: RecordID = .hero(1)) throws -> Bool {
    try file.isSuperseded(record, .sample("request \(content)"))
  }

  @Test func `nothing is superseded before the store took anything over`() throws {
    #expect(try !isSuperseded("a"))
    try update("b", in: "run-2") { .confirm($0, "s1") }
    #expect(try !isSuperseded("a"))
  }

  @Test func `content that the store had before it took over other content is superseded`() throws {
    try takeOver("b", in: "run-2")
    #expect(try isSuperseded("a"))
    #expect(try !isSuperseded("b"))
    #expect(try !isSuperseded("c"), "it was never agreed on")
    #expect(try !isSuperseded("a", .hero(2)))
  }

  @Test func `all content that was agreed on before it is superseded`() throws {
    try takeOver("b", in: "run-2")
    try update("c", in: "run-3") { .confirm($0, "s1") }
    #expect(try !isSuperseded("b"), "the store has replaced it itself")
    try takeOver("d", in: "run-4")
    for content in ["a", "b", "c"] { #expect(try isSuperseded(content), "\(content)") }
    #expect(try !isSuperseded("d"))
  }

  @Test func `content that the store took over again is not superseded`() throws {
    try takeOver("b", in: "run-2")
    try takeOver("a", in: "run-3")
    #expect(try !isSuperseded("a"))
    #expect(try isSuperseded("b"))
  }

  @Test func `content that a run sent again is superseded only once that is rolled back`() throws {
    try takeOver("b", in: "run-2")
    try update("a", in: "run-3") { .confirm($0, "s1") }
    #expect(try !isSuperseded("a"))
    let undo = try file.beginRun(
      "undo",
      kind: .rollback,
      undoes: "run-3",
      [.hero(1, action: .restore, content: "b", serverID: "s1", undoes: 3)]
    )
    try file.commit([.confirm(4, "s1")], now: 7)
    try file.setStage(.finished, of: undo, now: 8)
    #expect(try isSuperseded("a"))
  }

  @Test func `content that a refused request was to bring is the store's own`() throws {
    try update("b", in: "run-2") { .reject($0, code: "c", reason: "r") }
    try takeOver("b", in: "run-3")
    #expect(try !isSuperseded("a"))
  }

  @Test func `content that met a conflict is the store's own`() throws {
    try update("b", in: "run-2") { .conflict($0, reason: "r") }
    try takeOver("b", in: "run-3")
    #expect(try !isSuperseded("a"))
  }

  @Test func `a request that was refused before the last agreement says nothing`() throws {
    try update("b", in: "run-2") { .reject($0, code: "c", reason: "r") }
    try update("c", in: "run-3") { .confirm($0, "s1") }
    try takeOver("b", in: "run-4")
    #expect(try isSuperseded("c"))
    try takeOver("d", in: "run-5")
    #expect(try isSuperseded("b"))
    try takeOver("b", in: "run-6")
    #expect(try isSuperseded("d"))
  }

  @Test func `an older copy that gives way supersedes nothing`() throws {
    try takeOver("b", in: "run-2")
    let run = try plan(taking: "a", isConcession: true, in: "run-3")
    try file.setStage(.finished, of: run, now: 4)
    #expect(try !isSuperseded("b"), "the destination's content stayed")
    try takeOver("b", in: "run-4")
    #expect(try isSuperseded("a"))
  }

  // MARK: - Dropped plans

  @Test func `what a dropped plan found stays known when the next one is given up`() throws {
    try file.discardPlan(of: try plan(taking: "b", in: "run-2"))
    let next = try plan(taking: "c", isConcession: true, in: "run-3")
    #expect(try isSuperseded("b"))
    try file.discardPlan(of: next)
    #expect(try isSuperseded("a"))
    #expect(try !isSuperseded("b"))
  }

  @Test func `what two dropped plans found is known of both`() throws {
    try file.discardPlan(of: try plan(taking: "b", in: "run-2"))
    try file.discardPlan(of: try plan(taking: "c", in: "run-3"))
    for content in ["a", "b"] { #expect(try isSuperseded(content), "\(content)") }
    #expect(try !isSuperseded("c"))
  }

  @Test func `another form of the same content supersedes nothing`() throws {
    try plan(taking: "a", form: "of another profile", in: "run-2")
    #expect(try !isSuperseded("a"))
  }

  @Test(arguments: [false, true])
  func `a dropped plan leaves what it found agreed, but for a decision against the store`(
    isConcession: Bool
  ) throws {
    let run = try plan(taking: "b", isConcession: isConcession, in: "run-2")
    #expect(try isSuperseded("a"))
    try file.discardPlan(of: run)
    #expect(try isSuperseded("a") != isConcession)
  }
}
