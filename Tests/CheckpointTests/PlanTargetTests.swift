import Checkpoint
import Records
import Testing
import UploadPlanning

/// What a saved plan meets at the destination.
struct PlanTargetTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  private func places(_ operations: OperationDraft...) throws -> Digest {
    let bench = try CheckpointBench()
    return try withExtendedLifetime(bench) {
      let (file, run) = try bench.openWithRun(operations)
      return try file.placesDigest(of: run)
    }
  }

  @Test func `a change's target counts in the digest of a plan's places, with its revision`()
    throws
  {
    let one = try places(.hero(1, action: .update, serverID: "s1", version: "1"))
    #expect(try places(.hero(1, action: .update, serverID: "s1", version: "1")) == one)
    #expect(try places(.hero(1, action: .update, serverID: "s2", version: "1")) != one)
    #expect(try places(.hero(1, action: .update, serverID: "s1", version: "2")) != one)
    #expect(try places(.hero(1, action: .update, serverID: "s1")) != one)
    #expect(try places(.hero(2, action: .update, serverID: "s1", version: "1")) != one)
  }

  @Test func `a record without a place does not count in a plan's places`() throws {
    #expect(try places(.hero(1), .hero(2)) == places())
    let change = OperationDraft.hero(3, action: .delete, serverID: "s3", version: "1")
    #expect(try places(.hero(1), change) == places(change))
  }

  @Test func `a plan's places leave out another run's operations`() throws {
    let change = OperationDraft.hero(1, action: .update, serverID: "s1", version: "1")
    let (file, run) = try bench.openWithRun([change])
    let before = try file.placesDigest(of: run)
    _ = try file.beginRun("run-2", [.hero(2, action: .update, serverID: "s2", version: "1")])
    #expect(try file.placesDigest(of: run) == before)
  }

  @Test func `foreign fields of changes are listed in the order of the plan`() throws {
    let (file, run) = try bench.openWithRun()
    func image(_ number: Int, _ sent: [UInt8]?) -> RecordImage {
      RecordImage(
        record: .hero(number),
        content: .sample("a"),
        requestDigest: .sample("request a"),
        base: [],
        sent: sent
      )
    }
    var step = PlanStep()
    step.operations = [
      .hero(3, action: .update), .hero(1, action: .update), .hero(2), .hero(4, action: .update),
      .hero(5, action: .update), .hero(6, action: .update, content: "b"),
    ]
    step.images = [
      image(1, [1]), image(2, [2]), image(3, [3]), image(5, nil), image(6, [6]), image(7, [7]),
    ]
    try file.add(step, to: run, now: 1)
    var found: [String] = []
    try file.forEachSent(of: run) { record, sent in found.append("\(record.key) \(sent)") }
    #expect(found == ["h3 [3]", "h1 [1]"])
  }

  // MARK: - In the file of a plan

  private func save(_ path: String, _ bench: CheckpointBench) throws {
    let (file, run) = try bench.openWithRun([.hero(1)])
    try CheckpointBench.savePlan(file, run, to: path)
  }

  @Test func `a saved plan lists the records found at the destination`() throws {
    let path = bench.folder + "/a.plan"
    try save(path, bench)
    #expect(try PlanFile(path).targets == .sample)
  }

  @Test(arguments: [
    ("DELETE FROM plan WHERE name = 'places'", "it does not say its places"),
    ("DELETE FROM plan WHERE name = 'values'", "it does not say its values"),
    ("UPDATE plan SET value = 'x' WHERE name = 'values'", "it does not say its values"),
  ])
  func `a plan file without a required value is damaged`(change: String, reason: String) throws {
    let path = bench.folder + "/a.plan"
    try save(path, bench)
    try CheckpointBench.edit(path, [change])
    let error = #expect(throws: CheckpointError.self) { try PlanFile(path) }
    #expect(error == .damaged(path: path, reason: reason))
  }
}
