import Checkpoint
import CheckpointMending
import Files
import GRDB
import Records
import Testing
import UploadPlanning

struct CheckpointViewTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private static let digest = OperationKey.digest(of: Array("content".utf8))

  private func draft(_ key: String, before: [UInt8]? = nil) throws -> OperationDraft {
    OperationDraft(
      phase: 0,
      record: RecordID(entity: EntityName("Hero"), key: key),
      action: .create,
      content: Self.digest,
      requestDigest: Self.digest,
      key: "key-\(key)",
      before: before
    )
  }

  private func view(_ bench: CheckpointBench) throws -> CheckpointView {
    try #require(try CheckpointView(bench.path))
  }

  @Test func `the facts count operations by state and records by entity`() throws {
    let (file, run) = try bench.openWithRun([draft("a"), draft("b"), draft("c")])
    try file.write { database in
      try database.execute(sql: "UPDATE operation SET state = 'confirmed' WHERE key <> 'c'")
    }
    let facts = try view(bench).facts()
    #expect(facts.runs.map(\.run.id) == [run.id])
    #expect(facts.runs[0].operations == [.confirmed: 2, .planned: 1])
    #expect(facts.runs[0].settledCount == 2)
  }

  @Test func `a sound checkpoint has no fault`() throws {
    let (file, _) = try bench.openWithRun([draft("a")])
    #expect(try view(bench).faults() == [])
    withExtendedLifetime(file) {}
  }

  @Test(arguments: [
    ("checkpoint.unknown-state", "UPDATE operation SET state = 'lost'"),
    ("checkpoint.unknown-stage", "UPDATE run SET stage = 'resting'"),
    ("checkpoint.orphaned-operation", "UPDATE operation SET run = 99"),
    ("checkpoint.open-operation", "UPDATE run SET stage = 'finished'"),
    (
      "checkpoint.torn-digest",
      """
      INSERT INTO record (entity, key, content, request_digest, origin, generation)
      VALUES ('Hero', 'x', x'00', x'00', 'adopted', 0)
      """
    ),
    (
      "checkpoint.shared-place",
      """
      INSERT INTO record (entity, key, server_id, content, request_digest, origin, generation)
      SELECT 'Hero', value, 's1', zeroblob(32), zeroblob(32), 'adopted', 0
      FROM (SELECT 'x' AS value UNION SELECT 'y')
      """
    ),
    (
      "checkpoint.unfinished-runs",
      """
      INSERT INTO run (id, kind, stage, package, package_path, profile, started_at)
      VALUES ('run-2', 'upload', 'executing', '', '', 'aaaa', 0)
      """
    ),
  ])
  func `a checkpoint that breaks a rule is not sound`(code: String, change: String) throws {
    let (file, _) = try bench.openWithRun([draft("a")])
    try file.write { database in try database.execute(sql: change) }
    #expect(try view(bench).faults().map(\.code) == [code])
  }

  @Test func `an export has every row, and only the size of the earlier content`() throws {
    let (file, _) = try bench.openWithRun([draft("a", before: Array("secret".utf8))])
    var lines: [CheckpointLine] = []
    try view(bench).forEachLine { lines.append($0) }
    #expect(lines.filter { $0.table == "meta" }.count == 6)
    #expect(lines.filter { $0.table == "profile" }.count == 1)
    #expect(lines.filter { $0.table == "run" }.count == 1)
    let operation = try #require(lines.first { $0.table == "operation" })
    #expect(operation.columns.first { $0.name == "before" }?.value == .withheld(byteCount: 6))
    #expect(operation.columns.count == 23)
    withExtendedLifetime(file) {}
  }

  @Test(arguments: [2, 3, 4])
  func `each record is written back once, regardless of the page size`(limit: Int) throws {
    let (file, run) = try bench.openWithRun(["c", "e", "f", "g"].map { try draft($0) })
    try file.write { database in
      try database.execute(sql: "UPDATE operation SET state = 'rejected', reason = 'no'")
      // c existed and was rolled back before, and f is there: what the run was refused counts.
      for (key, place) in [("a", "1"), ("b", "2"), ("c", nil), ("d", "4"), ("f", "6")] {
        try database.execute(
          sql: """
            INSERT INTO record (entity, key, server_id, content, request_digest, origin, generation)
            VALUES ('Hero', ?, ?, zeroblob(32), zeroblob(32), 'created', 1)
            """,
          arguments: [key, place]
        )
      }
    }
    let view = try view(bench)
    let whole = try view.writeBack(of: run, after: nil)
    #expect(whole.map(\.record.key) == ["a", "b", "c", "d", "e", "f", "g"])
    var entries: [WriteBackEntry] = []
    while true {
      let page = try view.writeBack(of: run, after: entries.last, limit: limit)
      if page.isEmpty { break }
      #expect(page.count <= limit)
      entries += page
    }
    #expect(Set(entries) == Set(whole))
    #expect(entries.map(\.record) == whole.map(\.record))
    withExtendedLifetime(file) {}
  }

  // MARK: - What is handed back

  @Test func `the write-back file lists the outcome of each record, and each rejection of the run`()
    throws
  {
    let (file, run) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(2, action: .delete), .hero(3), .hero(3, action: .uncreate),
      .hero(4), .hero(5), .hero(6, action: .update), .hero(7),
      .on(RecordID(entity: "media:Hero.image", key: "m"), action: .upload),
      .on(RecordID(entity: "media:Hero.image", key: "n")),
    ])
    _ = try file.beginRun("run-2", [.hero(8), .hero(3, action: .delete)])
    try file.commit(
      [
        .confirm(1, "s1"), .confirm(2, "s2"), .confirm(3), .confirm(4, "s4"), .confirm(5),
        .reject(6, code: "c", reason: "too long"), .conflict(7, reason: "newer"),
        .reject(8, code: "c", reason: "an update"), .lose(9, reason: "cut"), .confirm(10, "m1"),
        .reject(11, code: "c", reason: "a file"), .reject(12, code: "c", reason: "another run's"),
      ],
      now: 6
    )
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(
      entries.map { "\($0.record.key) \($0.status) \($0.serverID ?? "-") \($0.reason ?? "-")" } == [
        "h1 synced s1 -", "h2 deleted - -", "h3 withdrawn - -", "h4 failed - too long",
        "h5 conflicted - newer", "h7 failed - cut",
      ]
    )
    #expect(entries.map(\.syncedAt) == [6, 6, 6, nil, nil, nil])
    #expect(entries[0].version == "1")
    withExtendedLifetime(file) {}
  }

  @Test func `a record whose change did not arrive is reported as present and not synced`() throws {
    let (file, first) = try bench.openWithRun((1...6).map { .hero($0) })
    try file.commit((1...6).map { .confirm($0, "s\($0)") }, now: 1)
    let run = try file.beginRun(
      "run-2",
      (1...4).map { .hero($0, action: .update, serverID: "s\($0)") }
    )
    try file.commit(
      [.confirm(7), .reject(8, code: "c", reason: "too long"), .conflict(9, reason: "newer")],
      now: 2
    )
    try file.add(
      [
        Finding(
          code: "plan.conflict",
          severity: .error,
          entity: "Hero",
          record: "h5",
          cause: "both changed it",
          cure: "b"
        )
      ],
      to: run
    )
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(
      entries.map { "\($0.record.key) \($0.status) \($0.serverID ?? "-") \($0.reason ?? "-")" } == [
        "h1 synced s1 -", "h2 failed s2 too long", "h3 conflicted s3 newer",
        "h4 failed s4 its last change was not carried out yet",
        "h5 conflicted s5 both changed it", "h6 synced s6 -",
      ]
    )
    let statuses = try view(bench).writeBack(of: first, after: nil, limit: 2).map(\.status)
    #expect(statuses == [.synced, .failed])
  }

  /// What the destination has of a hero of which a run knows the content `zero`.
  private func content(
    _ number: Int,
    _ status: RemoteContent.Status,
    of digest: Digest?
  ) -> RemoteContent {
    RemoteContent(
      record: .hero(number),
      status: status,
      serverID: "s\(number)",
      version: "7",
      content: digest,
      values: Array(#"{"attributes":{},"unmapped":[]}"#.utf8),
      reason: status == .conflicted ? "both changed it" : nil
    )
  }

  /// Sends three heroes and notes what the destination has of each later; gives the last run.
  private func noted(
    _ contents: (Digest) -> [RemoteContent]
  ) throws -> (file: CheckpointFile, run: RunRecord) {
    let (file, _) = try bench.openWithRun((1...3).map { .hero($0) })
    try file.commit((1...3).map { .confirm($0, "s\($0)") }, now: 1)
    let digest = try #require(try file.known(.hero(1))).content
    let run = try file.beginRun("run-2", [])
    var step = PlanStep()
    step.contents = contents(digest)
    try file.add(step, to: run, now: 2)
    return (file, run)
  }

  @Test func `content that the destination alone has is replaced or restored by the app`() throws {
    let (file, run) = try noted { _ in [] }
    let digests = try (1...3).map { try #require(try file.known(.hero($0))).content }
    var step = PlanStep()
    step.contents = [
      content(1, .replace, of: digests[0]), content(2, .restore, of: digests[1]),
      content(3, .conflicted, of: digests[2]),
    ]
    try file.add(step, to: run, now: 2)
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(entries.map(\.status) == [.replace, .restore, .conflicted])
    #expect(entries.map(\.version) == ["7", "7", "7"])
    #expect(entries.allSatisfy { $0.values != nil })
    withExtendedLifetime(file) {}
  }

  @Test func `content of another client has the revision of the change that was sent beside it`()
    throws
  {
    let (file, _) = try noted { _ in [] }
    let run = try file.beginRun(
      "run-3",
      [.hero(1, action: .update, content: "b", serverID: "s1")]
    )
    var step = PlanStep()
    step.contents = [content(1, .replace, of: .sample("b"))]
    try file.add(step, to: run, now: 3)
    try file.commit([.confirm(4, serverID: "s1", version: "8")], now: 4)
    let entry = try #require(try view(bench).writeBack(of: run, after: nil).first)
    #expect(entry.status == .replace)
    #expect(entry.version == "8")
    withExtendedLifetime(file) {}
  }

  @Test func `content that was noted of another state of the record does not count`() throws {
    let (file, run) = try noted { _ in [content(1, .replace, of: .sample("other"))] }
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(entries.map(\.status) == [.synced, .synced, .synced])
    withExtendedLifetime(file) {}
  }

  @Test func `content that no record is known of has an entry of its own`() throws {
    let (file, run) = try noted { _ in [content(9, .conflicted, of: nil)] }
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(entries.map(\.record.key) == ["h1", "h2", "h3", "h9"])
    #expect(entries.last?.serverID == "s9")
    withExtendedLifetime(file) {}
  }

  @Test func `content that a discarded plan noted is forgotten`() throws {
    let (file, run) = try noted { [content(1, .replace, of: $0)] }
    try file.discardPlan(of: run)
    #expect(try !file.hasRemoteContent(of: "Hero"))
  }

  @Test func `a record that was refused before anything was planned is failed, with its reason`()
    throws
  {
    let (file, run) = try noted { _ in [] }
    let finding = Finding(
      code: "request.too-long",
      severity: .error,
      entity: "Hero",
      record: "h8",
      cause: "its name is too long",
      cure: "shorten it"
    )
    try file.add([finding], to: run)
    let last = try #require(try view(bench).writeBack(of: run, after: nil).last)
    #expect(last.record == .hero(8) && last.status == .failed)
    #expect(last.reason == "its name is too long")
    withExtendedLifetime(file) {}
  }

  @Test func `a record that a run left out is skipped, with the reason`() throws {
    let (file, run) = try noted { _ in [] }
    var step = PlanStep()
    step.leftRecords = [
      LeftRecord(.hero(1), reason: "asked"), LeftRecord(.hero(9), reason: "another's"),
      LeftRecord(every: "Villain", reason: "the server's own", count: 7),
    ]
    try file.add(step, to: run, now: 2)
    let view = try view(bench)
    let entries = try view.writeBack(of: run, after: nil)
    #expect(entries.map(\.record.key) == ["h1", "h2", "h3", "h9"])
    #expect(entries.map(\.status) == [.skipped, .synced, .synced, .skipped])
    #expect(entries.map(\.reason) == ["asked", nil, nil, "another's"])
    #expect(entries.map { $0.serverID == nil } == [false, false, false, true])
    #expect(
      try view.recordsWithoutEntry(of: run) == [
        LeftRecord(every: "Villain", reason: "the server's own", count: 7)
      ]
    )
    withExtendedLifetime(file) {}
  }

  @Test func `a conflict about a record that no run sent has an entry`() throws {
    let (file, run) = try noted { _ in [] }
    let finding = Finding(
      code: "plan.conflict",
      severity: .error,
      entity: "Hero",
      record: "h8",
      cause: "it was deleted at the destination",
      cure: "decide"
    )
    try file.add([finding], to: run)
    let last = try #require(try view(bench).writeBack(of: run, after: nil).last)
    #expect(last.record == .hero(8) && last.status == .conflicted)
    #expect(last.reason == "it was deleted at the destination" && last.serverID == nil)
    withExtendedLifetime(file) {}
  }

  /// Heroes that were sent, and what a verification of the run that is being carried out found of the second.
  private func verified() throws -> (file: CheckpointFile, run: RunRecord) {
    let (file, run) = try noted { _ in [] }
    try file.setStage(.executing, of: run, now: 2)
    try file.addDiffering([DifferingRecord(.hero(2), reason: "it is gone")])
    return (file, run)
  }

  private func statuses(_ run: RunRecord) throws -> [WriteBackEntry.Status] {
    try view(bench).writeBack(of: run, after: nil).map(\.status)
  }

  @Test func `what a verification found is no agreement, until another upload is carried out`()
    throws
  {
    let (file, run) = try verified()
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(entries.map(\.status) == [.synced, .conflicted, .synced])
    #expect(entries.map(\.reason) == [nil, "it is gone", nil])
    let next = try file.beginRun("run-3", [])
    #expect(try statuses(run)[1] == .conflicted, "a plan looks at nothing for the app")
    try file.setStage(.executing, of: next, now: 3)
    #expect(try statuses(run)[1] == .synced)
    try file.discardPlan(of: next)
    let again = try file.beginRun("run-4", [])
    #expect(again.number > next.number)
    try file.setStage(.executing, of: again, now: 4)
    #expect(try statuses(again)[1] == .synced)
  }

  @Test func `what a verification found whose own plan was dropped is not said of a later run`()
    throws
  {
    let (file, plan) = try bench.openWithRun()
    try file.addDiffering([DifferingRecord(.hero(1), reason: "it is gone")])
    try file.discardPlan(of: plan)
    let run = try file.beginRun("run-2", [.hero(1)])
    #expect(run.number > plan.number)
    try file.setStage(.executing, of: run, now: 1)
    let number = try #require(
      try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.number
    )
    try file.commit([.confirm(number, "s1")], now: 2)
    #expect(try statuses(run) == [.synced])
  }

  @Test func `what was found after a run that is dropped is still said`() throws {
    let (file, run) = try verified()
    let next = try file.beginRun("run-3", [])
    try file.setStage(.executing, of: next, now: 3)
    try file.addDiffering([DifferingRecord(.hero(3), reason: "it differs")])
    try file.discardPlan(of: next)
    #expect(try statuses(run) == [.synced, .conflicted, .conflicted])
  }

  @Test
  func `what a verification found is not said of a record that a rollback has restored since`()
    throws
  {
    let (file, run) = try verified()
    let rollback = try file.beginRun(
      "run-3",
      kind: .rollback,
      undoes: "run-2",
      [.hero(2, action: .update, serverID: "s2")]
    )
    try file.setStage(.executing, of: rollback, now: 3)
    let number = try #require(
      try file.operations(of: rollback, phase: 0, after: 0, limit: 1).first?.number
    )
    try file.commit([.confirm(number)], now: 4)
    #expect(try statuses(run)[1] == .synced)
    try file.addDiffering([DifferingRecord(.hero(2), reason: "it is gone")])
    #expect(try statuses(run)[1] == .conflicted, "a verification after the rollback counts")
  }

  @Test func `a deleted record that a verification saw is in conflict`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(1, action: .delete)])
    try file.setStage(.executing, of: run, now: 1)
    try file.commit([.confirm(1, "s1"), .confirm(2)], now: 2)
    var step = PlanStep()
    step.contents = [content(9, .deleted, of: nil)]
    try file.add(step, to: run, now: 2)
    #expect(try statuses(run) == [.deleted, .deleted])
    try file.addDiffering([
      DifferingRecord(.hero(1), reason: "it is still there"),
      DifferingRecord(.hero(9), reason: "it is there too"),
    ])
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(entries.map(\.status) == [.conflicted, .conflicted])
    #expect(entries.map(\.reason) == ["it is still there", "it is there too"])
    withExtendedLifetime(file) {}
  }

  @Test func `a later verification takes the place of an earlier one once it is through an entity`()
    throws
  {
    let (file, run) = try verified()
    let mark = try file.lastDiffering()
    try file.addDiffering([DifferingRecord(.hero(1), reason: "it differs")])
    try file.forgetDiffering(of: "Villain", upTo: mark)
    #expect(try statuses(run) == [.conflicted, .conflicted, .synced])
    try file.forgetDiffering(of: "Hero", upTo: mark)
    #expect(try statuses(run) == [.conflicted, .synced, .synced])
  }

  @Test func `a record that a run refuses and leaves out, or was to make, has one entry`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2), .hero(3)])
    try file.commit([.reject(1, code: "c", reason: "too long"), .begin(2)], now: 1)
    var step = PlanStep()
    step.leftRecords = (1...5).map { LeftRecord(.hero($0), reason: "asked") }
    step.findings = [
      Finding(
        code: "record.quarantined",
        severity: .error,
        entity: "Hero",
        record: "h4",
        cause: "it is not valid",
        cure: "repair it"
      )
    ]
    try file.add(step, to: run, now: 2)
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(
      entries.map { "\($0.record.key) \($0.status) \($0.reason ?? "-")" } == [
        "h1 failed too long", "h2 failed it was not carried out yet",
        "h3 failed it was not carried out yet", "h4 failed it is not valid", "h5 skipped asked",
      ]
    )
    withExtendedLifetime(file) {}
  }

  @Test func `a record of earlier runs that this run refuses is failed`() throws {
    let (file, run) = try noted { _ in [] }
    let finding = Finding(
      code: "record.quarantined",
      severity: .error,
      entity: "Hero",
      record: "h2",
      cause: "it is not valid and is quarantined",
      cure: "repair it"
    )
    try file.add([finding], to: run)
    let entries = try view(bench).writeBack(of: run, after: nil)
    #expect(entries.map(\.status) == [.synced, .failed, .synced])
    #expect(entries[1].reason == "it is not valid and is quarantined")
    #expect(entries[1].serverID != nil)
    withExtendedLifetime(file) {}
  }

  @Test func `a queued row is carried once the change of its record is confirmed`() throws {
    let (file, run) = try bench.openWithRun([.hero(1), .hero(2)])
    var step = PlanStep()
    step.queuedRows = (1...2).map { number in
      QueuedRow(
        row: RecordID(entity: "Queue", key: "q\(number)"),
        outcome: .carried,
        target: .hero(number),
        reason: nil
      )
    }
    try file.add(step, to: run, now: 1)
    try file.commit([.confirm(1, "s1"), .reject(2, code: "c", reason: "too long")], now: 2)
    let operations = try view(bench).writeBackOperations(of: run)
    #expect(operations.map(\.outcome) == [.carried, .notCarried])
    #expect(operations.map(\.reason) == [nil, "too long"])
    withExtendedLifetime(file) {}
  }

  @Test func `a queued row that an earlier run carried stays carried`()
    throws
  {
    let (file, first) = try bench.openWithRun([.hero(1)])
    let row = RecordID(entity: "Queue", key: "q1")
    var step = PlanStep()
    step.queuedRows = [QueuedRow(row: row, outcome: .carried, target: .hero(1), reason: nil)]
    try file.add(step, to: first, now: 1)
    try file.commit([.confirm(1, "s1")], now: 2)
    let run = try file.beginRun("run-2", [.hero(1, action: .update, serverID: "s1")])
    let settled = try #require(try file.settledRow(row, before: run))
    #expect(settled.carriedBy == first.number)
    step.queuedRows = [settled]
    try file.add(step, to: run, now: 3)
    try file.commit([.reject(2, code: "c", reason: "too long")], now: 4)
    #expect(try view(bench).writeBackOperations(of: run).map(\.outcome) == [.carried])
    withExtendedLifetime(file) {}
  }

  // MARK: - What is in it

  @Test func `the facts list which records have a place, and which were rolled back, of each run`()
    throws
  {
    let (file, first) = try bench.openWithRun([
      .hero(1), .hero(2), .hero(2, action: .delete), .on(.story(1)), .hero(5),
    ])
    let second = try file.beginRun("run-2", [.hero(3), .hero(4)])
    try file.add(
      (1...2).map { Finding(code: "c\($0)", severity: .note, cause: "a", cure: "b") },
      to: first
    )
    try file.commit(
      [
        .confirm(1, "s1"), .confirm(2, "s2"), .confirm(3), .confirm(4, "t1"), .begin(5), .begin(6),
        .lose(7, reason: "cut"),
      ],
      now: 1
    )
    let facts = try view(bench).facts()
    #expect(facts.format == CheckpointSchema.format)
    #expect(facts.holdings.map(\.entity) == ["Hero", "Story"])
    #expect(facts.holdings.map(\.atDestination) == [1, 1])
    #expect(facts.holdings.map(\.rolledBack) == [1, 0])
    #expect(facts.runs.map(\.run) == [first, second])
    #expect(
      facts.runs.map(\.operations) == [[.confirmed: 4, .begun: 1], [.begun: 1, .unknown: 1]]
    )
    #expect(facts.runs.map(\.operationCount) == [5, 2])
    #expect(facts.runs.map(\.settledCount) == [4, 0])
    #expect(facts.runs.map(\.findingCount) == [2, 0])
    withExtendedLifetime(file) {}
  }

  @Test func `a checkpoint view shows the account, the runs and the held places`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    _ = try file.beginRun("run-2", [])
    try file.commit([.confirm(1, "s1")], now: 1)
    let view = try view(bench)
    #expect(view.binding == .sample())
    #expect(view.path == bench.path)
    #expect(try view.runs().map(\.id) == [run.id, "run-2"])
    #expect(try view.holds("s1", of: "Hero"))
    #expect(try !view.holds("s1", of: "Story"))
    #expect(try !view.holds("s2", of: "Hero"))
    withExtendedLifetime(file) {}
  }

  @Test func `viewing an idle checkpoint leaves no file beside it`() throws {
    _ = try bench.openWithRun([.hero(1)])
    let before = try Folder.names(in: bench.folder)
    let view = try view(bench)
    #expect(try view.runs().count == 1)
    #expect(try Folder.names(in: bench.folder) == before)
    #expect(!before.contains { $0.hasSuffix("-wal") })
  }

  @Test func `viewing the checkpoint of a killed run changes no byte of it`() throws {
    let killed = bench.folder + "/killed.sqlite"
    let (file, run) = try bench.openWithRun([.hero(1)])
    for ending in ["", "-wal", "-shm"] {
      try WholeFile.copy(bench.path + ending, to: killed + ending, isLasting: false)
    }
    withExtendedLifetime(file) {}
    func left() throws -> [[UInt8]] {
      try ["", "-wal"].map { try InputFile.contents(of: killed + $0) }
    }
    let before = try left()
    #expect(before[1].count > 32)
    #expect(try CheckpointView(killed)?.runs() == [run], "the content of its log is read")
    #expect(try left() == before)
  }

  @Test func `a copy equals the checkpoint, including its checksums`() throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    let copy = bench.folder + "/copy.sqlite"
    try view(bench).copy(to: copy)
    withExtendedLifetime(file) {}
    let copied = try #require(try CheckpointView(copy))
    #expect(try copied.runs() == [run])
    #expect(try copied.faults() == [])
    #expect(try InputFile.contents(of: copy)[20] == 8)
  }

  @Test func `each row of every table is exported in a stable order`() throws {
    let (file, run) = try bench.openWithRun([.hero(2), .hero(1), .on(.story(1))])
    try file.commit([.confirm(1, "s1"), .confirm(2, "s2"), .confirm(3, "t")], now: 1)
    try file.addSeen(["z", "y"], of: "Hero")
    try file.setCursor("m", of: "Hero")
    var step = PlanStep()
    step.tallies = ["Hero": [.unchanged: 1]]
    step.findings = [Finding(code: "c", severity: .note, cause: "a", cure: "b")]
    try file.add(step, to: run, now: 1)
    var lines: [CheckpointLine] = []
    try view(bench).forEachLine { lines.append($0) }
    func values(_ table: String, _ column: String) -> [CheckpointLine.Value?] {
      lines.filter { $0.table == table }.map { line in
        line.columns.first { $0.name == column }?.value
      }
    }
    #expect(values("record", "key") == [.text("h1"), .text("h2"), .text("h1")])
    #expect(values("record", "entity").last == .text("Story"))
    #expect(values("record", "generation") == [.integer(1), .integer(1), .integer(1)])
    #expect(values("operation", "number") == [.integer(1), .integer(2), .integer(3)])
    #expect(values("operation", "before") == [.nothing, .nothing, .nothing])
    #expect(values("operation", "content")[0] == .digest(Array(Digest.sample("a").bytes)))
    #expect(values("seen", "server_id") == [.text("y"), .text("z")])
    #expect(values("mark", "value") == [.text("m")])
    #expect(values("tally", "count") == [.integer(1)])
    #expect(values("finding", "code") == [.text("c")])
    withExtendedLifetime(file) {}
  }
}
