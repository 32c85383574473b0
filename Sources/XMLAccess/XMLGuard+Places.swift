#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension XMLGuard {
  private static let shortTag = 64

  /// Where a tag ends that is short, whole and without quotes, as nearly every one is; else `nil`.
  static func shortTagEnd(_ bytes: [UInt8], from start: Int, longest: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { buffer in
      let limit = min(buffer.count, start + min(shortTag, longest))
      var place = start + 1
      guard place < limit, unsafe buffer[place] != UInt8(ascii: "!"),
        unsafe buffer[place] != UInt8(ascii: "?")
      else { return nil }
      // Eight bytes at a time, as long as there are so many.
      while place + 8 <= limit {
        let word = unsafe buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
        let end = marks(of: UInt8(ascii: ">"), in: word).trailingZeroBitCount
        let quote =
          (marks(of: UInt8(ascii: "\""), in: word) | marks(of: UInt8(ascii: "'"), in: word))
          .trailingZeroBitCount
        if quote < end { return nil }
        if end < 64 { return place + end / 8 + 1 }
        place += 8
      }
      while place < limit {
        switch unsafe buffer[place] {
        case UInt8(ascii: ">"): return place + 1
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return nil
        default: place += 1
        }
      }
      return nil
    }
  }

  /// A word whose lowest bit is in the lowest byte that is `byte`; zero where none is.
  private static func marks(of byte: UInt8, in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let difference = word ^ (ones &* UInt64(byte))
    return (difference &- ones) & ~difference & (ones << 7)
  }

  /// Where `byte` first is from `start` on, or the end.
  static func place(of byte: UInt8, in bytes: [UInt8], from start: Int) -> Int {
    let end = bytes.count
    guard start < end else { return end }
    return unsafe bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), end - start)
      else { return end }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
