/// Checks for well-formed UTF-8, as Unicode's table 3-7 defines it.
///
/// https://www.unicode.org/versions/latest/core-spec/chapter-3/
enum UTF8Check {
  /// The length of the well-formed sequence of more than one byte at `base`, or zero.
  @inline(__always)
  static func sequenceLength(at base: UnsafeRawPointer, available: Int) -> Int {
    let lead = unsafe base.load(as: UInt8.self)
    switch lead {
    case 0xC2...0xDF:
      return unsafe available >= 2 && isContinuation(base, 1) ? 2 : 0
    case 0xE0...0xEF:
      guard available >= 3, unsafe isContinuation(base, 1), unsafe isContinuation(base, 2) else {
        return 0
      }
      let second = unsafe base.load(fromByteOffset: 1, as: UInt8.self)
      if lead == 0xE0 && second < 0xA0 || lead == 0xED && second > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard available >= 4, unsafe isContinuation(base, 1), unsafe isContinuation(base, 2),
        unsafe isContinuation(base, 3)
      else { return 0 }
      let second = unsafe base.load(fromByteOffset: 1, as: UInt8.self)
      if lead == 0xF0 && second < 0x90 || lead == 0xF4 && second > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }

  @inline(__always)
  private static func isContinuation(_ base: UnsafeRawPointer, _ offset: Int) -> Bool {
    unsafe base.load(fromByteOffset: offset, as: UInt8.self) & 0xC0 == 0x80
  }
}
