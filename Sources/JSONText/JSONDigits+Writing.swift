// Decimal digits, eight at a time.
extension JSONDigits {
  /// The module that a number must have, more than it takes: digits are stored by eights.
  package static let integerCapacity = 32
  /// The module that a finite double must have.
  package static let doubleCapacity = 48

  /// The eight digits of a number below 100,000,000, the first in the lowest byte, from 0 to 9.
  @inlinable
  @inline(__always)
  package static func eight(_ value: UInt64) -> UInt64 {
    let high = value / 10_000
    let fours = high | (value &- high &* 10_000) << 32
    // In each half a number below 10,000, and its hundreds: 10,486 / 2^20 is a little over 1 / 100.
    let hundreds = (fours &* 10_486) >> 20 & 0x0000_007F_0000_007F
    let pairs = hundreds &+ (fours &- hundreds &* 100) << 16
    let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
    return tens &+ (pairs &- tens &* 10) << 8
  }

  /// Writes a number in decimal and gives the count of its digits.
  @inlinable
  @inline(__always)
  package static func write(_ value: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    guard value >= 100_000_000 else { return unsafe writeShort(value, to: target) }
    guard value >= 10_000_000_000_000_000 else {
      let high = value / 100_000_000
      let count = unsafe writeShort(high, to: target)
      unsafe store(eight(value &- high &* 100_000_000), to: target + count)
      return count &+ 8
    }
    let high = value / 10_000_000_000_000_000
    let rest = value &- high &* 10_000_000_000_000_000
    let count = unsafe writeShort(high, to: target)
    unsafe store(eight(rest / 100_000_000), to: target + count)
    unsafe store(eight(rest % 100_000_000), to: target + count + 8)
    return count &+ 16
  }

  /// Writes a number with its sign and gives the count of bytes.
  @inlinable
  @inline(__always)
  package static func write(_ value: Int64, to target: UnsafeMutableRawPointer) -> Int {
    guard value < 0 else { return unsafe write(value.magnitude, to: target) }
    unsafe target.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
    return unsafe 1 &+ write(value.magnitude, to: target + 1)
  }

  /// Writes a number below 100,000,000.
  @inlinable
  @inline(__always)
  package static func writeShort(_ value: UInt64, to target: UnsafeMutableRawPointer) -> Int {
    let digits = eight(value)
    // Zero has a digit too.
    let zeros = (digits | 1 << 56).trailingZeroBitCount >> 3
    unsafe store(digits >> UInt64(8 &* zeros), to: target)
    return 8 &- zeros
  }

  /// Stores eight digits as text, the first from the lowest byte.
  @inlinable
  @inline(__always)
  package static func store(_ digits: UInt64, to target: UnsafeMutableRawPointer) {
    unsafe target.storeBytes(
      of: (digits | 0x3030_3030_3030_3030).littleEndian,
      as: UInt64.self
    )
  }

  /// Writes a finite number as shortly as reads back the same, and gives the count of bytes.
  package static func write(_ value: Double, to target: UnsafeMutableRawPointer) -> Int {
    guard let micros = micros(value.magnitude) else {
      var literal = JSONNumber(value).literal
      return literal.withUTF8 { text in
        unsafe UnsafeMutableRawBufferPointer(start: target, count: doubleCapacity).copyBytes(
          from: text
        )
        return text.count
      }
    }
    var place = unsafe target
    if value < 0 {
      unsafe place.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      unsafe place += 1
    }
    let whole = micros / 1_000_000
    unsafe place += write(whole, to: place)
    let rest = micros &- whole &* 1_000_000
    guard rest > 0 else { return unsafe place - target }
    let digits = eight(rest &* 100)
    unsafe place.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
    unsafe store(digits, to: place + 1)
    return unsafe place - target + 9 - digits.leadingZeroBitCount >> 3
  }

  /// The number in millionths, when these are it exactly and are its shortest digits.
  ///
  /// No two numbers of fifteen digits are the same double, so none is shorter.
  @inline(__always)
  private static func micros(_ magnitude: Double) -> UInt64? {
    guard magnitude >= 0.0001, magnitude < 900_000_000 else { return nil }
    let micros = UInt64(magnitude * 1_000_000 + 0.5)
    return Double(micros) / 1_000_000 == magnitude ? micros : nil
  }
}
