package import JSONText

/// Many writes in one request, which the destination carries out all or none of.
///
/// Each write says itself which record it is about. The results come in the order of the writes.
package struct WriteBatch: Hashable, Sendable {
  package let route: Route
  /// The member of the request that holds the array.
  package let writes: String
  /// A write that makes a record: `{id}` is its identity, `{body}` what it holds.
  package let write: JSONTemplate
  /// Where the answer has the array of results.
  package let results: MemberPath
  /// Where a result has the record's new version; `nil` where it has none.
  package let version: MemberPath?
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
  package let each: String
  /// Where the answer has the array of results; empty for the answer itself.
  package let results: MemberPath
  /// Where a result has the row of a record that is there.
  package let found: MemberPath
  /// What only the result of a record that is not there has.
  package let missing: MemberPath
  /// The most records of one request.
  package let limit: Int
}

/// Which part of the member a row's identity is.
package enum IdentityPart: String, Sendable, CaseIterable {
  case whole
  /// What comes behind the last slash of a path or an address.
  case last
}
