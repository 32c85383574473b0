/// How the three copies of a record differ.
package struct Difference: Hashable, Sendable {
  package let local: LocalChange
  package let remote: RemoteChange
  /// The fields that the remote shows, and in which it is not what is wanted.
  package let outstanding: Set<String>
  /// The wanted fields that the remote does not show, so that nothing is known about them.
  package let unlisted: Set<String>
  /// The wanted fields that refer to something that is not at the destination yet.
  package let deferred: Set<String>
  package let identity: Identity

  /// The fields that the store changed since the last agreement, where one is known.
  package var changedHere: Set<String> {
    switch local {
    case .fields(let names): names
    case .withoutBase, .unchanged, .deleted: []
    }
  }

  /// What changed in the store since the last agreement.
  package enum LocalChange: Hashable, Sendable {
    /// No agreement is known: every field may have changed.
    case withoutBase
    case unchanged
    case fields(Set<String>)
    case deleted
  }

  /// What changed at the destination since the last agreement.
  package enum RemoteChange: Hashable, Sendable {
    case notRead
    case notListed
    case absent
    case unreadable(reason: String)
    /// The destination has the record, and no agreement is known.
    case withoutBase
    case unchanged
    /// The fields that changed; those that are not shown, where only the revision is another one.
    case fields(Set<String>)
    /// The destination has an older state again: a before-image of ours, or an older revision.
    case restored
    /// The copy is partial, shows no change, and no revision says more.
    case undecidable
  }

  /// Whether the remote is the record that the base or the store knows, judged without its ID.
  package enum Identity: Hashable, Sendable {
    case same
    /// The server reused the ID for another record.
    case replaced
    /// Fewer than two natural-key fields are shown on both sides.
    case notJudged
  }
}
