import Checkpoint
package import Reconciliation
import Records
import RequestMapping
package import StageSupport
package import SyncReading
import UploadPlanning

/// The choices of a person that a plan depends on.
package struct PlanOptions: Hashable, Sendable {
  /// Who wins a conflict; the profile decides where this is `nil`.
  package let conflictPolicy: ConflictPolicy?
  /// Whether the whole destination is read even when the checkpoint knows the records.
  package let refreshes: Bool
  /// Which records are sent.
  package var selection = Selection.all
  /// Whether records that are no longer in the store are deleted at the destination.
  package var deletesAbsent = false
  /// The most records that may be deleted; `nil` for any number.
  package var maxDeletions: RecordLimit?
  /// Whether a store that has far fewer records than before is believed.
  package var allowsShrunkenSource = false
  /// Whether the plan is made without asking the destination.
  package var isOffline = false
  /// Whether a person wants to know which fields the updates change.
  package var listsChanges = false

  package init(conflictPolicy: ConflictPolicy? = nil, refreshes: Bool = false) {
    self.conflictPolicy = conflictPolicy
    self.refreshes = refreshes
  }

  /// Whether a person who looks at all that is there has this policy settle what the destination altered.
  func settlesAltered(by policy: ConflictPolicy) -> Bool { refreshes && conflictPolicy == policy }

  /// The choices that another plan would come of, in words; empty for none.
  package var text: String {
    let words = [
      selection.text, deletesAbsent ? "delete" : "",
      maxDeletions.map { "max-delete \($0.text)" } ?? "",
      conflictPolicy.map { Self.onConflict + $0.rawValue } ?? "",
    ]
    return words.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static let onConflict = "on-conflict "

  /// Who was to win a conflict by choices as ``text`` gives them; `nil` where no one chose that.
  static func conflictPolicy(in text: String) -> ConflictPolicy? {
    guard let line = text.split(separator: "\n").last, line.hasPrefix(onConflict) else {
      return nil
    }
    return ConflictPolicy(rawValue: String(line.dropFirst(onConflict.count)))
  }
}

/// Turns a decision about a record into what the checkpoint is to hold.
struct DraftMaker {
  struct Result {
    var operations: [OperationDraft] = []
    var adoption: PlanStep.Adoption?
    var bucket: RecordOutcome?
    var conflict: String?
    var keptRemote: String?
  }

  let record: RecordID
  let content: Digest
  let form: RequestFieldSet
  let source: RecordSource
  let layout: PhaseLayout
  let generation: Int64
  let origin: String
  /// Whether the user deleted the record.
  let isDeleted: Bool
  /// What a record that was found at the destination may lack there.
  let lack: Lack?

  /// Late references, and addresses of files, of a record that was found at the destination.
  enum Lack {
    /// None of them is there.
    case empty
    /// No one knows yet whether what is there is what they name.
    case unknown
  }

  func make(_ decision: PlanDecision) -> Result {
    switch decision {
    case .create: return creation
    case .adopt(let serverID, let version):
      guard let lack else {
        return Result(adoption: adoption(serverID, version), bucket: .unchanged)
      }
      return Result(
        operations: [completion],
        adoption: adoption(serverID, version, lack),
        bucket: .unchanged
      )
    case .update(let serverID, let version):
      return Result(operations: [
        draft(
          .update,
          phase: layout.updatePhase(of: record.entity),
          requestDigest: form.digest,
          serverID: serverID,
          version: version
        )
      ])
    case .unchanged: return Result(bucket: .unchanged)
    case .remoteNewer(let serverID, let version):
      return Result(adoption: adoption(serverID, version), bucket: .unchanged)
    case .delete(let serverID, let version):
      return Result(operations: [
        draft(
          .delete,
          phase: layout.removePhase(of: record.entity),
          requestDigest: form.digest,
          serverID: serverID,
          version: version
        )
      ])
    case .skip: return Result(bucket: .skipped)
    case .conflict(let reason):
      return Result(bucket: .conflicted, conflict: reason)
    case .keptRemote(let serverID, let version, let reason):
      // What is there is taken for the record's place, so that others can refer to it. A deletion
      // that gave way is not agreed on: the next run must not carry it out.
      return Result(
        adoption: isDeleted ? nil : adoption(serverID, version),
        bucket: .conflicted,
        keptRemote: reason
      )
    }
  }

  /// A record that has fields for later is known by its first fields until those have gone too.
  private var creation: Result {
    var result = Result(operations: [
      draft(.create, phase: layout.sendPhase(of: record.entity), requestDigest: form.createDigest)
    ])
    if !form.complete.isEmpty {
      result.operations.append(completion)
    }
    return result
  }

  private var completion: OperationDraft {
    draft(.complete, phase: layout.completePhase(of: record.entity), requestDigest: form.digest)
  }

  private func draft(
    _ action: Operation.Action,
    phase: Int,
    requestDigest: Digest,
    serverID: String? = nil,
    version: String? = nil
  ) -> OperationDraft {
    OperationDraft(
      phase: phase,
      record: record,
      action: action,
      content: content,
      requestDigest: requestDigest,
      key: OperationKey.key(
        destination: origin,
        record: record,
        action: action,
        content: content,
        generation: generation
      ),
      serverID: serverID,
      version: version,
      source: source
    )
  }

  /// What is known of a record that still lacks something: never all of it.
  private var incomplete: Digest {
    form.complete.isEmpty ? OperationKey.digest(of: []) : form.createDigest
  }

  private func adoption(
    _ serverID: String,
    _ version: String?,
    _ lack: Lack? = nil
  ) -> PlanStep.Adoption {
    PlanStep.Adoption(
      record: record,
      serverID: serverID,
      version: version,
      content: content,
      requestDigest: lack == .empty ? incomplete : form.digest
    )
  }
}

extension PlanStep {
  /// Adds what a decision about a record came to, with what there is to report it.
  mutating func add(_ made: DraftMaker.Result, for record: RecordID, reporting reported: [Finding])
  {
    operations += made.operations
    if var adoption = made.adoption {
      adoption.isConcession = made.keptRemote != nil || !reported.isEmpty
      adoptions.append(adoption)
    }
    if let bucket = made.bucket { tallies[record.entity, default: [:]][bucket, default: 0] += 1 }
    if let reason = made.conflict {
      findings.append(
        Finding(
          code: "plan.conflict",
          severity: .error,
          entity: record.entity,
          record: record.key,
          cause: reason,
          cure: reason.cureOfConflict
        )
      )
    }
    if let reason = made.keptRemote {
      findings.append(
        Finding(
          code: "plan.conflict-kept-remote",
          severity: .warning,
          entity: record.entity,
          record: record.key,
          cause: "\(reason); the destination's content stays, as the profile says",
          cure: "to send the store's content, run again with `--on-conflict local`"
        )
      )
    }
    findings += reported
  }

  /// Notes a record that cannot be sent.
  mutating func reject(_ entity: EntityName, key: String?, code: String, reason: String) {
    tallies[entity, default: [:]][.rejected, default: 0] += 1
    findings.append(
      Finding(
        code: code,
        severity: .error,
        entity: entity,
        record: key,
        cause: reason,
        cure: code == MappingError.quarantined
          ? "repair it in the app and run again, or with `ferry quarantine show` and `replay`"
          : "correct the record in the app, or the rule in the profile, and run again"
      )
    )
  }
}

extension MappingError {
  /// The code of a record that is quarantined.
  static let quarantined = "record.quarantined"
}

extension Finding {
  /// Records without something the destination needs; a note once the team has accepted it.
  static func homeless(
    _ entity: EntityName,
    without member: String,
    count: Int,
    isAccepted: Bool
  ) -> Finding {
    Finding(
      code: "plan.unmapped",
      severity: isAccepted ? .note : .warning,
      entity: entity,
      cause: "the destination has no place for a \(entity) without \(member) "
        + "(\(count.counted("record")))",
      cure: isAccepted
        ? "none is needed: they stay in the package, as `accept-unmapped` in the profile says"
        : "they stay in the package; list `\(entity).\(member)` under `accept-unmapped` in the "
          + "profile once the team has agreed"
    )
  }

  /// Records that runs sent, and that have since lost something the destination needs.
  static func sentHomeless(_ entity: EntityName, without member: String, count: Int) -> Finding {
    Finding(
      code: "plan.unmapped",
      severity: .warning,
      entity: entity,
      cause:
        "not updated: \(count.counted("record")) of \(entity), because a run sent them with \(member), which "
        + "they lack now; the destination may delete its copies together with another record",
      cure: "look at its copies, or keep them first (`ferry export --from`)"
    )
  }

  /// Records that differ as earlier conflicts were settled in favour of the destination.
  static func keptRemote(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.kept-remote",
      severity: .note,
      entity: entity,
      cause:
        "the destination differs in \(count.counted("record")) of \(entity), because earlier conflicts "
        + "kept its content",
      cure:
        "a run with --full and --on-conflict local sends the store's content"
    )
  }

  /// Files that were not sent, because what the destination names may be them.
  static func leftAddresses(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.file-skipped",
      severity: .warning,
      entity: entity,
      cause:
        "not sent: \(count.counted("file")), because records at the destination have addresses of theirs "
        + "that no run of this store gave them, and the destination does not show the file there",
      cure: "to send the store's content, run with `--full` and `--on-conflict local`"
    )
  }

  /// Files of records that are made again, which a run sent and whose presence nothing shows.
  static func uncheckedFiles(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.file-unchecked",
      severity: .warning,
      entity: entity,
      cause:
        "not sent again: \(count.counted("file")) of records that are created again; a run sent them before, "
        + "and the destination does not say whether it still has them",
      cure: "if the files are gone too, upload with a state folder of its own instead: --state-dir"
    )
  }

  /// Texts of which the destination gets the beginning only, as the profile says.
  static func shortened(_ entity: EntityName, member: String, count: Int) -> Finding {
    Finding(
      code: "plan.shortened",
      severity: .warning,
      entity: entity,
      cause: "“\(member)” is cut to what the destination takes in \(count.counted("record")) of "
        + "\(entity)",
      cure: "the whole texts are in the package; where the rest matters, shorten them in the app"
    )
  }
}
