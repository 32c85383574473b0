import Crypto
import TextCodecs

extension Transaction.Account {
  /// The account's identity where identities are UUIDs.
  var uuid: String { Self.uuid(of: id) }

  /// The UUID of an account, or of what belongs to it by `name`.
  static func uuid(of id: String, _ name: String = "") -> String {
    let digest = Array(SHA256.hash(data: Array("\(id)/\(name)".utf8)))
    var bytes = Array(digest.prefix(16))
    // The version and the variant of a UUID that a program chose: RFC 9562, section 5.8.
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUIDText.text(bytes)?.lowercased() ?? ""
  }
}
