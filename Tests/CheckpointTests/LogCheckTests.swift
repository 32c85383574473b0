import Checkpoint
import CheckpointMending
import Files
import Foundation
import Records
import Testing
import UploadPlanning

/// A byte that changed in the log which a killed run left beside its checkpoint.
@Suite(.timeLimit(.minutes(3))) struct LogCheckTests {
  private let bench: CheckpointBench

  init() throws { bench = try CheckpointBench() }

  /// What a killed run leaves: the file, and beside it a log with many commits.
  private func killed(_ bench: CheckpointBench) throws -> (main: Data, log: [UInt8]) {
    try bench.fill()
    let file = try bench.open()
    let run = try #require(try file.runs().first)
    for number in Int64(16)...20 {
      try file.commit([.confirm(number, serverID: "late-\(number)", version: "v2")], now: 3)
    }
    try file.setStage(.finished, of: run, now: 4)
    let main = try Data(contentsOf: URL(filePath: bench.path))
    let log = [UInt8](try Data(contentsOf: URL(filePath: bench.path + "-wal")))
    withExtendedLifetime(file) {}
    return (main, log)
  }

  /// The log of a run that had just begun, with all that its checkpoint holds, and its operations.
  private func begun(_ bench: CheckpointBench) throws -> (log: [UInt8], states: [String]) {
    let (file, _) = try bench.openWithRun((1...20).map { .hero($0) })
    try file.commit([.begin(1), .confirm(2, "s2")], now: 1)
    let log = [UInt8](try Data(contentsOf: URL(filePath: bench.path + "-wal")))
    return (log, try file.states())
  }

  private func lay(_ main: Data, _ log: [UInt8], in bench: CheckpointBench) throws {
    try Folder.remove(bench.path + "-shm")
    try main.write(to: URL(filePath: bench.path))
    try Data(log).write(to: URL(filePath: bench.path + "-wal"))
  }

  private func state(_ bench: CheckpointBench) throws -> [String] {
    let file = try bench.open()
    let run = try #require(try file.runs().first)
    return try file.counts(of: run).map { "\($0.state) \($0.count)" } + [run.stage.rawValue]
  }

  @Test func `a log that was being merged when the power was cut keeps its commits`()
    throws
  {
    let (log, all) = try begun(bench)
    // Each page of the log had its place in the file, and not yet its bytes.
    let pages = stride(from: 32, to: log.count, by: 4_120).map { log[$0 + 3] }
    #expect(pages.contains(1))
    let main = Data(count: 4_096 * Int(pages.max() ?? 0))
    try lay(main, log, in: bench)
    let view = try #require(try CheckpointView(bench.path))
    #expect(try view.faults() == [])
    let copy = "\(bench.folder)/copy.sqlite"
    try view.copy(to: copy)
    #expect(try CheckpointView(copy)?.faults() == [])
    #expect(try bench.open().states() == all)
    #expect(try CheckpointView(bench.path)?.faults() == [])
  }

  @Test func `a changed byte in the log loses only the last commit`() throws {
    let (main, log) = try killed(bench)
    try lay(main, log, in: bench)
    let all = try state(bench)
    let frame = 4_120
    let ends = stride(from: 32, to: log.count, by: frame).filter {
      log[$0 + 4..<$0 + 8].contains { $0 != 0 }
    }
    #expect(ends.count > 6)
    let late = ends[ends.count - 2] + frame
    var refused = 0
    for place in Array(0..<80) + Array(stride(from: 80, to: log.count, by: 397)) {
      var bytes = log
      bytes[place] ^= UInt8(1 << (place % 8))
      try lay(main, bytes, in: bench)
      do {
        let now = try state(bench)
        if now != all { #expect(place >= late, "byte \(place) rolled back more: \(now)") }
      } catch let error as CheckpointError {
        guard case .damaged(bench.path, let reason) = error else {
          Issue.record("byte \(place): \(error)")
          continue
        }
        #expect(reason.contains("its log") && reason.contains("at byte"), "\(reason)")
        refused += 1
      }
    }
    #expect(refused > 50)
  }

  @Test func `a torn log is merged up to its last whole commit`() throws {
    let (main, log) = try killed(bench)
    for size in stride(from: 32, to: log.count, by: 1_030) {
      try lay(main, Array(log[..<size]), in: bench)
      _ = try state(bench)
    }
    // The last commit: what it wrote last is there, and what it wrote first is not.
    let frame = 4_120
    var torn = log
    for place in log.count - frame..<log.count - 4_096 { torn[place] = 0 }
    try lay(main, torn, in: bench)
    _ = try state(bench)
  }

  @Test func `a log whose checkpoint was moved away is not taken for damage`() throws {
    var (main, log) = try killed(bench)
    log[4_500] ^= 1
    try lay(main, log, in: bench)
    #expect(throws: CheckpointError.self) { try bench.open() }
    try FileManager.default.removeItem(atPath: bench.path)
    #expect(try bench.open().runs().isEmpty)
  }

  @Test func `check and repair both report a damaged log`() throws {
    var (main, log) = try killed(bench)
    log[4_500] ^= 1
    try lay(main, log, in: bench)
    for look in [
      { _ = try CheckpointView(bench.path) }, { _ = try CheckpointRepair.run(bench.path) },
    ] {
      let error = #expect(throws: CheckpointError.self) { try look() }
      #expect("\(error.map { "\($0)" } ?? "")".contains("at byte 4152"))
    }
    #expect(try Data(contentsOf: URL(filePath: bench.path + "-wal")) == Data(log))
  }

  @Test func `a log whose first page prevents writing is damage at that page`() throws {
    var log = try begun(bench).log
    let main = try Data(contentsOf: URL(filePath: bench.path))
    let frame = try #require(
      stride(from: 32, to: log.count, by: 24 + 4_096).first { place in
        log[place..<place + 4] == [0, 0, 0, 1]
      }
    )
    #expect(log[frame + 24 + 18] == 2)
    log[frame + 24 + 18] = 3
    try lay(main, SoundCheckpoint.sealed(log, from: frame), in: bench)
    let reason = "its log, \(bench.path)-wal, is not as ferry wrote it at byte \(frame)"
    let expected = CheckpointError.damaged(path: bench.path, reason: reason)
    #expect(throws: expected) { try CheckpointView(bench.path) }
    #expect(throws: expected) { try bench.open() }
  }

  @Test func `a changed page in the file is found although a log lies beside it`() throws {
    let (main, log) = try killed(bench)
    let logged = Set(stride(from: 32, to: log.count, by: 4_120).map { Int(log[$0 + 3]) })
    let pages = Array(2...(main.count / 4_096))
    let besides = pages.filter { !logged.contains($0) }
    #expect(!besides.isEmpty && besides.count < pages.count)
    for page in pages {
      var changed = main
      changed[(page - 1) * 4_096 + 2_000] ^= 0xFF
      try lay(changed, log, in: bench)
      // The content of the log too is read there.
      if logged.contains(page) {
        try CheckpointView(bench.path)?.expectWhole()
      } else {
        #expect(throws: CheckpointError.self, "page \(page)") {
          try CheckpointView(bench.path)?.expectWhole()
        }
      }
    }
  }
}
