import Crypto
import TextCodecs

/// The header of an age file: the file key, wrapped for each recipient, and a digest over it all.
///
/// The form and the names are those of <https://age-encryption.org/v1>.
struct AgeHeader {
  private static let version = Array("age-encryption.org/v1\n".utf8)
  private static let label = "age-encryption.org/v1/X25519"
  private static let fileKeySize = 16
  private static let columns = 64
  /// A longer header holds something else than recipients.
  static let largestSize = 1 << 16

  private struct Stanza {
    var words: [String]
    var body: [UInt8] = []
  }

  private var stanzas: [Stanza] = []
  /// What the digest is over.
  private let authenticated: [UInt8]
  private let digest: [UInt8]
  /// How many bytes it has, the end of its last line included.
  let size: Int
}

// MARK: - Writing

extension AgeHeader {
  /// How many bytes the header for so many recipients has.
  static func size(recipientCount: Int) -> Int {
    version.count + recipientCount * ("-> X25519 ".utf8.count + 2 * (43 + 1))
      + "--- ".utf8.count + 43 + 1
  }

  static func makeFileKey() -> SymmetricKey { SymmetricKey(size: .init(bitCount: fileKeySize * 8)) }

  static func bytes(of fileKey: SymmetricKey, for recipients: [AgeRecipient]) -> [UInt8] {
    precondition(!recipients.isEmpty, "a file is encrypted to a recipient")
    var bytes = version
    for recipient in recipients {
      let ephemeral = Curve25519.KeyAgreement.PrivateKey()
      let share = [UInt8](ephemeral.publicKey.rawRepresentation)
      guard let key = wrappingKey(ephemeral, with: recipient.bytes, share, recipient.bytes) else {
        preconditionFailure("a recipient was tried when it was read")
      }
      let body = fileKey.withUnsafeBytes { Chunk.seal([UInt8]($0), key, Chunk.nonce(0, false)) }
      bytes += Array("-> X25519 ".utf8) + Base64.unpadded(share) + [0x0A]
      bytes += Base64.unpadded(body) + [0x0A]
    }
    bytes += Array("---".utf8)
    let digest = HMAC<SHA256>.authenticationCode(for: bytes, using: authenticationKey(fileKey))
    return bytes + [0x20] + Base64.unpadded(Array(digest)) + [0x0A]
  }

  private static func authenticationKey(_ fileKey: SymmetricKey) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: fileKey,
      info: Array("header".utf8),
      outputByteCount: 32
    )
  }

  /// The key that a file key is wrapped with; `nil` where the two halves agree on nothing.
  private static func wrappingKey(
    _ own: Curve25519.KeyAgreement.PrivateKey,
    with other: [UInt8],
    _ share: [UInt8],
    _ recipient: [UInt8]
  ) -> SymmetricKey? {
    guard let secret = Agreement.secret(of: own, with: other) else { return nil }
    return secret.hkdfDerivedSymmetricKey(
      using: SHA256.self,
      salt: share + recipient,
      sharedInfo: Array(label.utf8),
      outputByteCount: 32
    )
  }
}

// MARK: - Reading

extension AgeHeader {
  /// Whether bytes begin as the header does.
  static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: version) }

  /// Reads the header at the front of `bytes`.
  init(parsing bytes: [UInt8]) throws(AgeError) {
    guard bytes.starts(with: Self.version) else { throw .notEncrypted }
    var rest = bytes.dropFirst(Self.version.count)
    func line() throws(AgeError) -> ArraySlice<UInt8> {
      guard let end = rest.firstIndex(of: 0x0A) else {
        throw .malformedHeader(reason: "it does not end")
      }
      defer { rest = rest[(end + 1)...] }
      return rest[..<end]
    }
    var stanzas: [Stanza] = []
    while true {
      let start = rest.startIndex
      let head = try line()
      if head.starts(with: Array("---".utf8)) {
        guard !stanzas.isEmpty, head.dropFirst(3).first == 0x20,
          let digest = Base64.bytes(unpadded: head.dropFirst(4)), digest.count == 32
        else { throw .malformedHeader(reason: "its last line is not whole") }
        self.stanzas = stanzas
        self.digest = digest
        authenticated = Array(bytes[..<(start + 3)])
        size = rest.startIndex
        return
      }
      var stanza = try Self.stanza(head)
      while true {
        let text = try line()
        guard text.count <= Self.columns, let part = Base64.bytes(unpadded: text) else {
          throw .malformedHeader(reason: "a key in it is not Base64")
        }
        stanza.body += part
        if text.count < Self.columns { break }
      }
      stanzas.append(stanza)
    }
  }

  private static func stanza(_ line: ArraySlice<UInt8>) throws(AgeError) -> Stanza {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count >= 2, words[0].elementsEqual("->".utf8),
      words.dropFirst().allSatisfy({ word in
        !word.isEmpty && word.allSatisfy { (33...126).contains($0) }
      })
    else { throw .malformedHeader(reason: "a line in it is not one of a key") }
    return Stanza(words: words.dropFirst().map { String(decoding: $0, as: UTF8.self) })
  }

  /// The file key, by the first identity that has it.
  func fileKey(with identities: [AgeIdentity]) throws(AgeError) -> SymmetricKey {
    let kinds = stanzas.map { $0.words[0] }
    guard !kinds.contains("scrypt") else { throw .passphrase }
    for stanza in stanzas where stanza.words[0] == "X25519" {
      guard stanza.words.count == 2, stanza.body.count == Self.fileKeySize + Chunk.tagSize,
        let share = Base64.bytes(unpadded: Array(stanza.words[1].utf8)), share.count == 32
      else { throw .malformedHeader(reason: "a key in it has another size") }
      for identity in identities {
        let recipient = [UInt8](identity.key.publicKey.rawRepresentation)
        guard let key = Self.wrappingKey(identity.key, with: share, share, recipient),
          let fileKey = Chunk.open(stanza.body, key, Chunk.nonce(0, false))
        else { continue }
        return try authenticate(SymmetricKey(data: fileKey))
      }
    }
    throw .noIdentityFits(kinds: kinds)
  }

  private func authenticate(_ fileKey: SymmetricKey) throws(AgeError) -> SymmetricKey {
    let key = Self.authenticationKey(fileKey)
    guard HMAC<SHA256>.isValidAuthenticationCode(digest, authenticating: authenticated, using: key)
    else { throw .tampered(reason: "its header was changed") }
    return fileKey
  }
}
