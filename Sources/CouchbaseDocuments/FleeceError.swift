/// Why the bytes of a document, or of a list of keys, cannot be read.
///
/// ``description`` names the cause, and the offset in bytes from the beginning of the value where it has one.
package enum FleeceError: Error, Hashable, Sendable {
  /// The bytes end before something that they name.
  case truncated(offset: Int, cause: String)
  /// The bytes contradict the format.
  case damaged(offset: Int, cause: String)
  /// A pointer leads into other data than these, which a database never needs for a current revision.
  case externalPointer(offset: Int)
  /// A name is this number, and the database has so many shared keys.
  case unknownKey(Int64, keyCount: Int)
  /// The value is larger or deeper than what is read.
  case tooLarge(cause: String)
}

extension FleeceError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated(let offset, let cause): "it is cut (byte \(offset)): \(cause)"
    case .damaged(let offset, let cause): "it is damaged (byte \(offset)): \(cause)"
    case .externalPointer(let offset):
      "it is damaged (byte \(offset)): a pointer leads into other data"
    case .unknownKey(let number, let count):
      "it names the shared key \(number), and the database has \(count)"
    case .tooLarge(let cause): "it is too large: \(cause)"
    }
  }
}
