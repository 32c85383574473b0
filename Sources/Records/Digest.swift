import TextCodecs

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
    guard text.utf8.count == 64, let bytes = Hexadecimal.bytes(text.utf8, .lowerCase) else {
      return nil
    }
    self.init(bytes: bytes)
  }

  /// The 32 bytes, most significant first.
  package var bytes: [UInt8] {
    unsafe withUnsafeBytes(of: bigEndianWords) { unsafe Array($0) }
  }

  /// 64 lower-case hexadecimal digits.
  package var description: String {
    unsafe withUnsafeBytes(of: bigEndianWords) { unsafe Hexadecimal.text($0) }
  }

  private var bigEndianWords: (UInt64, UInt64, UInt64, UInt64) {
    (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
  }

  package static func == (left: Digest, right: Digest) -> Bool {
    left.words == right.words
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
  }
}
