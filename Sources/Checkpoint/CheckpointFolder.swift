import Crypto
import Files
import Records

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

  /// The checkpoints that are there, without taking them.
  ///
  /// One that was never written to, because its run was killed while making it, is none. That of `own`
  /// is left out: to look at one that is at rest takes a copy of it.
  ///
  /// - Throws: ``CheckpointError`` for one that cannot be read: what it holds must not be ignored.
  package func views(
    butNotOf own: CheckpointBinding? = nil
  ) throws(CheckpointError) -> [CheckpointView] {
    var views: [CheckpointView] = []
    let left = own.map(file(for:))
    for file in try files() where file != left {
      if let view = try CheckpointView(file) { views.append(view) }
    }
    return views
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
