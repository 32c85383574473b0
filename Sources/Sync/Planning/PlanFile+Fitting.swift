package import Checkpoint
package import ExportPackage
package import Profiles
import Records
import StageSupport

extension PlanFile {
  /// Whether the plan is about this package, this destination and this profile.
  package func expect(
    _ package: PackageReader,
    _ profile: Profile,
    in checkpoint: CheckpointFile
  ) throws {
    let ours = checkpoint.binding
    let theirs = binding
    let parts = [
      ("the package", package.digest.description == run.package),
      ("the store", ours.store == theirs.store), ("the destination", ours.origin == theirs.origin),
      ("the account", ours.account == theirs.account),
      (
        "the profile",
        ours.profile == theirs.profile && run.profile == profile.digest.description
      ),
    ]
    if let moved = parts.first(where: { !$0.1 }) {
      throw MigrationError.planOutdated(
        path: path,
        moved: "\(moved.0) is not the one that it was made for"
      )
    }
  }

  /// The run that carried the plan out, if one has, and was not rolled back.
  package func finishedRun(in checkpoint: CheckpointFile) throws -> RunRecord? {
    let runs = try checkpoint.runs()
    let undone = Set(runs.compactMap(\.undoes))
    for run in runs.reversed()
    where !undone.contains(run.id) && run.number >= self.run.number && run.kind == .upload
      && run.stage == .finished && run.package == self.run.package
    {
      let digests = try checkpoint.planDigests(of: run)
      guard digests.operations == self.digests.operations else { continue }
      return try checkpoint.counts(of: run).isEmpty ? nil : run
    }
    return nil
  }
}
