import CByteSearch
import TextCodecs

/// Takes the escapes out of a string whose escapes are known to be good.
package enum JSONEscapes {
  /// Writes the text of `raw` to `target` and gives the count of bytes written.
  ///
  /// The text is never longer than `raw`, so `target` needs space for `raw.count` bytes.
  package static func unescape(
    _ raw: UnsafeRawBufferPointer,
    to target: UnsafeMutableRawPointer
  ) -> Int {
    var read = 0
    var written = 0
    let count = raw.count
    while read < count {
      let byte = unsafe raw[read]
      guard byte == UInt8(ascii: "\\") else {
        unsafe target.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
        read += 1
        written += 1
        continue
      }
      let letter = unsafe raw[read + 1]
      guard letter == UInt8(ascii: "u") else {
        unsafe target.storeBytes(of: plain(letter), toByteOffset: written, as: UInt8.self)
        read += 2
        written += 1
        continue
      }
      var scalar = unsafe unit(raw, read + 2)
      read += 6
      if scalar & 0xFC00 == 0xD800 {
        scalar = unsafe 0x10000 + (scalar & 0x3FF) << 10 + unit(raw, read + 2) & 0x3FF
        read += 6
      }
      written += unsafe encode(scalar, to: target + written)
    }
    return written
  }

  /// Whether each escape of `raw` is the one that a writer would put there: a letter, and not for `/`.
  static func areCanonical(in raw: UnsafeRawBufferPointer) -> Bool {
    guard let start = raw.baseAddress else { return true }
    let bytes = unsafe start.assumingMemoryBound(to: UInt8.self)
    var index = unsafe ferry_backslash(bytes, 0, raw.count)
    while index < raw.count {
      switch unsafe bytes[index + 1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"),
        UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        index = unsafe ferry_backslash(bytes, index + 2, raw.count)
      default: return false
      }
    }
    return true
  }

  /// The byte that a one-letter escape represents.
  private static func plain(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case let other: other
    }
  }

  /// The number that the four hexadecimal digits at `index` spell.
  private static func unit(_ raw: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
    var value: UInt32 = 0
    for offset in 0..<4 {
      value = value << 4 | UInt32(Hexadecimal.value(of: unsafe raw[index + offset]) ?? 0)
    }
    return value
  }

  /// Writes `scalar` as UTF-8 and gives the count of bytes.
  private static func encode(_ scalar: UInt32, to target: UnsafeMutableRawPointer) -> Int {
    let tail = { (shift: UInt32) in UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3F) }
    let bytes: (UInt8, UInt8, UInt8, UInt8, count: Int)
    switch scalar {
    case 0..<0x80:
      bytes = (UInt8(scalar), 0, 0, 0, 1)
    case 0x80..<0x800:
      bytes = (UInt8(0xC0 | scalar >> 6), tail(0), 0, 0, 2)
    case 0x800..<0x10000:
      bytes = (UInt8(0xE0 | scalar >> 12), tail(6), tail(0), 0, 3)
    default:
      bytes = (UInt8(0xF0 | scalar >> 18 & 7), tail(12), tail(6), tail(0), 4)
    }
    unsafe target.storeBytes(of: bytes.0, as: UInt8.self)
    if bytes.count > 1 {
      unsafe target.storeBytes(of: bytes.1, toByteOffset: 1, as: UInt8.self)
    }
    if bytes.count > 2 {
      unsafe target.storeBytes(of: bytes.2, toByteOffset: 2, as: UInt8.self)
    }
    if bytes.count > 3 {
      unsafe target.storeBytes(of: bytes.3, toByteOffset: 3, as: UInt8.self)
    }
    return bytes.count
  }
}
