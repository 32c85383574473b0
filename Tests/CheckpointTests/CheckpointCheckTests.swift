import CCheckedPages
import Checkpoint
import CheckpointMending
import Files
import GRDB
import LongTexts
import Records
import Testing
import UploadPlanning

/// What is wrong with a checkpoint that SQLite itself has nothing against.
struct CheckpointCheckTests {
  /// A checkpoint whose run was killed when three of its operations were confirmed, and changed after.
  private func killed(_ changes: String...) throws -> CheckpointBench {
    let bench = try CheckpointBench()
    do {
      let (file, _) = try bench.openWithRun((1...5).map { .hero($0) })
      try file.commit((1...3).map { .begin($0) }, now: 1)
      try file.commit((1...3).map { .confirm($0, "s\($0)") }, now: 2)
    }
    try CheckpointBench.edit(bench.path, changes)
    return bench
  }

  private func codes(_ bench: CheckpointBench) throws -> [String] {
    try #require(try CheckpointView(bench.path)).faults().map(\.code)
  }

  @Test func `a killed run leaves a sound checkpoint`() throws {
    #expect(try codes(try killed()) == [])
  }

  @Test func `a missing column of records is reported while outcomes wait to be written to them`()
    throws
  {
    let bench = try killed("ALTER TABLE record RENAME COLUMN generation TO unknown")
    #expect(try codes(bench) == ["checkpoint.unknown-table"])
  }

  @Test(arguments: [
    ("-1", "its fact recorded-to is not a number of an operation"),
    ("many", "its fact recorded-to is not a number of an operation"),
    ("6", "its fact recorded-to is 6, and its last operation is 5"),
  ])
  func `an impossible marker of migrated records is damage of that file`(
    value: String,
    reason: String
  ) throws {
    let bench = try killed("UPDATE meta SET value = '\(value)' WHERE name = 'recorded-to'")
    let expected = CheckpointError.damaged(path: bench.path, reason: reason)
    #expect(throws: expected) { try codes(bench) }
    #expect(throws: expected) { try bench.open() }
    #expect(throws: expected) { try CheckpointRepair.run(bench.path) }
  }

  @Test func `a marker at the last operation is valid`() throws {
    let bench = try killed("UPDATE meta SET value = '5' WHERE name = 'recorded-to'")
    #expect(try codes(bench) == [])
  }

  @Test(arguments: ["application_id = 7", "user_version = 0", "user_version = -1"])
  func `a file with another header is refused as a checkpoint`(change: String) throws {
    let bench = try killed("PRAGMA \(change)")
    let expected = CheckpointError.notACheckpoint(path: bench.path)
    #expect(throws: expected) { try codes(bench) }
    #expect(throws: expected) { try CheckpointRepair.run(bench.path) }
  }

  @Test func `a checkpoint of a newer version is not checked by the rules of this one`() throws {
    let newer = CheckpointSchema.format + 1
    let bench = try killed("PRAGMA user_version = \(newer)")
    #expect(throws: CheckpointError.otherFormat(path: bench.path, format: newer)) {
      try codes(bench)
    }
  }

  @Test func `a repair makes a missing index again`() throws {
    let bench = try killed("DROP INDEX operation_by_record")
    #expect(try codes(bench) == ["checkpoint.damaged"])
    guard case .mended = try CheckpointRepair.run(bench.path) else {
      Issue.record("it was not repaired")
      return
    }
    #expect(try codes(bench) == [])
  }

  @Test(arguments: [
    "tally", "finding", "seen", "mark", "choice", "image_kept", "record_kept", "superseded",
    "taken_over", "change", "long_text", "long_text_piece",
  ])
  func `a missing table is reported by the check`(table: String) throws {
    let bench = try killed("DROP TABLE \(table)")
    #expect(try codes(bench) == ["checkpoint.unknown-table"])
  }

  @Test func `a header that prevents writing is damage, even if all rows can be read`() throws {
    let bench = try killed()
    var bytes = try InputFile.contents(of: bench.path)
    #expect(bytes[18] == 2)
    bytes[18] = 3
    let sum = ferry_page_checksum(bytes, 4_088, 1)
    for place in 0..<8 { bytes[4_088 + place] = UInt8(truncatingIfNeeded: sum >> (8 * place)) }
    try WholeFile.replace(bench.path, with: bytes)
    #expect(try codes(bench) == ["checkpoint.damaged-page"])
    guard case .refused = try CheckpointRepair.run(bench.path) else {
      Issue.record("it was not refused")
      return
    }
  }

  @Test(arguments: ["content", "request_digest"])
  func `an image with a torn digest is reported as damage`(column: String) throws {
    let bench = try killed(
      """
      INSERT INTO image (entity, key, content, request_digest, base)
      VALUES ('Hero', 'h1', zeroblob(32), zeroblob(32), '{}')
      """,
      "UPDATE image SET \(column) = x'00', base = CAST(base AS BLOB)"
    )
    #expect(try codes(bench) == ["checkpoint.torn-digest"])
  }

  @Test(arguments: ["earlier", "agreed"])
  func `fields that were once agreed on with a torn digest are reported as damage`(
    column: String
  ) throws {
    let bench = try killed(
      """
      INSERT INTO superseded (entity, key, run, earlier, agreed)
      VALUES ('Hero', 'h1', 1, zeroblob(32), zeroblob(32))
      """,
      "UPDATE superseded SET \(column) = x'00'"
    )
    #expect(try codes(bench) == ["checkpoint.torn-digest"])
  }

  @Test(arguments: [
    "DELETE FROM long_text", "DELETE FROM long_text_piece",
    "DELETE FROM long_text_piece WHERE number = 0", "DELETE FROM long_text_piece WHERE number = 1",
    "UPDATE long_text SET size = 6",
  ])
  func `a long text that an operation names and that is not there whole is reported`(
    change: String
  ) throws {
    let bench = try CheckpointBench()
    let text = KeptText(LongText(digest: .sample("a"), count: 3), size: 5)
    do {
      let (file, _) = try bench.openWithRun([.hero(1)])
      var pieces: [[UInt8]] = [[1, 2], [3, 4, 5]]
      try file.keep(text) { pieces.isEmpty ? nil : pieces.removeFirst() }
      let before = KeptValue(Array("{}".utf8), naming: [text]).column
      try file.commit([.begin(1, before: before, version: nil)], now: 1)
    }
    #expect(try codes(bench) == [])
    try CheckpointBench.edit(bench.path, [change])
    #expect(try codes(bench) == ["checkpoint.missing-text"])
    guard case .refused = try CheckpointRepair.run(bench.path) else {
      Issue.record("it was not refused")
      return
    }
  }

  @Test func `an operation that cannot be read is damage that names the file and its number`()
    throws
  {
    let bench = try killed("UPDATE operation SET action = 'dance' WHERE number = 4")
    let file = try bench.open()
    let run = try #require(try file.unfinishedRun())
    #expect(
      throws: CheckpointError.damaged(
        path: bench.path,
        reason: "the action of its operation 4 cannot be read"
      )
    ) { try file.operations(of: run, phase: 0, after: 0, limit: 9) }
  }

  @Test func `a missing column is damage, and not a write error`() throws {
    let bench = try killed("ALTER TABLE tally RENAME COLUMN bucket TO pail")
    let file = try bench.open()
    let run = try #require(try file.unfinishedRun())
    #expect(
      throws: CheckpointError.damaged(path: bench.path, reason: "no such column: bucket")
    ) { try file.tallies(of: run) }
  }
}
