/// Stored instants as RFC 3339 text in UTC.
///
/// A stored date is a double: seconds since the first instant of 2001, UTC. The text has exactly
/// the fraction digits that make this double come back. Years from 0000 to 9999 have four digits;
/// all others a sign and at least six (the expanded form of ISO 8601).
package enum DateText {
  /// Seconds from the first instant of 1970 to that of 2001.
  private static let secondsToReference: Int64 = 978_307_200

  /// The module that the longest text needs: a double has at most 1,074 digits behind the point, of
  /// which at most 341 are written.
  package static let longest = 512

  /// Writes the text, without quotes, and gives the count of its bytes; `nil` for what is no instant
  /// that a calendar could hold.
  package static func write(_ seconds: Double, to target: UnsafeMutableRawPointer) -> Int? {
    guard seconds.isFinite, seconds.magnitude < 1e17 else { return nil }
    var pen = Pen(target)
    if let parts = microParts(seconds) {
      write(whole: parts.whole, with: &pen)
      if parts.micros > 0 {
        pen.put(UInt8(ascii: "."))
        pen.put(fraction: UInt64(parts.micros))
      }
    } else if let parts = closeParts(seconds) {
      write(whole: parts.whole, with: &pen)
      if parts.count > 0 {
        pen.put(UInt8(ascii: "."))
        if parts.count <= 8 {
          pen.put(eightAtMost: UInt64(parts.fraction), width: parts.count)
        } else {
          pen.put(UInt64(parts.fraction), width: parts.count)
        }
      }
    } else {
      writeExactly(seconds, with: &pen)
    }
    pen.put(UInt8(ascii: "Z"))
    return pen.place - target
  }

  /// Appends the text, without quotes; `false`, and nothing written, for what is no instant.
  package static func append(_ seconds: Double, to bytes: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: longest, alignment: 1) { target in
      guard let start = target.baseAddress, let count = write(seconds, to: start) else {
        return false
      }
      bytes.append(contentsOf: target[..<count])
      return true
    }
  }

  /// Leaves out what is finer than a millisecond of a text that was written, and gives the count of
  /// the bytes that remain.
  ///
  /// Digits are cut, not rounded, so an instant never moves forward, also before 2001.
  static func cutToMilliseconds(_ target: UnsafeMutableRawPointer, count: Int) -> Int {
    let text = UnsafeMutableRawBufferPointer(start: target, count: count)
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
  @inline(__always)
  private static func microParts(_ seconds: Double) -> (whole: Int64, micros: Int64)? {
    guard seconds.magnitude < 4_294_967_296 else { return nil }
    let micros = Int64(seconds * 1_000_000 + (seconds < 0 ? -0.5 : 0.5))
    guard Double(micros) / 1_000_000 == seconds else { return nil }
    var whole = micros / 1_000_000
    var fraction = micros % 1_000_000
    if fraction < 0 {
      whole -= 1
      fraction += 1_000_000
    }
    return (whole, fraction)
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

  /// Does the arithmetic on decimal digits, regardless of their count.
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
    pen.put(secondsSince1970: seconds + secondsToReference)
  }
}
