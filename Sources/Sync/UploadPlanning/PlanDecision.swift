package import Records

/// What a checkpoint remembers of a record.
package struct SyncState: Hashable, Sendable {
  /// The server's identity, or `nil` after an undo took the record away again.
  package let serverID: String?
  /// The server's version that the last confirmed operation left.
  package let version: String?
  /// The digest of the record's line, and of the fields as they were sent.
  package let content: Digest
  package let requestDigest: Digest
  /// How many operations on this identity were confirmed or undone.
  package let generation: Int64

  package init(
    serverID: String?,
    version: String?,
    content: Digest,
    requestDigest: Digest,
    generation: Int64
  ) {
    self.serverID = serverID
    self.version = version
    self.content = content
    self.requestDigest = requestDigest
    self.generation = generation
  }
}

/// What the destination is known to hold for a record of the package.
package enum Counterpart: Hashable, Sendable {
  /// The destination was not asked about this record, and reported no change of it.
  case notAsked
  /// The destination was asked and has none.
  case absent
  /// Its list does not show the record, and shows not all that is there: the record may have been removed.
  case unlisted
  /// It has one, under this identity and with this version.
  case there(serverID: String, version: String?)
}

extension Counterpart {
  /// The identity of the content at the destination, as far as it was asked.
  package var serverID: String? {
    switch self {
    case .notAsked, .absent, .unlisted: nil
    case .there(let serverID, _): serverID
    }
  }

  /// The version that is at the destination, as far as it was asked.
  package var version: String? {
    switch self {
    case .notAsked, .absent, .unlisted: nil
    case .there(_, let version): version
    }
  }
}

/// What a plan does about one record.
package enum PlanDecision: Hashable, Sendable {
  case create
  /// It is there already: remember where, and send nothing.
  case adopt(serverID: String, version: String?)
  case update(serverID: String, version: String?)
  case unchanged
  case conflict(reason: String)
  /// The destination's state is kept, by policy.
  case keptRemote(serverID: String, version: String?, reason: String)
  /// The app knows of no change of its own, and the destination has moved on: its state stays.
  case remoteNewer(serverID: String, version: String?)
  /// The user deleted it.
  case delete(serverID: String, version: String?)
  /// It is exported and not sent.
  case skip(SkipReason)

  /// Why nothing is sent of a record that a list does not show.
  package static let unlisted =
    "the list at the destination does not show it, so that it may have been removed there"
}

/// The bucket a record that was read ends in; the sums over all buckets are the records read.
///
/// A record is `completed` that was at the destination before the run, and only lacked references or files
/// there, which the run sent. A record is `gone` that the run was to remove, and that the destination no
/// longer had.
package enum RecordOutcome: String, Sendable, CaseIterable {
  case created, updated, completed, deleted, gone, unchanged, duplicate, rejected, conflicted,
    skipped, unmapped
  case unknown, remaining

  /// The outcome as a person reads it.
  package var words: String { self == .gone ? "already gone" : rawValue }
}
