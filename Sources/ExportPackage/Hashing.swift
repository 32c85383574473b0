import Crypto
import Records

extension Records.Digest {
  /// The digest of `bytes`.
  init(sha256 bytes: [UInt8]) {
    self.init(checked: Array(SHA256.hash(data: bytes)))
  }

  /// Takes what a hash gave.
  init(checked bytes: [UInt8]) {
    guard let digest = Records.Digest(bytes: bytes) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    self = digest
  }
}
