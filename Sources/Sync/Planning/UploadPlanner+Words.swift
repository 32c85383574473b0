import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning

// What a plan says about a conflict.

extension UploadPlanner.Question {
  /// Why nothing is sent, though the two sides are not known to agree.
  func words(_ conflict: Conflict) -> String {
    switch conflict {
    case .bothChanged where record.claim.isDeleted: ConflictCase.deletedHere
    case .bothChanged: conflictWords
    case .withoutBase: conflictWords
    case .deletedLocally: ConflictCase.deletedHere
    case .remotelyDeleted: "it was deleted at the destination"
    case .stillPresent: "the destination still has it"
    case .remotelyChanged, .replaced, .restored, .unreadable, .fieldNotListed, .recordNotListed,
      .noRoute, .createOnly,
      .deferred, .deletedByThisRun:
      conflict.words
    }
  }

  private var conflictWords: String {
    if triple.base != nil { return "both sides changed it" }
    guard triple.claim?.hasRemoteID == true else {
      return "the destination holds other content under the same key"
    }
    return triple.claim?.lastSeen == nil
      ? "the store changed it, and the destination's earlier content is unknown"
      : "both sides changed it"
  }

  /// Why the remote's content is kept under a policy.
  func words(keepingRemoteBy policy: ConflictPolicy) -> String {
    let reason = words(.bothChanged([]))
    switch policy {
    case .newest:
      if triple.base == nil, triple.claim?.state == .neverSynced {
        return "\(reason), and the store says that it was never synced"
      }
      guard let here = triple.wanted.changeTime, let there = triple.remoteChangeTime, here < there
      else { return "\(reason), and nothing says which is newer" }
      return "\(reason), and the destination's is newer"
    case .merge:
      if record.claim.isDeleted {
        return "\(reason), and a deletion cannot be merged with a change"
      }
      return triple.base == nil
        ? "\(reason), and nothing says what both began with" : reason
    case .fail, .remote, .local, .ask: return reason
    }
  }
}

extension LocalCopy {
  fileprivate var changeTime: Int64? {
    switch self {
    case .record(let copy): copy.modifiedAt
    case .absent(let deletedAt): deletedAt
    }
  }
}

extension RecordTriple {
  fileprivate var remoteChangeTime: Int64? {
    if case .present(let copy, _) = remote { copy.modifiedAt } else { nil }
  }
}
