/// One copy of a record: its fields in the destination's form, and how many of them it shows.
package struct RecordCopy: Hashable, Sendable {
  /// The values that are not empty; an entry that is ``FieldValue/null`` means the same as no entry.
  package var fields: [String: FieldValue]
  package var coverage: Coverage
  /// The destination's revision (ETag, version field); `nil` where the copy does not say it.
  package var revision: String?
  /// When the copy was last changed, in microseconds since 2001, where the profile names that field.
  package var modifiedAt: Int64?

  /// Which fields a copy shows.
  package enum Coverage: Hashable, Sendable {
    /// Every field: one without a value is empty.
    case complete
    /// The named fields only. One of them without a value is empty; every other field is unknown.
    case partial(Set<String>)
  }

  package init(
    _ fields: [String: FieldValue],
    coverage: Coverage = .complete,
    revision: String? = nil,
    modifiedAt: Int64? = nil
  ) {
    self.fields = fields
    self.coverage = coverage
    self.revision = revision
    self.modifiedAt = modifiedAt
  }

  /// The value of a field; `nil` where the copy does not show the field, which is never “empty”.
  package subscript(name: String) -> FieldValue? {
    shows(name) ? fields[name] ?? .null : nil
  }

  /// Whether the copy shows a field, be it empty or not.
  package func shows(_ name: String) -> Bool {
    switch coverage {
    case .complete: true
    case .partial(let names): names.contains(name)
    }
  }

  /// Has the copy show this value in a field.
  package mutating func show(_ value: FieldValue, in name: String) {
    fields[name] = value
    if case .partial(var names) = coverage {
      names.insert(name)
      coverage = .partial(names)
    }
  }

  /// The same copy, as it shows some of its fields alone.
  package func showing(_ names: Set<String>) -> RecordCopy {
    var copy = self
    copy.coverage = .partial(names.filter(shows))
    copy.fields = fields.filter { names.contains($0.key) }
    return copy
  }
}

/// The store's copy of a record, or what a request sent or puts back in its place.
package enum LocalCopy: Hashable, Sendable {
  case record(RecordCopy)
  /// The record is deleted, or is not to exist; with the time of the deletion where the store keeps it, in
  /// microseconds since 2001.
  case absent(deletedAt: Int64?)

  package var record: RecordCopy? {
    switch self {
    case .record(let copy): copy
    case .absent: nil
    }
  }

  var isAbsent: Bool { record == nil }

  /// When the store last changed or deleted the record.
  var changedAt: Int64? {
    switch self {
    case .record(let copy): copy.modifiedAt
    case .absent(let deletedAt): deletedAt
    }
  }
}

/// The destination's answer about one record.
package enum RemoteCopy: Hashable, Sendable {
  /// The destination was not asked about the record, and its changes feed did not name it.
  case notRead
  /// The destination's list does not show the record, and is known to leave records out.
  case notListed
  /// The destination was asked and does not have the record.
  case absent
  /// The destination has the record and does not show it to this account, or cannot.
  case unreadable(reason: String)
  /// The destination has the record.
  case present(RecordCopy, Source)

  /// How a copy was read.
  package enum Source: Hashable, Sendable {
    /// As one row of a list, which may leave fields out.
    case list
    /// By a request for this record alone. Fields that it leaves out cannot be read at all.
    case single
  }
}
