/// Instants as RFC 3339 text in UTC, and back.
///
/// A stored date is a double: seconds since the first instant of 2001, UTC. The text has exactly
/// the fraction digits that make this double come back. Years from 0000 to 9999 have four digits;
/// all others a sign and at least six (the expanded form of ISO 8601).
package enum DateText {
  /// Seconds from 0000-03-01 to 2001-01-01, both in the proleptic Gregorian calendar.
  private static let secondsToReference: Int64 = 730_791 * 86_400

  /// The room that the longest text needs: a double has at most 1,074 digits behind the point, of
  /// which at most 341 are written.
  package static let longest = 512

  /// Writes the text, without quotes, and gives the count of its bytes; `nil` for what is no instant
  /// that a calendar could hold.
  package static func write(_ seconds: Double, to room: UnsafeMutableRawPointer) -> Int? {
    guard seconds.isFinite, seconds.magnitude < 1e17 else { return nil }
    var pen = Pen(room)
    if let parts = microParts(seconds) ?? closeParts(seconds) {
      write(whole: parts.whole, with: &pen)
      if parts.count > 0 {
        pen.put(UInt8(ascii: "."))
        pen.put(UInt64(parts.fraction), width: parts.count)
      }
    } else {
      writeExactly(seconds, with: &pen)
    }
    pen.put(UInt8(ascii: "Z"))
    return pen.place - room
  }

  /// Appends the text, without quotes; `false`, and nothing written, for what is no instant.
  package static func append(_ seconds: Double, to bytes: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: longest, alignment: 1) { room in
      guard let start = room.baseAddress, let count = write(seconds, to: start) else {
        return false
      }
      bytes.append(contentsOf: room[..<count])
      return true
    }
  }

  /// Leaves out what is finer than a millisecond of a text that was written, and gives the count of
  /// the bytes that remain.
  ///
  /// Digits are cut, not rounded, so an instant never moves forward, also before 2001.
  static func cutToMilliseconds(_ room: UnsafeMutableRawPointer, count: Int) -> Int {
    let text = UnsafeMutableRawBufferPointer(start: room, count: count)
    guard let point = text.firstIndex(of: UInt8(ascii: ".")), count - 2 - point > 3 else {
      return count
    }
    var end = point + 4
    while text[end - 1] == UInt8(ascii: "0") { end -= 1 }
    if text[end - 1] == UInt8(ascii: ".") { end -= 1 }
    text[end] = UInt8(ascii: "Z")
    return end + 1
  }

  /// Whole seconds, and a fraction of that many digits.
  private typealias Parts = (whole: Int64, fraction: Int64, count: Int)

  /// Whole seconds and at most six digits of a fraction, when these are enough.
  ///
  /// Below 2³² the doubles lie closer than a microsecond, so no shorter text could mean the same.
  private static func microParts(_ seconds: Double) -> Parts? {
    guard seconds.magnitude < 4_294_967_296 else { return nil }
    let micros = Int64(seconds * 1_000_000 + (seconds < 0 ? -0.5 : 0.5))
    guard Double(micros) / 1_000_000 == seconds else { return nil }
    var whole = micros / 1_000_000
    var fraction = micros % 1_000_000
    if fraction < 0 {
      whole -= 1
      fraction += 1_000_000
    }
    guard fraction > 0 else { return (whole, 0, 0) }
    var count = 6
    while fraction % 10 == 0 {
      fraction /= 10
      count -= 1
    }
    return (whole, fraction, count)
  }

  /// The fewest of seven to nine digits of a fraction that mean this double and no other, for the
  /// years 2001 to 2137 and as far back; nine are always enough there.
  ///
  /// A double is a whole number of steps of 2^-shift seconds. A decimal means it when it lies less
  /// than half a step away, or just half and the double is an even one.
  private static func closeParts(_ seconds: Double) -> Parts? {
    guard (16_777_216..<4_294_967_296).contains(seconds.magnitude) else { return nil }
    let shift = Int64(52 - seconds.exponent)
    let steps = Int64(seconds.significandBitPattern | 1 << 52)
    var whole = steps >> shift
    let fraction = steps & (1 << shift - 1)
    for (count, scale) in [(7, 10_000_000), (8, 100_000_000), (9, 1_000_000_000)] as [(Int, Int64)]
    {
      let exact = fraction * scale
      var digits = (exact + 1 << (shift - 1)) >> shift
      let distance = abs(digits << shift - exact)
      guard 2 * distance < scale || 2 * distance == scale && steps & 1 == 0 else { continue }
      // What is rare is done by the book: a tie, and what is rounded to fewer digits.
      guard distance != 1 << (shift - 1), digits % 10 != 0, digits < scale else { return nil }
      if seconds < 0 {
        whole = -whole - 1
        digits = scale - digits
      }
      return (whole, digits, count)
    }
    return nil
  }

  /// Does the arithmetic on decimal digits, whatever their count.
  private static func writeExactly(_ seconds: Double, with pen: inout Pen) {
    let text = DecimalText(seconds)
    var whole = text.whole.reduce(Int64(0)) { $0 * 10 + Int64($1) }
    var fraction = text.fraction
    if text.isNegative {
      whole = -whole
      if !fraction.isEmpty {
        whole -= 1
        // Ten's complement: nines, and ten at the last digit, which is never zero.
        fraction = fraction.map { 9 - $0 }
        fraction[fraction.count - 1] += 1
      }
    }
    write(whole: whole, with: &pen)
    guard !fraction.isEmpty else { return }
    pen.put(UInt8(ascii: "."))
    for digit in fraction { pen.put(UInt8(ascii: "0") + digit) }
  }

  /// Writes `YYYY-MM-DDTHH:MM:SS` for seconds since 2001.
  private static func write(whole seconds: Int64, with pen: inout Pen) {
    let (days, rest) = floored(seconds + secondsToReference, by: 86_400)
    let (year, month, day) = civil(days)
    if year >= 0, year <= 9999 {
      pen.put(UInt64(year), width: 4)
    } else {
      pen.put(UInt8(ascii: year < 0 ? "-" : "+"))
      pen.put(year.magnitude, width: max(6, Pen.digitCount(year.magnitude)))
    }
    pen.put(UInt8(ascii: "-"))
    pen.put(UInt64(month), width: 2)
    pen.put(UInt8(ascii: "-"))
    pen.put(UInt64(day), width: 2)
    pen.put(UInt8(ascii: "T"))
    pen.put(UInt64(rest / 3600), width: 2)
    pen.put(UInt8(ascii: ":"))
    pen.put(UInt64(rest / 60 % 60), width: 2)
    pen.put(UInt8(ascii: ":"))
    pen.put(UInt64(rest % 60), width: 2)
  }

  /// The calendar day that many days after 0000-03-01.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floored(days, by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (
      yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day
    )
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
    let rest = value % divisor
    return rest < 0 ? (value / divisor - 1, rest + divisor) : (value / divisor, rest)
  }
}
