import CCheckedPages
import Checkpoint
import Files
import Records
import UploadPlanning

/// A checkpoint with something in every table, whose second run is under way.
struct SoundCheckpoint {
  let file: [UInt8]
  /// Empty for a checkpoint at rest.
  let log: [UInt8]
  /// Where in the file, with the log behind it, anything but zeros is.
  let places: [Int]

  /// One at rest and one whose run was killed.
  static let all: [SoundCheckpoint] = {
    do {
      return [try SoundCheckpoint(isKilled: false), try SoundCheckpoint(isKilled: true)]
    } catch {
      fatalError("no checkpoint can be made: \(error)")
    }
  }()

  private init(isKilled: Bool) throws {
    let bench = try CheckpointBench()
    try Self.finishRun(bench)
    let open = try Self.beginRun(bench)
    if isKilled {
      log = Self.steady(try InputFile.contents(of: bench.path + "-wal"))
      file = try InputFile.contents(of: bench.path)
      withExtendedLifetime(open) {}
    } else {
      withExtendedLifetime(consume open) {}
      log = []
      file = try InputFile.contents(of: bench.path)
    }
    places = (file + log).enumerated().filter { $0.element != 0 }.map(\.offset)
  }

  private static func finishRun(_ bench: CheckpointBench) throws(CheckpointError) {
    let file = try bench.open()
    let run = try file.beginRun("run-1", (1...5).map { .hero($0) })
    try file.addSeen(["x1", "x2"], of: "Hero")
    try file.setCursor("mark", of: "Hero")
    var step = PlanStep()
    step.images = [image]
    try file.add(step, to: run, now: 0)
    try file.commit((1...5).map { .begin($0) }, now: 10)
    try file.commit((1...4).map { .confirm($0, "s\($0)") }, now: 20)
    try file.commit([.reject(5, code: "too-long", reason: "too long")], now: 20)
    try file.setStage(.finished, of: run, now: 30)
  }

  private static let image = RecordImage(
    record: .hero(1),
    content: .sample("a"),
    requestDigest: .sample("request a"),
    base: Array("{}".utf8),
    sent: nil
  )

  /// Has an operation in each state.
  private static func beginRun(_ bench: CheckpointBench) throws(CheckpointError) -> CheckpointFile {
    let file = try bench.open()
    let run = try file.beginRun(
      id: "run-2",
      kind: .upload,
      package: "digest",
      packagePath: "/p/heroes.ferry",
      undoes: nil,
      profile: .sample,
      choice: "local",
      now: 1_000
    )
    var step = PlanStep()
    step.operations = [.hero(1, action: .update), .hero(2, action: .delete)]
    step.operations += (6...11).map { .hero($0) } + (1...2).map { .on(.story($0), phase: 1) }
    step.tallies = ["Hero": [.unchanged: 2]]
    step.findings = [
      Finding(code: "a.code", severity: .note, entity: "Hero", cause: "a cause", cure: "a cure")
    ]
    // In the place of the one that is known.
    step.images = [image]
    try file.add(step, to: run, now: 0)
    try file.add([RecordChange(record: .hero(1), members: ["name", "power"])], of: run)
    try file.setStage(.executing, of: run, now: 0)
    try file.commit((6...13).map { .begin($0, before: [1, 2], version: "4") }, now: 40)
    try file.commit(
      [
        .confirm(6, "s1"), .confirm(7), .confirm(8, "s6"),
        .adopt(9, serverID: "s7", version: nil), .lose(10, reason: "cut"),
        .reject(11, code: "too-long", reason: "too long"), .conflict(12, reason: "newer"),
        .revoke(13),
      ],
      now: 50
    )
    try file.commit([.begin(13)], now: 60)
    return file
  }

  // MARK: - The log

  private static let headerSize = 32
  private static let frameHeaderSize = 24
  private static let frameSize = frameHeaderSize + 4_096

  /// The log with the same salts each time, which SQLite takes by chance.
  private static func steady(_ log: [UInt8]) -> [UInt8] {
    var log = log
    let salts: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    log.replaceSubrange(16..<24, with: salts)
    for frame in stride(from: headerSize, through: log.count - frameSize, by: frameSize) {
      log.replaceSubrange(frame + 8..<frame + 16, with: salts)
    }
    return sealed(log, from: 0)
  }

  /// The log with the checksums of its frames made right from the one on in which `place` is.
  ///
  /// <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
  static func sealed(_ log: [UInt8], from place: Int) -> [UInt8] {
    guard log.count >= headerSize else { return log }
    var log = log
    let order: Int32 = log[3] & 1 == 1 ? 1 : 0
    var sums: [UInt32] = [0, 0]
    func add(_ range: Range<Int>) {
      log[range].withUnsafeBufferPointer { bytes in
        sums.withUnsafeMutableBufferPointer { sums in
          guard let start = bytes.baseAddress, let sums = sums.baseAddress else { return }
          ferry_log_sums(order, start, bytes.count, sums)
        }
      }
    }
    func putSums(_ start: Int) {
      for (offset, sum) in sums.enumerated() {
        for byte in 0..<4 {
          log[start + 4 * offset + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * byte))
        }
      }
    }
    add(0..<24)
    if place < headerSize { putSums(24) }
    for frame in stride(from: headerSize, through: log.count - frameSize, by: frameSize) {
      if place >= frame + frameSize {
        sums = [0, 4].map { offset in
          log[frame + 16 + offset..<frame + 20 + offset].reduce(0) { $0 << 8 | UInt32($1) }
        }
        continue
      }
      add(frame..<frame + 8)
      add(frame + frameHeaderSize..<frame + frameSize)
      putSums(frame + 16)
    }
    return log
  }
}
