package import Records

/// What a checkpoint remembers of a record.
package struct KnownRecord: Hashable, Sendable {
  /// The server's identity, or `nil` after an undo took the record away again.
  package let serverID: String?
  /// The server's version that the last confirmed operation left.
  package let version: String?
  /// The digest of the record's line, and of the fields as they were sent.
  package let content: Digest
  package let wire: Digest
  /// How many operations on this identity were confirmed or undone.
  package let generation: Int64

  package init(
    serverID: String?,
    version: String?,
    content: Digest,
    wire: Digest,
    generation: Int64
  ) {
    self.serverID = serverID
    self.version = version
    self.content = content
    self.wire = wire
    self.generation = generation
  }
}

/// Who is right when a record was changed on both sides, or when nothing tells who was first.
package enum ConflictPolicy: String, Sendable, CaseIterable {
  /// Nothing is sent, and the run ends with a status that says so.
  case fail
  /// What stands at the destination stays.
  case server
  /// What the store holds is sent.
  case local
  /// The state with the later date wins.
  case newest
  /// Both are brought together, member by member.
  case merge
  /// A person decides.
  case ask
}

/// What the destination is known to hold for a record of the package.
package enum Counterpart: Hashable, Sendable {
  /// The destination was not asked about this record, and reported no change of it.
  case notAsked
  /// The destination was asked and has none.
  case absent
  /// Its list does not show the record, and shows not all that is there: the record may have been removed.
  case unlisted
  /// It holds the same content.
  case same(serverID: String, version: String?)
  /// It holds other content under the same identity or natural key.
  case different(serverID: String, version: String?)
}

/// What a plan does about one record.
package enum PlanDecision: Hashable, Sendable {
  case create
  /// It is there already: remember where, and send nothing.
  case adopt(serverID: String, version: String?)
  case update(serverID: String, version: String?)
  case unchanged
  case conflict(reason: String)
  /// The destination's state stands, by policy.
  case yield(serverID: String, version: String?, reason: String)
  /// The app knows of no change of its own, and the destination has moved on: its state stays.
  case trail(serverID: String, version: String?)
  /// Both sides changed it, and what each holds decides.
  case contested(serverID: String, version: String?, reason: String)
  /// The user deleted it.
  case delete(serverID: String, version: String?)
  /// It is exported and not sent.
  case leave(LeaveReason)

  /// Decides what to do with a record.
  ///
  /// | known | changed here | at the destination | decision |
  /// |---|---|---|---|
  /// | no  | –   | not asked, absent       | create |
  /// | no  | –   | same                    | adopt |
  /// | no  | –   | different               | policy, for there is no base |
  /// | yes | no  | not asked, same         | unchanged |
  /// | yes | no  | different               | unchanged: the destination's own change stays |
  /// | yes | any | absent                  | conflict, unless a person asked for it to be made again |
  /// | yes | any | not listed              | conflict |
  /// | yes | yes | not asked               | update |
  /// | yes | yes | same                    | adopt: somebody made the same change |
  /// | yes | yes | different, version kept or not told | update, of the version that is known |
  /// | yes | yes | different, version moved | policy |
  ///
  /// A person can ask, for this run, that what was deleted at the destination is made again
  /// (`recreatesDeleted`); a profile cannot.
  package init(
    known: KnownRecord?,
    wire: Digest,
    counterpart: Counterpart,
    policy: ConflictPolicy,
    recreatesDeleted: Bool = false
  ) {
    guard let known, let knownServerID = known.serverID else {
      switch counterpart {
      case .notAsked, .absent, .unlisted: self = .create
      case .same(let serverID, let version): self = .adopt(serverID: serverID, version: version)
      case .different(let serverID, let version):
        self = Self.contested(
          policy,
          serverID: serverID,
          version: version,
          reason: "the destination holds other content under the same key"
        )
      }
      return
    }
    let isChanged = known.wire != wire
    switch (isChanged, counterpart) {
    case (_, .absent):
      self =
        recreatesDeleted ? .create : .conflict(reason: "it was deleted at the destination")
    case (_, .unlisted): self = .conflict(reason: Self.unlisted)
    case (false, .notAsked), (false, .same), (false, .different): self = .unchanged
    case (true, .notAsked): self = .update(serverID: knownServerID, version: known.version)
    case (true, .same(let serverID, let version)):
      self = .adopt(serverID: serverID, version: version)
    case (true, .different(let serverID, let version)):
      if version == nil || version == known.version {
        // A list may keep versions to itself; reading before the change holds them together.
        self = .update(serverID: serverID, version: known.version)
      } else {
        self = Self.contested(
          policy,
          serverID: serverID,
          version: version,
          reason: "it was changed here and at the destination"
        )
      }
    }
  }

  /// Why nothing is sent of a record that a list does not show.
  package static let unlisted =
    "the list at the destination does not show it, so that it may have been removed there"

  package static func contested(
    _ policy: ConflictPolicy,
    serverID: String,
    version: String?,
    reason: String
  ) -> PlanDecision {
    switch policy {
    case .fail: .conflict(reason: reason)
    case .server: .yield(serverID: serverID, version: version, reason: reason)
    case .local: .update(serverID: serverID, version: version)
    case .newest, .merge, .ask:
      .contested(serverID: serverID, version: version, reason: reason)
    }
  }
}

/// The bucket a record that was read ends in; the sums over all buckets are the records read.
package enum Bucket: String, Sendable, CaseIterable {
  case created, updated, deleted, unchanged, duplicate, rejected, conflicted, skipped, unplaced
  case unknown, remaining
}
