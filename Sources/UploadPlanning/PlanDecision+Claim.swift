package import Records

/// Why a record is exported and not sent, without a fault of anybody's.
package enum LeaveReason: String, Hashable, Sendable, CaseIterable {
  /// The app never meant it for the server.
  case ignored
  /// The user deleted it before the server ever had it.
  case neverSent
  /// The user deleted it, and the server no longer has it either.
  case alreadyGone
  /// The user deleted it, and the destination has no way to delete.
  case noDeletion
  /// It belongs to another account than the one that is signed in.
  case otherOwner
  /// It names nobody as its owner.
  case unowned
  /// A person left it out of this run.
  case notChosen
  /// It hangs on a record that is not sent.
  case parentLeft
}

extension PlanDecision {
  /// Decides what to do with a record of which the app's own store says something too.
  ///
  /// What the checkpoint knows counts before what the store says: a version in the store may be of an earlier
  /// life of the server. A record that the checkpoint does not know and that has the server's identity in the
  /// store:
  ///
  /// | the app's state | at the destination | decision |
  /// |---|---|---|
  /// | any | absent | conflict: it was deleted there, unless this checkpoint's runs removed it |
  /// | any | not listed | conflict |
  /// | any | same | adopt |
  /// | synced | different, as the app last saw it | adopt |
  /// | synced | different, moved or no telling | trail: the destination's own change stays |
  /// | other | different, as the app last saw it | update |
  /// | other | different, moved or no telling | policy |
  /// | synced | not asked | adopt |
  /// | other | not asked | update, if it still stands as the app last saw it |
  ///
  /// A record that the user deleted:
  ///
  /// | at the destination | decision |
  /// |---|---|
  /// | never was, or gone | leave |
  /// | same, as last seen, not listed, or not asked | delete |
  /// | changed since | policy: an edit against a deletion |
  ///
  /// `holds` says whether the destination's record is what the app last saw; `nil` is no telling. It counts
  /// only where the checkpoint has no base.
  package init(
    known: KnownRecord?,
    wire: Digest,
    counterpart: Counterpart,
    policy: ConflictPolicy,
    claim: SourceClaim,
    holds: Bool?,
    recreatesDeleted: Bool = false
  ) {
    let holds = known?.serverID == nil ? holds : nil
    if claim.meaning == .ignore, !claim.isDeleted {
      self = .leave(.ignored)
    } else if claim.isDeleted {
      self = Self.deletion(known, counterpart, policy, claim, holds)
    } else if known?.serverID == nil, let serverID = claim.serverID,
      known == nil || counterpart != .absent
    {
      self = Self.claimed(
        serverID,
        counterpart,
        policy,
        claim,
        holds,
        recreatesDeleted: recreatesDeleted
      )
    } else if known?.serverID != nil, claim.meaning == .synced, counterpart.isThereOtherwise {
      // The app has taken in what the server had, and knows of no change of its own since.
      self = .unchanged
    } else {
      self = PlanDecision(
        known: known,
        wire: wire,
        counterpart: counterpart,
        policy: policy,
        recreatesDeleted: recreatesDeleted
      )
    }
  }

  private static func claimed(
    _ serverID: String,
    _ counterpart: Counterpart,
    _ policy: ConflictPolicy,
    _ claim: SourceClaim,
    _ holds: Bool?,
    recreatesDeleted: Bool
  ) -> PlanDecision {
    switch counterpart {
    case .absent:
      return recreatesDeleted ? .create : .conflict(reason: "it was deleted at the destination")
    case .unlisted: return .conflict(reason: Self.unlisted)
    case .same(let found, let version): return .adopt(serverID: found, version: version)
    case .notAsked:
      let version: String? =
        if case .version(let seen) = claim.base { seen } else { nil }
      return claim.meaning == .synced
        ? .adopt(serverID: serverID, version: version)
        : .update(serverID: serverID, version: version)
    case .different(let found, let version):
      if claim.meaning == .synced {
        return holds == true
          ? .adopt(serverID: found, version: version)
          : .trail(serverID: found, version: claim.lastVersion)
      }
      if holds == true, claim.meaning != .conflict {
        return .update(serverID: found, version: version)
      }
      return contested(
        policy,
        serverID: found,
        version: version,
        reason: holds == nil
          ? "it was changed here, and nobody knows what the destination had before"
          : "it was changed here and at the destination"
      )
    }
  }

  private static func deletion(
    _ known: KnownRecord?,
    _ counterpart: Counterpart,
    _ policy: ConflictPolicy,
    _ claim: SourceClaim,
    _ holds: Bool?
  ) -> PlanDecision {
    guard let serverID = known?.serverID ?? claim.serverID else {
      return .leave(known == nil ? .neverSent : .alreadyGone)
    }
    // A run has deleted it already.
    if let known, known.serverID == nil { return .leave(.alreadyGone) }
    switch counterpart {
    case .absent: return .leave(.alreadyGone)
    case .notAsked, .unlisted: return .delete(serverID: serverID, version: known?.version)
    case .same(let found, let version): return .delete(serverID: found, version: version)
    case .different(let found, let version):
      if holds == true { return .delete(serverID: found, version: version) }
      if let known, version == nil || known.version == version {
        return .delete(serverID: found, version: known.version)
      }
      switch policy {
      case .local: return .delete(serverID: found, version: version)
      case .server, .fail, .newest, .merge, .ask:
        return contested(
          policy,
          serverID: found,
          version: version,
          reason: "it was deleted here and changed at the destination"
        )
      }
    }
  }
}

extension Counterpart {
  /// The identity of what stands at the destination, as far as it was asked.
  package var serverID: String? {
    switch self {
    case .notAsked, .absent, .unlisted: nil
    case .same(let serverID, _), .different(let serverID, _): serverID
    }
  }

  /// The version that stands at the destination, as far as it was asked.
  package var version: String? {
    switch self {
    case .notAsked, .absent, .unlisted: nil
    case .same(_, let version), .different(_, let version): version
    }
  }

  /// Whether the destination has something, or was not asked, and it is not the same.
  fileprivate var isThereOtherwise: Bool {
    switch self {
    case .notAsked, .different: true
    case .absent, .unlisted, .same: false
    }
  }
}

extension KnownRecord {
  /// The same record, last seen with another version.
  package func moved(to version: String?) -> KnownRecord {
    KnownRecord(
      serverID: serverID,
      version: version,
      content: content,
      wire: wire,
      generation: generation
    )
  }
}

extension SourceClaim {
  /// The version that the app last saw; empty where it does not say, which equals no other.
  fileprivate var lastVersion: String {
    if case .version(let seen) = base { seen } else { "" }
  }
}
