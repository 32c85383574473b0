/// A SHA-256 digest: 32 bytes, compared and printed whole.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// Takes 32 bytes; any other count is refused.
  package init?(bytes: some Sequence<UInt8>) {
    let found = bytes.withContiguousStorageIfAvailable { unsafe Digest(UnsafeRawBufferPointer($0)) }
    guard let digest = unsafe found ?? Array(bytes).withUnsafeBytes({ unsafe Digest($0) }) else {
      return nil
    }
    self = digest
  }

  private init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 32 else { return nil }
    func word(_ place: Int) -> UInt64 {
      unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
    }
    words = (word(0), word(1), word(2), word(3))
  }

  /// Takes 64 lower-case hexadecimal digits.
  package init?(hexadecimal text: String) {
    guard text.utf8.count == 64 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    var high: UInt8?
    for digit in text.utf8 {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self.init(bytes: bytes)
  }

  /// The 32 bytes, most significant first.
  package var bytes: [UInt8] {
    let words = (
      words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian
    )
    return unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
  }

  /// 64 lower-case hexadecimal digits.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  package static func == (left: Digest, right: Digest) -> Bool {
    left.words == right.words
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
  }
}
