// Look-up, verify and rollback, which report and take no policy.

extension Judge {
  // MARK: - Look-up

  /// Judges whether a request whose answer was lost has arrived.
  ///
  /// | request | remote | decision |
  /// |---|---|---|
  /// | delete | as before it | delete: not arrived |
  /// | create | as sent | adopt: arrived |
  /// | create | other | conflict |
  /// | create, update | as sent, without a receipt of a destination that keeps them | unchanged: another client made it so |
  /// | update | as sent | adopt: arrived |
  /// | update | as before it | update: not arrived |
  /// | update | as sent in all that is shown, which was so before | read first, else conflict (field not listed) |
  /// | any | changed by others, or restored | conflict |
  func lookedUp(_ read: ReadCopy) -> Decision {
    if triple.wanted.isAbsent { return lookedUpDeletion(read) }
    if difference.outstanding.isEmpty, difference.remote != .restored { return arrival(read) }
    guard triple.agreement != nil else {
      return .conflict(.remotelyChanged(difference.outstanding))
    }
    return sendUnlessChanged(read, difference.outstanding)
  }

  private func lookedUpDeletion(_ read: ReadCopy) -> Decision {
    guard triple.agreement != nil else { return .conflict(.stillPresent) }
    return deleteUnlessChanged(read)
  }

  private func arrival(_ read: ReadCopy) -> Decision {
    if difference.unlisted.isEmpty { return arrived }
    guard let base = triple.agreement else { return canReadBetter(read) ? .readFirst : arrived }
    let isShown = triple.wantedNames(rules).contains { name in
      guard read.copy.shows(name), let value = triple.wanted.record?[name],
        let before = base.agreedRemote(name)
      else { return false }
      return rules.differ(name, before, value)
    }
    return isShown ? arrived : readFirst(read, elseFor: difference.unlisted)
  }

  /// What a record that is as sent says.
  private var arrived: Decision {
    switch triple.receipt {
    case .unknown, .carriedOut: .adopt
    case .notCarriedOut: .unchanged
    }
  }

  // MARK: - Verify

  /// Judges whether the destination has what was sent.
  ///
  /// The fields decide, whatever the revision: a destination may drop a field in silence.
  ///
  /// | read back | decision |
  /// |---|---|
  /// | no base | conflict: it was never sent |
  /// | should be deleted | conflict, unless a run kept it |
  /// | restored | conflict |
  /// | a field is neither as it was left nor as wanted | conflict |
  /// | a field is not shown that was not deferred | read first, else conflict (field not listed) |
  /// | a field was deferred and never sent, and no conflict kept the remote's value in it | conflict |
  /// | as a conflict left it | kept remote by an earlier decision |
  /// | any other | unchanged |
  func verified(_ read: ReadCopy) -> Decision {
    guard let base = triple.agreement else {
      return .conflict(
        triple.wanted.isAbsent ? .stillPresent : .withoutBase(difference.outstanding)
      )
    }
    if difference.remote == .restored { return .conflict(.restored) }
    let changed = triple.changedFields(of: read.copy, since: base, rules)
    if triple.wanted.isAbsent {
      return base.isKeptRemote && changed.isEmpty && base.local.isAbsent
        ? .keptRemote(.earlier) : .conflict(.stillPresent)
    }
    let different = difference.outstanding.filter { changed.contains($0) || isLocallyChanged($0) }
    if !different.isEmpty { return .conflict(.remotelyChanged(different)) }
    let unlisted = difference.unlisted.subtracting(difference.deferred)
    if !unlisted.isEmpty { return readFirst(read, elseFor: unlisted) }
    let unsent = difference.deferred.filter { isLocallyChanged($0) || !isKeptRemote($0, base) }
    if !unsent.isEmpty { return .conflict(.deferred(unsent)) }
    return base.isKeptRemote && !difference.outstanding.isEmpty ? .keptRemote(.earlier) : .unchanged
  }

  private func isKeptRemote(_ name: String, _ base: RecordTriple.Base) -> Bool {
    base.isKeptRemote && (base.remote[name] ?? .null) != .null
  }

  // MARK: - Rollback

  /// Judges how an operation of a run is undone.
  ///
  /// | before the run | the run left | remote | decision |
  /// |---|---|---|---|
  /// | any | deleted | any | conflict: a run's deletions are not undone |
  /// | absent | a record | unchanged | delete |
  /// | a record | a record | as before the run | unchanged |
  /// | a record | a record | unchanged | update of the fields sent |
  /// | any | a record | changed, or restored | conflict: kept |
  /// | any | a record | undecidable | read first, else conflict for what is not shown |
  /// | absent | a record | unchanged in all that is compared, at another revision | conflict: kept |
  /// | absent | a record of which no shown field is known | not of the same revision | conflict for all fields |
  ///
  /// The value of a field that is not shown is what the run left, where the revision proves that.
  func rolledBack(_ read: ReadCopy) -> Decision {
    guard let base = triple.agreement else {
      return triple.wanted.isAbsent ? .skip(.untracked) : .conflict(.deletedByThisRun)
    }
    // The run sent nothing of it.
    if base.isKeptRemote { return .unchanged }
    if triple.wanted.isAbsent { return removed(read, base) }
    let unknown = difference.unlisted.filter { knownRemote($0, read.copy) == nil }
    if !unknown.isEmpty { return readFirst(read, elseFor: unknown) }
    let names = difference.outstanding.union(difference.unlisted.filter { isOutstanding($0, read) })
    return names.isEmpty ? .unchanged : sendUnlessChanged(read, names)
  }

  private func removed(_ read: ReadCopy, _ base: RecordTriple.Base) -> Decision {
    guard capabilities.contains(.delete) else { return .conflict(.noRoute) }
    let isComparable = rules.fields.contains { name in
      read.copy.shows(name) && base.agreedRemote(name) != nil
    }
    guard isComparable || rules.fields.isEmpty || read.copy.hasRevision(of: base.remote) else {
      return .conflict(.fieldNotListed(rules.fields))
    }
    if difference.remote == .unchanged, isOfAnotherRevision(read.copy, base) {
      // Another client may have changed a field that is not compared.
      return .conflict(.remotelyChanged([]))
    }
    return deleteUnlessChanged(read)
  }

  private func isOfAnotherRevision(_ copy: RecordCopy, _ base: RecordTriple.Base) -> Bool {
    guard let revision = copy.revision, let left = base.remote.revision else { return false }
    return revision != left
  }

  /// Whether the value that a field is known to have is not the one that is wanted.
  private func isOutstanding(_ name: String, _ read: ReadCopy) -> Bool {
    guard let value = triple.wanted.record?[name], let there = knownRemote(name, read.copy) else {
      return false
    }
    return rules.differ(name, value, there)
  }

  // MARK: - Without a policy

  private func deleteUnlessChanged(_ read: ReadCopy) -> Decision {
    switch difference.remote {
    case .unchanged: delete(on: read.copy)
    case .undecidable:
      provingRevision(read.copy) == nil || canReadBetter(read)
        ? readFirst(read, elseFor: difference.unlisted) : delete(on: read.copy)
    case .fields, .withoutBase, .restored, .notRead, .notListed, .absent, .unreadable:
      .conflict(change)
    }
  }

  private func sendUnlessChanged(_ read: ReadCopy, _ names: Set<String>) -> Decision {
    switch difference.remote {
    case .unchanged: send(wantedValues(of: names), over: read.copy)
    case .undecidable:
      canReadBetter(read) ? .readFirst : send(wantedValues(of: names), over: read.copy)
    case .fields, .withoutBase, .restored, .notRead, .notListed, .absent, .unreadable:
      .conflict(change)
    }
  }

  private var change: Conflict {
    difference.remote == .restored ? .restored : .remotelyChanged(theirs)
  }

  private func wantedValues(of names: Set<String>) -> [String: FieldValue] {
    names.reduce(into: [:]) { $0[$1] = triple.wanted.record?[$1] }
  }
}
