import CCheckedPages
import Checkpoint
import CheckpointMending
import Files
import Records
import UploadPlanning

/// A checkpoint in which an input of the fuzzer changed bytes.
///
/// The bits of the first byte say what of:
///
/// | bit | set | not set |
/// |---|---|---|
/// | 0 | a sound checkpoint is changed | what follows the byte is the file |
/// | 1 | a killed run left a log beside it | it is at rest |
/// | 2 | nothing | |
/// | 3 | pages that changed get their checksums again | they are damaged |
/// | 4 | frames of the log get theirs again, from the first that changed on | they are damaged |
/// | 5 to 7 | what is done with it beyond the check, as ``Use`` says | |
///
/// Each five bytes that follow are a change: three say where it is, the fourth what is done there,
/// and the fifth with what.
struct ChangedCheckpoint {
  private(set) var file: [UInt8]
  private(set) var log: [UInt8] = []
  private let use: Use
  /// Whether checksums state that the file is not what was written.
  private var isNoticed = false

  /// Where the file, with the log behind it, first differs from a sound one; `nil` where it does not.
  private var first: Int?
  private var changedPages: Set<Int> = []

  private static let pageSize = 4_096
  private static let changeSize = 5

  /// What is done with a checkpoint that was checked.
  ///
  /// All but reading it takes several times as long as the check, and is therefore done with fewer.
  enum Use {
    case reading, going, mending, all

    fileprivate init(_ choice: UInt8) {
      switch choice {
      case 5: self = .going
      case 6: self = .mending
      case 7: self = .all
      default: self = .reading
      }
    }
  }

  init(_ input: some Collection<UInt8>) {
    let input = Array(input)
    let choice = input.first ?? 0
    use = Use(choice >> 5)
    guard choice & 1 != 0 else {
      file = Array(input.dropFirst())
      return
    }
    let sound = SoundCheckpoint.all[Int(choice >> 1) % SoundCheckpoint.all.count]
    file = sound.file
    log = sound.log
    for start in stride(from: 1, through: input.count - Self.changeSize, by: Self.changeSize) {
      change(input[start..<start + Self.changeSize], of: sound)
    }
    // Checksums are those of a file that is at rest.
    isNoticed = choice & 10 == 0 && file != sound.file && !file.isEmpty
    if choice & 8 != 0 { for page in changedPages { seal(page) } }
    if choice & 16 != 0, let first { sealLog(from: first - sound.file.count) }
  }

  // MARK: - Changes

  private mutating func change(_ input: ArraySlice<UInt8>, of sound: SoundCheckpoint) {
    let words = Array(input)
    let number = Int(words[0]) << 16 | Int(words[1]) << 8 | Int(words[2])
    let value = words[4]
    // Half of all places are taken from those where something is.
    let place =
      words[0] & 0x80 == 0
      ? sound.places[number % sound.places.count]
      : number % (sound.file.count + sound.log.count)
    switch words[3] % 8 {
    case 0: cut(at: place, of: sound)
    case 1: update(place, of: sound) { $0 &+ value }
    case 2: update(place, of: sound) { $0 ^ 1 << (value % 8) }
    case 3: update(place, of: sound) { _ in 0 }
    case 4: putPage(at: place, from: Int(value), of: sound)
    default: update(place, of: sound) { _ in value }
    }
  }

  private mutating func note(_ place: Int, of sound: SoundCheckpoint) {
    first = min(first ?? place, place)
    if place < sound.file.count { changedPages.insert(place / Self.pageSize) }
  }

  private mutating func update(
    _ place: Int,
    of sound: SoundCheckpoint,
    _ body: (UInt8) -> UInt8
  ) {
    let inLog = place - sound.file.count
    if inLog < 0, place < file.count {
      file[place] = body(file[place])
    } else if inLog >= 0, inLog < log.count {
      log[inLog] = body(log[inLog])
    } else {
      return
    }
    note(place, of: sound)
  }

  private mutating func cut(at place: Int, of sound: SoundCheckpoint) {
    if place < sound.file.count {
      file.removeLast(max(0, file.count - place))
    } else {
      log.removeLast(max(0, log.count - (place - sound.file.count)))
    }
    note(place, of: sound)
  }

  /// Puts a page of the sound file where another is, as a disk might that writes to the wrong place.
  private mutating func putPage(at place: Int, from number: Int, of sound: SoundCheckpoint) {
    let start = place - place % Self.pageSize
    guard start + Self.pageSize <= file.count else { return }
    let source = number % (sound.file.count / Self.pageSize) * Self.pageSize
    file.replaceSubrange(
      start..<start + Self.pageSize,
      with: sound.file[source..<source + Self.pageSize]
    )
    note(start, of: sound)
  }

  // MARK: - Checksums

  private mutating func seal(_ page: Int) {
    let start = page * Self.pageSize
    let count = Self.pageSize - Int(FERRY_CHECKED_PAGES_RESERVED)
    guard start + Self.pageSize <= file.count else { return }
    let sum = file.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { ferry_page_checksum($0 + start, count, UInt64(page) + 1) } ?? 0
    }
    for byte in 0..<Int(FERRY_CHECKED_PAGES_RESERVED) {
      file[start + count + byte] = UInt8(truncatingIfNeeded: sum >> (8 * UInt64(byte)))
    }
  }

  private mutating func sealLog(from place: Int) {
    log = SoundCheckpoint.sealed(log, from: max(0, place))
  }
}

// MARK: - What Ferry makes of it

extension ChangedCheckpoint {
  /// Lays it at `path` and has done with it what the input says, or all there is; gives what should
  /// not have happened.
  func complaints(at path: String, use: Use? = nil) throws(FileError) -> [String] {
    let use = use ?? self.use
    var complaints: [String] = []
    for isTakenFirst in use == .all ? [false, true] : [false] {
      try lay(at: path)
      complaints += Self.complaints(
        aboutFile: path,
        isTakenFirst: isTakenFirst,
        isNoticed: isNoticed,
        use: use
      )
    }
    return complaints
  }

  /// Puts it in the place of a checkpoint and of all that lay beside that.
  func lay(at path: String) throws(FileError) {
    for ending in ["-wal", "-shm", "-journal", ".lock", ".repair", ".damaged"] {
      try Folder.remove(path + ending)
    }
    try Self.write(file, to: path)
    if !log.isEmpty { try Self.write(log, to: path + "-wal") }
  }

  /// Checks a checkpoint without taking it, reads it, mends it, and goes on with it; gives what should
  /// not have happened.
  ///
  /// It may be refused with a reason at each step. What is said to be sound can be read from end to end
  /// and gone on with, and needs no mending; what is said to be mended can be read as well. With
  /// `isTakenFirst` a run goes on with it before it is mended as well; with `isNoticed` it has to be
  /// known that it is not what was written.
  static func complaints(
    aboutFile path: String,
    isTakenFirst: Bool,
    isNoticed: Bool = false,
    use: Use = .all
  ) -> [String] {
    var complaints: [String] = []
    var binding: CheckpointBinding?
    var isSound = false
    func step(_ body: () throws(CheckpointError) -> Void) {
      do throws(CheckpointError) {
        try body()
      } catch {
        if error.description.isEmpty { complaints.append("it is refused without a reason") }
      }
    }
    func goOn() {
      step { () throws(CheckpointError) in
        guard let binding else { return }
        let file: CheckpointFile
        do throws(CheckpointError) {
          file = try CheckpointFile(path: path, binding: binding)
          for run in try file.runs() { try Self.read(file, run) }
        } catch {
          if isSound { complaints.append("it is said to be sound, and no run reads it: \(error)") }
          throw error
        }
        isSound = false
        try Self.goOn(file)
      }
    }
    step { () throws(CheckpointError) in
      guard let view = try CheckpointView(path) else { return }
      binding = view.binding
      isSound = try view.faults().isEmpty
      guard isSound else { return }
      if isNoticed { complaints.append("it is not what was written, and no one notices") }
      guard use == .reading || use == .all else { return }
      complaints += Self.complaints(aboutReading: view, "said to be sound")
    }
    if use == .going || use == .all && isTakenFirst { goOn() }
    if use == .mending || use == .all {
      step { () throws(CheckpointError) in
        switch try CheckpointRepair.run(path) {
        case .sound: break
        case .mended(let done, _):
          if isSound { complaints.append("it is said to be sound, and repaired: \(done)") }
          if done.isEmpty { complaints.append("it is repaired, without a word on how") }
          guard let view = try CheckpointView(path) else { return complaints.append("it is gone") }
          complaints += Self.complaints(aboutReading: view, "mended")
          isSound = true
        case .refused(let findings):
          if isSound { complaints.append("it is said to be sound, and refused: \(findings)") }
          if findings.isEmpty { complaints.append("it is not repaired, without a word on why") }
        }
      }
    }
    if use == .all { goOn() }
    return complaints
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    try Folder.remove(path)
    var file = try OutputFile(creating: path, isDigested: false)
    try file.write(bytes)
    _ = try file.finishUnsynced()
  }

  private static func complaints(aboutReading view: CheckpointView, _ words: String) -> [String] {
    do throws(CheckpointError) {
      try read(view)
      return []
    } catch {
      return ["it is \(words), and cannot be read: \(error)"]
    }
  }

  /// Reads all that is read of a checkpoint that no one takes.
  private static func read(_ view: CheckpointView) throws(CheckpointError) {
    _ = try view.facts()
    try view.forEachLine { _ = $0.columns.count }
    for run in try view.runs() {
      var last: WriteBackEntry?
      repeat {
        last = try view.writeBack(of: run, after: last, limit: 5).last
      } while last != nil
    }
    _ = try view.holds("s4", of: "Hero")
  }

  /// Settles what is open, as a run does, and begins another run.
  private static func goOn(_ file: CheckpointFile) throws(CheckpointError) {
    if let run = try file.unfinishedRun() { try settle(file, run) }
    let run = try file.beginRun("run-9", [.hero(1, action: .update), .hero(9)])
    try settle(file, run)
    try file.setStage(.finished, of: run, now: 90)
  }

  private static func read(_ file: CheckpointFile, _ run: RunRecord) throws(CheckpointError) {
    _ = try file.choice(of: run)
    _ = try file.hasUnsettled(run)
    _ = try file.counts(of: run)
    _ = try file.tallies(of: run)
    _ = try file.findings(of: run, limit: 100)
    _ = try file.refusals(of: run, limit: 100)
    _ = try file.foundThere(by: run)
    _ = try file.settled(of: run, after: 0, limit: 100)
    _ = try file.weights(of: run)
    _ = try file.planDigests(of: run)
    _ = try file.placesDigest(of: run)
    try file.forEachSent(of: run) { _ = $1.count }
    _ = try file.confirmed(of: run, before: .max, limit: 100)
    try file.forEachChange(of: run) { _ = $0.members }
    for number in 1...2 {
      _ = try file.known(.hero(number))
      _ = try file.image(of: .hero(number), content: .sample("a"))
      _ = try file.image(
        of: .hero(number),
        requestDigest: .sample("request a"),
        content: .sample("a")
      )
      _ = try file.isMadeByRun(.hero(number))
    }
    var last = ""
    while let end = try file.records(of: "Hero", after: last, limit: 2).last {
      last = end.record.key
    }
    _ = try file.mark(of: "Hero")
    _ = try file.isAccountedFor("s4", of: "Hero")
  }

  private static func settle(_ file: CheckpointFile, _ run: RunRecord) throws(CheckpointError) {
    var last: Int64 = 0
    for phase in 0...1 {
      while true {
        let open = try file.operations(of: run, phase: phase, after: last, limit: 3)
        guard let end = open.last?.number, end > last else { break }
        last = end
        let planned = open.filter { $0.state == .planned }
        try file.commit(planned.map { .begin($0.number) }, now: 80)
        try file.commit(open.map { .confirm($0.number, "s\($0.number)") }, now: 81)
      }
    }
  }
}
