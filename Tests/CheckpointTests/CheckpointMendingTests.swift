import CheckedDatabases
import Checkpoint
import CheckpointMending
import Files
import class Foundation.FileManager
import GRDB
import Records
import Testing
import UploadPlanning

/// Damage inside a checkpoint that SQLite can read: what is mended, and what only a guess could mend.
struct CheckpointMendingTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  /// A finished run: h1 to h3 are confirmed, h4 was refused.
  private func filled(_ bench: CheckpointBench) throws {
    let (file, run) = try bench.openWithRun((1...4).map { .hero($0, content: "c\($0)") })
    try file.commit(
      [
        .confirm(1, "s1"), .confirm(2, "s2"), .confirm(3, "s3"),
        .reject(4, code: "c", reason: "r"),
      ],
      now: 1
    )
    try file.add([Finding(code: "c", severity: .note, cause: "a", cure: "b")], to: run)
    try file.setStage(.finished, of: run, now: 9)
  }

  private func edit(_ bench: CheckpointBench, _ statements: String...) throws {
    try CheckpointBench.edit(bench.path, statements)
  }

  /// What was done, or nothing where something else came of it.
  private func mend(_ bench: CheckpointBench) throws -> [String] {
    #expect(try CheckpointView(bench.path)?.faults() != [], "there is something to correct")
    let outcome = try CheckpointRepair.run(bench.path)
    guard case .mended(let done, let kept) = outcome else {
      Issue.record("it said \(outcome)")
      return []
    }
    #expect(InputFile.isPresent(kept))
    #expect(try CheckpointView(bench.path)?.faults() == [])
    #expect(!InputFile.isPresent(bench.path + ".repair"))
    let rights = try FileManager.default.attributesOfItem(atPath: bench.path)[.posixPermissions]
    #expect(rights as? Int == 0o600)
    return done
  }

  private func refusal(_ bench: CheckpointBench) throws -> [String] {
    let before = try InputFile.contents(of: bench.path)
    let outcome = try CheckpointRepair.run(bench.path)
    #expect(try InputFile.contents(of: bench.path) == before)
    guard case .refused(let findings) = outcome else {
      Issue.record("it said \(outcome)")
      return []
    }
    #expect(findings.allSatisfy { $0.code == "checkpoint.beyond-repair" })
    return findings.map(\.cause)
  }

  private func added(run number: Int, _ stage: String) -> String {
    """
    INSERT INTO run (number, id, kind, stage, package, package_path, profile, started_at)
    VALUES (\(number), 'added-\(number)', 'upload', '\(stage)', '', '', 'aaaa', \(number * 100))
    """
  }

  private func added(operation number: Int, run: Int, _ state: String) -> String {
    """
    INSERT INTO operation (number, run, phase, entity, key, action, content, request_digest, request_key, state)
    SELECT \(number), \(run), 0, 'Hero', 'x\(number)', 'create', content, request_digest, 'x', '\(state)'
    FROM operation WHERE number = 1
    """
  }

  @Test func `a repair leaves a sound checkpoint and a never written one unchanged`() throws {
    try filled(bench)
    let before = try InputFile.contents(of: bench.path)
    #expect(try CheckpointRepair.run(bench.path) == .sound)
    #expect(try InputFile.contents(of: bench.path) == before)
    #expect(try Folder.names(in: bench.folder).filter { $0.contains("damaged") }.isEmpty)
    let empty = bench.folder + "/empty.sqlite"
    try WholeFile.replace(empty, with: [])
    #expect(try CheckpointRepair.run(empty) == .sound)
  }

  @Test func `an index that lost its rows is rebuilt, and every row is found`() throws {
    try filled(bench)
    try edit(
      bench,
      "PRAGMA writable_schema = ON",
      """
      UPDATE sqlite_master SET sql = replace(sql, '(entity, server_id)', '(server_id, entity)')
      WHERE name = 'record_by_server'
      """
    )
    let rows = try lines(bench)
    #expect(try CheckpointView(bench.path)?.faults().first?.code == "checkpoint.damaged")
    let done = try mend(bench)
    #expect(done.count == 1 && done[0].contains("rows were copied into a new file"))
    #expect(Int(done[0].prefix { $0.isNumber }) == rows.count)
    #expect(try lines(bench) == rows)
    let file = try bench.open()
    let run = try file.beginRun("next", [.hero(9)])
    #expect(
      try file.operations(of: run, phase: 0, after: 0, limit: 9).map(\.number) == [5],
      "no number is given twice"
    )
  }

  private func lines(_ bench: CheckpointBench) throws -> [CheckpointLine] {
    var lines: [CheckpointLine] = []
    try CheckpointView(bench.path)?.forEachLine { lines.append($0) }
    return lines
  }

  @Test func `numbers of lost operations are not reused after a repair`() throws {
    try filled(bench)
    try edit(bench, added(operation: 70, run: 99, "planned"))
    #expect(
      try mend(bench) == ["1 operations of no run were dropped: none of them was ever sent"]
    )
    let file = try bench.open()
    #expect(try file.states() == ["confirmed", "confirmed", "confirmed", "rejected"])
    let run = try file.beginRun("next", [.hero(9)])
    #expect(try file.operations(of: run, phase: 0, after: 0, limit: 9).map(\.number) == [71])
  }

  @Test func `repair replaces a torn digest by the last confirmed one, and changes no other`()
    throws
  {
    try filled(bench)
    try edit(
      bench,
      added(operation: 5, run: 1, "confirmed"),
      added(operation: 6, run: 1, "confirmed"),
      added(operation: 7, run: 1, "rejected"),
      "UPDATE operation SET key = 'h2', server_id = 's2' WHERE number IN (5, 7)",
      "UPDATE operation SET key = 'h2', server_id = 'elsewhere' WHERE number = 6",
      "UPDATE operation SET content = zeroblob(32) WHERE number IN (6, 7)",
      "UPDATE record SET content = x'00' WHERE key = 'h2'",
      "UPDATE record SET request_digest = x'00' WHERE key = 'h3'"
    )
    #expect(
      try mend(bench) == ["2 records got the digest of their last confirmed operation"]
    )
    let file = try bench.open()
    // The fifth, which is the last of that place, says what the first does.
    #expect(try file.known(.hero(2))?.content == .sample("c1"))
    #expect(try file.known(.hero(2))?.requestDigest == .sample("request c1"))
    #expect(try file.known(.hero(3))?.content == .sample("c3"))
    #expect(try file.known(.hero(3))?.requestDigest == .sample("request c3"))
    #expect(try file.known(.hero(1))?.content == .sample("c1"))
  }

  @Test func `a finished run drops its unsent operations, and is reopened for its sent ones`()
    throws
  {
    try filled(bench)
    try edit(
      bench,
      added(run: 2, "finished"),
      added(operation: 5, run: 2, "planned"),
      added(run: 3, "finished"),
      added(operation: 6, run: 3, "begun"),
      added(operation: 7, run: 3, "planned"),
      added(operation: 8, run: 3, "planned"),
      "UPDATE operation SET begun_at = 1 WHERE number IN (6, 8)",
      "UPDATE run SET finished_at = 4"
    )
    #expect(
      try mend(bench) == [
        "2 operations of finished runs were dropped: none of them was ever sent",
        "1 finished runs were opened again: the outcome of their requests is looked up by the "
          + "next run",
      ]
    )
    let runs = try bench.open().runs()
    #expect(runs.map(\.stage) == [.finished, .finished, .executing])
    #expect(runs.map(\.finishedAt) == [4, 4, nil])
    #expect(try bench.open().states().suffix(2) == ["begun", "planned"])
  }

  @Test func `the unfinished run with requests under way is resumed`() throws {
    try filled(bench)
    try edit(
      bench,
      added(run: 2, "planning"),
      added(operation: 5, run: 2, "planned"),
      added(run: 3, "executing"),
      added(operation: 6, run: 3, "unknown"),
      added(operation: 7, run: 3, "planned"),
      added(run: 4, "planning"),
      added(operation: 8, run: 4, "planned"),
      added(operation: 9, run: 4, "confirmed")
    )
    #expect(
      try mend(bench) == [
        "2 operations of older runs were dropped: none of them was ever sent",
        "2 older runs were closed: all that they sent has its answer",
      ]
    )
    let file = try bench.open()
    let runs = try file.runs()
    #expect(runs.map(\.stage) == [.finished, .abandoned, .executing, .abandoned])
    #expect(runs.map(\.finishedAt) == [9, 200, nil, 400])
    #expect(try file.states().suffix(3) == ["unknown", "planned", "confirmed"])
  }

  @Test func `the newest of several unfinished runs without requests is resumed`() throws {
    try filled(bench)
    try edit(bench, added(run: 2, "planning"), added(run: 3, "planning"))
    #expect(try mend(bench) == ["1 older runs were closed: all that they sent has its answer"])
    #expect(try bench.open().runs().map(\.stage) == [.finished, .abandoned, .planning])
  }

  @Test(arguments: [
    ("1 runs are at a stage", "UPDATE run SET stage = 'resting'"),
    ("1 operations are in a state", "UPDATE operation SET state = 'lost' WHERE number = 1"),
    (
      "2 operations that may have been sent belong to no run",
      """
      UPDATE operation SET run = 99, state = CASE WHEN number = 1 THEN 'begun' ELSE 'planned' END,
      begun_at = CASE WHEN number = 2 THEN 1 END WHERE number < 4
      """
    ),
    ("1 places at the destination", "UPDATE record SET server_id = 's1' WHERE key <> 'h3'"),
    (
      "1 records have a torn digest",
      "UPDATE record SET content = x'00', server_id = 'elsewhere' WHERE key = 'h1'"
    ),
    ("it does not say its account", "UPDATE meta SET value = '' WHERE name = 'account'"),
    ("it does not say its epoch", "DELETE FROM meta WHERE name = 'epoch'"),
    ("the table tally is gone", "DROP TABLE tally"),
    ("there is no table theirs", "CREATE TABLE theirs (x)"),
  ])
  func `damage that only a guess could mend is refused`(reason: String, damage: String) throws {
    try filled(bench)
    // Something that would be mended by itself is beside it.
    try edit(bench, damage, added(operation: 70, run: 98, "planned"))
    let reasons = try refusal(bench)
    #expect(reasons.count == 1 && reasons.first?.hasPrefix(reason) == true, "\(reasons)")
  }

  @Test func `a checkpoint with requests under way in two runs is not repaired`() throws {
    try filled(bench)
    try edit(
      bench,
      added(run: 2, "executing"),
      added(operation: 5, run: 2, "begun"),
      added(run: 3, "executing"),
      added(operation: 6, run: 3, "unknown")
    )
    #expect(try refusal(bench).map { $0.prefix(24) } == ["1 runs have requests wit"])
  }

  @Test func `each repair keeps the file as it was before, the log taken in`() throws {
    try filled(bench)
    var kept: [String] = []
    for number in [70, 71, 72] {
      try edit(bench, added(operation: number, run: 98, "planned"))
      if case .mended(_, let path) = try CheckpointRepair.run(bench.path) { kept.append(path) }
    }
    #expect(kept == ["", "-2", "-3"].map { "\(bench.path).damaged\($0)" })
    for (path, number) in zip(kept, [70, 71, 72]) {
      let numbers = try DatabaseQueue(path: path).read { database in
        try Int.fetchAll(database, sql: "SELECT number FROM operation WHERE run = 98")
      }
      #expect(numbers == [number])
    }
  }

  @Test func `a killed run's log is repaired too, and not applied to the new file`()
    throws
  {
    try filled(bench)
    let killed = bench.folder + "/killed"
    let queue = try CheckedPages.open(bench.path, CheckpointBench.unconstrained)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: added(operation: 70, run: 98, "planned"))
      try database.execute(sql: "UPDATE operation SET reason = 'in the log' WHERE number = 1")
    }
    for ending in ["", "-wal"] {
      try WholeFile.copy(bench.path + ending, to: killed + ending, isLasting: false)
    }
    try queue.close()
    #expect(try InputFile(killed + "-wal").size() > 0)
    guard case .mended(_, let kept) = try CheckpointRepair.run(killed) else {
      Issue.record("it was not repaired")
      return
    }
    #expect(!InputFile.isPresent(killed + "-wal"))
    let reasons = try [killed, kept].map { path in
      try DatabaseQueue(path: path).read { database in
        try String.fetchOne(database, sql: "SELECT reason FROM operation WHERE number = 1")
      }
    }
    #expect(reasons == ["in the log", "in the log"])
  }

  @Test func `a foreign checkpoint, or one held by a run, is not mended`() throws {
    try filled(bench)
    let file = try bench.open()
    let held = #expect(throws: CheckpointError.self) { try CheckpointRepair.run(bench.path) }
    guard case .locked(bench.path, _) = held else {
      Issue.record("it said \(String(describing: held))")
      return
    }
    withExtendedLifetime(file) {}
  }

  @Test(arguments: [
    ("PRAGMA application_id = 7", CheckpointError.notACheckpoint(path: "")),
    (
      "PRAGMA user_version = \(CheckpointSchema.format + 1)",
      .otherFormat(path: "", format: CheckpointSchema.format + 1)
    ),
  ])
  func `a checkpoint of another version is not mended`(
    change: String,
    error: CheckpointError
  ) throws {
    try filled(bench)
    try edit(bench, change, added(operation: 70, run: 98, "planned"))
    let said = #expect(throws: CheckpointError.self) { try CheckpointRepair.run(bench.path) }
    switch (said, error) {
    case (.notACheckpoint(bench.path), .notACheckpoint): break
    case (.otherFormat(bench.path, let version), .otherFormat(_, let expected)):
      #expect(version == expected)
    default: Issue.record("it said \(String(describing: said))")
    }
  }
}
