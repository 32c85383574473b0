package import Checkpoint
import Crypto
package import Files
import Records

/// The folder in which Ferry remembers: checkpoints, unfinished stages, packages of `migrate`.
///
/// ```
/// STATE/
///   checkpoints/   one SQLite file for each store, account and profile
///   migrations/    how far each `ferry migrate` is
///   packages/      the packages that `ferry migrate` made
///   copies/        private copies of stores, gone when the run is over
/// ```
package struct StateFolder: Hashable, Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package var checkpoints: CheckpointFolder { CheckpointFolder(path: "\(path)/checkpoints") }
  package var packages: String { "\(path)/packages" }
  package var migrations: String { "\(path)/migrations" }

  /// A short name made of some texts: the same texts always give the same name.
  static func shortName(of parts: [String]) -> String {
    let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
    let digest = Records.Digest(bytes: SHA256.hash(data: Array(text.utf8)))
    return String(digest?.description.prefix(16) ?? "")
  }
}

/// A private folder that lives as long as the value, or as the process at the latest.
///
/// A process that is killed leaves its folder behind; whoever makes the next one sweeps the
/// folders away whose lock nobody holds any more.
package final class PrivateFolder: Sendable {
  package let path: String
  private let lock: LockFile

  /// Makes a folder of its own below `parent`.
  package init(below parent: String) throws(FileError) {
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

extension StateFolder {
  /// Where private copies lie: the system's folder for temporary files, one for each user.
  package static var temporaryPath: String { "\(temporaryFolder)/ferry-\(userNumber)" }
}
