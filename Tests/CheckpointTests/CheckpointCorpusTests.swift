import CheckedDatabases
import Checkpoint
import CheckpointMending
import Files
import GRDB
import Records
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct CheckpointCorpusTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  @Test
  func `a fuzzed checkpoint is read, repaired, or refused with a reason`()
    throws
  {
    for (name, input) in try FuzzCorpus.inputs(of: "checkpoint") {
      let complaints = try ChangedCheckpoint(input).complaints(at: bench.path, use: .all)
      #expect(complaints.isEmpty, "\(name): \(complaints)")
    }
  }

  @Test(arguments: [1, 3] as [UInt8])
  func `the fuzzer's seed checkpoint is sound`(choice: UInt8) throws {
    #expect(try ChangedCheckpoint([choice]).complaints(at: bench.path, use: .all) == [])
  }

  /// Each column of a checkpoint, holding what Ferry never writes there.
  ///
  /// With half of the values a run goes on with it before it is mended, with other ones in the next column.
  @Test(
    arguments: zip(
      0..<6,
      ["X'FF'", "CAST(X'FF' AS TEXT)", "''", "-1", "'\u{1B}[2J'", "1e300"]
    )
  )
  func `a value of another type is damage, and does not crash the program`(
    turn: Int,
    value: String
  ) throws {
    _ = try ChangedCheckpoint([1]).complaints(at: bench.path)
    let sound = try InputFile.contents(of: bench.path)
    for (number, (table, column)) in try columns(of: bench.path).enumerated() {
      try ChangedCheckpoint([0] + sound).lay(at: bench.path)
      do {
        // What may appear once only, is in the first row.
        let update = "UPDATE OR IGNORE \(table) SET \(column) = \(value)"
        try CheckpointBench.edit(bench.path, [update])
      } catch DatabaseError.SQLITE_MISMATCH {
        // The number of a row is one in any file.
        continue
      }
      let complaints = ChangedCheckpoint.complaints(
        aboutFile: bench.path,
        isTakenFirst: (number + turn).isMultiple(of: 2)
      )
      #expect(complaints.isEmpty, "\(table).\(column): \(complaints)")
    }
  }

  @Test(arguments: [false, true])
  func `a missing table or index is reported by the check, unless it is not needed`(
    isTakenFirst: Bool
  ) throws {
    _ = try ChangedCheckpoint([1]).complaints(at: bench.path)
    let sound = try InputFile.contents(of: bench.path)
    let made = try CheckedPages.open(bench.path).read { database in
      try String.fetchAll(
        database,
        sql: "SELECT type || ' ' || name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name"
      )
    }
    #expect(made.contains("index operation_by_record") && made.contains("table tally"))
    for name in made where !name.contains("sqlite_") {
      try ChangedCheckpoint([0] + sound).lay(at: bench.path)
      try CheckpointBench.edit(bench.path, ["DROP \(name)"])
      let complaints = ChangedCheckpoint.complaints(
        aboutFile: bench.path,
        isTakenFirst: isTakenFirst
      )
      #expect(complaints.isEmpty, "\(name): \(complaints)")
    }
  }

  @Test func `a renamed column is reported by the check`() throws {
    _ = try ChangedCheckpoint([1]).complaints(at: bench.path)
    let sound = try InputFile.contents(of: bench.path)
    for (table, column) in try columns(of: bench.path)
    where !table.hasPrefix("sqlite_") && table != "meta" {
      try ChangedCheckpoint([0] + sound).lay(at: bench.path)
      try CheckpointBench.edit(
        bench.path,
        ["ALTER TABLE \(table) RENAME COLUMN \(column) TO another"]
      )
      let codes = try CheckpointView(bench.path)?.faults().map(\.code)
      #expect(codes == ["checkpoint.unknown-table"], "\(table).\(column)")
    }
  }

  private func columns(of path: String) throws -> [(table: String, column: String)] {
    let queue = try CheckedPages.open(path)
    return try queue.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT tables.name AS place, columns.name AS part
          FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
          WHERE tables.type = 'table' ORDER BY tables.name, columns.cid
          """
      ).map { (table: $0["place"], column: $0["part"]) }
    }
  }
}
