/// How many bytes a text or data may have to be held, where so many bytes of others are held already.
package typealias MostHeld = @Sendable (_ beside: Int) -> Int

/// Reads values of Fleece, and believes nothing in them.
///
/// | first byte | value |
/// |---|---|
/// | `0000iiii` | a small whole number of 12 bits, its lower 8 in the next byte |
/// | `0001uccc` | a whole number of `ccc` + 1 bytes, the lowest first; without a sign where `u` is set |
/// | `0010s---` | behind one more byte, a number of 32 bits, or of 64 where `s` is set |
/// | `0011ss--` | null, false, true, undefined |
/// | `0100cccc`, `0101cccc` | text, data of `cccc` bytes; 15 where the count follows as a varint |
/// | `0110wccc`, `0111wccc` | array, dictionary; the next byte is the rest of the count, and values have 4 bytes where `w` is set, else 2 |
/// | `1eoooooo` | a pointer back by so many times two bytes; `e` where it leads into other data |
///
/// The root is the last two bytes, or what these point to, and where that is a pointer again, a wide one,
/// what that points to.
///
/// A collection is written behind the values that it points to. A pointer to anywhere else is refused, so
/// every step leads nearer to the beginning, and a circle cannot be.
///
/// https://github.com/couchbase/fleece/blob/master/Fleece.md
package struct FleeceReader: Sendable {
  /// The names that dictionaries have as numbers, in the order of those.
  package let sharedKeys: [String]
  private let limits: FleeceLimits
  private let mostHeld: MostHeld
  private let mostItems: Int

  /// - Parameters:
  ///   - sharedKeys: The names that dictionaries have as numbers.
  ///   - limits: How much of anything is believed.
  ///   - mostHeld: A text or data with more bytes is ``FleeceValue/long(_:isText:)``.
  ///   - mostItems: An array with more items is ``FleeceValue/longArray(_:)``.
  package init(
    sharedKeys: [String] = [],
    limits: FleeceLimits = .standard,
    holding mostHeld: @escaping MostHeld = { _ in .max },
    mostItems: Int = .max
  ) {
    self.sharedKeys = sharedKeys
    self.limits = limits
    self.mostHeld = mostHeld
    self.mostItems = mostItems
  }

  /// The root value.
  ///
  /// - Throws: ``FleeceError`` for bytes that are no whole value.
  package func value(of bytes: DocumentBytes) throws(FleeceError) -> FleeceValue {
    var pass = pass(over: bytes)
    return try pass.root()
  }

  /// Reads the items of an array that is not held, which was found in these bytes.
  package func items(of array: FleeceItems, in bytes: DocumentBytes) -> FleeceItemReader {
    FleeceItemReader(array, pass(over: bytes, inside: array))
  }

  private func pass(over bytes: DocumentBytes, inside array: FleeceItems? = nil) -> FleecePass {
    FleecePass(
      bytes,
      sharedKeys,
      limits,
      holding: mostHeld,
      mostItems: mostItems,
      inside: array
    )
  }

  /// The names of a list of shared keys, which is an array of texts.
  ///
  /// https://github.com/couchbase/fleece/blob/master/SharedKeys.md
  package static func sharedKeys(of bytes: [UInt8]) throws(FleeceError) -> [String] {
    guard case .array(let values) = try FleeceReader().value(of: DocumentBytes(bytes)) else {
      throw .damaged(offset: 0, cause: "a list of shared keys is no array")
    }
    var keys: [String] = []
    for value in values {
      guard case .text(let key) = value else {
        throw .damaged(offset: 0, cause: "the shared key \(keys.count) is no text")
      }
      keys.append(key)
    }
    return keys
  }
}
