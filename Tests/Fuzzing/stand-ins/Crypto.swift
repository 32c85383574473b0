/// Stands in for the library of that name, which is not built from sources here: what is digested
/// does not matter to a reader that is fed with anything.
package struct SHA256 {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package static func hash(data: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: data)
    return hash.finalize()
  }

  package mutating func update(data: some Sequence<UInt8>) {
    for byte in data { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
    update(data: bufferPointer)
  }

  package func finalize() -> [UInt8] {
    (0..<32).map { UInt8(truncatingIfNeeded: state >> (8 * ($0 % 8))) }
  }
}

/// Stands in for the older digests, of the same kind here.
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

package struct SymmetricKey {
  package init(data: some Sequence<UInt8>) {}
}

package enum HMAC<Hash> {
  package typealias MAC = [UInt8]

  package static func authenticationCode(
    for data: some Sequence<UInt8>,
    using key: SymmetricKey
  ) -> [UInt8] {
    SHA256.hash(data: data)
  }
}

/// Stands in for keys that sign; there is none here.
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
      package let derRepresentation: Encoded
    }

    /// Bytes that are written as text.
    package struct Encoded {
      package func base64EncodedString() -> String { "" }
    }
  }
}
