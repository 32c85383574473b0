import Checkpoint
import GRDB
import Records
import Testing
import UploadPlanning

struct CheckpointViewTests {
  private static let digest = OperationKey.digest(of: Array("content".utf8))

  private func draft(_ key: String, before: [UInt8]? = nil) throws -> OperationDraft {
    OperationDraft(
      phase: 0,
      record: RecordID(entity: EntityName("Hero"), key: key),
      action: .create,
      content: Self.digest,
      wire: Self.digest,
      key: "key-\(key)",
      before: before
    )
  }

  private func view(_ bench: CheckpointBench) throws -> CheckpointView {
    try #require(try CheckpointView(bench.path))
  }

  @Test func `the facts count operations by state and records by entity`() throws {
    let bench = try CheckpointBench()
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
    let bench = try CheckpointBench()
    let (file, _) = try bench.openWithRun([draft("a")])
    #expect(try view(bench).faults() == [])
    withExtendedLifetime(file) {}
  }

  @Test(arguments: [
    ("checkpoint.unknown-state", "UPDATE operation SET state = 'lost'"),
    ("checkpoint.unknown-stage", "UPDATE run SET stage = 'resting'"),
    ("checkpoint.stray-operation", "UPDATE operation SET run = 99"),
    ("checkpoint.open-operation", "UPDATE run SET stage = 'finished'"),
    (
      "checkpoint.torn-digest",
      """
      INSERT INTO record (entity, key, content, wire, origin, generation)
      VALUES ('Hero', 'x', x'00', x'00', 'adopted', 0)
      """
    ),
    (
      "checkpoint.shared-place",
      """
      INSERT INTO record (entity, key, server_id, content, wire, origin, generation)
      SELECT 'Hero', value, 's1', zeroblob(32), zeroblob(32), 'adopted', 0
      FROM (SELECT 'x' AS value UNION SELECT 'y')
      """
    ),
    (
      "checkpoint.unfinished-runs",
      """
      INSERT INTO run (id, kind, stage, package, package_path, started_at)
      VALUES ('run-2', 'upload', 'executing', '', '', 0)
      """
    ),
  ])
  func `a checkpoint that breaks a rule is not sound`(code: String, change: String) throws {
    let bench = try CheckpointBench()
    let (file, _) = try bench.openWithRun([draft("a")])
    try file.write { database in try database.execute(sql: change) }
    #expect(try view(bench).faults().map(\.code) == [code])
  }

  @Test func `an export has every row, and of what stood before only its size`() throws {
    let bench = try CheckpointBench()
    let (file, _) = try bench.openWithRun([draft("a", before: Array("secret".utf8))])
    var lines: [CheckpointLine] = []
    try view(bench).forEachLine { lines.append($0) }
    #expect(lines.filter { $0.table == "meta" }.count == 7)
    #expect(lines.filter { $0.table == "run" }.count == 1)
    let operation = try #require(lines.first { $0.table == "operation" })
    #expect(operation.columns.first { $0.name == "before" }?.value == .withheld(byteCount: 6))
    #expect(operation.columns.count == 21)
    withExtendedLifetime(file) {}
  }

  @Test(arguments: [2, 3, 4])
  func `however long the pages are, each record is handed back once`(limit: Int) throws {
    let bench = try CheckpointBench()
    let (file, run) = try bench.openWithRun(["c", "e", "f", "g"].map { try draft($0) })
    try file.write { database in
      try database.execute(sql: "UPDATE operation SET state = 'rejected', reason = 'no'")
      // c was there and was taken back before; it is handed back as gone, and as refused.
      for (key, place) in [("a", "1"), ("b", "2"), ("c", nil), ("d", "4"), ("f", "6")] {
        try database.execute(
          sql: """
            INSERT INTO record (entity, key, server_id, content, wire, origin, generation)
            VALUES ('Hero', ?, ?, zeroblob(32), zeroblob(32), 'created', 1)
            """,
          arguments: [key, place]
        )
      }
    }
    let view = try view(bench)
    let whole = try view.handback(of: run, after: nil)
    #expect(whole.map(\.record.key) == ["a", "b", "c", "c", "d", "e", "f", "f", "g"])
    var entries: [HandbackEntry] = []
    while true {
      let page = try view.handback(of: run, after: entries.last, limit: limit)
      if page.isEmpty { break }
      #expect(page.count <= limit)
      entries += page
    }
    #expect(Set(entries) == Set(whole))
    #expect(entries.map(\.record) == whole.map(\.record))
    withExtendedLifetime(file) {}
  }
}
