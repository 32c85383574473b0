import Crypto

/// A person who can open what is encrypted to them: the public half of an X25519 key, `age1…`.
package struct AgeRecipient: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes of the public key.
  let bytes: [UInt8]

  static let prefix = "age"

  init?(bytes: [UInt8]) {
    guard Agreement.secret(of: Curve25519.KeyAgreement.PrivateKey(), with: bytes) != nil else {
      return nil
    }
    self.bytes = bytes
  }

  /// Reads `age1…`.
  ///
  /// - Parameters:
  ///   - text: The recipient, without space around it.
  ///   - place: Where it is, for a message.
  /// - Throws: ``AgeError/unusableKey(place:reason:cure:)``, which repeats nothing of the text.
  package init(parsing text: String, place: String) throws(AgeError) {
    let found = Bech32.bytes(of: text)
    guard found?.prefix == Self.prefix, let bytes = found?.bytes, bytes.count == 32,
      let recipient = Self(bytes: bytes)
    else { throw KeyText.refusal(of: text, wanted: .recipient, place: place) }
    self = recipient
  }

  package var description: String { Bech32.text(prefix: Self.prefix, bytes) }
}

/// What two halves of X25519 keys agree on.
enum Agreement {
  /// The secret, or `nil` for a half of low order, which agrees with every other on zeros
  /// (RFC 7748, section 6.1).
  static func secret(
    of own: Curve25519.KeyAgreement.PrivateKey,
    with other: [UInt8]
  ) -> SharedSecret? {
    guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: other),
      let secret = try? own.sharedSecretFromKeyAgreement(with: key),
      secret.withUnsafeBytes({ bytes in bytes.contains { $0 != 0 } })
    else { return nil }
    return secret
  }
}

/// The secret half of an X25519 key, `AGE-SECRET-KEY-1…`: opens what is encrypted to its recipient.
///
/// It has no description, so that no message or log repeats it.
package struct AgeIdentity: Sendable {
  let key: Curve25519.KeyAgreement.PrivateKey

  static let prefix = "age-secret-key-"

  /// A new identity.
  package init() { key = Curve25519.KeyAgreement.PrivateKey() }

  /// Reads `AGE-SECRET-KEY-1…`.
  ///
  /// - Throws: ``AgeError/unusableKey(place:reason:cure:)``, which repeats nothing of the text.
  package init(parsing text: String, place: String) throws(AgeError) {
    let found = Bech32.bytes(of: text)
    guard found?.prefix == Self.prefix, let bytes = found?.bytes, text == text.uppercased(),
      let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
    else { throw KeyText.refusal(of: text, wanted: .identity, place: place) }
    self.key = key
  }

  /// Whom one encrypts to, so that this identity opens it.
  package var recipient: AgeRecipient {
    guard let recipient = AgeRecipient(bytes: [UInt8](key.publicKey.rawRepresentation)) else {
      preconditionFailure("the public key of a private one is of no low order")
    }
    return recipient
  }

  /// The identity as a line of an identity file.
  package var secretText: String {
    Bech32.text(prefix: Self.prefix, [UInt8](key.rawRepresentation)).uppercased()
  }
}
