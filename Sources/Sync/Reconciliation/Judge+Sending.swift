import Records

// Requests, and what they are conditional on.

extension Judge {
  /// Changes `values` in a record of which the destination has `copy`.
  ///
  /// | the destination | decision |
  /// |---|---|
  /// | has all of the values | adopt |
  /// | has no route that changes a record | conflict |
  /// | takes all of the fields only with a create | conflict |
  /// | replaces the whole record, and a field's value is not known | conflict (field not listed) |
  /// | any other | update |
  func send(
    _ values: [String: FieldValue],
    over copy: RecordCopy,
    lost: Set<String> = []
  ) -> Decision {
    if values.isEmpty { return .adopt }
    guard capabilities.contains(.update) else { return .conflict(.noRoute) }
    let fixed = Set(values.keys).intersection(rules.createOnly)
    let changed = values.filter { !fixed.contains($0.key) }
    guard !changed.isEmpty else { return .conflict(.createOnly(fixed)) }
    let unknown = unknownToReplacement(changed, over: copy)
    guard unknown.isEmpty else { return .conflict(.fieldNotListed(unknown)) }
    return .update(
      Decision.Update(
        fields: changed.merging(carried(beside: changed, over: copy)) { own, _ in own },
        precondition: precondition(on: copy),
        lost: lost,
        createOnly: fixed
      )
    )
  }

  func delete(on copy: RecordCopy) -> Decision {
    guard capabilities.contains(.delete) else { return .skip(.noDeleteRoute) }
    return .delete(precondition(on: copy))
  }

  // MARK: - Replacing the whole record

  /// The fields that a request has to carry so that it clears none, as far as their values are known.
  ///
  /// [RFC 9110, 9.3.4](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.4): a PUT replaces the whole record.
  private func carried(
    beside values: [String: FieldValue],
    over copy: RecordCopy
  ) -> [String: FieldValue] {
    guard capabilities.contains(.replacesWhole) else { return [:] }
    return rules.fields.reduce(into: [:]) { carried, name in
      if values[name] == nil { carried[name] = knownRemote(name, copy) }
    }
  }

  /// The fields whose values a request that replaces the whole record would have to know, and cannot.
  func unknownToReplacement(
    _ values: [String: FieldValue],
    over copy: RecordCopy
  ) -> Set<String> {
    guard capabilities.contains(.replacesWhole) else { return [] }
    return rules.fields.filter { values[$0] == nil && knownRemote($0, copy) == nil }
  }

  /// The value that a field has at the destination: as it is shown, or as it was where the revision proves
  /// that nothing changed.
  func knownRemote(_ name: String, _ copy: RecordCopy) -> FieldValue? {
    if let value = copy[name] { return value }
    guard let last = triple.agreement?.remote,
      copy.hasRevision(of: last) || provingRevision(copy) != nil
    else { return nil }
    return last[name]
  }

  // MARK: - Preconditions

  /// The base's revision, where the destination itself refuses a request on any other, and the copy shows
  /// neither a revision nor a change.
  func provingRevision(_ copy: RecordCopy) -> String? {
    guard capabilities.contains(.conditionalWrite), copy.revision == nil else { return nil }
    switch difference.remote {
    case .undecidable: return triple.agreement?.remote.revision
    case .notRead, .notListed, .absent, .unreadable, .withoutBase, .unchanged, .fields, .restored:
      return nil
    }
  }

  private func precondition(on copy: RecordCopy) -> Precondition {
    if let revision = copy.revision ?? provingRevision(copy) { return .revision(revision) }
    let shown = rules.fields.filter(copy.shows)
    guard !shown.isEmpty else { return .nothing }
    let values = shown.reduce(into: [String: FieldValue]()) { $0[$1] = copy[$1] }
    return .content(fields: shown, digest: rules.digest(values))
  }
}
