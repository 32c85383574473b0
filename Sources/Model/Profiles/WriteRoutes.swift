package import JSONText

/// Many writes in one request, each of which says itself which record it is about.
///
/// The destination carries out all of them or none, or answers for each.
package struct WriteBatch: Hashable, Sendable {
  package let route: Route
  /// The member of the request that holds the array; empty where the request itself is the array.
  package let writes: String
  /// A write that makes a record: `{id}` is its identity, `{body}` what it holds.
  package let write: JSONTemplate
  /// Where the answer has the array of results; `nil` where a success says nothing of single writes.
  package let results: MemberPath?
  /// Where a result has the record's identity; `nil` where results come in the order of the writes.
  package let id: MemberPath?
  /// Where a result has the record's new version; `nil` where it has none.
  package let version: MemberPath?
  /// What only the result of a refused write has; `nil` where all writes are carried out, or none.
  package let error: MemberPath?
  /// The most writes of one request.
  package let limit: Int
  package let exists: ExistsSign?
}

/// How several records are read by one request that names them in its body.
package struct RecordLookup: Hashable, Sendable {
  package let route: Route
  /// The member of the request that holds the array of names.
  package let names: String
  /// How a record is named, with `{id}` for its identity.
  package let each: JSONTemplate
  /// Where the answer has the array of results; empty for the answer itself.
  package let results: MemberPath
  /// Where a result has the row of a record that is there; empty for the result itself.
  package let found: MemberPath
  /// What only the result of a record that is not there has: one of these; none where it has no row.
  package let missing: [MemberPath]
  /// The most records of one request.
  package let limit: Int
}

/// Which part of the member a row's identity is.
package enum IdentityPart: String, Sendable, CaseIterable {
  case whole
  /// What comes behind the last slash of a path or an address.
  case last
}

extension IdentityPart {
  /// The identity in what a row has; `nil` where nothing is behind the last slash.
  func identity(in text: String) -> String? {
    switch self {
    case .whole: text
    case .last:
      text.split(separator: "/", omittingEmptySubsequences: false).last
        .flatMap { $0.isEmpty ? nil : String($0) }
    }
  }
}
