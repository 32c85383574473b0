/// The comparing of short texts, as it is done for every member's name.
///
/// The same numbers as ``JSONName`` makes; written again here because the compiler puts a function
/// in the place of its call only within one module.
@unsafe
enum NameBytes {
  /// Whether two texts have the same bytes; the last word of each is read over the one before.
  @inline(__always)
  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    guard count > 0, let one = left.baseAddress, let other = right.baseAddress else { return true }
    if count >= 8 {
      var place = 0
      while place &+ 8 < count {
        guard unsafe word(one, place) == word(other, place) else { return false }
        place &+= 8
      }
      return unsafe word(one, count &- 8) == word(other, count &- 8)
    }
    if count >= 4 {
      return unsafe half(one, 0) == half(other, 0)
        && half(one, count &- 4) == half(other, count &- 4)
    }
    return unsafe left[0] == right[0] && left[count &- 1] == right[count &- 1]
      && left[count / 2] == right[count / 2]
  }

  /// Folds the first eight bytes, the last eight bytes and the count into 32 bits.
  @inline(__always)
  static func fingerprint(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    let count = bytes.count
    guard count > 0, let base = bytes.baseAddress else { return 0 }
    var first: UInt64
    var last: UInt64 = 0
    if count >= 8 {
      first = unsafe word(base, 0)
      last = unsafe word(base, count &- 8)
    } else if count >= 4 {
      first = UInt64(unsafe half(base, 0))
      last = UInt64(unsafe half(base, count &- 4))
    } else {
      first = UInt64(unsafe bytes[0])
      first |= UInt64(unsafe bytes[count / 2]) << 8
      first |= UInt64(unsafe bytes[count &- 1]) << 16
    }
    first ^= 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: count)
    let product = first.multipliedFullWidth(by: last ^ 0xE703_7ED1_A0B4_28DB)
    let folded = product.high ^ product.low
    return UInt32(truncatingIfNeeded: folded ^ folded >> 32)
  }

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ place: Int) -> UInt64 {
    unsafe base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
  }

  @inline(__always)
  private static func half(_ base: UnsafeRawPointer, _ place: Int) -> UInt32 {
    unsafe base.loadUnaligned(fromByteOffset: place, as: UInt32.self)
  }
}
