package import CheckedDatabases

extension LogCheck {
  /// Looks whether the log beside a checkpoint still holds all of it.
  ///
  /// - Throws: ``CheckpointError`` for a log of which a part was lost, errors of files.
  package static func run(_ path: String) throws {
    guard let place = try damage(beside: path) else { return }
    throw CheckpointError.damaged(
      path: path,
      reason: "its log, \(path)-wal, is not as ferry wrote it at byte \(place)"
    )
  }
}
