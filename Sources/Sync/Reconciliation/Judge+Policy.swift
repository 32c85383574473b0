// Who wins where both sides changed a record, or where no agreement is known.

extension Judge {
  /// | policy | decision |
  /// |---|---|
  /// | fail | conflict |
  /// | remote | kept remote |
  /// | local | update of all that either side changed |
  /// | newest | as local where the store's record is not older, else kept remote |
  /// | merge | field by field; kept remote without a base |
  /// | ask | ask |
  func resolve(_ read: ReadCopy, _ policy: ConflictPolicy) -> Decision {
    switch policy {
    case .fail: .conflict(conflict)
    case .remote: .keptRemote(.now)
    case .local: sendOurs(over: read.copy)
    case .newest: isNewerHere(read.copy) ? sendOurs(over: read.copy) : .keptRemote(.now)
    case .merge: triple.agreement == nil ? .keptRemote(.now) : merge(over: read.copy)
    case .ask: .ask(conflict)
    }
  }

  /// The same for a deletion, which cannot be merged.
  func resolveDeletion(
    _ conflict: Conflict,
    _ read: ReadCopy,
    _ policy: ConflictPolicy
  ) -> Decision {
    switch policy {
    case .fail: .conflict(conflict)
    case .remote, .merge: .keptRemote(.now)
    case .local: delete(on: read.copy)
    case .newest: isNewerHere(read.copy) ? delete(on: read.copy) : .keptRemote(.now)
    case .ask: .ask(conflict)
    }
  }

  private var conflict: Conflict {
    if triple.agreement != nil { return .bothChanged(theirs) }
    return triple.isOlderCopy
      ? .localRestored : .withoutBase(difference.outstanding)
  }

  /// Sends what either side changed since the last agreement; what that settled is not sent again.
  private func sendOurs(over copy: RecordCopy) -> Decision {
    let names = ours.union(difference.outstanding.intersection(theirs))
    return send(values(of: names, over: copy), over: copy)
  }

  private func isNewerHere(_ copy: RecordCopy) -> Bool {
    if triple.agreement == nil, triple.claim?.state == .neverSynced { return false }
    guard let here = triple.wanted.changedAt, let there = copy.modifiedAt else { return false }
    return here >= there
  }

  // MARK: - Merging

  /// What a merge came to.
  private struct Merged {
    var values: [String: FieldValue] = [:]
    var lost: Set<String> = []
    var asked: Set<String> = []
  }

  /// | changed here | changed there | decided by |
  /// |---|---|---|
  /// | no | any | the remote's value is kept |
  /// | yes | no | the store's value is sent |
  /// | yes | yes | the field's rule |
  private func merge(over copy: RecordCopy) -> Decision {
    var merged = Merged()
    for name in ours { merge(name, copy, into: &merged) }
    if !merged.asked.isEmpty { return .ask(.bothChanged(merged.asked)) }
    if merged.values.isEmpty, !merged.lost.isEmpty { return .keptRemote(.now) }
    return send(merged.values, over: copy, lost: merged.lost)
  }

  private func merge(_ name: String, _ copy: RecordCopy, into merged: inout Merged) {
    guard let sides = sides(of: name, copy) else { return }
    guard sides.isRemotelyChanged else {
      merged.values[name] = valueToSend(name, sides)
      return
    }
    switch rules.merge(name, sides) {
    case .local: merged.values[name] = sides.wanted
    case .remote: merged.lost.insert(name)
    case .joined(let value):
      if rules.differ(name, value, sides.remote) { merged.values[name] = value }
    case .ask: merged.asked.insert(name)
    }
  }

  private func sides(of name: String, _ copy: RecordCopy) -> FieldSides? {
    guard let wanted = triple.wanted.record?[name], let remote = copy[name] else { return nil }
    return FieldSides(
      baseLocal: triple.agreement?.local.record?[name],
      baseRemote: triple.agreement?.agreedRemote(name),
      wanted: wanted,
      remote: remote,
      isRemotelyChanged: theirs.contains(name)
    )
  }

  // MARK: - Values

  /// The values to send over a copy in some fields that the remote did not change, or that the store wins.
  ///
  /// A field whose agreed values differ was joined, or kept, before. Where its rule joins, the
  /// local change is joined with the remote's value again: a sum counts what was added here once.
  func values(of names: Set<String>, over copy: RecordCopy) -> [String: FieldValue] {
    names.reduce(into: [:]) { values, name in
      guard let sides = sides(of: name, copy) else { return }
      let value = sides.isRemotelyChanged ? sides.wanted : valueToSend(name, sides)
      if rules.differ(name, value, sides.remote) { values[name] = value }
    }
  }

  private func valueToSend(_ name: String, _ sides: FieldSides) -> FieldValue {
    guard let ours = sides.baseLocal, let theirs = sides.baseRemote,
      rules.differ(name, ours, theirs),
      case .joined(let value) = rules.merge(name, sides)
    else { return sides.wanted }
    return value
  }
}
