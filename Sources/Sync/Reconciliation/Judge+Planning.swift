// Plan and precondition.

extension Judge {
  // MARK: - Without reading

  /// Judges a record that the destination's changes feed did not name.
  ///
  /// | base | wanted | decision |
  /// |---|---|---|
  /// | no, and the app has no ID of it | record | create |
  /// | no | any other | read first |
  /// | any, and the destination refused a change since | any | read first |
  /// | yes | as the base | unchanged, or kept remote by an earlier run |
  /// | yes | changed | update on the base's revision or content, which is read before it is sent |
  /// | yes | absent | delete, likewise |
  func plannedUnread() -> Decision {
    // What was refused may be there in part.
    if triple.refused != nil { return .readFirst }
    guard let base = triple.agreement else {
      return triple.wanted.isAbsent || triple.isKnown ? .readFirst : .create
    }
    switch difference.local {
    case .withoutBase: return .readFirst
    case .unchanged: return base.isKeptRemote ? .keptRemote(.earlier) : .unchanged
    case .deleted: return delete(on: base.remote)
    case .fields(let names): return plannedUnread(names, base.remote)
    }
  }

  private func plannedUnread(_ names: Set<String>, _ last: RecordCopy) -> Decision {
    let changed = names.subtracting(difference.deferred)
    guard changed.allSatisfy(last.shows) else { return .readFirst }
    if changed.isEmpty { return .unchanged }
    let values = values(of: changed, over: last)
    if values.isEmpty || !unknownToReplacement(values, over: last).isEmpty { return .readFirst }
    return send(values, over: last)
  }

  // MARK: - A record

  /// Judges a record that the store has and the destination has.
  ///
  /// | changed here | remote | decision |
  /// |---|---|---|
  /// | any | restored | conflict |
  /// | in a field that is not shown | any | read first, else conflict (field not listed) |
  /// | no | as wanted | unchanged, or adopt where that is news |
  /// | no | changed, or the app calls the record synced | remote newer |
  /// | no | as a conflict left it | kept remote by an earlier run |
  /// | the same as the remote | any | adopt; remote newer where the remote changed more |
  /// | likewise, by a part of a refused request | as before the request in the rest | by the policy, but for remote and merge |
  /// | yes | unchanged | update of the local changes |
  /// | yes | undecidable | read first, else the same |
  /// | yes | changed, or no agreement is known | by the policy |
  func planned(_ read: ReadCopy, _ policy: ConflictPolicy) -> Decision {
    if difference.remote == .restored { return .conflict(.restored) }
    if needsReading(read) { return .readFirst }
    if triple.agreement != nil, !changedUnlisted.isEmpty {
      return .conflict(.fieldNotListed(changedUnlisted))
    }
    if ours.isEmpty, !isHalfCarried(read.copy, policy) { return withoutLocalChange() }
    switch difference.remote {
    case .unchanged, .undecidable: return send(values(of: ours, over: read.copy), over: read.copy)
    case .fields, .withoutBase: return resolve(read, policy)
    case .notRead, .notListed, .absent, .unreadable, .restored:
      preconditionFailure("a record that was read is present")
    }
  }

  /// Whether a part of a refused request carried out all that the store changed, while a field that the remote
  /// changed is still as it was before that request: the conflict about that field is not settled.
  ///
  /// Under `remote` and `merge` no request overwrites what the remote alone changed.
  private func isHalfCarried(_ copy: RecordCopy, _ policy: ConflictPolicy) -> Bool {
    guard policy != .remote, policy != .merge, let refused = triple.refused,
      !triple.refusedPart(in: copy, rules).isEmpty
    else { return false }
    return theirs.intersection(difference.outstanding).contains { name in
      guard let before = refused.before[name], let now = copy[name] else { return false }
      return !rules.differ(name, before, now)
    }
  }

  /// Whether a row of a list is too little to decide on: something is to be done, and what the row leaves out
  /// may matter to it.
  private func needsReading(_ read: ReadCopy) -> Bool {
    guard canReadBetter(read) else { return false }
    switch difference.local {
    case .unchanged, .deleted: return isChangedByRow(read.copy)
    case .withoutBase: return !difference.unlisted.isEmpty
    case .fields:
      guard changedUnlisted.isEmpty, difference.remote == .unchanged else { return true }
      return !unknownToReplacement(values(of: ours, over: read.copy), over: read.copy).isEmpty
    }
  }

  /// Whether a row looks changed that does not say the revision, though the last agreement has one: a list may
  /// shorten values, or write them otherwise.
  private func isChangedByRow(_ copy: RecordCopy) -> Bool {
    guard case .fields = difference.remote else { return false }
    return copy.revision == nil && triple.agreement?.remote.revision != nil
  }

  private func withoutLocalChange() -> Decision {
    difference.outstanding.isEmpty ? asWanted() : otherThanWanted()
  }

  /// Judges a remote that has all that is wanted, as far as it shows.
  private func asWanted() -> Decision {
    switch (difference.local, difference.remote) {
    case (.withoutBase, _), (_, .withoutBase): .adopt
    case (_, .fields(let names))
    where !names.isSubset(of: triple.wantedNames(rules))
      || !names.isDisjoint(with: difference.unlisted):
      .remoteNewer
    case (_, .fields): .adopt
    case (.fields(let names), _):
      names.isSubset(of: difference.deferred) ? asAgreed() : .adopt
    case (.unchanged, _), (.deleted, _): asAgreed()
    }
  }

  /// Judges a remote that differs in fields which the store did not change.
  private func otherThanWanted() -> Decision {
    switch (difference.remote, difference.local) {
    case (.fields, _), (.withoutBase, _): return .remoteNewer
    case (.unchanged, .fields(let names)), (.undecidable, .fields(let names)):
      return names.isSubset(of: difference.deferred) ? asAgreed() : .adopt
    case (.unchanged, _), (.undecidable, _): return asAgreed()
    case (.notRead, _), (.notListed, _), (.absent, _), (.unreadable, _), (.restored, _):
      preconditionFailure("a record that was read is present, and was not restored")
    }
  }

  /// Judges a record that neither side changed since the last agreement.
  private func asAgreed() -> Decision {
    guard let base = triple.agreement else { return .adopt }
    let isAsWanted = difference.outstanding.isEmpty && difference.unlisted.isEmpty
    return base.isKeptRemote && !isAsWanted ? .keptRemote(.earlier) : .unchanged
  }

  // MARK: - A deletion

  /// Judges a record that the store deleted and the destination has.
  ///
  /// | base | remote | decision |
  /// |---|---|---|
  /// | the deletion gave way to the remote | unchanged | kept remote by an earlier run |
  /// | yes, or as the app last saw it | unchanged | delete |
  /// | yes | undecidable | read first, else by the policy: field not listed |
  /// | yes, or the app has an ID of it | changed, or without an agreement | by the policy |
  /// | no, and the app has no ID of it | any | skip: untracked |
  /// | any | restored | conflict |
  func plannedDeletion(_ read: ReadCopy, _ policy: ConflictPolicy) -> Decision {
    if triple.agreement == nil, !triple.isKnown { return .skip(.untracked) }
    if canReadBetter(read), isChangedByRow(read.copy) { return .readFirst }
    switch difference.remote {
    case .restored: return .conflict(.restored)
    case .unchanged where isDeletionSettled: return .keptRemote(.earlier)
    case .undecidable where isDeletionSettled: return .keptRemote(.earlier)
    case .unchanged: return delete(on: read.copy)
    case .undecidable: return undecidableDeletion(read, policy)
    case .fields(let names):
      return resolveDeletion(.deletedLocally(remoteFields: names), read, policy)
    case .withoutBase:
      return resolveDeletion(.deletedLocally(remoteFields: []), read, policy)
    case .notRead, .notListed, .absent, .unreadable:
      preconditionFailure("a record that was read is present")
    }
  }

  private var isDeletionSettled: Bool {
    triple.agreement?.isKeptRemote == true && difference.local == .unchanged
  }

  private func undecidableDeletion(_ read: ReadCopy, _ policy: ConflictPolicy) -> Decision {
    if canReadBetter(read) { return .readFirst }
    if provingRevision(read.copy) != nil { return delete(on: read.copy) }
    switch policy {
    case .local: return delete(on: read.copy)
    case .ask: return .ask(.fieldNotListed(difference.unlisted))
    case .remote, .newest, .merge, .fail:
      return .conflict(.fieldNotListed(difference.unlisted))
    }
  }
}
