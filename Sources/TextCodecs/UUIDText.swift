/// UUIDs as text: 32 hexadecimal digits in five groups, with a hyphen between two.
package enum UUIDText {
  package static let length = 36

  /// Writes the upper-case text of 16 bytes; the target must have ``length`` bytes.
  @inlinable
  package static func write(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    // Where the digits of each four bytes go, eight of them, or twice four around a hyphen.
    unsafe put(digits(source, 0), 8, to: target)
    unsafe put(digits(source, 4) >> 32, 4, to: target + 9)
    unsafe put(digits(source, 4), 4, to: target + 14)
    unsafe put(digits(source, 8) >> 32, 4, to: target + 19)
    unsafe put(digits(source, 8), 4, to: target + 24)
    unsafe put(digits(source, 12), 8, to: target + 28)
    for place in stride(from: 8, through: 23, by: 5) {
      unsafe target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: place, as: UInt8.self)
    }
  }

  /// The upper-case text of 16 bytes, or `nil` for any other count.
  package static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    bytes.count == 16 ? unsafe spelled(bytes) : nil
  }

  /// The upper-case text of 16 bytes, or `nil` for any other count.
  package static func text(_ bytes: [UInt8]) -> String? {
    unsafe bytes.withUnsafeBytes { unsafe text($0) }
  }

  /// The upper-case text of the first and the last eight bytes.
  package static func text(_ high: UInt64, _ low: UInt64) -> String {
    unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe spelled($0) }
  }

  private static func spelled(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(unsafeUninitializedCapacity: length) { target in
      guard let start = target.baseAddress else { return 0 }
      unsafe write(bytes, to: UnsafeMutableRawPointer(start))
      return length
    }
  }

  /// Whether a text is a UUID, its letters in either case.
  package static func isUUID(_ text: some Sequence<UInt8>) -> Bool {
    unsafe Array(text).withUnsafeBytes { unsafe isUUID($0) }
  }

  /// Whether a text is a UUID, its letters in either case.
  @inlinable
  @inline(__always)
  package static func isUUID(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count == length else { return false }
    // Hyphens in their places become zeros, which nothing else there may become.
    let second = unsafe word(text, 8) ^ 0x0000_1D00_0000_001D
    let third = unsafe word(text, 16) ^ 0x1D00_0000_001D_0000
    guard second & 0x0000_FF00_0000_00FF == 0x0000_3000_0000_0030,
      third & 0xFF00_0000_00FF_0000 == 0x3000_0000_0030_0000
    else { return false }
    return unsafe areDigits(word(text, 0)) && areDigits(second) && areDigits(third)
      && areDigits(word(text, 24)) && areDigits(word(text, 28))
  }

  /// Whether a text is a UUID without small letters, as Core Data names its files.
  package static func isUpperCaseUUID(_ text: UnsafeRawBufferPointer) -> Bool {
    unsafe isUUID(text) && !text.contains { $0 & 0x60 == 0x60 }
  }

  /// Eight bytes, the first the lowest.
  @inlinable
  @inline(__always)
  static func word(_ text: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
    unsafe UInt64(littleEndian: text.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  /// Whether every byte of `word` is an ASCII hexadecimal digit.
  @inlinable
  @inline(__always)
  static func areDigits(_ word: UInt64) -> Bool {
    let highs: UInt64 = 0x8080_8080_8080_8080
    guard word & highs == 0 else { return false }
    // A byte's high bit is set by adding when the byte is at least so much.
    let isDigit = (word &+ 0x5050_5050_5050_5050) & ~(word &+ 0x4646_4646_4646_4646)
    let lower = word | 0x2020_2020_2020_2020
    let isLetter = (lower &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lower &+ 0x1919_1919_1919_1919)
    return (isDigit | isLetter) & highs == highs
  }

  /// The eight digits of four bytes, the first in the highest byte.
  @inlinable
  @inline(__always)
  static func digits(_ source: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
    let four = unsafe source.loadUnaligned(fromByteOffset: start, as: UInt32.self)
    return Hexadecimal.eight(UInt32(bigEndian: four), .upper)
  }

  /// Stores the last `count` bytes, highest first.
  @inlinable
  @inline(__always)
  static func put(_ digits: UInt64, _ count: Int, to target: UnsafeMutableRawPointer) {
    if count == 8 {
      unsafe target.storeBytes(of: digits.bigEndian, as: UInt64.self)
    } else {
      unsafe target.storeBytes(of: UInt32(truncatingIfNeeded: digits).bigEndian, as: UInt32.self)
    }
  }
}
