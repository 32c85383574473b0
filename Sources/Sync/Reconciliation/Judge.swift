extension RecordTriple {
  /// Decides what is to be done about the record: the only place that does.
  ///
  /// | remote | plan | precondition | look-up | verify | rollback |
  /// |---|---|---|---|---|---|
  /// | not read | by the base alone | read first | read first | read first | read first |
  /// | not listed | create without a base, else read first | as plan | read first | read first | read first |
  /// | unreadable | conflict | conflict | conflict | conflict | conflict |
  /// | absent | create, unchanged or conflict | as plan | not arrived, or conflict | conflict | unchanged, or conflict |
  /// | replaced | conflict | conflict | conflict | conflict | conflict |
  /// | restored | conflict | conflict | conflict | conflict | unchanged where it is as before the run, else conflict |
  /// | unchanged | send the local change | as plan | not arrived: send | unchanged | send |
  /// | changed | remote newer, or by the policy | as plan | conflict | conflict | conflict |
  /// | undecidable | read first, else as unchanged | as plan | as plan | conflict (field not listed) | as plan |
  /// | any, and the destination has a receipt of the request | – | – | adopt: arrived | – | adopt: rolled back |
  ///
  /// “Read first” becomes a conflict where the destination has no route that reads one record, but for a record
  /// that was not read at all. No decision to send is ever made about a field that the remote does not show, unless
  /// the revision proves its value.
  package func decide(
    _ intent: Intent,
    _ rules: ComparisonRules,
    _ capabilities: Capabilities
  ) -> Decision {
    decide(intent, on: difference(rules), rules, capabilities)
  }

  /// Decides on a difference that is already known to the caller: ``difference(_:)`` by the same rules.
  package func decide(
    _ intent: Intent,
    on difference: Difference,
    _ rules: ComparisonRules,
    _ capabilities: Capabilities
  ) -> Decision {
    Judge(triple: self, difference: difference, rules: rules, capabilities: capabilities)
      .decision(intent)
  }
}

/// A triple with all that a decision about it needs.
struct Judge {
  let triple: RecordTriple
  let difference: Difference
  let rules: ComparisonRules
  let capabilities: Capabilities

  func decision(_ intent: Intent) -> Decision {
    hasReceipt(for: intent) ? .adopt : decisionByCopies(intent)
  }

  /// Whether the destination says that it carried out the request that is asked about; other clients may have
  /// changed the record since.
  private func hasReceipt(for intent: Intent) -> Bool {
    switch intent {
    case .lookUp, .rollback: triple.receipt == .carriedOut
    case .plan, .precondition, .verify: false
    }
  }

  private func decisionByCopies(_ intent: Intent) -> Decision {
    switch triple.remote {
    case .notRead: notRead(intent)
    case .notListed: notListed(intent)
    case .unreadable(let reason): .conflict(.unreadable(reason: reason))
    case .absent: absent(intent)
    case .present(let copy, let source):
      if difference.identity == .replaced {
        .conflict(.replaced)
      } else {
        present(ReadCopy(copy: copy, source: source), intent)
      }
    }
  }

  /// A remote copy, and how it was read.
  struct ReadCopy {
    let copy: RecordCopy
    let source: RemoteCopy.Source
  }

  private func present(_ read: ReadCopy, _ intent: Intent) -> Decision {
    switch intent {
    case .plan(let policy), .precondition(let policy):
      triple.wanted.isAbsent ? plannedDeletion(read, policy) : planned(read, policy)
    case .lookUp: lookedUp(read)
    case .verify: verified(read)
    case .rollback: rolledBack(read)
    }
  }

  // MARK: - Without a copy

  private func notRead(_ intent: Intent) -> Decision {
    switch intent {
    case .plan: plannedUnread()
    case .precondition, .lookUp, .verify, .rollback: .readFirst
    }
  }

  private func notListed(_ intent: Intent) -> Decision {
    switch intent {
    case .plan, .precondition:
      if triple.agreement == nil, !triple.isKnown, !triple.wanted.isAbsent {
        return .create
      }
    case .lookUp, .verify, .rollback: break
    }
    return capabilities.contains(.readOne) ? .readFirst : .conflict(.recordNotListed)
  }

  /// Judges a record that the destination does not have.
  ///
  /// | caller | base | wanted | decision |
  /// |---|---|---|---|
  /// | any | any | absent | unchanged |
  /// | plan, precondition | none, and the app has no ID of it | record | create |
  /// | plan, precondition | any other | record | local: create; ask: ask; else conflict |
  /// | look-up | none | record | create: it has not arrived |
  /// | look-up | yes | record | conflict |
  /// | verify | any | record | conflict |
  /// | rollback | none | record | conflict: a run's deletions are not undone |
  /// | rollback | yes | record | conflict |
  private func absent(_ intent: Intent) -> Decision {
    guard !triple.wanted.isAbsent else { return .unchanged }
    switch intent {
    case .plan(let policy), .precondition(let policy): return absent(policy)
    case .lookUp: return triple.agreement == nil ? .create : .conflict(.remotelyDeleted)
    case .verify: return .conflict(.remotelyDeleted)
    case .rollback:
      return .conflict(triple.agreement == nil ? .deletedByThisRun : .remotelyDeleted)
    }
  }

  private func absent(_ policy: ConflictPolicy) -> Decision {
    if triple.agreement == nil, !triple.isKnown { return .create }
    switch policy {
    case .local: return .create
    case .ask: return .ask(.remotelyDeleted)
    case .remote, .newest, .merge, .fail: return .conflict(.remotelyDeleted)
    }
  }

  // MARK: - Reading first

  /// Whether the record can still be read better than it was: after one single read, partial is final.
  func canReadBetter(_ read: ReadCopy) -> Bool {
    switch (read.source, read.copy.coverage) {
    case (.list, .partial): capabilities.contains(.readOne)
    case (.list, .complete), (.single, .complete), (.single, .partial): false
    }
  }

  func readFirst(_ read: ReadCopy, elseFor fields: Set<String>) -> Decision {
    canReadBetter(read) ? .readFirst : .conflict(.fieldNotListed(fields))
  }

  // MARK: - What counts as changed here

  /// The outstanding fields that the store changed: what is still to be sent.
  var ours: Set<String> { difference.outstanding.filter(isLocallyChanged) }

  /// The locally changed fields that the remote does not show.
  var changedUnlisted: Set<String> {
    difference.unlisted.subtracting(difference.deferred).filter(isLocallyChanged)
  }

  func isLocallyChanged(_ name: String) -> Bool {
    switch difference.local {
    case .withoutBase: true
    case .unchanged, .deleted: false
    case .fields(let names): names.contains(name)
    }
  }

  /// The fields that the remote changed; all that differ where no agreement is known.
  var theirs: Set<String> {
    switch difference.remote {
    case .fields(let names): names
    case .withoutBase: difference.outstanding
    case .notRead, .notListed, .absent, .unreadable, .unchanged, .restored, .undecidable: []
    }
  }
}
