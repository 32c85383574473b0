import Files
import LegacyFiles

/// The files in a folder of legacy files and in the folders inside it, in the order of their names.
///
/// Links to folders are not followed, and the walk is bounded; what is left out is noted.
struct LegacyFolder {
  private(set) var files: [(path: String, name: String)] = []
  private var leftOut: [ImportResult.Note] = []
  private var leftOutCount = 0
  private let root: String

  private static let depthLimit = 32
  private static let fileLimit = 200_000

  init(_ root: String) throws {
    self.root = root
    try walk("", depth: 0)
  }

  /// What was left out, the first of it by name and the rest as a count.
  var notes: [ImportResult.Note] {
    let rest = leftOutCount - leftOut.count
    guard rest > 0 else { return leftOut }
    return leftOut + [Self.note(root, "\(rest) more were left out")]
  }

  private mutating func walk(_ prefix: String, depth: Int) throws {
    let folder = prefix.isEmpty ? root : "\(root)/\(prefix)"
    for name in try Folder.names(in: folder) {
      try visit(prefix.isEmpty ? name : "\(prefix)/\(name)", name, depth: depth)
    }
  }

  private mutating func visit(
    _ path: String,
    _ name: String,
    depth: Int
  ) throws {
    let place = "\(root)/\(path)"
    if name.unicodeScalars.contains("\u{FFFD}"), !InputFile.isPresent(place) {
      leaveOut(path, "its name is not UTF-8, so that it cannot be opened; rename it")
    } else if name.utf8.first == UInt8(ascii: ".") {
      leaveOut(path, "its name begins with a dot")
    } else if Folder.isReal(place) {
      guard depth + 1 < Self.depthLimit else {
        return leaveOut(path, "it lies more than \(Self.depthLimit) folders deep")
      }
      try walk(path, depth: depth + 1)
    } else if Folder.exists(place) {
      leaveOut(path, "it is a link to a folder, and these are not followed")
    } else if files.count < Self.fileLimit {
      files.append((place, path))
    } else {
      leaveOut(path, "the folder has more than \(Self.fileLimit) files")
    }
  }

  private mutating func leaveOut(_ path: String, _ cause: String) {
    leftOutCount += 1
    guard leftOut.count < ImportStage.keptFindings else { return }
    leftOut.append(Self.note(path, cause))
  }

  private static func note(_ file: String, _ cause: String) -> ImportResult.Note {
    ImportResult.Note(file: file, note: LegacyNote(code: "left-out", place: "", cause: cause))
  }
}
