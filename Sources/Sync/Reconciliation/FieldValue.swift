/// The value of one field in the destination's form, as the comparison needs it.
package enum FieldValue: Hashable, Sendable {
  /// The field is empty: its value is `null`, or a copy that shows every field has no value for it.
  case null
  /// The field's canonical bytes, or a digest of them.
  case value([UInt8])
  /// The field refers to something that is not at the destination yet.
  case pending(Pending)

  /// What a field refers to before the destination has it.
  package enum Pending: Hashable, Sendable {
    /// A record without an ID at the destination, by its local key: a deferred reference.
    case record(key: String)
    /// A file without an address at the destination, by the digest of its bytes.
    case file(digest: String)
  }

  /// Whether the value can be part of a request.
  var isSendable: Bool {
    switch self {
    case .null, .value: true
    case .pending: false
    }
  }
}
