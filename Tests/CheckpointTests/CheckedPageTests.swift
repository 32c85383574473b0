import CCheckedPages
import CheckedDatabases
import Checkpoint
import CheckpointMending
import Foundation
import GRDB
import Records
import Testing
import UploadPlanning

/// A byte of a checkpoint that changed by itself.
@Suite(.timeLimit(.minutes(3))) struct CheckedPageTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  /// All that a checkpoint says, or why it is refused.
  private func reading(_ bench: CheckpointBench) throws -> [CheckpointLine] {
    let file = try bench.open()
    for run in try file.runs() {
      _ = try file.operations(of: run, phase: 0, after: 0, limit: 100)
      _ = try file.counts(of: run)
    }
    withExtendedLifetime(file) {}
    guard let view = try CheckpointView(bench.path) else { return [] }
    var lines: [CheckpointLine] = []
    try view.forEachLine { line in
      let isEpoch = line.columns.contains { $0.value == .text("epoch") }
      if !isEpoch { lines.append(line) }
    }
    return lines
  }

  @Test func `the page checksum has the published test values`() {
    let nothing: [UInt8] = [0]
    #expect(ferry_page_checksum(nothing, 0, 0) == 0xEF46_DB37_51D8_E999)
  }

  @Test
  func `a changed byte anywhere in the checkpoint is detected by its page's checksum`()
    throws
  {
    try bench.fill()
    #expect(try CheckedPages.damages(in: bench.path) == [])
    let pageSize = 4_096
    let whole = [UInt8](try Data(contentsOf: URL(filePath: bench.path)))
    let file = try FileHandle(forUpdating: URL(filePath: bench.path))
    var unnoticed: [Int] = []
    // One byte of every other page at once: each of these pages is named, and none of those between.
    for place in 0..<2 * pageSize {
      let (offset, first) = place.quotientAndRemainder(dividingBy: 2)
      // The bytes of the header that say whether and how to look come by another test.
      let pages = stride(from: first + 1, through: whole.count / pageSize, by: 2)
        .filter { $0 > 1 || offset > 20 }
      var bytes = whole
      for page in pages { bytes[(page - 1) * pageSize + offset] ^= UInt8(1 << (offset % 8)) }
      try file.seek(toOffset: 0)
      try file.write(contentsOf: bytes)
      if try CheckedPages.damages(in: bench.path, limit: .max) != pages { unnoticed.append(place) }
    }
    #expect(whole.count > 50_000)
    #expect(unnoticed == [])
  }

  @Test func `a checkpoint with a changed byte in any part is refused`() throws {
    try bench.fill()
    let said = try reading(bench)
    #expect(said.count > 40)
    let whole = [UInt8](try Data(contentsOf: URL(filePath: bench.path)))
    // The header, and some bytes of each page: that no change is missed, its checksums answer for.
    var places = Array(0..<100)
    places += stride(from: 100, to: whole.count, by: 1_009)
    // Each bit of what says how large pages are, how they are written, and that they have checksums.
    let switches = 16..<24
    var (refused, unseen) = (0, 0)
    for place in places {
      for bit in switches.contains(place) ? 0..<8 : place % 8..<place % 8 + 1 {
        var bytes = whole
        bytes[place] ^= UInt8(1 << bit)
        for ending in ["-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: bench.path + ending)
        }
        try Data(bytes).write(to: URL(filePath: bench.path))
        do {
          let now = try reading(bench)
          #expect(now == said, "byte \(place), bit \(bit)")
          unseen += 1
        } catch let error as CheckpointError {
          guard case .damaged(bench.path, let reason) = error, !reason.isEmpty else {
            Issue.record("byte \(place), bit \(bit): \(error)")
            continue
          }
          refused += 1
        }
      }
    }
    // A page that this reading does not ask for may hold what it likes.
    #expect(refused > unseen)
  }

  @Test func `a refusal names the damaged page, and check and repair report it too`() throws {
    try bench.fill()
    var bytes = try Data(contentsOf: URL(filePath: bench.path))
    let word = try #require(bytes.range(of: Data("id-7".utf8)))
    bytes[word.lowerBound] ^= 1
    try bytes.write(to: URL(filePath: bench.path))
    let page = word.lowerBound / 4_096 + 1
    let error = #expect(throws: CheckpointError.self) { try reading(bench) }
    #expect(
      error
        == .damaged(
          path: bench.path,
          reason: "page \(page) is not as ferry wrote it: its checksum does not agree"
        )
    )
    let faults = try #require(try CheckpointView(bench.path)).faults()
    #expect(faults.map(\.code) == ["checkpoint.damaged-page"])
    let before = try Data(contentsOf: URL(filePath: bench.path))
    guard case .refused(let findings) = try CheckpointRepair.run(bench.path) else {
      Issue.record("it was repaired by a guess")
      return
    }
    #expect(findings.map(\.code) == ["checkpoint.beyond-repair"])
    #expect(try Data(contentsOf: URL(filePath: bench.path)) == before)
  }

  @Test func `a store name with any characters leads to its checkpoint`() throws {
    let name = "ä ?x=1&#%41\u{7}\u{10}.sqlite"
    let path = bench.folder + "/" + name
    _ = try CheckpointFile(path: path, binding: .sample())
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: bench.folder)) == [
        name, name + ".lock",
      ]
    )
    #expect(try CheckpointView(path)?.binding == .sample())
  }

  @Test func `the first of several damaged pages is named, and the others are counted`() throws {
    try bench.fill()
    var bytes = try Data(contentsOf: URL(filePath: bench.path))
    for page in [2, 3, 5] { bytes[page * 4_096 - 1] ^= 1 }
    try bytes.write(to: URL(filePath: bench.path))
    #expect(try CheckedPages.damages(in: bench.path) == [2, 3, 5])
    #expect(try CheckedPages.damages(in: bench.path, limit: 2) == [2, 3])
    let error = #expect(throws: CheckpointError.self) { try CheckpointView(bench.path) }
    guard case .damaged(bench.path, let reason) = error else {
      Issue.record("it said \(String(describing: error))")
      return
    }
    #expect(reason.hasPrefix("page 2 is not") && reason.hasSuffix(", nor do those of 2 more"))
  }

  @Test func `a checkpoint whose last page is cut is damaged there`() throws {
    try bench.fill()
    let bytes = try Data(contentsOf: URL(filePath: bench.path))
    try bytes.dropLast(4_095).write(to: URL(filePath: bench.path))
    #expect(try CheckedPages.damages(in: bench.path) == [bytes.count / 4_096])
  }

  @Test func `a checkpoint that lost its marker for checksums is damaged`() throws {
    try bench.fill()
    // All is as SQLite would have it, but that nothing holds the pages any more.
    let bare = bench.folder + "/bare.sqlite"
    let queue = try DatabaseQueue(path: bare)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA application_id = \(0x4665_7279)")
      try database.execute(sql: "PRAGMA user_version = 1")
      try database.execute(sql: "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    }
    try queue.close()
    try Data(contentsOf: URL(filePath: bare)).write(to: URL(filePath: bench.path))
    let reason = "its header does not say that its pages have checksums"
    let openings: [() throws -> Void] = [
      { _ = try CheckpointView(bench.path) }, { _ = try bench.open() },
      { _ = try CheckpointRepair.run(bench.path) },
    ]
    for opening in openings {
      let error = #expect(throws: CheckpointError.self) { try opening() }
      #expect(error == .damaged(path: bench.path, reason: reason))
    }
  }
}
