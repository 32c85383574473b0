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
  private func agree(
    on content: String,
    version: String? = "another",
    in run: String
  ) throws -> RunRecord {
    let run = try file.beginRun(run, [])
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(1),
        serverID: "s1",
        version: version,
        content: .sample(content),
        requestDigest: .sample("request \(content)")
      )
    ]
    try file.add(step, to: run, now: 5)
    try file.setStage(.finished, of: run, now: 6)
    return run
  }

  /// The runs' contents that the destination refused since both sides last agreed.
  private var refused: [Digest] {
    get throws { try file.refusedChanges(of: .hero(1)).map(\.requestDigest) }
  }

  private func hasFailure() throws -> Bool {
    let hasFailure = try file.hasFailure(of: .hero(1))
    #expect(try file.keysWithFailure(of: "Hero") == (hasFailure ? ["h1"] : []))
    return hasFailure
  }

  @Test func `the changes that were refused since both sides agreed are known, oldest first`()
    throws
  {
    #expect(try refused.isEmpty, "it was made")
    #expect(try !hasFailure())
    try refuse("b", in: "run-2")
    try refuse("c", in: "run-3")
    #expect(try refused == [.sample("request b"), .sample("request c")])
    #expect(try hasFailure())
    try update("c", in: "run-4") { .confirm($0, "s1") }
    #expect(try refused.isEmpty, "it was carried out since")
    #expect(try !hasFailure())
  }

  @Test func `what was refused is kept until both sides agree`() throws {
    for (content, run) in [("b", "run-2"), ("c", "run-3"), ("d", "run-4")] {
      var step = PlanStep()
      step.operations = [.hero(1, action: .update, content: content, serverID: "s1")]
      step.images = [image(content)]
      let begun = try file.beginRun(run, [])
      try file.add(step, to: begun, now: 3)
      let number = try #require(
        try file.operations(of: begun, phase: 0, after: 0, limit: 1).first?.number
      )
      try file.commit([.begin(number)], now: 3)
      try file.commit([.reject(number, code: "c", reason: "dropped")], now: 3)
      try file.setStage(.finished, of: begun, now: 4)
    }
    for content in ["b", "c", "d"] {
      #expect(try file.image(of: .hero(1), content: .sample(content)) != nil)
    }
    _ = try agree(on: "e", in: "run-5")
    var step = PlanStep()
    step.images = [image("e")]
    try file.add(step, to: file.beginRun("run-6", []), now: 7)
    #expect(try file.image(of: .hero(1), content: .sample("b")) == nil)
    #expect(try file.image(of: .hero(1), content: .sample("e")) != nil)
  }

  private func image(_ content: String) -> RecordImage {
    RecordImage(
      record: .hero(1),
      content: .sample(content),
      requestDigest: .sample("request \(content)"),
      base: Array(content.utf8),
      sent: nil
    )
  }

  @Test func `a conflict is not a refusal`() throws {
    try update("b", in: "run-2") { .conflict($0, reason: "newer") }
    #expect(try refused.isEmpty)
    #expect(try hasFailure())
  }

  @Test(arguments: ["v1", nil])
  func `a change that the app takes back is settled once a run agrees`(version: String?) throws {
    try refuse("b", in: "run-2")
    let known = try #require(try file.known(.hero(1)))
    let run = try file.beginRun("run-3", [])
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(1),
        serverID: "s1",
        version: version ?? known.version,
        content: known.content,
        requestDigest: known.requestDigest
      )
    ]
    try file.add(step, to: run, now: 5)
    try file.setStage(.finished, of: run, now: 6)
    #expect(try !hasFailure())
    #expect(try entry(of: run).status == .synced)
  }

  @Test func `a refused change is failed until both sides agree, and synced from then on`() throws {
    try refuse("b", in: "run-2")
    let between = try file.beginRun("run-3", [])
    try file.setStage(.finished, of: between, now: 5)
    #expect(try entry(of: between).status == .failed)
    #expect(try entry(of: between).reason == "dropped")
    let run = try agree(on: "c", in: "run-4")
    #expect(try refused.isEmpty)
    #expect(try entry(of: run).status == .synced)
    #expect(try entry(of: run).reason == nil)
  }

  private func entry(of run: RunRecord) throws -> WriteBackEntry {
    let view = try #require(try CheckpointView(bench.path))
    return try #require(try view.writeBack(of: run, after: nil).first)
  }
}
