import Crypto
import Records

extension Records.Digest {
  /// The digest of what comes out of `bytes`, one part after the other.
  package init(sha256 parts: [UInt8]...) { self.init(sha256: parts) }

  /// The same of parts that are counted at run time.
  package init(sha256 parts: [[UInt8]]) {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    guard let digest = Records.Digest(bytes: Array(hash.finalize())) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    self = digest
  }
}

extension Records.Digest {
  /// The 20 bytes of SHA-1, which only name-based UUIDs still ask for.
  package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
    Array(Insecure.SHA1.hash(data: bytes))
  }
}
