package import Checkpoint
import ProfileSettings
package import Profiles
import Records

extension Profile {
  /// The profile that a run began with.
  package init(of run: RunRecord, in checkpoint: CheckpointFile) throws {
    let stored = try checkpoint.profile(of: run)
    try self.init(stored, of: run, in: checkpoint.path)
  }

  /// The same, where the checkpoint is only read.
  package init(of run: RunRecord, in checkpoint: CheckpointView) throws {
    let stored = try checkpoint.profile(of: run)
    try self.init(stored, of: run, in: checkpoint.path)
  }

  private init(
    _ stored: StoredProfile,
    of run: RunRecord,
    in path: String
  ) throws {
    self = try Profile(yaml: stored.yaml, path: "\(path) (run \(run.id))")
    // Its lines are those of no file.
    settings = .unwritten(in: self.path)
  }

  /// Whether a run began with this profile.
  ///
  /// A version of Ferry with further settings gives the same profile another digest: what the run keeps is
  /// then read again.
  package func isProfile(
    of run: RunRecord,
    in checkpoint: CheckpointFile
  ) throws -> Bool {
    if run.profile == digest.description { return true }
    return try Profile(of: run, in: checkpoint).digest == digest
  }
}

extension FoundRun {
  /// The profile that the run began with.
  ///
  /// - Parameter current: Whose routes are taken instead of its own; `nil` for its own.
  /// - Returns: The profile.
  /// - Throws: An error when the two do not fit together, or the checkpoint is damaged.
  package func profile(withRoutesOf current: Profile? = nil) throws -> Profile {
    let own = try Profile(of: run, in: checkpoint)
    guard let current else { return own }
    return try own.withRoutes(of: current)
  }
}
