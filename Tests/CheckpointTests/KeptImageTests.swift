import Checkpoint
import GRDB
import Records
import Testing
import UploadPlanning

/// What is known of a record while a run is to put something else in its place, and after it.
struct KeptImageTests {
  private static let mine: [UInt8] = [1]
  private static let theirs: [UInt8] = [2]

  private func image(_ record: RecordID, sent: [UInt8]) -> RecordImage {
    RecordImage(
      record: record,
      content: .sample("a"),
      wire: .sample("wire a"),
      base: Array("{}".utf8),
      sent: sent
    )
  }

  /// Three heroes that a run made, where something of theirs stands.
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

  /// Plans the operations 4 to 6, which are to bring what stands here of the same lines.
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
      try file.image(of: .hero(number), wire: .sample("wire a"), content: .sample("a"))?.sent
    }
  }

  /// What is sent of the three, or was the last time.
  private func sent(_ file: CheckpointFile) throws -> [[UInt8]?] {
    try (1...3).map { try file.image(of: .hero($0), content: .sample("a"))?.sent }
  }

  private func keptCount(_ file: CheckpointFile) throws -> Int? {
    try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM image_kept") }
  }

  @Test func `what an operation is to bring is sent, and known once it is carried out`() throws {
    let bench = try CheckpointBench()
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

  @Test func `of a run that has ended, only what was carried out is known`() throws {
    let bench = try CheckpointBench()
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

  @Test func `of a run that is given up, only what was carried out is known`() throws {
    let bench = try CheckpointBench()
    let file = try settled(bench)
    let run = try planned(file)
    try file.commit([.confirm(4, "s1")], now: 6)
    try file.abandon(run, now: 7)
    #expect(try known(file) == [Self.mine, Self.theirs, Self.theirs])
    #expect(try sent(file) == [Self.mine, Self.theirs, Self.theirs])
  }

  @Test func `a plan that is dropped leaves what was known`() throws {
    let bench = try CheckpointBench()
    let file = try settled(bench)
    try file.discardPlan(of: try planned(file))
    #expect(try known(file) == [Self.theirs, Self.theirs, Self.theirs])
    #expect(try sent(file) == [Self.theirs, Self.theirs, Self.theirs])
    #expect(try keptCount(file) == 0)
  }

  @Test func `a run that is killed leaves what was known to the one that drops its plan`() throws {
    let bench = try CheckpointBench()
    do { _ = try planned(try settled(bench)) }
    let file = try bench.open()
    #expect(try known(file) == [Self.theirs, Self.theirs, Self.theirs])
    try file.discardPlan(of: try #require(try file.unfinishedRun()))
    #expect(try sent(file) == [Self.theirs, Self.theirs, Self.theirs])
  }

  @Test func `a line that is planned with other fields does not hide those that are known`() throws
  {
    let bench = try CheckpointBench()
    let file = try settled(bench)
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.operations = [.hero(1, action: .update)]
    step.images = [
      RecordImage(
        record: .hero(1),
        content: .sample("a"),
        wire: .sample("other fields"),
        base: [],
        sent: nil
      )
    ]
    try file.add(step, to: run, now: 4)
    #expect(try known(file)[0] == Self.theirs)
    try file.discardPlan(of: run)
    #expect(try sent(file)[0] == Self.theirs)
  }

  @Test func `a record that is planned for the first time has nothing to be kept`() throws {
    let bench = try CheckpointBench()
    let file = try settled(bench)
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.operations = [.hero(4), .hero(1, action: .update, content: "b")]
    step.images = [
      image(.hero(4), sent: Self.mine),
      RecordImage(
        record: .hero(1),
        content: .sample("b"),
        wire: .sample("wire b"),
        base: [],
        sent: nil
      ),
    ]
    try file.add(step, to: run, now: 4)
    #expect(try keptCount(file) == 0)
    #expect(try known(file)[0] == Self.theirs)
  }

  @Test(arguments: [false, true])
  func `what is adopted is known at once, and stays so without the plan`(
    isCompleted: Bool
  ) throws {
    let bench = try CheckpointBench()
    let file = try settled(bench)
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.adoptions = [
      PlanStep.Adoption(
        record: .hero(1),
        serverID: "s1",
        version: "2",
        content: .sample("a"),
        wire: .sample("wire a")
      )
    ]
    if isCompleted { step.operations = [.hero(1, action: .complete)] }
    step.images = [image(.hero(1), sent: Self.mine)]
    try file.add(step, to: run, now: 4)
    #expect(try known(file)[0] == Self.mine)
    try file.discardPlan(of: run)
    #expect(try known(file)[0] == Self.mine)
  }

  @Test func `what was taken back is known as it was before, and the rest as it is`() throws {
    let bench = try CheckpointBench()
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
    // What is to be taken back is told by what was sent.
    #expect(try sent(file) == [Self.mine, Self.mine, Self.mine])
    try file.setStage(.finished, of: undo, now: 11)
    #expect(try known(file) == [Self.theirs, Self.mine, Self.mine])
  }

  @Test func `what a run made is known by its line until it is completed`() throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun([.hero(1), .hero(1, phase: 1, action: .complete)])
    var step = PlanStep()
    step.images = [
      RecordImage(
        record: .hero(1),
        content: .sample("a"),
        wire: .sample("all of it"),
        base: [],
        sent: nil
      )
    ]
    try file.add(step, to: run, now: 1)
    func known() throws -> Digest? {
      try file.image(of: .hero(1), wire: .sample("wire a"), content: .sample("a"))?.wire
    }
    #expect(try known() == nil)
    try file.commit([.confirm(1, "s1")], now: 2)
    #expect(try known() == .sample("all of it"))
    try file.commit([.confirm(2, "s1")], now: 3)
    #expect(try known() == nil)
  }

  // MARK: - What was left of a record that nobody knew

  /// A run that leaves the destination's state of a hero whom no run knows.
  private func conceding(_ file: CheckpointFile) throws -> RunRecord {
    let run = try file.beginSampleRun()
    var adoption = PlanStep.Adoption(
      record: .hero(1),
      serverID: "s1",
      version: "2",
      content: .sample("a"),
      wire: .sample("wire a")
    )
    adoption.isConcession = true
    var step = PlanStep()
    step.adoptions = [adoption]
    step.images = [image(.hero(1), sent: Self.theirs)]
    step.findings = [
      Finding(
        code: "plan.yielded",
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

  @Test func `the place of a record that nobody knew stays when its run is given up`() throws {
    let bench = try CheckpointBench()
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    #expect(try file.known(.hero(1))?.serverID == "s1")
    #expect(try known(file)[0] == Self.theirs)
  }

  @Test func `what was left of it is told by the run after it, and by none after that`() throws {
    let bench = try CheckpointBench()
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    let told = try file.beginRun("run-2", [])
    #expect(try file.findings(of: told, limit: 9).map(\.code) == ["plan.yielded"])
    try file.setStage(.finished, of: told, now: 4)
    let later = try file.beginRun("run-3", [])
    #expect(try file.findings(of: later, limit: 9).isEmpty)
  }

  @Test func `of what an earlier run found, only what it left of such a record is told again`()
    throws
  {
    let bench = try CheckpointBench()
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
          code: "plan.yielded",
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
    let told = try file.beginRun("run-2", [])
    #expect(try file.findings(of: told, limit: 9).map(\.cause) == ["it was changed"])
  }

  @Test func `a rollback does not stand for the upload that tells what was left`() throws {
    let bench = try CheckpointBench()
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    try file.setStage(
      .finished,
      of: try file.beginRun("undo", kind: .rollback, []),
      now: 4
    )
    let told = try file.beginRun("run-2", [])
    #expect(try file.findings(of: told, limit: 9).map(\.code) == ["plan.yielded"])
  }

  @Test func `what was left of it is told once more after a plan that was dropped`() throws {
    let bench = try CheckpointBench()
    let file = try bench.open()
    try file.abandon(try conceding(file), now: 3)
    try file.discardPlan(of: try file.beginRun("run-2", []))
    let told = try file.beginRun("run-3", [])
    #expect(try file.findings(of: told, limit: 9).map(\.code) == ["plan.yielded"])
    #expect(try file.known(.hero(1))?.serverID == "s1")
  }

  @Test func `a repair that closes a run leaves what was known before it`() throws {
    let bench = try CheckpointBench()
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
      Issue.record("it was not mended")
      return
    }
    #expect(try sent(try bench.open()) == [Self.theirs, Self.theirs, Self.theirs])
  }

  @Test(arguments: ["content", "wire"])
  func `an image that is kept with a torn digest is not sound`(column: String) throws {
    let bench = try CheckpointBench()
    do { _ = try planned(try settled(bench)) }
    try CheckpointBench.edit(
      bench.path,
      ["UPDATE image_kept SET \(column) = x'00' WHERE key = 'h1'"]
    )
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.faults().map(\.code) == ["checkpoint.torn-digest"])
  }
}
