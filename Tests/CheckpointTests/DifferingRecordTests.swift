import Checkpoint
import Records
import Testing
import UploadPlanning

/// What verifications found, and what they say of the values that a destination altered.
struct DifferingRecordTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  /// A hero that a run sent, under a key that ends in a zero character.
  private static let hero = RecordID(entity: "Hero", key: "a\0")

  private func sent() throws -> CheckpointFile {
    let digest = OperationKey.digest(of: Array("content".utf8))
    let draft = OperationDraft(
      phase: 0,
      record: Self.hero,
      action: .create,
      content: digest,
      requestDigest: digest,
      key: "key",
      before: nil
    )
    let (file, run) = try bench.openWithRun([draft])
    try file.setStage(.executing, of: run, now: 1)
    let number = try #require(
      try file.operations(of: run, phase: 0, after: 0, limit: 1).first?.number
    )
    try file.commit([.confirm(number, "s1")], now: 2)
    return file
  }

  @Test func `a record is first read back until a verification has gone through all`() throws {
    let file = try sent()
    #expect(try file.isFirstReadBack(of: Self.hero))
    #expect(try !file.isFirstReadBack(of: RecordID(entity: "Hero", key: "a")))
    try file.setReadBack()
    #expect(try !file.isFirstReadBack(of: Self.hero))
    _ = try file.beginRun("run-2", [])
    #expect(try !file.isFirstReadBack(of: Self.hero))
  }

  @Test func `altered fields belong to the content that the destination was given`() throws {
    let file = try sent()
    let known = try #require(try file.known(Self.hero))
    let shown = OperationKey.digest(of: Array("shown".utf8))
    func add(_ agreed: Digest) throws {
      let alteration = DifferingRecord.Alteration(of: agreed, fields: ["title": shown])
      try file.addDiffering([
        DifferingRecord(Self.hero, reason: "it differs", alteration: alteration)
      ])
    }
    try add(known.requestDigest)
    #expect(try file.altered(of: Self.hero, known) == ["title": shown])
    try add(shown)
    #expect(try file.altered(of: Self.hero, known).isEmpty)
  }

  @Test func `what was altered is forgotten with the difference`() throws {
    let file = try sent()
    let known = try #require(try file.known(Self.hero))
    let fields = ["title": known.requestDigest]
    let alteration = DifferingRecord.Alteration(of: known.requestDigest, fields: fields)
    try file.addDiffering([
      DifferingRecord(Self.hero, reason: "it differs", alteration: alteration)
    ])
    try file.forgetDiffering(of: "Hero", upTo: file.lastDiffering())
    #expect(try file.altered(of: Self.hero, known).isEmpty)
  }
}
