import Checkpoint
import Records
import Testing
import UploadPlanning

/// What a plan takes from the runs before it, and what it leaves when it is dropped.
struct CheckpointPlanTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  /// The key under which the record of the next run's only operation is made.
  private func key(
    in file: CheckpointFile,
    _ id: String,
    _ draft: OperationDraft
  ) throws -> String? {
    let run = try file.beginRun(id, [draft])
    return try file.operations(of: run, phase: 0, after: 0, limit: 9).first?.key
  }

  @Test func `a refused request is repeated under a new idempotency key`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try file.commit([.reject(1, code: "c", reason: "r")], now: 1)
    let second = OperationKey.following("key-1")
    #expect(try key(in: file, "run-2", .hero(1)) == second)
    try file.commit([.reject(2, code: "c", reason: "r")], now: 2)
    #expect(try key(in: file, "run-3", .hero(1)) == OperationKey.following(second))
  }

  @Test func `a record that differs from its refused content keeps its key`() throws {
    let (file, _) = try bench.openWithRun([.hero(1)])
    try file.commit([.reject(1, code: "c", reason: "r")], now: 1)
    #expect(try key(in: file, "run-2", .hero(1, content: "b")) == "key-1")
  }

  @Test
  func `a record without a refusal keeps its idempotency key, as does a change of a refused one`()
    throws
  {
    let (file, _) = try bench.openWithRun([.hero(1), .hero(2), .on(.story(3))])
    try file.commit(
      [
        .lose(1, reason: "cut"), .reject(2, code: "c", reason: "r"),
        .reject(3, code: "c", reason: "r"),
      ],
      now: 1
    )
    #expect(try key(in: file, "run-2", .hero(1)) == "key-1")
    #expect(try key(in: file, "run-3", .hero(2, action: .update)) == "key-2")
    #expect(try key(in: file, "run-4", .hero(3)) == "key-3")
  }

  @Test func `plans differ by their places at the destination`()
    throws
  {
    let (file, _) = try bench.openWithRun([.hero(1)])
    func digest(_ id: String, serverID: String?, version: String?) throws -> Digest {
      let draft = OperationDraft.hero(1, action: .update, serverID: serverID, version: version)
      return try file.placesDigest(of: try file.beginRun(id, [draft]))
    }
    let digests = [
      try digest("nowhere", serverID: nil, version: nil),
      try digest("there", serverID: "s1", version: nil),
      try digest("elsewhere", serverID: "s2", version: nil),
      try digest("first", serverID: nil, version: "1"),
      try digest("second", serverID: nil, version: "2"),
      try digest("both", serverID: "s1", version: "1"),
    ]
    #expect(Set(digests).count == digests.count)
    #expect(try digest("again", serverID: "s1", version: nil) == digests[1])
  }

  @Test func `a dropped plan forgets only those adopted records that were still to complete`()
    throws
  {
    let file = try bench.open()
    let run = try file.beginSampleRun()
    var step = PlanStep()
    step.adoptions = [RecordID.hero(1), .hero(2), .story(1)].map { record in
      PlanStep.Adoption(
        record: record,
        serverID: "at \(record.entity) \(record.key)",
        version: nil,
        content: .sample("a"),
        requestDigest: .sample("request a")
      )
    }
    step.operations = [.hero(1, action: .complete)]
    try file.add(step, to: run, now: 1)
    try file.discardPlan(of: run)
    #expect(try file.known(.hero(1)) == nil)
    #expect(try file.known(.hero(2)) != nil)
    #expect(try file.known(.story(1)) != nil)
  }

  @Test func `a record has images once one was kept, regardless of other records`() throws {
    let (file, run) = try bench.openWithRun()
    var step = PlanStep()
    step.images = [
      RecordImage(
        record: .hero(1),
        content: .sample("a"),
        requestDigest: .sample("request a"),
        base: Array("{}".utf8),
        sent: nil
      )
    ]
    try file.add(step, to: run, now: 1)
    #expect(try file.hasImages(of: .hero(1)))
    #expect(try !file.hasImages(of: .hero(2)))
    #expect(try !file.hasImages(of: .story(1)))
  }

  @Test
  func `a run lists the categories of the files that it began to send`()
    throws
  {
    let (file, run) = try bench.openWithRun([
      .hero(1, action: .upload), .hero(2, action: .upload), .hero(3, action: .upload),
      .on(.story(1), phase: 1, action: .upload), .hero(4), .hero(5, action: .upload),
    ])
    let other = try file.beginRun("run-2", [.hero(6, action: .upload)])
    try file.commit([1, 2, 4, 5, 6, 7].map { .begin($0) }, now: 1)
    try file.commit([.stage(6, serverID: "place", version: nil), .revoke(1)], now: 2)
    #expect(try file.begunFiles(of: run) == ["Hero", "Story"])
    #expect(try file.begunFiles(of: other) == ["Hero"])
    try file.giveUpFiles(of: run, in: ["Hero"]) { _ in nil }
    #expect(try file.begunFiles(of: run) == ["Story"])
    #expect(try file.begunFiles(of: other) == ["Hero"])
  }
}
