package import Records

/// How an entity's fields are compared, and which of them may be sent.
package struct ComparisonRules: Sendable {
  /// The fields that are compared; no other field of any copy counts.
  package var fields: Set<String>
  /// The natural-key fields that never change, where the server chooses the IDs; empty where Ferry does.
  package var naturalKey: Set<String> = []
  /// The natural-key fields that may change, where the server chooses the IDs.
  package var changingKey: Set<String> = []
  /// The fields that the destination takes only with a create.
  package var createOnly: Set<String> = []
  /// Whether two values of a field are the same to this destination.
  package var isEqual: @Sendable (_ name: String, FieldValue, FieldValue) -> Bool = { $1 == $2 }
  /// Whether two values of a natural-key field may be the same one, however the destination writes it.
  package var identifies: @Sendable (_ name: String, FieldValue, FieldValue) -> Bool = { $1 == $2 }
  /// Whether a revision is older than another; `false` where revisions have no order.
  package var isOlder: @Sendable (_ revision: String, _ than: String) -> Bool = { _, _ in false }
  /// What becomes of a field that both sides changed, or whose agreed values differ.
  package var merge: @Sendable (_ name: String, FieldSides) -> FieldMerge = { _, _ in .remote }
  /// The digest of some fields, for a precondition.
  package var digest: @Sendable ([String: FieldValue]) -> Digest

  package init(
    fields: Set<String>,
    digest: @escaping @Sendable ([String: FieldValue]) -> Digest
  ) {
    self.fields = fields
    self.digest = digest
  }
}

/// The values of one field that a merge looks at; `nil` where a copy does not show the field.
package struct FieldSides: Hashable, Sendable {
  package let baseLocal: FieldValue?
  package let baseRemote: FieldValue?
  package let wanted: FieldValue
  package let remote: FieldValue
  package let isRemotelyChanged: Bool
}

/// What a merge makes of one field.
package enum FieldMerge: Hashable, Sendable {
  case local
  case remote
  /// Both values as one: a sum, a union.
  case joined(FieldValue)
  /// A person decides.
  case ask
}
