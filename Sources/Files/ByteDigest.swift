import Crypto

/// The SHA-256 digest of bytes that are in memory.
package enum ByteDigest {
  /// Gives the 32 bytes of the digest.
  package static func sha256(of bytes: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: bytes))
  }
}
