package import Records

/// Who asks.
///
/// The policy is part of the question, so that look-up, verify and rollback cannot be given one.
package enum Intent: Hashable, Sendable {
  /// What is to be done about the record.
  case plan(ConflictPolicy)
  /// Whether a planned request may be sent, right before it is.
  case precondition(ConflictPolicy)
  /// Whether a request whose answer was lost has arrived. A decision to send says that it has not.
  case lookUp
  /// Whether the destination has what was sent.
  case verify
  /// How a run's operation is undone.
  case rollback
}

/// Who wins where both sides changed a record, or where no agreement is known.
package enum ConflictPolicy: String, Sendable, CaseIterable {
  /// The remote's record is kept.
  case remote
  /// The store's record is sent.
  case local
  /// The record that was changed last wins; the remote's where the times are unknown.
  case newest
  /// Each field is merged by its rule.
  case merge
  /// A person decides, about deletions too.
  case ask
  /// Nothing is sent, and the run ends with status 6.
  case fail
}

/// What a destination can do with the records of an entity.
package struct Capabilities: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It has a route that changes a record.
  package static let update = Capabilities(rawValue: 1)
  /// It has a route that deletes a record.
  package static let delete = Capabilities(rawValue: 2)
  /// It has a route that reads one record.
  package static let readOne = Capabilities(rawValue: 4)
  /// It refuses a request whose revision is not the current one.
  package static let conditionalWrite = Capabilities(rawValue: 8)
  /// A change replaces the whole record (PUT): a field that it does not carry is cleared.
  package static let replacesWhole = Capabilities(rawValue: 16)
}

/// What a request is conditional on.
package enum Precondition: Hashable, Sendable {
  case nothing
  case revision(String)
  /// The digest of the named fields' values.
  case content(fields: Set<String>, digest: Digest)
}

/// What is to be done about a record.
package enum Decision: Hashable, Sendable {
  /// Create the record; its deferred fields follow once they can be sent.
  case create
  /// The destination has what is wanted: write the base pair down and send nothing.
  ///
  /// Of a look-up only the fields that were sent go into the pair, so that the next plan sees what others
  /// changed beside them.
  case adopt
  /// Nothing changed that concerns the destination.
  case unchanged
  case update(Update)
  case delete(Precondition)
  /// Read the record alone, or at all, and ask again.
  case readFirst
  /// Only the remote changed: nothing is sent, and the app is given the remote's content.
  ///
  /// The base stays as it is. Until the app has the content, a local change is a conflict with it.
  case remoteNewer
  /// A conflict in which the remote's content is kept.
  case keptRemote(KeptRemote)
  case skip(SkipReason)
  /// A conflict that a person decides. The answer is another policy.
  case ask(Conflict)
  case conflict(Conflict)

  package enum KeptRemote: Hashable, Sendable, CaseIterable {
    /// By this decision: the run ends with status 6.
    case now
    /// By an earlier run, and neither side changed the record since: it is listed.
    case earlier
  }

  package enum SkipReason: Hashable, Sendable, CaseIterable {
    /// The record was deleted here, and the destination has no route that deletes it.
    case noDeleteRoute
    /// No run and no app knows the remote record: it is not ours to delete.
    case untracked
  }

  /// A change of a record at the destination.
  package struct Update: Hashable, Sendable {
    /// The values to send: only those that change, or every one where a change replaces the whole record.
    package let fields: [String: FieldValue]
    package let precondition: Precondition
    /// The fields that both sides changed and in which the remote's value is kept.
    package let lost: Set<String>
    /// The fields that differ and that the destination takes only with a create.
    package let createOnly: Set<String>
  }
}

/// Why nothing is sent, though the two sides are not known to agree.
package enum Conflict: Hashable, Sendable {
  /// Both sides changed the record: the fields that the remote changed.
  case bothChanged(Set<String>)
  /// The two sides differ in these fields, and no agreement is known.
  case withoutBase(Set<String>)
  /// The store deleted the record, and the remote changed it.
  case deletedLocally(remoteFields: Set<String>)
  /// The remote changed what was sent, or what is to be undone.
  case remotelyChanged(Set<String>)
  /// The record was deleted at the destination.
  case remotelyDeleted
  /// The record should be deleted, and the destination still has it.
  case stillPresent
  /// The server reused the ID for another record.
  case replaced
  /// The destination has an older state of the record again.
  case restored
  /// The store has an older state of the record again: ``RecordTriple/isOlderCopy``.
  case localRestored
  /// The destination does not show these fields, and there is no other way to read them.
  case fieldNotListed(Set<String>)
  /// The list does not show the record, and there is no other way to read it.
  case recordNotListed
  case unreadable(reason: String)
  /// The destination has no route for the request.
  case noRoute
  /// The destination takes these fields only with a create.
  case createOnly(Set<String>)
  /// These fields were never sent: what they refer to is not at the destination.
  case deferred(Set<String>)
  /// The run deleted the record, and a run's deletions are not undone.
  case deletedByThisRun
}

/// What the app has to do with its own copy of a record.
package enum WriteBack: Hashable, Sendable {
  case keep
  /// Take over the remote's content.
  case replace
  /// Keep the own content, and mark the record as conflicted.
  case conflicted
}

extension Decision {
  /// Whether a request follows that changes the destination.
  package var sends: Bool {
    switch self {
    case .create, .update, .delete: true
    case .adopt, .unchanged, .readFirst, .remoteNewer, .keptRemote, .skip, .ask, .conflict: false
    }
  }

  /// What the app's write-back says about the record.
  package var writeBack: WriteBack {
    switch self {
    case .create, .adopt, .unchanged, .update, .delete, .readFirst, .skip: .keep
    case .remoteNewer: .replace
    case .keptRemote, .ask, .conflict: .conflicted
    }
  }
}
