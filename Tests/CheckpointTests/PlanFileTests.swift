import Checkpoint
import Files
import GRDB
import Records
import Testing
import UploadPlanning

struct PlanFileTests {
  private func draft(_ key: String, _ content: String = "content") -> OperationDraft {
    OperationDraft(
      phase: 0,
      record: RecordID(entity: EntityName("Hero"), key: key),
      action: .create,
      content: OperationKey.digest(of: Array(content.utf8)),
      wire: OperationKey.digest(of: []),
      key: "key-\(key)"
    )
  }

  private func save(_ bench: CheckpointBench, _ path: String) throws -> (CheckpointFile, RunRecord)
  {
    let (file, run) = try bench.openWithRun([draft("a"), draft("b")])
    try PlanFile.save(file, run, recordsBefore: try file.recordsDigest(), to: path)
    return (file, run)
  }

  @Test func `a saved plan is read again as it was`() throws {
    let bench = try CheckpointBench()
    let path = bench.folder + "/a.plan"
    let (file, run) = try save(bench, path)
    let plan = try PlanFile(path)
    #expect(plan.run == run)
    #expect(plan.binding == file.binding)
    #expect(plan.digests == (try file.planDigests(of: run)))
    #expect(try Folder.names(in: bench.folder).filter { $0.hasPrefix("a.plan") } == ["a.plan"])
  }

  @Test func `the same plan has the same digest, however much of it is done`() throws {
    let bench = try CheckpointBench()
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

  @Test func `a place found at the destination changes the digest of what is known`() throws {
    let bench = try CheckpointBench()
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
        wire: digest
      )
    ]
    try file.add(step, to: run, now: 0)
    let after = try file.planDigests(of: run)
    #expect(after.operations == before.operations)
    #expect(after.records != before.records)
  }

  @Test func `an older plan is replaced, and nothing else is`() throws {
    let bench = try CheckpointBench()
    let path = bench.folder + "/a.plan"
    let (file, run) = try save(bench, path)
    try PlanFile.save(file, run, recordsBefore: try file.recordsDigest(), to: path)
    #expect(try PlanFile(path).run == run)
    let other = bench.folder + "/notes.txt"
    try WholeFile.replace(other, with: Array("notes".utf8))
    #expect(throws: CheckpointError.self) {
      try PlanFile.save(file, run, recordsBefore: try file.recordsDigest(), to: other)
    }
    #expect(try InputFile.contents(of: other, limit: 100) == Array("notes".utf8))
  }

  @Test func `a checkpoint is not taken for a plan, nor a plan for a checkpoint`() throws {
    let bench = try CheckpointBench()
    let path = bench.folder + "/a.plan"
    let (file, _) = try save(bench, path)
    #expect(throws: CheckpointError.self) { try PlanFile(bench.path) }
    #expect(throws: CheckpointError.self) {
      try CheckpointFile(path: path, binding: file.binding, acceptsChangedProfile: false)
    }
  }
}
