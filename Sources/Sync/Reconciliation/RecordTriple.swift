package import Records

/// The three copies of one record, and what else is known about it.
///
/// | caller | base | wanted | remote |
/// |---|---|---|---|
/// | plan | the last agreement | the package's record | listed or read |
/// | precondition | what the plan saw, twice; `nil` where it saw no record | the fields that the plan sends | read right before the request |
/// | look-up | the before-image, twice | the fields that were sent | read after the settle time |
/// | verify | what was sent | what was sent | read back |
/// | rollback | what the run left; `nil` where it deleted | the before-image, of the fields sent; or absent | read right before the request |
///
/// All copies are in the destination's form, with references resolved by the same resolver. A copy that holds
/// only some of the fields, such as the fields of a PATCH, is ``RecordCopy/Coverage/partial(_:)``.
package struct RecordTriple: Hashable, Sendable {
  /// What both sides last agreed on; `nil` where no run knows the record, and where a run removed it.
  package var base: Base?
  /// Whether the store has again what was agreed on before other content was, and does not say that it has seen
  /// that: an older copy of it may be in use, or a person changed the record back.
  package var isOlderCopy: Bool
  package var wanted: LocalCopy
  package var remote: RemoteCopy
  /// The before-images of our own operations on the record, in any order.
  package var beforeImages: [RecordCopy]
  /// What the app says about the record, which counts only without an ``agreement``.
  package var claim: SyncClaim?
  /// What the destination says about the request whose answer was lost.
  package var receipt: Receipt
  /// The changes that the destination refused since the last agreement; `nil` where there were none.
  ///
  /// The destination may have carried out a part of them all the same.
  package var refused: RefusedChanges?

  /// What refused requests were to change.
  package struct RefusedChanges: Hashable, Sendable {
    /// What the destination had right before the first of them.
    package var before: RecordCopy
    /// What each was to give it, as far as that is known.
    package var sent: [RecordCopy]

    package init(before: RecordCopy, sent: [RecordCopy]) {
      self.before = before
      self.sent = sent
    }
  }

  /// Whether a destination carried out a request, by the note that it kept in the same step.
  package enum Receipt: Hashable, Sendable, CaseIterable {
    /// No request was lost, or the destination keeps no notes.
    case unknown
    case carriedOut
    /// It was not carried out, and no longer can be.
    case notCarriedOut
  }

  package init(
    base: Base?,
    isOlderCopy: Bool = false,
    wanted: LocalCopy,
    remote: RemoteCopy,
    beforeImages: [RecordCopy] = [],
    claim: SyncClaim? = nil,
    receipt: Receipt = .unknown,
    refused: RefusedChanges? = nil
  ) {
    self.base = base
    self.isOlderCopy = isOlderCopy
    self.wanted = wanted
    self.remote = remote
    self.beforeImages = beforeImages
    self.claim = claim
    self.receipt = receipt
    self.refused = refused
  }

  /// The base that the store's content is a change of: none of an older copy.
  package var agreement: Base? { isOlderCopy ? nil : base }

  /// Whether the record has a place at the destination, as a run or the app knows.
  var isKnown: Bool { isOlderCopy || claim?.hasRemoteID == true }

  /// What both sides had when they last agreed.
  ///
  /// A local change is `wanted` against ``local``; a remote change is `remote` against ``remote``. After a
  /// conflict that kept the remote, the two differ and say exactly that: the store's content is not sent
  /// again, and the destination's content is not ours.
  package struct Base: Hashable, Sendable {
    /// The store's content.
    ///
    /// A field that could not be sent yet is not shown, or is ``FieldValue/pending(_:)``.
    package var local: LocalCopy
    /// The destination's content.
    package var remote: RecordCopy
    /// Whether a conflict kept the remote's content in a field in which the two halves still differ.
    package var isKeptRemote: Bool
    /// The fields that the destination showed otherwise than it was given them when they were first read back,
    /// each with the digest of what it showed.
    package var altered: [String: Digest] = [:]

    package init(local: LocalCopy, remote: RecordCopy, isKeptRemote: Bool = false) {
      self.local = local
      self.remote = remote
      self.isKeptRemote = isKeptRemote
    }

    /// A base of which both halves are the same.
    package init(_ copy: RecordCopy) {
      self.init(local: .record(copy), remote: copy)
    }
  }
}

/// What the app's own store says about a record and the destination.
package struct SyncClaim: Hashable, Sendable {
  package var state: State?
  /// The destination's copy that the app last saw; `nil` where the app does not say.
  package var lastSeen: LastSeen?
  /// Whether the app has the destination's ID of the record.
  package var hasRemoteID: Bool

  package enum State: Hashable, Sendable, CaseIterable {
    /// The app has no change of its own.
    case synced
    /// The app has a change of its own.
    case changed
    /// The app never sent the record.
    case neverSynced
    /// The app itself saw that both sides had changed.
    case conflicted
  }

  package enum LastSeen: Hashable, Sendable {
    case revision(String)
    /// In microseconds since 2001.
    case modifiedAt(Int64)
  }

  package init(state: State?, lastSeen: LastSeen? = nil, hasRemoteID: Bool = false) {
    self.state = state
    self.lastSeen = lastSeen
    self.hasRemoteID = hasRemoteID
  }
}
