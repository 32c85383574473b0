import Crypto
import TextCodecs

/// Placeholders that follow from a value and a key alone: the same value has the same everywhere, and
/// no one without the key can find out the value by trying.
package struct Pseudonyms: Sendable {
  private let key: SymmetricKey

  /// - Parameter key: The key, or `nil` for one of this run alone.
  package init(key: [UInt8]? = nil) {
    self.key = key.map { SymmetricKey(data: $0) } ?? SymmetricKey(size: .bits256)
  }

  /// 32 bytes that represent a text; `domain` keeps apart what the same text means in two places.
  func code(_ text: String, in domain: String) -> [UInt8] {
    Array(
      HMAC<SHA256>.authenticationCode(for: Array("\(domain):\(text)".utf8), using: key)
    )
  }

  /// So many hexadecimal digits that represent a text.
  package func digits(_ text: String, in domain: String, count: Int) -> String {
    let digits = code(text, in: domain).hexadecimal
    return String(String(repeating: digits, count: count / digits.utf8.count + 1).prefix(count))
  }

  /// The name in the place of one that a person may have typed.
  func name(_ name: String) -> String { "m-" + digits(name, in: "name", count: 12) }

  /// A whole number below `limit` that represents a text.
  func number(_ text: String, in domain: String, below limit: UInt64) -> UInt64 {
    code(text, in: domain).prefix(8).reduce(0) { $0 << 8 | UInt64($1) } % limit
  }
}
