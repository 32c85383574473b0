import CheckedDatabases
import Files

/// A checkpoint whose first page had its place on the disk, and not yet its bytes, when the power was
/// cut: nothing but zeros, and nothing in a log.
enum UnwrittenCheckpoint {
  private static let largestPage = 65_536

  static func isThere(_ path: String) throws(FileError) -> Bool {
    guard InputFile.isPresent(path) else { return false }
    let file = try InputFile(path)
    let size = try file.size()
    guard size > 0, size <= largestPage else { return false }
    if try LogCheck.isWritten(beside: path) { return false }
    return try file.contents(limit: largestPage).allSatisfy { $0 == 0 }
  }

  /// Takes that file away, to be made anew; anyone who calls holds the checkpoint.
  static func clear(_ path: String) throws(FileError) {
    guard try isThere(path) else { return }
    for ending in ["-wal", "-shm", "-journal", ""] { try Folder.remove(path + ending) }
  }
}
