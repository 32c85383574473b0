import Checkpoint
import CheckpointMending
import Files
import GRDB
import Records
import Testing
import UploadPlanning

struct CheckpointRunTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  @Test func `a run is remembered as it was begun`() throws {
    let run = try bench.open().beginSampleRun()
    #expect(run.stage == .planning)
    #expect(try bench.open().runs() == [run])
  }

  @Test func `a checkpoint is bound to the path of the store that was sent last`() throws {
    let file = try bench.open()
    #expect(try file.storePath() == nil)
    try file.setStorePath("/apps/a.sqlite")
    try file.setStorePath("/apps/b.sqlite")
    #expect(try file.storePath() == "/apps/b.sqlite")
  }

  private func flagged(_ flags: [RunFlag]) throws -> (file: CheckpointFile, run: RunRecord) {
    let file = try bench.open()
    let run = try file.beginRun(
      id: "r",
      kind: .upload,
      package: "digest",
      packagePath: "/p/heroes.ferry",
      undoes: nil,
      profile: .sample,
      flags: flags,
      now: 1
    )
    return (file, run)
  }

  private static let flags = [
    RunFlag(name: "credential", value: "email=env:EMAIL"), RunFlag(name: "to", value: "production"),
    RunFlag(name: "credential", value: "password=file:/keys/password"),
  ]

  @Test func `a run remembers its flags in their order`() throws {
    let (_, run) = try flagged(Self.flags)
    #expect(try CheckpointView(bench.path)?.flags(of: run) == Self.flags)
  }

  @Test func `a run that goes on by other flags remembers those`() throws {
    let (file, run) = try flagged(Self.flags)
    try file.setFlags([RunFlag(name: "to", value: "staging")], of: run)
    let remembered = try CheckpointView(bench.path)?.flags(of: run)
    #expect(remembered == [RunFlag(name: "to", value: "staging")])
  }

  @Test func `a saved plan has no flag of a run`() throws {
    let (file, run) = try flagged([RunFlag(name: "credential", value: "token=command:secret-tool")])
    let path = bench.folder + "/heroes.plan"
    try CheckpointBench.savePlan(file, run, to: path)
    #expect(try CheckpointView(path)?.flags(of: run).isEmpty == true)
    #expect(try !InputFile.contents(of: path, limit: 1 << 24).contains("secret-tool".utf8))
  }

  @Test func `a checkpoint is held as long as a run has it open`() throws {
    var file: CheckpointFile? = try bench.open()
    _ = try file?.beginSampleRun()
    let view = try #require(try CheckpointView(bench.path))
    #expect(view.isHeld)
    file = nil
    #expect(!view.isHeld)
  }

  @Test func `a rollback names the run it rolls back`() throws {
    let file = try bench.open()
    let run = try file.beginRun(
      id: "r",
      kind: .rollback,
      package: "",
      packagePath: "",
      undoes: "run-1",
      profile: .sample,
      now: 1
    )
    #expect(try file.runs() == [run])
  }

  @Test func `an identity of a run is used once`() throws {
    let file = try bench.open()
    _ = try file.beginSampleRun()
    #expect(throws: CheckpointError.self) { try file.beginSampleRun() }
  }

  @Test(arguments: [
    (RunRecord.Stage.planning, true), (.executing, true), (.finished, false), (.abandoned, false),
  ])
  func `a run is unfinished until it ended or was given up`(
    stage: RunRecord.Stage,
    isUnfinished: Bool
  ) throws {
    let (file, run) = try bench.openWithRun()
    try file.setStage(stage, of: run, now: 9)
    #expect((try file.unfinishedRun() != nil) == isUnfinished)
    #expect(try file.runs().first?.finishedAt == (isUnfinished ? nil : 9))
  }

  @Test func `discarding a plan removes all its operations`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    var step = PlanStep()
    step.findings = [Finding(code: "c", severity: .note, cause: "a", cure: "b")]
    step.tallies = ["Hero": [.unchanged: 2]]
    try file.add(step, to: run, now: 1)
    try file.discardPlan(of: run)
    #expect(try file.runs().isEmpty)
    #expect(try file.counts(of: run).isEmpty)
    #expect(try file.tallies(of: run).isEmpty)
    #expect(try file.findings(of: run, limit: 9).isEmpty)
  }

  @Test func `abandoning a run drops its planned operations`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2), .hero(3)])
    try file.commit(
      [.begin(1, before: nil, version: nil), .confirm(2, serverID: "s", version: nil)],
      now: 1
    )
    try file.abandon(run, now: 8)
    #expect(try file.settled(of: run, after: 0, limit: 9).map(\.state) == ["begun", "confirmed"])
    #expect(try file.runs().first?.stage == .abandoned)
    #expect(try file.runs().first?.finishedAt == 8)
    #expect(try file.hasUnsettled(run))
  }

  @Test func `a checkpoint gives no second operation the number of a discarded one`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.discardPlan(of: run)
    let next = try file.beginSampleRun()
    var step = PlanStep()
    step.operations = [.hero(1)]
    try file.add(step, to: next, now: 1)
    #expect(try file.operations(of: next, phase: 0, after: 0, limit: 9).map(\.number) == [3])
  }

  @Test func `operations come in their order, a page at a time, of one phase and run`() throws {
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2, phase: 1), .hero(3), .hero(4), .hero(5),
    ])
    try file.commit([.confirm(3, serverID: "s", version: nil)], now: 1)
    let first = try file.operations(of: run, phase: 0, after: 0, limit: 2)
    #expect(first.map(\.number) == [1, 4])
    #expect(try file.operations(of: run, phase: 0, after: 4, limit: 2).map(\.number) == [5])
    #expect(try file.operations(of: run, phase: 1, after: 0, limit: 2).map(\.number) == [2])
    let other = try file.beginSampleRun(id: "run-2")
    #expect(try file.operations(of: other, phase: 0, after: 0, limit: 9).isEmpty)
  }

  @Test func `an operation is read back as it was drafted`() throws {
    let draft = OperationDraft.hero(
      4,
      phase: 2,
      action: .restore,
      serverID: "s",
      version: "1",
      before: [0, 255]
    )
    let (file, run) = try bench.openWithRun([draft])
    let operation = try #require(
      try file.operations(of: run, phase: 2, after: 0, limit: 1).first
    )
    #expect(operation.record == draft.record)
    #expect(operation.action == draft.action)
    #expect(operation.content == draft.content)
    #expect(operation.key == draft.key)
    #expect(operation.serverID == draft.serverID)
    #expect(operation.version == draft.version)
    #expect(operation.before == draft.before)
    #expect(operation.source == draft.source)
    #expect(operation.state == .planned)
  }

  @Test func `only begun operations are listed on request`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2), .hero(3)])
    #expect(try !file.hasUnsettled(run))
    try file.commit(
      [.begin(2, before: nil, version: nil), .lose(3, reason: "cut")],
      now: 1
    )
    let begun = try file.operations(of: run, phase: 0, after: 0, limit: 9, onlyBegun: true)
    #expect(begun.map(\.number) == [2, 3])
    #expect(try file.hasUnsettled(run))
  }

  @Test func `counts go by entity, action and state`() throws {
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(3, action: .delete, serverID: "s"),
    ])
    try file.commit([.confirm(1, serverID: "s1", version: nil)], now: 1)
    let counts = try file.counts(of: run).map { "\($0.action) \($0.state) \($0.count)" }
    #expect(counts == ["create confirmed 1", "create planned 1", "delete planned 1"])
  }

  @Test func `a removal that no request of the run carried out is counted as found done`() throws {
    let removals = (1...3).map { OperationDraft.hero($0, action: .uncreate, serverID: "s\($0)") }
    let (file, run) = try bench.openWithRun(removals)
    let done = (1...3).map { OperationChange.confirm($0, serverID: nil, version: nil) }
    // The second was sent, and the destination answered that it had no such record.
    try file.commit([.begin(1), .begin(2)], now: 1)
    try file.commit([.revoke(2)] + done, now: 2)
    let found = try file.counts(of: run).filter(\.isFoundDone)
    #expect(found.map(\.count) == [2])
    #expect(try file.counts(of: run).map(\.count).reduce(0, +) == 3)
  }

  @Test func `operations are counted while the file is written, as they were before`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, serverID: "s1", version: nil)], now: 1)
    let counts = try file.write { database in
      try database.execute(sql: "UPDATE operation SET state = 'rejected'")
      return try #require(file.countsByOwnConnection(of: run))
    }
    #expect(
      counts.map { "\($0.action) \($0.state) \($0.count)" }
        == ["create confirmed 1", "create planned 1"]
    )
  }

  @Test func `tallies add up over the steps of a plan`() throws {
    let (file, run) = try bench.openWithRun()
    var step = PlanStep()
    step.tallies = ["Hero": [.unchanged: 2, .skipped: 1]]
    try file.add(step, to: run, now: 1)
    step.tallies = ["Hero": [.unchanged: 3]]
    try file.add(step, to: run, now: 1)
    #expect(
      try file.tallies(of: run) == [
        PlanTally(entity: "Hero", bucket: "skipped", count: 1),
        PlanTally(entity: "Hero", bucket: "unchanged", count: 5),
      ]
    )
  }

  @Test func `findings are kept up to the given limit`() throws {
    let (file, run) = try bench.openWithRun()
    let findings = (1...3).map { number in
      Finding(
        code: "code.\(number)",
        severity: .warning,
        entity: "Hero",
        record: "h\(number)",
        cause: "a",
        cure: "b"
      )
    }
    var step = PlanStep()
    step.findings = findings
    try file.add(step, to: run, now: 1)
    #expect(try file.findings(of: run, limit: 2) == Array(findings.prefix(2)))
    #expect(step.weight == 3)
  }

  @Test func `an identity is accounted for if it was seen before or created by a run`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try file.addSeen(["before", "before"], of: "Hero")
    try file.commit([.confirm(1, serverID: "ours", version: nil)], now: 1)
    #expect(try file.isAccountedFor("before", of: "Hero"))
    #expect(try file.isAccountedFor("ours", of: "Hero"))
    #expect(try !file.isAccountedFor("untracked", of: "Hero"))
    #expect(try !file.isAccountedFor("ours", of: "Story"))
    #expect(try file.holds("ours", of: "Hero"))
    #expect(try !file.holds("before", of: "Hero"))
  }

  // 000-72, 001-36, 004-6, 004-31: not a clock of ours, as the app's own lastSyncTime was.
  @Test func `the destination's cursor is the last one set`() throws {
    let file = try bench.open()
    #expect(try file.mark(of: "Hero") == nil)
    try file.setCursor("one", of: "Hero")
    try file.setCursor("two", of: "Hero")
    #expect(try file.mark(of: "Hero") == "two")
    #expect(try file.mark(of: "Story") == nil)
  }

  // MARK: - One run beside another

  /// Two runs with the same operations; of what is done to one, the other must not know.
  private func twoRuns(
    _ bench: CheckpointBench
  ) throws -> (file: CheckpointFile, first: RunRecord, second: RunRecord) {
    let (file, first) = try bench.openWithRun([.hero(1), .hero(2)])
    let second = try file.beginRun("run-2", [.hero(1), .hero(2)])
    for run in [first, second] {
      var step = PlanStep()
      step.findings = [Finding(code: run.id, severity: .note, cause: "a", cure: "b")]
      step.tallies = ["Hero": [.unchanged: 2], "Story": [.skipped: 1]]
      try file.add(step, to: run, now: 1)
      try file.add([RecordChange(record: .hero(1), members: [run.id])], of: run)
    }
    return (file, first, second)
  }

  @Test func `discarding a plan leaves another run's plan`() throws {
    let (file, first, second) = try twoRuns(bench)
    try file.discardPlan(of: first)
    #expect(try file.runs() == [second])
    #expect(try file.settled(of: second, after: 0, limit: 9).map(\.operation) == [3, 4])
    #expect(try file.tallies(of: second).map(\.count) == [2, 1])
    #expect(try file.findings(of: second, limit: 9).map(\.code) == ["run-2"])
    var left: [[String]] = []
    for run in [first, second] { try file.forEachChange(of: run) { left.append($0.members) } }
    #expect(left == [["run-2"]])
    #expect(try CheckpointView(bench.path)?.faults() == [])
  }

  @Test func `the findings of a run are its own`() throws {
    let (file, first, second) = try twoRuns(bench)
    try file.setStage(.executing, of: second, now: 5)
    try file.commit([.begin(3), .confirm(4, "s")], now: 1)
    #expect(try file.runs().map(\.stage) == [.planning, .executing])
    #expect(try file.unfinishedRun()?.id == "run-2")
    #expect(try file.findings(of: first, limit: 9).map(\.code) == ["run-1"])
    #expect(try file.tallies(of: first).map(\.entity) == ["Hero", "Story"])
    #expect(try file.counts(of: first).map(\.state) == ["planned"])
    #expect(try file.counts(of: second).map(\.state) == ["begun", "confirmed"])
    #expect(try !file.hasUnsettled(first) && file.hasUnsettled(second))
    #expect(try file.settled(of: first, after: 1, limit: 9).map(\.operation) == [2])
    #expect(try file.settled(of: second, after: 0, limit: 1).map(\.operation) == [3])
    try file.abandon(second, now: 8)
    #expect(try file.runs().map(\.stage) == [.planning, .abandoned])
    #expect(try file.runs().map(\.finishedAt) == [nil, 8])
    #expect(try file.states() == ["planned", "planned", "begun", "confirmed"])
  }

  @Test func `each run keeps the profile that it began with, and equal ones are kept once`() throws
  {
    let file = try bench.open()
    let changed = StoredProfile(digest: "bbbb", yaml: "app: changed")
    func begin(_ id: String, _ profile: StoredProfile) throws -> RunRecord {
      try file.beginRun(
        id: id,
        kind: .upload,
        package: "",
        packagePath: "",
        undoes: nil,
        profile: profile,
        now: 1
      )
    }
    let runs = [
      try begin("run-1", .sample), try begin("run-2", changed), try begin("run-3", .sample),
    ]
    #expect(try runs.map { try file.profile(of: $0) } == [.sample, changed, .sample])
    #expect(try file.runs().map(\.profile) == ["aaaa", "bbbb", "aaaa"])
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.profile(of: runs[1]) == changed)
    try file.discardPlan(of: runs[1])
    #expect(throws: CheckpointError.self) { try file.profile(of: runs[1]) }
    try file.discardPlan(of: runs[0])
    #expect(try file.profile(of: runs[2]) == .sample)
  }

  @Test func `a person's choice is kept with the run`() throws {
    let file = try bench.open()
    func begin(_ id: String, _ choice: String) throws -> RunRecord {
      try file.beginRun(
        id: id,
        kind: .upload,
        package: "",
        packagePath: "",
        undoes: nil,
        profile: .sample,
        choice: choice,
        now: 1
      )
    }
    let first = try begin("run-1", "only Hero")
    let second = try begin("run-2", "")
    let third = try begin("run-3", "only Story")
    #expect(try file.choice(of: first) == "only Hero")
    #expect(try file.choice(of: second).isEmpty)
    #expect(try file.choice(of: third) == "only Story")
    try file.discardPlan(of: first)
    #expect(try file.choice(of: first).isEmpty)
    #expect(try file.choice(of: third) == "only Story")
    #expect(
      try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM choice") } == 1,
      "nothing is written for nothing"
    )
  }

  @Test func `a file whose parts may have been uploaded is in doubt, and no other file`() throws {
    let (file, run) = try bench.openWithRun([
      .hero(1, action: .upload), .hero(2, action: .upload), .hero(3), .hero(4, action: .upload),
    ])
    _ = try file.beginRun("run-2", [.hero(5, action: .upload)])
    try file.commit([1, 3, 4, 5].map { .begin($0) }, now: 1)
    try file.commit([.revoke(1), .revoke(3), .confirm(4, "s"), .revoke(5)], now: 2)
    try file.doubtFiles(of: run)
    #expect(try file.states() == ["unknown", "planned", "planned", "confirmed", "planned"])
  }

  @Test func `an operation that did not arrive is unknown only while planned`() throws {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2), .hero(3)])
    try file.commit([.confirm(2, "s")], now: 1)
    try file.doubt(1)
    try file.doubt(2)
    #expect(try file.states() == ["unknown", "confirmed", "planned"])
  }

  @Test func `a run lists its open operations by kind and phase`() throws {
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2, phase: 1, action: .update), .hero(3, action: .delete),
    ])
    let other = try file.beginRun("run-2", [.hero(4, action: .upload)])
    try file.commit([.confirm(3)], now: 1)
    #expect(try file.hasUnsettled(.create, of: run, phase: 0))
    #expect(try !file.hasUnsettled(.create, of: run, phase: 1))
    #expect(try !file.hasUnsettled(.update, of: run, phase: 0))
    #expect(try !file.hasUnsettled(.delete, of: run, phase: 0), "it is settled")
    #expect(try !file.hasUnsettled(.create, of: other, phase: 0))
    #expect(try !file.hasUnsettled(.upload, of: run, phase: 0))
    try file.commit([.lose(1, reason: "cut")], now: 2)
    #expect(try file.hasUnsettled(.create, of: run, phase: 0))
  }
}
