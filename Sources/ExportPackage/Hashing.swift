import Crypto
import Records

extension Records.Digest {
  /// The digest of `bytes`.
  init(sha256 bytes: [UInt8]) {
    self.init(checked: Array(SHA256.hash(data: bytes)))
  }

  /// The digest of a value that is read in pieces; `nil` where it cannot be read.
  init?(of value: LargeValue) {
    var hash = SHA256()
    guard value.forEachPiece({ hash.update(bufferPointer: $0) }) else { return nil }
    self.init(checked: Array(hash.finalize()))
  }

  /// Takes what a hash gave.
  init(checked bytes: [UInt8]) {
    guard let digest = Records.Digest(bytes: bytes) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    self = digest
  }
}
