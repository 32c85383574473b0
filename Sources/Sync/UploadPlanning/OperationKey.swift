import Crypto
package import Records

/// The key under which a repeat of an operation is known to be the same request.
///
/// It is a digest of destination, entity, identity, content, action and generation. The generation
/// counts the confirmed operations and undos on that identity, so that changing a record to B and
/// back to A, or sending it again after an undo, is a new operation, while a repeat after a crash
/// has the key of the first attempt.
package enum OperationKey {
  /// - Returns: 40 lower-case hexadecimal digits, the first 160 bits of a SHA-256.
  package static func key(
    destination: String,
    record: RecordID,
    action: Operation.Action,
    content: Records.Digest,
    generation: Int64
  ) -> String {
    var hash = SHA256()
    let parts = [
      destination, record.entity.text, record.key, action.rawValue, content.description,
      String(generation),
    ]
    for part in parts {
      // Each part's length goes first, so that no two lists of parts read alike.
      hash.update(data: Array("\(part.utf8.count):".utf8))
      hash.update(data: Array(part.utf8))
    }
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return String(digest.description.prefix(40))
  }

  /// The key of a second request for what the first one, with `key`, was seen not to have made.
  ///
  /// A destination that remembers keys remembers what it answered to them as well, a failure included:
  /// under its first key that record would fail for as long as that is remembered.
  ///
  /// - Returns: 40 lower-case hexadecimal digits, the same for the same key.
  package static func following(_ key: String) -> String {
    String(digest(of: Array("after:\(key)".utf8)).description.prefix(40))
  }

  /// The digest of some bytes.
  package static func digest(of bytes: [UInt8]) -> Records.Digest {
    guard let digest = Records.Digest(bytes: SHA256.hash(data: bytes)) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }
}
