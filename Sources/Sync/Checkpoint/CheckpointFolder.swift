import Crypto
import Files
import Records

/// A checkpoint that is there and cannot be read.
package struct UnreadCheckpoint: Sendable {
  package let path: String
  /// Why.
  package let error: CheckpointError

  package init(path: String, error: CheckpointError) {
    self.path = path
    self.error = error
  }
}

/// The folder that all checkpoints of this user lie in.
package struct CheckpointFolder: Hashable, Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// Where the checkpoint of a binding lies: one for each store, account and profile.
  package func file(for binding: CheckpointBinding) -> String {
    let parts = [binding.store, binding.origin, binding.account, binding.profile]
    let digest = SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    let text = Records.Digest(bytes: digest)?.description.prefix(16) ?? ""
    return "\(path)/\(binding.profile)-\(text).sqlite"
  }

  /// Refuses a run whose checkpoint another run holds, before anything is done for it; takes no lock.
  ///
  /// - Throws: ``CheckpointError/locked(path:holder:)``
  package func expectFree(_ binding: CheckpointBinding) throws(CheckpointError) {
    let path = file(for: binding)
    let lock = path + ".lock"
    guard LockFile.isHeld(lock) else { return }
    throw .locked(path: path, holder: LockFile.holder(of: lock))
  }

  /// Whether the name of a checkpoint's file says that it is one of an app's.
  package func mayBe(_ file: String, of profile: String) -> Bool {
    file.hasPrefix("\(path)/\(profile)-")
  }

  /// The checkpoints that are there, without taking them.
  ///
  /// One that was never written to, because its run was killed while making it, is not one. That of `own`
  /// is left out: to look at one that is at rest takes a copy of it.
  ///
  /// - Throws: ``CheckpointError`` for one that cannot be read: what it holds must not be ignored.
  package func views(
    butNotOf own: CheckpointBinding? = nil
  ) throws(CheckpointError) -> [CheckpointView] {
    let found = try found(butNotOf: own)
    if let first = found.unread.first { throw first.error }
    return found.views
  }

  /// The same, and beside them those that cannot be read; only those that belong to what is of
  /// concern, as far as that can be determined without a copy.
  ///
  /// - Throws: ``CheckpointError`` for what is not about one of them alone, as a full disk.
  package func found(
    butNotOf own: CheckpointBinding? = nil,
    where isOfConcern: ((CheckpointBinding) -> Bool)? = nil
  ) throws(CheckpointError) -> (views: [CheckpointView], unread: [UnreadCheckpoint]) {
    var views: [CheckpointView] = []
    var unread: [UnreadCheckpoint] = []
    let left = own.map(file(for:))
    for file in try files() where file != left {
      if let isOfConcern, let binding = CheckpointView.bindingAtRest(file), !isOfConcern(binding) {
        continue
      }
      do throws(CheckpointError) {
        if let view = try CheckpointView(file) { views.append(view) }
      } catch {
        guard error.isOfOneFile else { throw error }
        unread.append(UnreadCheckpoint(path: file, error: error))
      }
    }
    return (views, unread)
  }

  /// The files of the checkpoints that are there, whatever is in them, by name.
  package func files() throws(CheckpointError) -> [String] {
    do throws(FileError) {
      guard try InputFile.isKnownPresent(path), Folder.exists(path) else { return [] }
      return try Folder.names(in: path).filter { $0.hasSuffix(".sqlite") }.sorted()
        .map { "\(path)/\($0)" }
    } catch {
      throw CheckpointFile.translate(error, path: path)
    }
  }
}
