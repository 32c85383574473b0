extension RecordTriple {
  /// Compares the three copies.
  package func difference(_ rules: ComparisonRules) -> Difference {
    let copy = remoteCopy
    let names = wantedNames(rules)
    return Difference(
      local: localChange(names, rules),
      remote: remoteChange(rules),
      outstanding: copy.map { copy in names.filter { isOutstanding($0, copy, rules) } } ?? [],
      unlisted: copy.map { copy in names.filter { !copy.shows($0) } } ?? [],
      deferred: names.filter { wanted.record?[$0]?.isSendable == false },
      identity: copy.map { identity(of: $0, rules) } ?? .notJudged
    )
  }

  /// The destination's record, where it was read.
  package var remoteCopy: RecordCopy? {
    switch remote {
    case .present(let copy, _): copy
    case .notRead, .notListed, .absent, .unreadable: nil
    }
  }

  /// The fields that are wanted; all of them for a deletion, which takes all away.
  func wantedNames(_ rules: ComparisonRules) -> Set<String> {
    guard let record = wanted.record else { return rules.fields }
    return rules.fields.filter(record.shows)
  }

  private func isOutstanding(_ name: String, _ copy: RecordCopy, _ rules: ComparisonRules) -> Bool {
    guard let value = wanted.record?[name], let there = copy[name] else { return false }
    return rules.differ(name, value, there)
  }

  // MARK: - Local

  private func localChange(
    _ names: Set<String>,
    _ rules: ComparisonRules
  ) -> Difference.LocalChange {
    guard let agreement else { return claim?.state == .synced ? .unchanged : .withoutBase }
    let undone = remoteCopy.map { copy in
      refusedPart(in: copy, rules).filter { isOutstanding($0, copy, rules) }
    }
    switch (agreement.local, wanted) {
    case (.absent, .absent): return .unchanged
    case (.record, .absent): return .deleted
    case (.absent, .record): return .fields(names)
    case (.record(let before), .record(let now)):
      let changed = names.filter { name in
        guard let then = before[name], let value = now[name] else { return true }
        // The store may have its earlier value again, and the destination a later one of the store's.
        return undone?.contains(name) == true || then != value && !rules.isEqual(name, then, value)
      }
      return changed.isEmpty ? .unchanged : .fields(changed)
    }
  }

  // MARK: - Remote

  private func remoteChange(_ rules: ComparisonRules) -> Difference.RemoteChange {
    switch remote {
    case .notRead: .notRead
    case .notListed: .notListed
    case .absent: .absent
    case .unreadable(let reason): .unreadable(reason: reason)
    case .present(let copy, _):
      change(of: copy, rules)
    }
  }

  /// An older copy of the store takes nothing from the base, but that the destination went back as well.
  private func change(of copy: RecordCopy, _ rules: ComparisonRules) -> Difference.RemoteChange {
    let change = base.map { self.change(of: copy, since: $0, rules) }
    guard let change, !isOlderCopy || change == .restored else {
      return claimedChange(of: copy, rules)
    }
    return change
  }

  /// Judges a copy of a record that has a base.
  ///
  /// | revision | shown fields | fields not shown | change |
  /// |---|---|---|---|
  /// | older | any | any | restored |
  /// | the same | any | any | unchanged |
  /// | other | the base knows none | any | every field |
  /// | other, or unknown | one differs, as in a before-image | any | restored |
  /// | other, or unknown | one differs | any | those fields |
  /// | other, or unknown | the same | no | unchanged |
  /// | other | the same | yes | the fields not shown |
  /// | unknown | the same | yes | undecidable |
  ///
  /// A field without an agreed value counts as changed by both sides where the two values differ, regardless
  /// of the revision. A field that has the value of a refused request, or that the destination altered, did not
  /// change by another hand. The same revision proves nothing where the natural key is that of another record: a server that counts
  /// revisions begins anew with each record.
  private func change(
    of copy: RecordCopy,
    since base: Base,
    _ rules: ComparisonRules
  ) -> Difference.RemoteChange {
    if copy.isOlder(than: base.remote, rules) { return .restored }
    let isOther =
      copy.revision != nil && base.remote.revision != nil && !copy.hasRevision(of: base.remote)
    if isOther, rules.fields.allSatisfy({ base.agreedRemote($0) == nil }) {
      return .fields(rules.fields)
    }
    let isProven = self.isProven(copy, since: base, rules)
    let conflicting =
      isProven
      ? []
      : changedFields(of: copy, since: base, rules).subtracting(refusedPart(in: copy, rules))
        .subtracting(base.alteredFields(in: copy, rules))
    if !conflicting.isEmpty, isBeforeImage(copy, changed: conflicting, rules) { return .restored }
    let all = conflicting.union(fieldsWithoutBase(in: copy, base, rules))
    if !all.isEmpty { return .fields(all) }
    let hidden = rules.fields.filter { !copy.shows($0) }
    if isProven || hidden.isEmpty { return .unchanged }
    return isOther ? .fields(hidden) : .undecidable
  }

  /// The fields that the destination did not take: it shows another value than it was given, under the revision of
  /// the last agreement or as it did when that was first read back.
  ///
  /// They are no change of the destination's, and not agreed on. Only a change of the store's sends them again.
  package func untakenFields(_ rules: ComparisonRules) -> Set<String> {
    guard let agreement, let copy = remoteCopy else { return [] }
    let untaken =
      isProven(copy, since: agreement, rules)
      ? changedFields(of: copy, since: agreement, rules) : agreement.alteredFields(in: copy, rules)
    return untaken.subtracting(fieldsWithoutBase(in: copy, agreement, rules))
  }

  /// The same, but for those that the store changed since.
  package func fieldsNotSentAgain(_ rules: ComparisonRules) -> Set<String> {
    let untaken = untakenFields(rules)
    guard !untaken.isEmpty else { return [] }
    switch localChange(wantedNames(rules), rules) {
    case .fields(let names): return untaken.subtracting(names)
    case .unchanged: return untaken
    case .withoutBase, .deleted: return []
    }
  }

  /// The fields of refused requests that the destination took all the same: they are the store's own change.
  func refusedPart(in copy: RecordCopy, _ rules: ComparisonRules) -> Set<String> {
    guard let refused else { return [] }
    return rules.fields.filter { name in
      guard let before = refused.before[name], let now = copy[name],
        rules.differ(name, before, now)
      else { return false }
      return refused.sent.contains { sent in
        guard let value = sent[name], value.isSendable else { return false }
        return !rules.differ(name, value, now)
      }
    }
  }

  /// Whether the revision says that the record is as it was at the last agreement.
  private func isProven(_ copy: RecordCopy, since base: Base, _ rules: ComparisonRules) -> Bool {
    copy.hasRevision(of: base.remote) && isNamedAlike(copy, rules)
  }

  /// The shown fields whose values are not those of the last agreement, whatever the revision says.
  func changedFields(
    of copy: RecordCopy,
    since base: Base,
    _ rules: ComparisonRules
  ) -> Set<String> {
    rules.fields.filter { name in
      guard let now = copy[name], let then = base.agreedRemote(name) else { return false }
      return rules.differ(name, then, now)
    }
  }

  /// The fields that were never agreed on, and that the destination has with another value than is wanted.
  private func fieldsWithoutBase(
    in copy: RecordCopy,
    _ base: Base,
    _ rules: ComparisonRules
  ) -> Set<String> {
    guard let before = base.local.record else { return [] }
    return rules.fields.filter { name in
      guard before[name]?.isSendable != true, let now = copy[name], now != .null,
        let value = wanted.record?[name]
      else { return false }
      return rules.differ(name, value, now)
    }
  }

  /// Judges a copy of a record without an agreement by what the app says that it last saw.
  private func claimedChange(
    of copy: RecordCopy,
    _ rules: ComparisonRules
  ) -> Difference.RemoteChange {
    guard let claim, claim.state != .conflicted else { return .withoutBase }
    switch claim.lastSeen {
    case nil: return .withoutBase
    case .revision(let seen):
      guard let revision = copy.revision else { return .withoutBase }
      if rules.isOlder(revision, seen) { return .restored }
      return revision == seen ? .unchanged : .fields(shownDifference(copy, rules))
    case .modifiedAt(let seen):
      guard let modified = copy.modifiedAt else { return .withoutBase }
      return modified <= seen ? .unchanged : .fields(shownDifference(copy, rules))
    }
  }

  private func shownDifference(_ copy: RecordCopy, _ rules: ComparisonRules) -> Set<String> {
    wantedNames(rules).filter { isOutstanding($0, copy, rules) }
  }

  /// Whether a copy is as it was before an operation of ours, in all that both show.
  ///
  /// A value in a field that the before-image does not show was added since.
  private func isBeforeImage(
    _ copy: RecordCopy,
    changed: Set<String>,
    _ rules: ComparisonRules
  ) -> Bool {
    beforeImages.contains { image in
      let shown = rules.fields.filter(copy.shows)
      let compared = shown.filter(image.shows)
      let isAddedTo = shown.contains { !image.shows($0) && copy[$0] != .null }
      return !isAddedTo && !compared.isDisjoint(with: changed)
        && compared.allSatisfy { name in
          guard let then = image[name], let now = copy[name] else { return false }
          return !rules.differ(name, then, now)
        }
    }
  }

  // MARK: - Identity

  private func identity(of copy: RecordCopy, _ rules: ComparisonRules) -> Difference.Identity {
    let matches = matches(of: rules.naturalKey, in: copy, rules)
    guard matches.count > 1 else { return .notJudged }
    return matches.contains(true) ? .same : .replaced
  }

  /// Whether the natural key may be that of the same record: each field that never changes is the
  /// same, and so is any field of the key.
  private func isNamedAlike(_ copy: RecordCopy, _ rules: ComparisonRules) -> Bool {
    let lasting = matches(of: rules.naturalKey, in: copy, rules)
    let all = lasting + matches(of: rules.changingKey, in: copy, rules)
    return lasting.allSatisfy { $0 } && (all.isEmpty || all.contains(true))
  }

  /// Whether the values are the same, of each of these fields that both sides show and that is not empty.
  private func matches(
    of names: Set<String>,
    in copy: RecordCopy,
    _ rules: ComparisonRules
  ) -> [Bool] {
    names.compactMap { name in
      guard let known = base?.agreedRemote(name) ?? wanted.record?[name], let now = copy[name],
        known.isComparable, now.isComparable
      else { return nil }
      return rules.identifies(name, known, now)
    }
  }
}

extension RecordTriple.Base {
  /// The value that the destination had: as it was read, or else as it was given.
  func agreedRemote(_ name: String) -> FieldValue? { remote[name] ?? local.record?[name] }

  /// The altered fields that a copy still shows as the destination altered them.
  package func alteredFields(in copy: RecordCopy, _ rules: ComparisonRules) -> Set<String> {
    Set(
      altered.compactMap { name, shown in
        guard let value = copy[name], rules.digest([name: value]) == shown else { return nil }
        return name
      }
    )
  }

  /// Has the fields that the destination altered sent again: what it shows is taken for agreed.
  package mutating func sendAltered(in copy: RecordCopy, _ rules: ComparisonRules) {
    guard case .record(var agreed) = local else { return }
    for name in alteredFields(in: copy, rules).subtracting(rules.createOnly) {
      guard let shown = copy[name] else { continue }
      agreed.show(shown, in: name)
      remote.show(shown, in: name)
    }
    local = .record(agreed)
  }
}

extension RecordCopy {
  func hasRevision(of other: RecordCopy) -> Bool {
    guard let revision, let otherRevision = other.revision else { return false }
    return revision == otherRevision
  }

  func isOlder(than other: RecordCopy, _ rules: ComparisonRules) -> Bool {
    guard let revision, let otherRevision = other.revision else { return false }
    return rules.isOlder(revision, otherRevision)
  }
}

extension FieldValue {
  /// Whether the value can identify a record.
  fileprivate var isComparable: Bool {
    switch self {
    case .value: true
    case .null, .pending: false
    }
  }
}

extension ComparisonRules {
  /// Whether the destination's value of a field is another one.
  ///
  /// A value that refers to something the destination does not have yet cannot be compared with one of the
  /// destination's.
  func differ(_ name: String, _ left: FieldValue, _ right: FieldValue) -> Bool {
    left.isSendable && right.isSendable && left != right && !isEqual(name, left, right)
  }
}
