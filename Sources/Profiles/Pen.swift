import JSONText

/// A place in memory where text is written, moving on with each byte; whoever made the room
/// answers for its being enough.
struct Pen {
  private(set) var place: UnsafeMutableRawPointer

  init(_ place: UnsafeMutableRawPointer) {
    self.place = place
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    place.storeBytes(of: byte, as: UInt8.self)
    place += 1
  }

  /// Writes a number below 100 with two digits.
  @inline(__always)
  mutating func put(twoDigits value: UInt64) {
    let tens = (value &* 103) >> 10
    let digits = tens | (value &- tens &* 10) << 8
    place.storeBytes(
      of: (UInt16(truncatingIfNeeded: digits) | 0x3030).littleEndian,
      as: UInt16.self
    )
    place += 2
  }

  /// Writes the last `width` of eight digits; the room must have eight bytes.
  @inline(__always)
  mutating func put(eightAtMost value: UInt64, width: Int) {
    JSONDigits.store(JSONDigits.eight(value) >> UInt64(8 * (8 - width)), to: place)
    place += width
  }

  /// Writes millionths as a fraction without zeros at its end; the room must have eight bytes.
  @inline(__always)
  mutating func put(fraction micros: UInt64) {
    let digits = JSONDigits.eight(micros &* 100)
    JSONDigits.store(digits, to: place)
    place += 8 - digits.leadingZeroBitCount >> 3
  }

  /// Writes the last `width` digits of a number, with zeros in front.
  @inline(__always)
  mutating func put(_ value: UInt64, width: Int) {
    var rest = value
    var index = width
    while index > 0 {
      index -= 1
      let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      place.storeBytes(of: digit, toByteOffset: index, as: UInt8.self)
      rest /= 10
    }
    place += width
  }

  /// How many digits a number has.
  static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }
}
