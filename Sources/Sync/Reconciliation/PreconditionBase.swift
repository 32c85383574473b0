/// A record as it was read right before a request, beside what the plan saw of it.
///
/// Of what it saw, a plan keeps a revision or a digest of some fields. Where the record still has
/// that, what was read is what the plan saw.
package struct PreconditionBase: Hashable, Sendable {
  /// The record as it was read.
  package private(set) var read: RecordCopy
  /// The record as the plan saw it; `nil` where nothing shows it.
  package private(set) var seen: RecordCopy?
  /// Whether the plan saw another state than was read.
  private var isOther = false

  // MARK: - What the plan kept

  /// Looks by a revision.
  ///
  /// | the plan kept | the record has | the plan saw |
  /// |---|---|---|
  /// | a revision | the same | what was read |
  /// | that of the last agreement, or none | another, or none | what was agreed on |
  /// | any other revision | another | nothing but the revision |
  /// | any other revision | none | not known |
  package init(
    _ read: RecordCopy,
    keptRevision revision: String?,
    lastKnown: String?,
    agreed: RecordCopy?,
    _ rules: ComparisonRules
  ) {
    self.read = read
    if let revision, revision == read.revision {
      seen = read.showing(rules.fields.subtracting(rules.naturalKey))
      add(agreed, in: rules.fields)
    } else if revision == nil || revision == lastKnown, let agreed {
      seen = agreed
      seen?.revision = revision
      isOther = revision != nil && read.revision != nil
    } else if let revision, read.revision != nil {
      seen = .nothing(at: revision)
      isOther = true
    }
    recognize(agreed, rules)
  }

  /// Looks by the content of some fields, which `isSame` as the plan saw it or is not.
  ///
  /// Beside them, the plan saw all that is empty, and unless they count `alone`, what was agreed
  /// on. What only a create brings counts as seen: no request overwrites it.
  package init(
    _ read: RecordCopy,
    keptContentOf names: Set<String>,
    alone: Bool,
    isSame: Bool,
    agreed: RecordCopy?,
    _ rules: ComparisonRules
  ) {
    self.read = read
    guard isSame else {
      seen = .nothing(at: "seen")
      self.read.revision = "read"
      isOther = true
      return
    }
    let shown = rules.fields.filter {
      names.contains($0) || rules.createOnly.contains($0) || read[$0] == .null
    }
    seen = read.showing(shown.subtracting(rules.naturalKey))
    seen?.revision = nil
    if !alone { add(agreed, in: rules.fields) }
    recognize(agreed, rules)
  }

  /// Looks at a record that a request completes, and of which the revision is known that its create left.
  ///
  /// The fields that the run `made` are as it left them, whatever the destination made of them. Of
  /// a record that it found, nothing but the revision is known.
  package init(
    _ read: RecordCopy,
    completing made: Set<String>,
    lastKnown revision: String?,
    agreed: RecordCopy?,
    _ rules: ComparisonRules
  ) {
    self.read = read
    seen = .nothing(at: revision)
    isOther = revision != nil && read.revision != nil && revision != read.revision
    if !isOther { add(read, in: made) }
    recognize(agreed, rules)
  }

  // MARK: - What it comes to

  /// Whether anything shows a field's value.
  package func reports(_ name: String) -> Bool { read.shows(name) || seen?.shows(name) ?? true }

  /// Has fields count as empty that a record is given only later, where the copy does not show that it was.
  package mutating func expectDeferred(_ names: Set<String>) {
    guard !isOther else { return }
    for name in names where (read[name] ?? .null) == .null {
      read.show(.null, in: name)
      seen?.show(.null, in: name)
    }
  }

  /// Takes the natural key that was agreed on for that of the record, however the destination writes it.
  private mutating func recognize(_ agreed: RecordCopy?, _ rules: ComparisonRules) {
    guard !isOther, let agreed else { return }
    for name in rules.naturalKey {
      guard let known = agreed[name] else { continue }
      let now = read[name] ?? .null
      seen?.show(rules.identifies(name, known, now) ? now : known, in: name)
    }
  }

  /// Adds what another copy shows in fields that the plan is not known to have seen.
  private mutating func add(_ other: RecordCopy?, in names: Set<String>) {
    for name in names where seen?.shows(name) == false {
      if let value = other?[name] { seen?.show(value, in: name) }
    }
  }
}

extension RecordCopy {
  /// A copy of which at most the revision is known.
  fileprivate static func nothing(at revision: String?) -> RecordCopy {
    RecordCopy([:], coverage: .partial([]), revision: revision)
  }
}
