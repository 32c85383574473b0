/// A private folder that lives as long as the value, or as the process at the latest.
///
/// A process that is killed leaves its folder behind; anyone who makes the next one sweeps the
/// folders away whose lock no one holds any more.
package final class PrivateFolder: Sendable {
  package let path: String
  private let lock: LockFile

  /// Makes a folder in the system's folder for temporary files.
  ///
  /// - Throws: ``FileError`` when there is no space, or when another process has put something where the
  ///   folder of this user's private folders belongs.
  package init() throws(FileError) {
    let parent = "\(temporaryFolder)/ferry-\(userNumber)"
    try Self.refuseWhatIsNotOurs(parent)
    try Self.ignoringMissing { () throws(FileError) in try Self.sweep(parent) }
    for attempt in 0..<Self.attemptLimit {
      // Where many come and go, anyone who tries again at once may find the same each time.
      if attempt > 0 { pause(microseconds: .random(in: 0..<1_000 * UInt32(min(attempt, 10)))) }
      // A name of its own is never used again, so that a sweeper cannot take a living one.
      let path = "\(parent)/\(UInt64.random(in: .min ... .max))"
      guard let lock = try Self.lock(path, in: parent), try Self.isMade(path) else { continue }
      self.path = path
      self.lock = lock
      return
    }
    throw FileError(.makeFolder, parent, number: missingEntry)
  }

  deinit {
    do throws(FileError) {
      try Folder.remove(path)
      // Last, for a folder without its lock would be swept by no one.
      try Folder.remove(path + ".lock")
      Folder.removeIfEmpty(Folder.parentPath(of: path))
    } catch {
      // No one is there to state; the next run sweeps what is left.
    }
  }

  /// Removes what killed runs left; what cannot be removed now is left to a later call.
  package static func removeLeft() {
    let parent = "\(temporaryFolder)/ferry-\(userNumber)"
    guard Folder.isPrivate(parent) == true else { return }
    do throws(FileError) {
      try ignoringMissing { () throws(FileError) in try sweep(parent) }
    } catch {
      return
    }
    Folder.removeIfEmpty(parent)
  }

  private static let attemptLimit = 100

  /// Takes the lock of a new folder; `nil` when it is taken, or when the parent has just gone with
  /// the last folder of another process.
  private static func lock(
    _ path: String,
    in parent: String
  ) throws(FileError) -> LockFile? {
    do throws(FileError) {
      try Folder.make(parent)
      try refuseWhatIsNotOurs(parent)
      return try LockFile(taking: path + ".lock")
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Makes the folder; `false` when another device has just cleared the one above it away.
  private static func isMade(_ path: String) throws(FileError) -> Bool {
    var isMade = false
    try ignoringMissing { () throws(FileError) in
      try Folder.make(path)
      isMade = true
    }
    return isMade
  }

  /// Everybody may make names in the folder above: what is there under ours has to be a folder of
  /// this user that no other user can change, and no link.
  private static func refuseWhatIsNotOurs(_ parent: String) throws(FileError) {
    guard Folder.isPrivate(parent) != false else {
      throw FileError(.trust, parent, number: notPermitted)
    }
  }

  private static func sweep(_ parent: String) throws(FileError) {
    for name in try Folder.names(in: parent) where name.hasSuffix(".lock") {
      try ignoringMissing { () throws(FileError) in
        guard let lock = try LockFile(taking: "\(parent)/\(name)") else { return }
        try Folder.remove("\(parent)/\(name.dropLast(".lock".count))")
        try Folder.remove(lock.path)
      }
    }
  }

  /// Does `body`; that something has gone while it was looked at is no fault.
  private static func ignoringMissing(
    _ body: () throws(FileError) -> Void
  ) throws(FileError) {
    do throws(FileError) {
      try body()
    } catch {
      if !error.isMissing { throw error }
    }
  }
}
