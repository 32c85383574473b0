package import Checkpoint
package import Profiles
package import Records
import Reconciliation
import UploadPlanning

extension CheckpointFile {
  /// What a run could not bring to the destination, or left there, because another device changed it.
  package func conflicts(of run: RunRecord) throws(CheckpointError) -> [Finding] {
    try refusals(of: run, limit: Self.mostConflicts).filter { $0.code == Finding.conflictCode }
  }

  /// As many as a summary lists.
  private static let mostConflicts = 1_000
}

extension AskedConflicts {
  /// Whether a conflict can be one that a person decides.
  package static func canArise(in profile: Profile, _ options: PlanOptions) -> Bool {
    profile.api?.entities.contains { entity in
      switch options.conflictPolicy?.rawValue ?? entity.conflict.policy.rawValue {
      case ConflictRules.Policy.ask.rawValue: true
      case ConflictRules.Policy.merge.rawValue: entity.conflict.fields.values.contains(.ask)
      default: false
      }
    } ?? false
  }
}

extension PlanStep {
  /// Counts what is left at the destination for the sake of others.
  package init(countingConflicts findings: [Finding]) {
    self.init()
    for finding in findings where finding.code == Finding.conflictCode {
      guard let entity = finding.entity else { continue }
      tallies[entity, default: [:]][.conflicted, default: 0] += 1
    }
  }
}

extension Finding {
  fileprivate static let conflictCode = "upload.conflict"

  /// Something that a run may have sent to the destination, and that another device changed there since.
  package static func leftInDoubt(_ conflict: Finding) -> Finding {
    Finding(
      code: conflictCode,
      severity: .error,
      entity: conflict.entity,
      record: conflict.record,
      cause:
        "its request got no answer, and the current content at the destination stays: \(conflict.cause)",
      cure: "find out who changed it, and put it right at the destination if need be"
    )
  }

  /// A run that was interrupted, and that another device got ahead of.
  package static func overtaken(_ run: String) -> Finding {
    Finding(
      code: "plan.overtaken",
      severity: .note,
      cause:
        "after run \(run) was interrupted, another device created records that were still to be created",
      cure:
        "no action is needed: what was left of it is planned again, in this run; to roll all of "
        + "it back, roll this run back, and then \(run)"
    )
  }
}
