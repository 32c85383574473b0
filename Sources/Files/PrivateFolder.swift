/// A private folder that lives as long as the value, or as the process at the latest.
///
/// A process that is killed leaves its folder behind; whoever makes the next one sweeps the
/// folders away whose lock nobody holds any more.
package final class PrivateFolder: Sendable {
  package let path: String
  private let lock: LockFile

  /// Makes a folder in the system's folder for temporary files.
  package init() throws(FileError) {
    let parent = "\(temporaryFolder)/ferry-\(userNumber)"
    try Folder.make(parent)
    try Self.sweep(parent)
    while true {
      // A name of its own is never used again, so that a sweeper cannot take a living one.
      let path = "\(parent)/\(UInt64.random(in: .min ... .max))"
      guard let lock = try LockFile(taking: path + ".lock") else { continue }
      try Folder.make(path)
      self.path = path
      self.lock = lock
      return
    }
  }

  deinit {
    // Nobody is there to tell; the next run sweeps what is left.
    try? Folder.remove(path)
    try? Folder.remove(path + ".lock")
  }

  private static func sweep(_ parent: String) throws(FileError) {
    for name in try Folder.names(in: parent) where name.hasSuffix(".lock") {
      guard let lock = try LockFile(taking: "\(parent)/\(name)") else { continue }
      try Folder.remove("\(parent)/\(name.dropLast(".lock".count))")
      try Folder.remove(lock.path)
    }
  }
}
