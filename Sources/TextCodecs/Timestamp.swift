/// Instants as RFC 3339 text in UTC, and back.
package enum Timestamp {
  /// The bytes that the target of ``write(secondsSince1970:to:)`` must have.
  package static let capacity = 32
  /// The seconds with a year of four digits, 0000 to 9999.
  private static let plainYears: Range<Int64> = -62_167_219_200..<253_402_300_800

  /// `2026-11-20T10:00:00Z`, with the digits of a fraction behind a point where there are any.
  ///
  /// A year beyond 9999 has as many digits as it needs.
  package static func text(secondsSince1970 seconds: Int64, fraction: String = "") -> String {
    let end = fraction.isEmpty ? "Z" : "." + fraction + "Z"
    guard plainYears.contains(seconds) else {
      let (days, rest) = floored(seconds, by: 86_400)
      let padded = { (number: Int64) in DecimalDigits.padded(Int(number), 2) }
      return CivilDate(daysSince1970: Int(days)).description
        + "T" + padded(rest / 3600) + ":" + padded(rest / 60 % 60) + ":" + padded(rest % 60) + end
    }
    let text = unsafe String(unsafeUninitializedCapacity: capacity) { target in
      guard let start = target.baseAddress else { return 0 }
      return unsafe write(secondsSince1970: seconds, to: UnsafeMutableRawPointer(start))
    }
    return text + end
  }

  /// Writes `YYYY-MM-DDThh:mm:ss`, without a zone, and gives the count of its bytes.
  ///
  /// Years from 0000 to 9999 have four digits; all others a sign and at least six, the expanded form of
  /// ISO 8601.
  @inlinable
  @inline(__always)
  package static func write(
    secondsSince1970 seconds: Int64,
    to target: UnsafeMutableRawPointer
  ) -> Int {
    guard seconds >= -62_162_035_200, seconds < 253_402_300_800 else {
      return unsafe writeRare(seconds, to: target)
    }
    let instant = UInt64(bitPattern: seconds &+ 62_162_035_200)
    let days = instant / 86_400
    unsafe writeUsual(days: days, rest: instant &- days &* 86_400, to: target)
    return 19
  }

  /// Writes a usual day and a second of it, with multiplications in place of most divisions.
  ///
  /// Neri and Schneider, Euclidean affine functions and their application to calendar algorithms,
  /// https://doi.org/10.1002/spe.3172, figure 12.
  @inlinable
  @inline(__always)
  static func writeUsual(days: UInt64, rest: UInt64, to target: UnsafeMutableRawPointer) {
    let quarters = 4 &* days &+ 3
    let century = quarters / 146_097
    let inCentury = (quarters &- century &* 146_097) | 3
    let product = 2_939_745 &* inCentury
    let dayOfYear = (product & 0xFFFF_FFFF) / 11_758_980
    let shifted = 2_141 &* dayOfYear &+ 197_913
    // Years begin in March; what comes behind December is the next one's.
    let isNext: UInt64 = dayOfYear >= 306 ? 1 : 0
    let year = product >> 32 &+ isNext
    // The hundredth year of a century can only come about by its last days in January and February.
    unsafe put(year == 100 ? century &+ 1 : century, to: target, 0)
    unsafe put(year == 100 ? 0 : year, to: target, 2)
    unsafe put(shifted >> 16 &- 12 &* isNext, to: target, 5)
    unsafe put((shifted & 0xFFFF) / 2_141 &+ 1, to: target, 8)
    let minutes = rest / 60
    let hours = minutes / 60
    unsafe put(hours, to: target, 11)
    unsafe put(minutes &- hours &* 60, to: target, 14)
    unsafe put(rest &- minutes &* 60, to: target, 17)
    unsafe putMarks(to: target)
  }

  /// Writes the year of an instant outside the usual ones by the book, and then the rest.
  @usableFromInline
  static func writeRare(_ seconds: Int64, to target: UnsafeMutableRawPointer) -> Int {
    let (days, rest) = floored(seconds, by: 86_400)
    let date = CivilDate(daysSince1970: Int(days))
    let isPlain = (0...9999).contains(date.year)
    let digits = DecimalDigits.padded(Int(date.year.magnitude), isPlain ? 4 : 6)
    let year = Array(((isPlain ? "" : date.year < 0 ? "-" : "+") + digits).utf8)
    unsafe UnsafeMutableRawBufferPointer(start: target, count: year.count).copyBytes(from: year)
    let behind = unsafe target + (year.count - 4)
    let parts = [date.month, date.day, Int(rest / 3600), Int(rest / 60 % 60), Int(rest % 60)]
    for (index, part) in parts.enumerated() {
      unsafe put(UInt64(part), to: behind, 5 + 3 * index)
    }
    unsafe putMarks(to: behind)
    return year.count + 15
  }

  /// Writes the marks between the numbers, after a year of four digits.
  @inlinable
  @inline(__always)
  static func putMarks(to target: UnsafeMutableRawPointer) {
    unsafe target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 4, as: UInt8.self)
    unsafe target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 7, as: UInt8.self)
    unsafe target.storeBytes(of: UInt8(ascii: "T"), toByteOffset: 10, as: UInt8.self)
    unsafe target.storeBytes(of: UInt8(ascii: ":"), toByteOffset: 13, as: UInt8.self)
    unsafe target.storeBytes(of: UInt8(ascii: ":"), toByteOffset: 16, as: UInt8.self)
  }

  /// Writes a number below 100 with two digits.
  @inlinable
  @inline(__always)
  static func put(_ value: UInt64, to target: UnsafeMutableRawPointer, _ place: Int) {
    let tens = (value &* 103) >> 10
    let digits = tens | (value &- tens &* 10) << 8
    unsafe target.storeBytes(
      of: (UInt16(truncatingIfNeeded: digits) | 0x3030).littleEndian,
      toByteOffset: place,
      as: UInt16.self
    )
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let rest = value % divisor
    return rest < 0 ? (value / divisor - 1, rest + divisor) : (value / divisor, rest)
  }
}
