import Checkpoint
import Files
import GRDB
import Records
import Testing
import UploadPlanning

struct PlanFileTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private func draft(_ key: String, _ content: String = "content") -> OperationDraft {
    OperationDraft(
      phase: 0,
      record: RecordID(entity: EntityName("Hero"), key: key),
      action: .create,
      content: OperationKey.digest(of: Array(content.utf8)),
      requestDigest: OperationKey.digest(of: []),
      key: "key-\(key)"
    )
  }

  private func save(_ bench: CheckpointBench, _ path: String) throws -> (CheckpointFile, RunRecord)
  {
    let (file, run) = try bench.openWithRun([draft("a"), draft("b")])
    try CheckpointBench.savePlan(file, run, to: path)
    return (file, run)
  }

  @Test func `a saved plan is read again as it was`() throws {
    let path = bench.folder + "/a.plan"
    let (file, run) = try save(bench, path)
    let plan = try PlanFile(path)
    #expect(plan.run == run)
    #expect(plan.binding == file.binding)
    #expect(plan.digests == (try file.planDigests(of: run)))
    #expect(try Folder.names(in: bench.folder).filter { $0.hasPrefix("a.plan") } == ["a.plan"])
  }

  @Test func `the same plan has the same digest, however much of it is done`() throws {
    let (file, run) = try bench.openWithRun([draft("a"), draft("b")])
    let before = try file.planDigests(of: run)
    try file.write { database in
      try database.execute(
        sql: "UPDATE operation SET state = 'confirmed', server_id = 's', version = 'v'"
      )
    }
    #expect(try file.planDigests(of: run) == before)
  }

  @Test func `a plan of other content has another digest`() throws {
    func digest(_ content: String) throws -> Digest {
      let bench = try CheckpointBench()
      let (file, run) = try bench.openWithRun([draft("a", content)])
      return try file.planDigests(of: run).operations
    }
    #expect(try digest("x") == digest("x"))
    #expect(try digest("x") != digest("y"))
  }

  @Test func `a place found at the destination changes the digest of the sync states`() throws {
    let (file, run) = try bench.openWithRun([draft("a")])
    let before = try file.planDigests(of: run)
    var step = PlanStep()
    let digest = OperationKey.digest(of: [])
    step.adoptions = [
      PlanStep.Adoption(
        record: RecordID(entity: EntityName("Hero"), key: "z"),
        serverID: "s1",
        version: "1",
        content: digest,
        requestDigest: digest
      )
    ]
    try file.add(step, to: run, now: 0)
    let after = try file.planDigests(of: run)
    #expect(after.operations == before.operations)
    #expect(after.records != before.records)
  }

  @Test func `an older plan is replaced, and no other file`() throws {
    let path = bench.folder + "/a.plan"
    let (file, run) = try save(bench, path)
    try CheckpointBench.savePlan(file, run, to: path)
    #expect(try PlanFile(path).run == run)
    let other = bench.folder + "/notes.txt"
    try WholeFile.replace(other, with: Array("notes".utf8))
    #expect(throws: CheckpointError.self) {
      try CheckpointBench.savePlan(file, run, to: other)
    }
    #expect(try InputFile.contents(of: other, limit: 100) == Array("notes".utf8))
  }

  @Test func `a checkpoint is not taken for a plan, nor a plan for a checkpoint`() throws {
    let path = bench.folder + "/a.plan"
    let (file, _) = try save(bench, path)
    #expect(throws: CheckpointError.self) { try PlanFile(bench.path) }
    #expect(throws: CheckpointError.self) {
      try CheckpointFile(path: path, binding: file.binding)
    }
  }

  // MARK: - What is no plan

  @Test(arguments: [
    ("DELETE FROM plan WHERE name = 'run'", "its run is not in it"),
    ("DELETE FROM run", "its run is not in it"),
    ("UPDATE plan SET value = 'x' WHERE name = 'records'", "it does not say its records"),
    ("DELETE FROM plan WHERE name = 'operations'", "it does not say its operations"),
    ("DELETE FROM plan WHERE name = 'records-before'", "it does not say its records-before"),
  ])
  func `a plan with a missing part is damaged, and the finding names the part`(
    change: String,
    reason: String
  ) throws {
    let path = bench.folder + "/a.plan"
    _ = try save(bench, path)
    try CheckpointBench.edit(path, [change])
    let error = #expect(throws: CheckpointError.self) { try PlanFile(path) }
    #expect(error == .damaged(path: path, reason: reason))
  }

  @Test func `a plan of a newer version, and an empty one, are refused`() throws {
    let path = bench.folder + "/a.plan"
    _ = try save(bench, path)
    let newer = CheckpointSchema.format + 1
    try CheckpointBench.edit(path, ["PRAGMA user_version = \(newer)"])
    let error = #expect(throws: CheckpointError.self) { try PlanFile(path) }
    #expect(error == .otherFormat(path: path, format: newer))
    try WholeFile.replace(path, with: [])
    let other = #expect(throws: CheckpointError.self) { try PlanFile(path) }
    #expect(other == .notAPlan(path: path))
  }

  @Test func `an app's database is not a plan, and is recognised without being opened`() throws {
    let path = bench.folder + "/app.sqlite"
    try CheckpointBench.edit(path, ["CREATE TABLE song (title TEXT)", "PRAGMA journal_mode = WAL"])
    let bytes = try InputFile.contents(of: path)
    #expect(throws: CheckpointError.notAPlan(path: path)) { try PlanFile(path) }
    #expect(throws: CheckpointError.notAPlan(path: path)) { try save(bench, path) }
    #expect(try InputFile.contents(of: path) == bytes)
    let names = try Folder.names(in: bench.folder).filter { $0.hasPrefix("app.sqlite") }
    #expect(names == ["app.sqlite"])
  }

  @Test func `a plan file can be moved`() throws {
    let path = bench.folder + "/a.plan"
    #expect(!PlanFile.isPlan(path))
    _ = try save(bench, path)
    #expect(PlanFile.isPlan(path))
    #expect(!PlanFile.isPlan(bench.folder))
    #expect(try InputFile.contents(of: path)[68..<72] == Array("FryP".utf8)[...], "for `file`")
    #expect(try InputFile.contents(of: bench.path)[68..<72] == Array("Fery".utf8)[...])
  }

  @Test func `a killed run's draft is removed, and a user's file stays`() throws {
    let path = bench.folder + "/a.plan"
    let left = ".a.plan.ferry-\(Int32.max).draft"
    for name in [left, left + "-journal", "a.plan.draft"] {
      try WholeFile.replace("\(bench.folder)/\(name)", with: Array("left".utf8))
    }
    let (_, run) = try save(bench, path)
    #expect(
      try Folder.names(in: bench.folder).filter { $0.contains("draft") } == ["a.plan.draft"]
    )
    #expect(try PlanFile(path).run == run)
    #expect(try PlanFile(path).recordsBefore == PlanFile(path).digests.records)
  }

  @Test func `a plan's digest covers the order of its operations, and no other run's`() throws {
    func digests(_ keys: [String], others: [String] = []) throws -> PlanDigests {
      let bench = try CheckpointBench()
      let (file, run) = try bench.openWithRun(keys.map { draft($0) })
      _ = try file.beginRun("run-2", others.map { draft($0) })
      return try file.planDigests(of: run)
    }
    #expect(try digests(["a", "b"]) == digests(["a", "b"], others: ["c"]))
    #expect(try digests(["a", "b"]) != digests(["b", "a"]))
    #expect(try digests(["a", "b"]).records == digests([]).records)
  }

  @Test func `the digest of the sync states covers each value and its end`() throws {
    func digest(_ rows: (key: String, serverID: String, version: String?)...) throws -> Digest {
      let bench = try CheckpointBench()
      let (file, run) = try bench.openWithRun([])
      var step = PlanStep()
      step.adoptions = rows.map { row in
        PlanStep.Adoption(
          record: RecordID(entity: "Hero", key: row.key),
          serverID: row.serverID,
          version: row.version,
          content: .sample("a"),
          requestDigest: .sample("b")
        )
      }
      try file.add(step, to: run, now: 1)
      return try file.recordsDigest()
    }
    let whole = try digest(("a", "bc", "d"))
    #expect(try whole == digest(("a", "bc", "d")))
    #expect(try whole != digest(("ab", "c", "d")))
    #expect(try whole != digest(("a", "b", "cd")))
    #expect(try whole != digest(("a", "bc", nil)))
    #expect(
      try digest(("a", "1", nil), ("b", "2", nil)) == digest(("b", "2", nil), ("a", "1", nil))
    )
  }
}
