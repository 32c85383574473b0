/// Why something could not be encrypted to a recipient, or opened with an identity.
package enum AgeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A recipient or an identity is not one that can be used; `place` says where it is.
  case unusableKey(place: String, reason: String, cure: String)
  /// The bytes do not begin as an age file does.
  case notEncrypted
  /// The header is not as the format has it.
  case malformedHeader(reason: String)
  /// The file is locked by a passphrase.
  case passphrase
  /// No identity opens the file; the kinds are those of the keys that do.
  case noIdentityFits(kinds: [String])
  /// The header or a chunk is not as it was written, or the file ends early or late.
  case tampered(reason: String)

  package var description: String {
    switch self {
    case .unusableKey(let place, let reason, let cure): "\(place): \(reason); \(cure)"
    case .notEncrypted: "it is not in the age format"
    case .malformedHeader(let reason): "its header is not an age header: \(reason)"
    case .passphrase:
      "it is locked by a passphrase, which is not read here; open it with “age -d”"
    case .noIdentityFits(let kinds):
      "none of the identities opens it (it is encrypted to: \(kinds.joined(separator: ", ")))"
    case .tampered(let reason): reason
    }
  }
}
