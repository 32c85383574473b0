import Checkpoint
import Execution
import Records
import Testing
import UploadPlanning

/// What a rollback, a verification and a report ask a checkpoint.
struct CheckpointQuestionTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  @Test func `a rejected record is listed with its reason and its cure`() throws {
    let (file, run) = try bench.openWithRun((1...5).map { .hero($0) })
    _ = try file.beginRun("run-2", [.hero(6)])
    try file.commit(
      [
        .reject(1, code: "too-long", reason: "too long"), .conflict(2, reason: "newer"),
        .absent(3, key: nil), .begin(3), .lose(3, reason: "cut"), .confirm(4, "s4"),
        .reject(6, code: "c", reason: "r"),
      ],
      now: 1
    )
    let refusals = try file.refusals(of: run, limit: 9)
    #expect(refusals.map(\.code) == ["too-long", "upload.conflict", "upload.unknown"])
    #expect(refusals.map(\.cause) == ["too long", "newer", "cut"])
    #expect(refusals.map(\.record) == ["h1", "h2", "h3"])
    #expect(refusals.map { $0.cure.hasPrefix("correct the record") } == [true, false, false])
    #expect(refusals[1].cure.contains("--on-conflict local"))
    #expect(refusals[2].cure.contains("the same command again"))
    #expect(!refusals[2].cure.contains("--on-conflict"))
    #expect(try file.refusals(of: run, limit: 2).map(\.record) == ["h1", "h2"])
  }

  @Test func `the cure of a refused deletion does not speak of the record in the app`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, action: .delete, serverID: "s1")])
    try file.commit([.reject(1, code: "c", reason: "quota exceeded")], now: 1)
    let cure = try #require(try file.refusals(of: run, limit: 1).first?.cure)
    #expect(cure.hasPrefix("see first why the destination does not delete it"))
  }

  @Test func `a record that was made and not found counts as that until it is sent after all`()
    throws
  {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit(
      [.reject(1, code: ItemOutcome.unnamed, reason: "none"), .reject(2, code: "c", reason: "r")],
      now: 1
    )
    #expect(try file.isUnnamed(.hero(1)))
    #expect(try !file.isUnnamed(.hero(2)))
    try file.setStage(.finished, of: run, now: 2)
    _ = try file.beginRun("run-2", [.hero(1)])
    try file.commit([.confirm(3, "s1")], now: 3)
    #expect(try !file.isUnnamed(.hero(1)))
  }

  @Test func `the cure of a conflict names no policy that cannot settle it`() throws {
    let file = try bench.open()
    let run = try file.beginRun(
      id: "run-1",
      kind: .upload,
      package: "digest",
      packagePath: "/p/heroes.ferry",
      undoes: nil,
      profile: .sample,
      choice: "delete\non-conflict local",
      now: 1
    )
    var step = PlanStep()
    step.operations = [.hero(1, action: .update), .hero(2, action: .delete)]
    try file.add(step, to: run, now: 1)
    try file.commit(
      [.conflict(1, reason: "newer"), .conflict(2, reason: CheckpointFile.dependents)],
      now: 1
    )
    let cures = try file.refusals(of: run, limit: 9).map(\.cure)
    #expect(cures.count == 2 && cures.allSatisfy { !$0.contains("--on-conflict") }, "\(cures)")
    #expect(cures.first?.hasPrefix("run the same command again") == true)
    #expect(cures.last?.hasPrefix("delete these records in the app") == true)
  }

  @Test func `findings and refusals are counted by their rules`() throws {
    let (file, run) = try bench.openWithRun((1...5).map { .hero($0) })
    let hero = EntityName("Hero")
    let note = Finding(code: "a", severity: .note, entity: hero, cause: "c", cure: "d")
    try file.add(
      [note, note, Finding(code: "a", severity: .warning, cause: "c", cure: "d")],
      to: run
    )
    try file.commit(
      [
        .reject(1, code: "too-long", reason: "x"), .reject(2, code: "too-long", reason: "y"),
        .conflict(3, reason: "newer"), .confirm(4, "s4"),
      ],
      now: 1
    )
    let counts = try file.ruleCounts(of: run)
    #expect(
      counts == [
        .init(code: "a", severity: .note, entity: hero): 2,
        .init(code: "a", severity: .warning, entity: nil): 1,
        .init(code: "too-long", severity: .error, entity: hero): 2,
        .init(code: "upload.conflict", severity: .error, entity: hero): 1,
      ]
    )
    #expect(counts.bySeverity == [.note: 2, .warning: 1, .error: 3])
  }

  @Test func `a run of more findings than are listed lists the first of each rule`() throws {
    let (file, run) = try bench.openWithRun((1...1_003).map { .hero($0) })
    let hero = EntityName("Hero")
    func note(_ code: String, _ record: String) -> Finding {
      Finding(code: code, severity: .note, entity: hero, record: record, cause: "c", cure: "d")
    }
    try file.add((1...1_001).map { note("many", "h\($0)") }, to: run)
    try file.add([note("late", "h7"), note("late", "h8")], to: run)
    try file.commit(
      (1...1_001).map { .reject($0, code: "too-long", reason: "x") }
        + [.conflict(1_002, reason: "newer"), .reject(1_003, code: "taken", reason: "y")],
      now: 1
    )
    let summary = try RunSummary(run: run, checkpoint: file)
    #expect(summary.findings.count == 2_003)
    #expect(summary.findings.suffix(3).map(\.code) == ["late", "upload.conflict", "taken"])
    #expect(summary.findings.suffix(3).map(\.record) == ["h7", "h1002", "h1003"])
    #expect(Set(summary.findings.map(\.rule)) == Set(summary.ruleCounts.keys))
    #expect(summary.findingCounts == [.note: 1_003, .error: 1_003])
  }

  @Test func `a record that was not created is not reported as incomplete`() throws {
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(1, action: .complete), .hero(2, action: .complete),
    ])
    try file.commit(
      [
        .reject(1, code: "c", reason: "r"), .confirm(2, "s2"), .conflict(3, reason: "not there"),
        .conflict(4, reason: "newer"),
      ],
      now: 1
    )
    let refusals = try file.refusals(of: run, limit: 9)
    #expect(refusals.map(\.record) == ["h1", "h2"])
    #expect(refusals.map(\.cause) == ["r", "newer"])
  }

  @Test func `a record that a rollback found changed stays, and is reported`() throws {
    let file = try bench.open()
    let run = try file.beginRun("undo", kind: .rollback, [.hero(1, action: .uncreate)])
    try file.commit([.conflict(1, reason: "another device changed it")], now: 1)
    let refusal = try #require(try file.refusals(of: run, limit: 9).first)
    #expect(refusal.cure.hasPrefix("it stays there as it is"))
    #expect(refusal.code == "upload.conflict")
  }

  @Test func `a rollback that was not carried out leaves the record's sync state`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2")], now: 1)
    try file.setStage(.finished, of: run, now: 2)
    let before = try #require(try file.known(.hero(1)))
    let undo = try file.beginRun(
      "undo",
      kind: .rollback,
      [.hero(2, action: .uncreate), .hero(1, action: .uncreate)]
    )
    try file.commit([.confirm(3, "s2"), .confirm(4, "s1")], now: 3)
    #expect(try file.known(.hero(1))?.serverID == nil)
    try file.refute(
      [RefutedUndo(operation: 4, code: "rollback.still-present", reason: "r", version: "v9")],
      now: 4
    )
    let known = try #require(try file.known(.hero(1)))
    #expect(known.serverID == "s1")
    #expect(known.version == before.version)
    #expect(known.content == before.content && known.requestDigest == before.requestDigest)
    #expect(try file.known(.hero(2))?.serverID == nil)
    #expect(try file.isMadeByRun(.hero(1)))
    #expect(try file.hasRejected(undo))
    #expect(try !file.hasRejected(run))
    #expect(try file.refusals(of: undo, limit: 9).map(\.code) == ["rollback.still-present"])
  }

  @Test func `a deleted record keeps its former place until a plan creates it again`()
    throws
  {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2")], now: 1)
    #expect(try file.placeOfDeleted(.hero(1)) == nil)
    _ = try file.beginRun(
      "run-2",
      [.hero(1, action: .delete, serverID: "s1"), .hero(2, action: .delete, serverID: "s2")]
    )
    #expect(try file.placeOfDeleted(.hero(1)) == nil, "it is only planned")
    try file.commit([.confirm(3, "s1"), .conflict(4, reason: "newer")], now: 3)
    #expect(try file.placeOfDeleted(.hero(1)) == "s1")
    #expect(try file.placeOfDeleted(.hero(2)) == nil)
    #expect(try file.placeOfDeleted(.hero(3)) == nil)
    // The run that created it is rolled back; what names it was left by that run and is still compared.
    _ = try file.beginRun(
      "undo",
      kind: .rollback,
      [.hero(1, action: .uncreate, serverID: "s1", undoes: 1)]
    )
    #expect(try file.placeOfDeleted(.hero(1)) == "s1")
    _ = try file.beginRun("run-3", [.hero(1)])
    #expect(try file.placeOfDeleted(.hero(1)) == nil)
  }

  @Test func `a record that a rollback removed has the place where it was`() throws {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2)])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2")], now: 1)
    _ = try file.beginRun(
      "undo",
      kind: .rollback,
      [
        .hero(1, action: .uncreate, serverID: "s1", undoes: 1),
        .hero(2, action: .uncreate, serverID: "s2", undoes: 2),
      ]
    )
    #expect(try file.placeOfRemoved(.hero(1)) == nil, "it is only planned")
    try file.commit([.confirm(3, "s1"), .conflict(4, reason: "newer")], now: 2)
    #expect(try file.placeOfRemoved(.hero(1)) == "s1")
    #expect(try file.placeOfRemoved(.hero(2)) == nil)
  }

  @Test func `records that another device had made before are counted by entity`() throws {
    let (file, run) = try bench.openWithRun([
      .on(.story(1)), .hero(1), .hero(2), .hero(3),
    ])
    let other = try file.beginRun("run-2", [.hero(4)])
    try file.commit(
      [
        .adopt(1, serverID: "t1", version: nil), .adopt(2, serverID: "s1", version: nil),
        .adopt(3, serverID: "s2", version: nil), .confirm(4, "s3"),
      ],
      now: 1
    )
    let found = try file.foundThere(by: run)
    #expect(found.map(\.entity) == ["Hero", "Story"])
    #expect(
      found.map { $0.cause.prefix(22) } == ["another program made 2", "another program made 1"]
    )
    #expect(found.map(\.severity) == [.note, .note])
    #expect(try file.foundThere(by: other).isEmpty)
  }

  @Test func `a record that another device had made is marked as theirs, with its place`() throws {
    let (file, run) = try bench.openWithRun([.hero(1, content: "x"), .hero(2)])
    try file.commit([.begin(1), .lose(1, reason: "cut")], now: 1)
    try file.commit([.adopt(1, serverID: "s1", version: "7")], now: 3)
    let known = try #require(try file.known(.hero(1)))
    #expect(known.serverID == "s1" && known.version == "7" && known.generation == 0)
    #expect(known.content == .sample("x") && known.requestDigest == .sample("request x"))
    #expect(try !file.isMadeByRun(.hero(1)))
    let settled = try file.settled(of: run, after: 0, limit: 9)
    #expect(settled.map(\.state) == ["adopted", "planned"])
    #expect(settled[0].serverID == "s1" && settled[0].version == "7")
    #expect(settled[0].settledAt == 3 && settled[0].reason == nil)
    #expect(settled[1].serverID == nil)
    #expect(throws: CheckpointError.self) {
      try file.commit([.adopt(99, serverID: "s", version: nil)], now: 1)
    }
  }

  @Test func `a record belongs to a run while the destination holds the content that the run sent`()
    throws
  {
    let (file, _) = try bench.openWithRun([
      .hero(1), .hero(2, action: .update, serverID: "s2"), .hero(3),
      .hero(3, action: .uncreate, serverID: "s3"), .hero(4, action: .upload),
    ])
    try file.commit(
      [.confirm(1, "s1"), .confirm(2, "s2"), .confirm(3, "s3"), .confirm(4), .confirm(5, "m")],
      now: 1
    )
    #expect(try file.isMadeByRun(.hero(1)))
    #expect(try !file.isMadeByRun(.hero(2)), "it existed before")
    #expect(try !file.isMadeByRun(.hero(3)), "it is gone again")
    #expect(try file.isMadeByRun(.hero(4)))
    #expect(try !file.isMadeByRun(.story(1)))
    #expect(try !file.isMadeByRun(.hero(9)))
  }

  @Test func `a request begun again after a look-up that found no record may create it twice`()
    throws
  {
    let (file, _) = try bench.openWithRun((1...4).map { .hero($0) })
    try file.commit((1...4).map { .begin($0) }, now: 1)
    try file.commit([.absent(1, key: nil), .revoke(2), .absent(3, key: nil)], now: 2)
    #expect(try file.states() == ["planned", "planned", "planned", "begun"])
    try file.commit((1...3).map { .begin($0) }, now: 3)
    try file.commit(
      [.confirm(1, "s1"), .confirm(2, "s2"), .adopt(3, serverID: "s3", version: nil)],
      now: 4
    )
    #expect(try (1...4).map { try file.wasSentAgain($0) } == [true, false, false, false])
    #expect(try !file.wasSentAgain(99))
  }

  @Test func `a record with a server-chosen identity that was sent again may exist twice`() throws {
    let (file, _) = try bench.openWithRun((1...2).map { .hero($0) })
    try file.commit((1...2).map { .begin($0) }, now: 1)
    try file.commit([.absent(1, key: nil)], now: 2)
    try file.commit([.begin(1)], now: 3)
    try file.commit(
      [2, 1].map { .displace($0, serverID: "s\($0)", version: nil, reason: "its own") },
      now: 4
    )
    #expect(try file.displacement(of: "Hero")?.operation == 1)
    #expect(try (1...2).map { try file.wasSentAgain($0) } == [true, false])
  }

  @Test func `a change that was begun again before its answer may arrive twice`() throws {
    let (file, _) = try bench.openWithRun(
      (1...3).map { .hero($0, action: .update, serverID: "s\($0)") }
    )
    try file.commit((1...3).map { .begin($0, before: [1], version: "1") }, now: 1)
    try file.commit([.lose(1, reason: "no answer"), .revoke(2)], now: 2)
    try file.commit((1...2).map { .begin($0, before: [1], version: "1") }, now: 3)
    try file.commit((1...3).map { .confirm($0, "s\($0)") }, now: 4)
    #expect(try (1...3).map { try file.wasSentAgain($0) } == [true, false, false])
  }

  @Test func `records with a remote place are counted`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(3), .hero(3, action: .delete, serverID: "s3"), .on(.story(1)),
    ])
    try file.commit(
      [.confirm(1, "s1"), .confirm(2, "s2"), .confirm(3, "s3"), .confirm(4), .confirm(5, "t1")],
      now: 1
    )
    #expect(try file.recordCount(of: "Hero") == 2)
    #expect(try file.recordCount(of: "Story") == 1)
    #expect(try file.recordCount(of: "Rune") == 0)
    #expect(try file.hasPlaced("Story"))
    #expect(try !file.hasPlaced("Rune"))
  }

  @Test func `a run is asked for its own operation on a record`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    let other = try file.beginRun("run-2", [.hero(2), .on(.story(3))])
    #expect(try file.hasOperation(on: .hero(1), in: run))
    #expect(try !file.hasOperation(on: .hero(1), in: other))
    #expect(try !file.hasOperation(on: .hero(3), in: other))
    #expect(try !file.hasOperation(on: .hero(2), in: run))
  }

  @Test func `read revisions are stored with their own records`() throws {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2), .on(.story(1))])
    try file.commit((1...3).map { .confirm($0, "s\($0)") }, now: 1)
    try file.setVersions([(.hero(1), "8")])
    try file.setVersions([])
    #expect(try file.known(.hero(1))?.version == "8")
    #expect(try file.known(.hero(2))?.version == "1")
    #expect(try file.known(.story(1))?.version == "1")
  }

  @Test func `records of an entity are listed by key, a page at a time`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(3), .hero(1, action: .update, serverID: "s1"), .hero(2), .on(.story(1)),
    ])
    try file.commit((1...4).map { .confirm($0, "s\($0)") }, now: 60)
    let first = try file.records(of: "Hero", after: "", limit: 2)
    #expect(first.map(\.record) == [.hero(1), .hero(2)])
    #expect(first.map(\.isCreated) == [false, true])
    #expect(first.map(\.serverID) == ["s2", "s3"])
    #expect(first.map(\.syncedAt) == [60, 60])
    #expect(try file.records(of: "Hero", after: "h2", limit: 2).map(\.record) == [.hero(3)])
  }

  @Test func `a run's operations are rolled back newest first, a page at a time`() throws {
    let (file, run) = try bench.openWithRun((1...5).map { .hero($0, content: "c\($0)") })
    _ = try file.beginRun("run-2", [.hero(6)])
    try file.commit(
      [.confirm(1, "s1"), .confirm(2, "s2"), .begin(3), .confirm(4, "s4"), .confirm(6, "s6")],
      now: 1
    )
    let all = try file.confirmed(of: run, before: .max, limit: 9)
    #expect(all.map(\.operation.number) == [4, 2, 1])
    #expect(all.map(\.requestDigest) == ["c4", "c2", "c1"].map { .sample("request " + $0) })
    #expect(try file.confirmed(of: run, before: 4, limit: 1).map(\.operation.number) == [2])
  }

  @Test func `an operation is found by its number`() throws {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2)])
    #expect(try file.key(ofOperation: 2) == "key-2")
    #expect(try file.key(ofOperation: 3) == nil)
  }

  @Test func `a record's last sent fields are those of its last confirmed operation`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1, content: "a"), .hero(1, content: "b"), .hero(1, content: "c"),
      .hero(2, content: "d"), .on(.story(1), content: "e"), .hero(1, content: "f"),
    ])
    try file.commit([1, 2, 4, 5, 6].map { .confirm($0, "s\($0)") }, now: 1)
    #expect(try file.requestDigest(of: .hero(1), before: 6) == .sample("request b"))
    #expect(try file.requestDigest(of: .hero(1), before: 2) == .sample("request a"))
    #expect(try file.requestDigest(of: .hero(1), before: 1) == nil)
    #expect(try file.requestDigest(of: .hero(3), before: 9) == nil)
  }

  @Test func `a run is asked whether it made a record that it also changed`() throws {
    let (file, _) = try bench.openWithRun([
      .hero(1), .hero(1, action: .complete), .hero(2), .hero(2, action: .complete),
      .on(.story(3)), .hero(3, action: .complete), .hero(4),
    ])
    _ = try file.beginRun("run-2", [.hero(1, action: .update), .hero(4, action: .update)])
    try file.commit([1, 2, 4, 5, 6, 7, 8, 9].map { .confirm($0, "s\($0)") }, now: 1)
    #expect(try file.isCreated(.hero(1), inRunOf: 2))
    #expect(try !file.isCreated(.hero(2), inRunOf: 4), "not confirmed")
    #expect(try !file.isCreated(.hero(3), inRunOf: 6), "another entity's")
    #expect(try !file.isCreated(.hero(1), inRunOf: 8), "an earlier run")
    #expect(try !file.isCreated(.hero(9), inRunOf: 1))
  }
}
