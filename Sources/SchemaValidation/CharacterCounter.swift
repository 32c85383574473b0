/// Counts the code points of a string as it stands in a document, escapes and all.
struct CharacterCounter {
  let hasEscapes: Bool
  private(set) var characterCount = 0
  private var position = 0

  init(hasEscapes: Bool) {
    self.hasEscapes = hasEscapes
  }

  /// Whether the count lies within the bounds; reads no further than it takes to know.
  ///
  /// What is left can add at most one character for each byte.
  mutating func isWithin(
    _ minimum: Int64,
    _ maximum: Int64,
    _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    while position < bytes.count {
      let most = Int64(characterCount) + Int64(bytes.count - position)
      if most < minimum || characterCount > maximum { return false }
      if characterCount >= minimum, most <= maximum { return true }
      unsafe count(bytes, upTo: min(bytes.count, position + 256))
    }
    return characterCount >= minimum && characterCount <= maximum
  }

  /// Counts every character.
  mutating func count(_ bytes: UnsafeRawBufferPointer) {
    unsafe count(bytes, upTo: bytes.count)
  }

  /// Goes on from where it stands to `end`, or past it to the end of an escape.
  private mutating func count(_ bytes: UnsafeRawBufferPointer, upTo end: Int) {
    while position < end {
      if position &+ 8 <= end {
        let loaded = unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let word = UInt64(littleEndian: loaded)
        if !hasEscapes || !Self.hasBackslash(word) {
          let continuations = word >> 7 & ~(word >> 6) & 0x0101_0101_0101_0101
          characterCount &+= 8 &- continuations.nonzeroBitCount
          position &+= 8
          continue
        }
      }
      unsafe countOne(bytes)
    }
  }

  /// Counts one byte, or one escape.
  private mutating func countOne(_ bytes: UnsafeRawBufferPointer) {
    let byte = unsafe bytes[position]
    guard hasEscapes, byte == UInt8(ascii: "\\") else {
      if byte & 0xC0 != 0x80 { characterCount &+= 1 }
      position &+= 1
      return
    }
    guard unsafe bytes[position + 1] == UInt8(ascii: "u") else {
      characterCount &+= 1
      position &+= 2
      return
    }
    // The second half of a surrogate pair, \uDC00 to \uDFFF, is no character of its own.
    let isTrail =
      unsafe bytes[position + 2] | 0x20 == UInt8(ascii: "d") && bytes[position + 3] | 0x20 >= 0x63
    if !isTrail { characterCount &+= 1 }
    position &+= 6
  }

  @inline(__always)
  private static func hasBackslash(_ word: UInt64) -> Bool {
    let slashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return (slashes &- 0x0101_0101_0101_0101) & ~slashes & 0x8080_8080_8080_8080 != 0
  }
}
