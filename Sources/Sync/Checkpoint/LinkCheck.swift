import Files

/// Looks whether a checkpoint, or what lies beside it, is a symbolic link.
///
/// SQLite follows the one, and a run would write wherever it leads; of the others it says that they
/// cannot be opened.
package enum LinkCheck {
  private static let endings = ["", "-wal", "-shm", "-journal", ".lock"]

  /// - Throws: ``CheckpointError/link(path:link:)`` that names the first.
  package static func run(_ path: String) throws(CheckpointError) {
    guard let link = Folder.firstLink(among: endings.map { path + $0 }) else { return }
    throw .link(path: path, link: link)
  }
}
