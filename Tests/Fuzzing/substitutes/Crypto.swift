package import struct Foundation.Data

/// Replaces the library of that name, which is not built from sources here: what is digested
/// does not matter to a reader that is fed with anything.
package struct SHA256 {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325
  private var length: UInt64 = 0

  package init() {}

  package static func hash(data: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: data)
    return hash.finalize()
  }

  package mutating func update(data: some Sequence<UInt8>) {
    for byte in data {
      state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
      length += 1
    }
  }

  package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
    var place = 0
    while place + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      state = (state ^ word &* 0x9E37_79B9_7F4A_7C15) &* 0x100_0000_01B3
      length += 8
      place += 8
    }
    update(data: bytes[place...])
  }

  package func finalize() -> [UInt8] {
    let last = (state ^ length) &* 0x100_0000_01B3
    return (0..<32).map { UInt8(truncatingIfNeeded: last >> (8 * ($0 % 8))) }
  }
}

/// Replaces the older digests, of the same kind here.
package enum Insecure {
  package struct SHA1 {
    package static func hash(data: some Sequence<UInt8>) -> [UInt8] {
      Array(SHA256.hash(data: data).prefix(20))
    }
  }

  package struct MD5 {
    private var hash = SHA256()

    package init() {}

    package mutating func update(data: some Sequence<UInt8>) { hash.update(data: data) }

    package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
      hash.update(data: bufferPointer)
    }

    package func finalize() -> [UInt8] { Array(hash.finalize().prefix(16)) }
  }
}

package struct SymmetricKey: Sendable {
  let bytes: [UInt8]

  package init(data: some Sequence<UInt8>) { bytes = Array(data) }

  package init(size: SymmetricKeySize) {
    bytes = (0..<(size.bitCount / 8)).map { UInt8(truncatingIfNeeded: $0 &* 37) }
  }

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes(body)
  }
}

/// Replaces the namespace of a cipher, which `CryptoExtras` extends.
package enum AES {}

package struct SymmetricKeySize {
  let bitCount: Int

  package init(bitCount: Int) { self.bitCount = bitCount }

  package static var bits256: SymmetricKeySize { SymmetricKeySize(bitCount: 256) }
}

package enum HMAC<Hash> {
  package typealias MAC = [UInt8]

  package static func authenticationCode(
    for data: some Sequence<UInt8>,
    using key: SymmetricKey
  ) -> [UInt8] {
    SHA256.hash(data: key.bytes + Array(data))
  }

  package static func isValidAuthenticationCode(
    _ code: [UInt8],
    authenticating data: some Sequence<UInt8>,
    using key: SymmetricKey
  ) -> Bool { code == authenticationCode(for: data, using: key) }
}

package enum HKDF<Hash> {
  package static func deriveKey(
    inputKeyMaterial: SymmetricKey,
    salt: [UInt8] = [],
    info: [UInt8],
    outputByteCount: Int
  ) -> SymmetricKey {
    SymmetricKey(data: SHA256.hash(data: salt + inputKeyMaterial.bytes + info))
  }
}

/// Replaces keys that sign; it does not exist here.
package enum P256 {
  package enum Signing {
    package struct PrivateKey {
      package struct Absence: Error {}

      package init(pemRepresentation: String) throws { throw Absence() }

      package func signature(for data: some Sequence<UInt8>) throws -> ECDSASignature {
        throw Absence()
      }
    }

    package struct ECDSASignature {
      package let derRepresentation: [UInt8]
    }
  }
}

/// Replaces the agreement of two keys: a secret and its public half are the same here, and what
/// two agree on is their difference.
package enum Curve25519 {
  package enum KeyAgreement {
    package struct WrongSize: Error {}

    package struct PrivateKey: Sendable {
      package let rawRepresentation: [UInt8]

      package init() { rawRepresentation = (1...32).map { $0 } }

      package init(rawRepresentation: [UInt8]) throws {
        guard rawRepresentation.count == 32 else { throw WrongSize() }
        self.rawRepresentation = rawRepresentation
      }

      package var publicKey: PublicKey { PublicKey(rawRepresentation) }

      package func sharedSecretFromKeyAgreement(with key: PublicKey) throws -> SharedSecret {
        SharedSecret(
          bytes: zip(rawRepresentation, key.rawRepresentation).map { $0 ^ $1 ^ 0xA5 }
        )
      }
    }

    package struct PublicKey: Sendable {
      package let rawRepresentation: [UInt8]

      fileprivate init(_ bytes: [UInt8]) { rawRepresentation = bytes }

      package init(rawRepresentation: [UInt8]) throws {
        guard rawRepresentation.count == 32 else { throw WrongSize() }
        self.rawRepresentation = rawRepresentation
      }
    }
  }
}

package struct SharedSecret {
  fileprivate let bytes: [UInt8]

  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes(body)
  }

  package func hkdfDerivedSymmetricKey<Hash>(
    using hash: Hash.Type,
    salt: [UInt8],
    sharedInfo: [UInt8],
    outputByteCount: Int
  ) -> SymmetricKey {
    HKDF<Hash>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes),
      salt: salt,
      info: sharedInfo,
      outputByteCount: outputByteCount
    )
  }
}

/// Replaces the cipher: the bytes themselves, and a tag over key, nonce and bytes that any other
/// bytes of the same length do not have.
package enum ChaChaPoly {
  package struct Refusal: Error {}

  package struct Nonce {
    fileprivate let bytes: [UInt8]

    package init(data: [UInt8]) throws {
      guard data.count == 12 else { throw Refusal() }
      bytes = data
    }
  }

  package struct SealedBox {
    fileprivate let nonce: Nonce
    package let ciphertext: ArraySlice<UInt8>
    package let tag: ArraySlice<UInt8>

    package init(nonce: Nonce, ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8>) throws {
      guard tag.count == 16 else { throw Refusal() }
      self.nonce = nonce
      self.ciphertext = ciphertext
      self.tag = tag
    }

    package init(combined: some Collection<UInt8>) throws {
      guard combined.count >= 28 else { throw Refusal() }
      let bytes = Array(combined)
      try self.init(
        nonce: Nonce(data: Array(bytes[..<12])),
        ciphertext: bytes[12..<bytes.count - 16],
        tag: bytes[(bytes.count - 16)...]
      )
    }

    package var combined: Data { Data(nonce.bytes + ciphertext + tag) }
  }

  private static func tag(
    _ bytes: ArraySlice<UInt8>,
    _ key: SymmetricKey,
    _ nonce: Nonce
  ) -> ArraySlice<UInt8> {
    var hash = SHA256()
    hash.update(data: key.bytes)
    hash.update(data: nonce.bytes)
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash.finalize()[..<16]
  }

  package static func seal(
    _ plain: [UInt8],
    using key: SymmetricKey,
    nonce: Nonce? = nil
  ) throws -> SealedBox {
    let nonce = try nonce ?? Nonce(data: [UInt8](repeating: 0, count: 12))
    return try SealedBox(nonce: nonce, ciphertext: plain[...], tag: tag(plain[...], key, nonce))
  }

  package static func open(_ box: SealedBox, using key: SymmetricKey) throws -> Data {
    guard box.tag.elementsEqual(tag(box.ciphertext, key, box.nonce)) else { throw Refusal() }
    return Data(box.ciphertext)
  }
}
