package import Checkpoint
package import Profiles
package import Records
import UploadPlanning

/// Warnings about records that the destination, once it has removed them, never takes again.
///
/// A profile says so with `removal: final`. Noted's server is one: it keeps a removed row with its identity,
/// which is unique among all accounts, and changes only rows that are not removed (`UpdateNote` in
/// `server/internal/store/postgres.go` of <https://github.com/kaitwalla/noted>).
package struct FinalRemovals: Sendable {
  package let profile: Profile
  package let checkpoint: CheckpointFile

  package init(profile: Profile, checkpoint: CheckpointFile) {
    self.profile = profile
    self.checkpoint = checkpoint
  }

  /// One warning for each entity of which a run creates records, or a rollback removes them.
  package func findings(of run: RunRecord) throws -> [Finding] {
    let action: Operation.Action = run.kind == .upload ? .create : .uncreate
    let counts = try checkpoint.counts(of: run)
      .filter { $0.action == action.rawValue && isFinal($0.entity) }
      .reduce(into: [EntityName: Int]()) { $0[$1.entity, default: 0] += $1.count }
    return counts.sorted { $0.key < $1.key }.map { entity, count in
      run.kind == .upload
        ? .finalCreation(entity, count: count) : .finalRemoval(entity, count: count)
    }
  }

  private func isFinal(_ entity: EntityName) -> Bool {
    guard let api = profile.api, let entity = api.entity(entity) else { return false }
    return entity.isRemovedForGood && api.has(.delete, entity)
  }
}

extension Finding {
  /// Records that a run creates, and that no later run could create again.
  fileprivate static func finalCreation(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.final-removal",
      severity: .warning,
      entity: entity,
      cause: "the run creates \(count.counted("record")) of \(entity), and the destination never "
        + "takes a removed record again: after a rollback, no run can create them a second time",
      cure: "try the migration with a test account and a copy of the store first; " + restoring
    )
  }

  /// Records that a rollback removes for good.
  fileprivate static func finalRemoval(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: finalRemovalCode,
      severity: .warning,
      entity: entity,
      cause: "the rollback removes \(count.counted("record")) of \(entity), and the destination "
        + "never takes a removed record again: no later run can create them a second time",
      cure: "back up the destination's database before the rollback; " + restoring
    )
  }

  private static let restoring =
    "after a rollback, restore its backup, or delete the removed rows in its database, and "
    + "run again"

  package static let finalRemovalCode = "rollback.final-removal"
}
