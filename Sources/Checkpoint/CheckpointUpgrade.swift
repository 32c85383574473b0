import Files
import GRDB

/// Brings a checkpoint that an earlier version of Ferry made to the format of this one.
///
/// Everything is written into a new file, whose pages carry checksums, and that takes the old one's
/// place in one step: a run that is killed meanwhile finds the old one, and begins again.
enum CheckpointUpgrade {
  /// Does so where it is needed; whoever calls holds the checkpoint.
  ///
  /// - Throws: ``CheckpointError`` for what no version of Ferry wrote, errors of SQLite and of files.
  static func run(_ path: String) throws {
    if try isUnwritten(path) { return try clearAway(path) }
    guard try CheckedPages.areReserved(in: path) == false else { return }
    let draft = path + ".upgrade"
    for ending in ["", "-journal", "-wal"] { try Folder.remove(draft + ending) }
    guard try isOlder(path) else { return }
    let old = try CheckedPages.open(path)
    // SQLite takes the log in, and the log is gone before another file takes this name: it belongs to
    // the old one.
    _ = try old.writeWithoutTransaction { database in
      try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
    }
    try Folder.sync(Folder.parentPath(of: path))
    _ = try OutputFile(creating: draft).finishUnsynced()
    try old.writeWithoutTransaction { database in
      try database.execute(sql: "VACUUM INTO ?", arguments: [CheckedPages.address(of: draft)])
    }
    try old.close()
    let new = try CheckedPages.open(draft)
    try new.writeWithoutTransaction { database in
      // Nothing of it is on the disk before this is.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      try database.execute(sql: "PRAGMA fullfsync = 1")
      try database.execute(sql: "PRAGMA user_version = \(CheckpointSchema.format)")
    }
    try new.close()
    try WholeFile.place(draft, at: path)
  }

  /// Whether the file is a checkpoint of an older format; one that nothing was ever written to is
  /// taken away, to be made anew.
  private static func isOlder(_ path: String) throws -> Bool {
    var configuration = Configuration()
    // What stands in a log must not be taken in before it is known whose it is; a journal must be.
    configuration.readonly = try LogCheck.isWritten(beside: path)
    let database = try CheckedPages.open(path, configuration)
    let isMissing = try database.unsafeRead { database in
      if try CheckpointSchema.isMissing(in: database) { return true }
      guard
        try Int.fetchOne(database, sql: "PRAGMA application_id") == CheckpointSchema.applicationID
      else { throw CheckpointError.notACheckpoint(path: path) }
      let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      guard format <= CheckpointSchema.format else {
        throw CheckpointError.tooNew(path: path, version: format)
      }
      try CheckedPages.expect(in: database, at: path, calledAs: path)
      return false
    }
    try database.close()
    guard isMissing else { return true }
    try clearAway(path)
    return false
  }

  /// Whether a file is one whose first page had its place on the disk, and not yet its bytes, when the
  /// power was cut: nothing but zeros, and nothing in a log.
  static func isUnwritten(_ path: String) throws(FileError) -> Bool {
    guard InputFile.isPresent(path) else { return false }
    let file = try InputFile(path)
    let size = try file.size()
    guard size > 0, size <= largestPage else { return false }
    if try LogCheck.isWritten(beside: path) { return false }
    return try file.contents(limit: largestPage).allSatisfy { $0 == 0 }
  }

  private static let largestPage = 65_536

  private static func clearAway(_ path: String) throws(FileError) {
    for ending in ["-wal", "-shm", "-journal", ""] { try Folder.remove(path + ending) }
  }
}
