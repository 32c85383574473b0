import TextCodecs

/// The key of encrypted Realm files: a credential with a name of its own.
package enum RealmKey {
  /// What it is called under `--credential`.
  package static let name = "realm-key"

  private static let length = 64

  /// Whether a credential, as it was typed, is the key.
  package static func isMeant(by credential: String) -> Bool { credential.hasPrefix(name + "=") }

  /// The 64 bytes of the key, which are stored as they are, in hexadecimal or in base 64.
  package static func bytes(stored: [UInt8]) throws(DestinationError) -> [UInt8] {
    if stored.count == length { return stored }
    let ends: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
    var text = stored
    while let last = text.last, ends.contains(last) { text.removeLast() }
    let readings = [Hexadecimal.bytes(text, .eitherCase), Base64.bytes(padded: text)]
    guard let key = readings.compactMap(\.self).first(where: { $0.count == length }) else {
      throw .misconfigured(
        reason: "the credential “\(name)” is not a key of \(length) bytes",
        cure: "store the bytes themselves, or write them in hexadecimal or base 64"
      )
    }
    return key
  }
}
