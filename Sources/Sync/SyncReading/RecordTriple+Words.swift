package import Reconciliation

// What a plan says about a conflict.

extension RecordTriple {
  /// Why nothing is sent, though the two sides are not known to agree.
  package func words(_ conflict: Conflict) -> String {
    switch conflict {
    case .bothChanged where wanted.record == nil: .wasDeletedHere
    case .bothChanged: conflictWords
    case .withoutBase: conflictWords
    case .deletedLocally: .wasDeletedHere
    case .remotelyDeleted: "it was deleted at the destination"
    case .stillPresent: "the destination still has it"
    case .remotelyChanged, .replaced, .restored, .localRestored, .unreadable, .fieldNotListed,
      .recordNotListed, .noRoute, .createOnly, .deferred, .deletedByThisRun:
      conflict.words
    }
  }

  private var conflictWords: String {
    if isOlderCopy { return .isRestoredHere }
    if base != nil { return "both sides changed it" }
    guard claim?.hasRemoteID == true else {
      return "the destination holds other content under the same key"
    }
    return claim?.lastSeen == nil
      ? "the store changed it, and the destination's earlier content is unknown"
      : "both sides changed it"
  }

  /// Why the remote's content is kept under a policy.
  package func words(keepingRemoteBy policy: ConflictPolicy) -> String {
    let reason = words(.bothChanged([]))
    switch policy {
    case .newest:
      if agreement == nil, claim?.state == .neverSynced {
        return "\(reason), and the store says that it was never synced"
      }
      guard let here = wanted.changeTime, let there = remoteChangeTime, here < there
      else { return "\(reason), and nothing says which is newer" }
      return "\(reason), and the destination's is newer"
    case .merge:
      if wanted.record == nil { return "\(reason), and a deletion cannot be merged with a change" }
      if isOlderCopy { return "\(reason), and an older copy is not merged" }
      return base == nil ? "\(reason), and nothing says what both began with" : reason
    case .fail, .remote, .local, .ask: return reason
    }
  }

  private var remoteChangeTime: Int64? {
    if case .present(let copy, _) = remote { copy.modifiedAt } else { nil }
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
