import Checkpoint
import CheckpointMending
import GRDB
import Records
import Testing
import UploadPlanning

/// What is known of a record while a run is to put something else in its place, and after it.
struct KeptImageTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private static let mine: [UInt8] = [1]
  private static let theirs: [UInt8] = [2]

  private func image(_ record: RecordID, sent: [UInt8]) -> RecordImage {
    RecordImage(
      record: record,
      content: .sample("a"),
      requestDigest: .sample("request a"),
      base: Array("{}".utf8),
      sent: sent
    )
  }

  /// Three heroes that a run made, where something of theirs is.
  private func settled(_ bench: CheckpointBench) throws -> CheckpointFile {
    let file = try bench.open()
    let run = try file.beginSampleRun()
    var step = PlanStep()
    step.operations = (1...3).map { .hero($0) }
    step.images = (1...3).map { image(.hero($0), sent: Self.theirs) }
    try file.add(step, to: run, now: 1)
    try file.commit((1...3).map { .confirm($0, "s\($0)") }, now: 2)
    try file.setStage(.finished, of: run, now: 3)
    return file
  }

  /// Plans the operations 4 to 6, which are to bring what is here of the same lines.
  private func planned(_ file: CheckpointFile) throws -> RunRecord {
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.operations = (1...3).map { .hero($0, action: .update) }
    step.images = (1...3).map { image(.hero($0), sent: Self.mine) }
    try file.add(step, to: run, now: 4)
    try file.setStage(.executing, of: run, now: 5)
    return run
  }

  /// What is known of the three.
  private func known(_ file: CheckpointFile) throws -> [[UInt8]?] {
    try (1...3).map { number in
      try file.image(of: .hero(number), requestDigest: .sample("request a"), content: .sample("a"))?
        .sent
    }
  }

  /// What is sent of the three, or was the last time.
  private func sent(_ file: CheckpointFile) throws -> [[UInt8]?] {
    try (1...3).map { try file.image(of: .hero($0), content: .sample("a"))?.sent }
  }

  private func keptCount(_ file: CheckpointFile) throws -> Int? {
    try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM image_kept") }
  }

  @Test func `an operation's content becomes the sync state once it is carried out`() throws {
    let file = try settled(bench)
    _ = try planned(file)
    #expect(try sent(file) == [Self.mine, Self.mine, Self.mine])
    #expect(try known(file) == [Self.theirs, Self.theirs, Self.theirs])
    try file.commit([.begin(4), .begin(5), .begin(6)], now: 6)
    try file.commit(
      [.confirm(4, "s1"), .adopt(5, serverID: "s2", version: nil), .lose(6, reason: "cut")],
      now: 7
    )
    #expect(try known(file) == [Self.mine, Self.mine, Self.theirs])
  }

  @Test func `only the carried-out operations of an ended run are known`() throws {
    let file = try settled(bench)
    let run = try planned(file)
    try file.commit(
      [
        .confirm(4, "s1"), .reject(5, code: "too-long", reason: "too long"),
        .conflict(6, reason: "newer"),
      ],
      now: 6
    )
    try file.setStage(.finished, of: run, now: 7)
    #expect(try known(file) == [Self.mine, Self.theirs, Self.theirs])
    #expect(try sent(file) == [Self.mine, Self.theirs, Self.theirs])
  }

  @Test func `only the carried-out operations of an abandoned run are known`() throws {
    let file = try settled(bench)
    let run = try planned(file)
    try file.commit([.confirm(4, "s1")], now: 6)
    try file.abandon(run, now: 7)
    #expect(try known(file) == [Self.mine, Self.theirs, Self.theirs])
    #expect(try sent(file) == [Self.mine, Self.theirs, Self.theirs])
  }

  @Test func `dropping a plan leaves the sync states`() throws {
    let file = try settled(bench)
    try file.discardPlan(of: try planned(file))
    #expect(try known(file) == [Self.theirs, Self.theirs, Self.theirs])
    #expect(try sent(file) == [Self.theirs, Self.theirs, Self.theirs])
    #expect(try keptCount(file) == 0)
  }

  @Test func `a killed run leaves its sync states to the run that drops its plan`() throws {
    do { _ = try planned(try settled(bench)) }
    let file = try bench.open()
    #expect(try known(file) == [Self.theirs, Self.theirs, Self.theirs])
    try file.discardPlan(of: try #require(try file.unfinishedRun()))
    #expect(try sent(file) == [Self.theirs, Self.theirs, Self.theirs])
  }

  @Test func `a row that is planned with other fields does not hide its known fields`() throws {
    let file = try settled(bench)
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.operations = [.hero(1, action: .update)]
    step.images = [
      RecordImage(
        record: .hero(1),
        content: .sample("a"),
        requestDigest: .sample("other fields"),
        base: [],
        sent: nil
      )
    ]
    try file.add(step, to: run, now: 4)
    #expect(try known(file)[0] == Self.theirs)
    try file.discardPlan(of: run)
    #expect(try sent(file)[0] == Self.theirs)
  }

  @Test func `a record that is planned for the first time has no image to be kept`() throws {
    let file = try settled(bench)
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.operations = [.hero(4), .hero(1, action: .update, content: "b")]
    step.images = [
      image(.hero(4), sent: Self.mine),
      RecordImage(
        record: .hero(1),
        content: .sample("b"),
        requestDigest: .sample("request b"),
        base: [],
        sent: nil
      ),
    ]
    try file.add(step, to: run, now: 4)
    #expect(try keptCount(file) == 0)
    #expect(try known(file)[0] == Self.theirs)
  }

  @Test(arguments: [false, true])
  func `an adopted record has a sync state at once, and keeps it without the plan`(
    isCompleted: Bool
  ) throws {
    let file = try settled(bench)
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(1),
        serverID: "s1",
        version: "2",
        content: .sample("a"),
        requestDigest: .sample("request a")
      )
    ]
    if isCompleted { step.operations = [.hero(1, action: .complete)] }
    step.images = [image(.hero(1), sent: Self.mine)]
    try file.add(step, to: run, now: 4)
    #expect(try known(file)[0] == Self.mine)
    try file.discardPlan(of: run)
    #expect(try known(file)[0] == Self.mine)
  }

  @Test func `a rolled back record has its earlier sync state, and the others keep theirs`() throws
  {
    let file = try settled(bench)
    let run = try planned(file)
    try file.commit((4...6).map { .confirm($0, "s\($0 - 3)") }, now: 6)
    try file.setStage(.finished, of: run, now: 7)
    let undo = try file.beginRun(
      id: "run-3",
      kind: .rollback,
      package: "",
      packagePath: "",
      undoes: "run-2",
      profile: .sample,
      now: 8
    )
    var step = PlanStep()
    step.operations = (1...3).map { .hero($0, action: .restore, undoes: Int64($0) + 3) }
    try file.add(step, to: undo, now: 9)
    try file.commit(
      [
        .confirm(7, "s1"), .reject(8, code: "no", reason: "no"),
        .conflict(9, reason: "it was changed since"),
      ],
      now: 10
    )
    // What is to be rolled back is reported by what was sent.
    #expect(try sent(file) == [Self.mine, Self.mine, Self.mine])
    try file.setStage(.finished, of: undo, now: 11)
    #expect(try known(file) == [Self.theirs, Self.mine, Self.mine])
  }

  @Test func `a record that a run made is known by its line until it is completed`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(1, phase: 1, action: .complete)])
    var step = PlanStep()
    step.images = [
      RecordImage(
        record: .hero(1),
        content: .sample("a"),
        requestDigest: .sample("all of it"),
        base: [],
        sent: nil
      )
    ]
    try file.add(step, to: run, now: 1)
    func known() throws -> Digest? {
      try file.image(of: .hero(1), requestDigest: .sample("request a"), content: .sample("a"))?
        .requestDigest
    }
    #expect(try known() == nil)
    try file.commit([.confirm(1, "s1")], now: 2)
    #expect(try known() == .sample("all of it"))
    try file.commit([.confirm(2, "s1")], now: 3)
    #expect(try known() == nil)
  }

  // MARK: - What was left of a record that no one knew

  /// A run that leaves the destination's state of a hero whom no run knows.
  private func conceding(_ file: CheckpointFile) throws -> RunRecord {
    let run = try file.beginSampleRun()
    var adoption = PlanStep.Adoption(
      record: .hero(1),
      serverID: "s1",
      version: "2",
      content: .sample("a"),
      requestDigest: .sample("request a")
    )
    adoption.isConcession = true
    var step = PlanStep()
    step.adoptions = [adoption]
    step.images = [image(.hero(1), sent: Self.theirs)]
    step.findings = [
      Finding(
        code: "plan.conflict-kept-remote",
        severity: .warning,
        entity: "Hero",
        record: "h1",
        cause: "it was changed",
        cure: "none"
      )
    ]
    try file.add(step, to: run, now: 1)
    try file.setStage(.executing, of: run, now: 2)
    return run
  }

  @Test func `the place of a record without a sync state stays when its run is given up`() throws {
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    #expect(try file.known(.hero(1))?.serverID == "s1")
    #expect(try known(file)[0] == Self.theirs)
  }

  @Test func `a leftover record is reported by the next run only`() throws {
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    let second = try file.beginRun("run-2", [])
    #expect(try file.findings(of: second, limit: 9).map(\.code) == ["plan.conflict-kept-remote"])
    try file.setStage(.finished, of: second, now: 4)
    let later = try file.beginRun("run-3", [])
    #expect(try file.findings(of: later, limit: 9).isEmpty)
  }

  @Test func `an earlier run's finding is repeated only for a record that was left over`()
    throws
  {
    let file = try bench.open()
    let run = try conceding(file)
    try file.add(
      [
        Finding(
          code: "a.code",
          severity: .note,
          entity: "Hero",
          record: "h1",
          cause: "of that record",
          cure: "none"
        ),
        Finding(
          code: "plan.conflict-kept-remote",
          severity: .warning,
          entity: "Hero",
          record: "h2",
          cause: "of another",
          cure: "none"
        ),
      ],
      to: run
    )
    try file.abandon(run, now: 3)
    let second = try file.beginRun("run-2", [])
    #expect(try file.findings(of: second, limit: 9).map(\.cause) == ["it was changed"])
  }

  @Test func `a rollback does not count as the upload that reports leftovers`() throws {
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    try file.setStage(
      .finished,
      of: try file.beginRun("undo", kind: .rollback, []),
      now: 4
    )
    let second = try file.beginRun("run-2", [])
    #expect(try file.findings(of: second, limit: 9).map(\.code) == ["plan.conflict-kept-remote"])
  }

  @Test func `a leftover is reported once more after a dropped plan`() throws {
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    try file.discardPlan(of: try file.beginRun("run-2", []))
    let second = try file.beginRun("run-3", [])
    #expect(try file.findings(of: second, limit: 9).map(\.code) == ["plan.conflict-kept-remote"])
    #expect(try file.known(.hero(1))?.serverID == "s1")
  }

  @Test func `a repair that closes a run leaves the earlier sync states`() throws {
    do { _ = try planned(try settled(bench)) }
    try CheckpointBench.edit(
      bench.path,
      [
        """
        INSERT INTO run (number, id, kind, stage, package, package_path, profile, started_at)
        VALUES (3, 'run-3', 'upload', 'executing', 'digest', 'p', 'aaaa', 1)
        """
      ]
    )
    guard case .mended = try CheckpointRepair.run(bench.path) else {
      Issue.record("it was not repaired")
      return
    }
    #expect(try sent(try bench.open()) == [Self.theirs, Self.theirs, Self.theirs])
  }

  @Test(arguments: ["content", "request_digest"])
  func `a kept image with a torn digest is reported as damage`(column: String) throws {
    do { _ = try planned(try settled(bench)) }
    try CheckpointBench.edit(
      bench.path,
      ["UPDATE image_kept SET \(column) = x'00' WHERE key = 'h1'"]
    )
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.faults().map(\.code) == ["checkpoint.torn-digest"])
  }
}
