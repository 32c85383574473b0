package import Files
import Synchronization
package import UploadPlanning

/// What a disk was reported about the files of one folder, in order, and what of it a power cut leaves.
///
/// The files themselves are on a real disk, as the system would show them to a program that goes
/// on. Only what was synced is sure to be there after a cut: of the writes after the last sync of a
/// file any may be missing, the last ones may be torn, and a name that was made or removed may or
/// may not be.
package final class Volume: Sendable {
  enum Note: Sendable {
    case made(name: String, file: Int)
    case removed(name: String, isSynced: Bool)
    case wrote(file: Int, offset: Int, bytes: [UInt8])
    case cut(file: Int, size: Int)
    case synced(file: Int)
  }

  struct State: Sendable {
    var notes: [Note] = []
    /// The file that a name represents now.
    var names: [String: Int] = [:]
    /// The files that the names represented at the beginning, and the bytes in them.
    var original: [String: Int] = [:]
    var beginnings: [Int: [UInt8]] = [:]
    var lastFile = 0
  }

  package let folder: String
  /// Whether the disk only says that it synced.
  let lies: Bool
  private let state: Mutex<State>

  /// Begins with files that are on the disk for good.
  init(folder: String, files: [String: [UInt8]], lies: Bool) {
    self.folder = folder
    self.lies = lies
    var state = State()
    for (name, bytes) in files {
      state.lastFile += 1
      state.names[name] = state.lastFile
      state.original[name] = state.lastFile
      state.beginnings[state.lastFile] = bytes
    }
    self.state = Mutex(state)
  }

  /// Makes a folder with some files in it, as a cut left them, and watches what happens to it from now on.
  ///
  /// `folder` is a name without links, which is the one that SQLite opens files under.
  package convenience init(
    layingOut files: [String: [UInt8]],
    in folder: String,
    lies: Bool = false
  ) throws(FileError) {
    try Folder.make(folder)
    for (name, bytes) in files {
      var output = try OutputFile(creating: "\(folder)/\(name)")
      try output.write(bytes)
      _ = try output.finishUnsynced()
    }
    self.init(folder: folder, files: files, lies: lies)
    ForgettingSystem.watch(self)
  }

  /// Ends the watch: what happens from now on is not looked at any more.
  package func forget() { ForgettingSystem.forget(folder) }

  /// How many things happened; a cut can come after each.
  package var noteCount: Int { state.withLock { $0.notes.count } }

  /// The file of a name, made when it is not there.
  func file(named name: String) -> Int {
    state.withLock { state in
      if let file = state.names[name] { return file }
      state.lastFile += 1
      state.names[name] = state.lastFile
      state.notes.append(.made(name: name, file: state.lastFile))
      return state.lastFile
    }
  }

  func remove(_ name: String, isSynced: Bool) {
    state.withLock { state in
      guard state.names.removeValue(forKey: name) != nil else { return }
      state.notes.append(.removed(name: name, isSynced: isSynced))
    }
  }

  func note(_ note: Note) {
    if lies, case .synced = note { return }
    state.withLock { $0.notes.append(note) }
  }

  /// The files as a cut after the first `count` notes may leave them.
  package func remains(after count: Int, random: inout SeededRandom) -> [String: [UInt8]] {
    let state = state.withLock { $0 }
    var cut = Remains(state: state)
    cut.play(state.notes.prefix(count), random: &random)
    return cut.files(random: &random)
  }

  /// The files as the end of a process after the first `count` notes leaves them: with all its writes.
  package func written(after count: Int) -> [String: [UInt8]] {
    let state = state.withLock { $0 }
    var all = Remains(state: state)
    all.write(state.notes.prefix(count))
    return all.named
  }
}

/// The files of a volume while its notes are played.
private struct Remains {
  var names: [String: Int]
  var contents: [Int: [UInt8]]
  /// What was done to each file since it was synced.
  var loose: [Int: [Volume.Note]] = [:]
  /// The names that were made or removed and are not sure yet, in their order.
  var looseNames: [Volume.Note] = []

  init(state: Volume.State) {
    contents = state.beginnings
    names = state.original
  }

  mutating func play(_ notes: ArraySlice<Volume.Note>, random: inout SeededRandom) {
    for note in notes {
      switch note {
      case .made: looseNames.append(note)
      case .removed(_, let isSynced):
        looseNames.append(note)
        if isSynced { keepNames() }
      case .wrote(let file, _, _), .cut(let file, _): loose[file, default: []].append(note)
      case .synced(let file):
        for change in loose[file] ?? [] { apply(change) }
        loose[file] = nil
        keepNames()
      }
    }
  }

  /// Plays notes as the system shows them, synced or not.
  mutating func write(_ notes: ArraySlice<Volume.Note>) {
    for note in notes { apply(note) }
  }

  /// The files by their names, without what is not sure yet.
  var named: [String: [UInt8]] { names.mapValues { contents[$0] ?? [] } }

  private mutating func keepNames() {
    for note in looseNames { apply(note) }
    looseNames = []
  }

  private mutating func apply(_ note: Volume.Note) {
    switch note {
    case .made(let name, let file): names[name] = file
    case .removed(let name, _): names[name] = nil
    case .wrote(let file, let offset, let bytes):
      var content = contents[file] ?? []
      let end = offset + bytes.count
      if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
      content.replaceSubrange(offset..<end, with: bytes)
      contents[file] = content
    case .cut(let file, let size):
      var content = contents[file] ?? []
      if content.count > size { content.removeLast(content.count - size) }
      contents[file] = content
    case .synced: break
    }
  }

  /// The files, with some of what was not synced.
  func files(random: inout SeededRandom) -> [String: [UInt8]] {
    var copy = self
    // Names come and go in order, as a journal of the file system keeps them.
    let kept = Int.random(in: 0...looseNames.count, using: &random)
    for note in looseNames.prefix(kept) { copy.apply(note) }
    let way = Int.random(in: 0..<4, using: &random)
    for file in loose.keys.sorted() {
      for note in loose[file] ?? [] {
        switch way {
        case 0: break
        case 1: copy.apply(note)
        default:
          guard Bool.random(using: &random) else { continue }
          copy.apply(way == 3 ? torn(note, random: &random) : note)
        }
      }
    }
    return copy.named
  }

  /// A write of which only some sectors arrived.
  private func torn(_ note: Volume.Note, random: inout SeededRandom) -> Volume.Note {
    guard case .wrote(let file, let offset, let bytes) = note, bytes.count > 512 else {
      return note
    }
    let sectors = Int.random(in: 0...(bytes.count / 512), using: &random)
    return .wrote(file: file, offset: offset, bytes: Array(bytes.prefix(sectors * 512)))
  }
}
