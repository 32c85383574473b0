import JSONText
import TextCodecs

/// A place in memory where text is written, moving on with each byte; anyone who made the space
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

  /// Writes `YYYY-MM-DDThh:mm:ss`; the space must have 32 bytes.
  @inline(__always)
  mutating func put(secondsSince1970 seconds: Int64) {
    place += Timestamp.write(secondsSince1970: seconds, to: place)
  }

  /// Writes the last `width` of eight digits; the space must have eight bytes.
  @inline(__always)
  mutating func put(eightAtMost value: UInt64, width: Int) {
    JSONDigits.store(JSONDigits.eight(value) >> UInt64(8 * (8 - width)), to: place)
    place += width
  }

  /// Writes millionths as a fraction without zeros at its end; the space must have eight bytes.
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
}
