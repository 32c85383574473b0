/// Instants as RFC 3339 text in UTC, and back.
///
/// A stored date is a double: seconds since the first instant of 2001, UTC. The text has exactly
/// the fraction digits that make this double come back. Years from 0000 to 9999 have four digits;
/// all others a sign and at least six (the expanded form of ISO 8601).
package enum DateText {
  /// Seconds from 0000-03-01 to 2001-01-01, both in the proleptic Gregorian calendar.
  private static let secondsToReference: Int64 = 730_791 * 86_400

  /// Appends the text, without quotes; `false`, and nothing written, for what is no instant that a
  /// calendar could hold.
  package static func append(_ seconds: Double, to bytes: inout [UInt8]) -> Bool {
    guard seconds.isFinite, seconds.magnitude < 1e17 else { return false }
    if let parts = plainParts(seconds) {
      append(whole: parts.whole, to: &bytes)
      appendFraction(parts.fraction, count: parts.count, to: &bytes)
    } else {
      appendExactly(seconds, to: &bytes)
    }
    bytes.append(UInt8(ascii: "Z"))
    return true
  }

  /// Whole seconds and at most six digits of a fraction, when these are enough.
  ///
  /// Below 2³² the doubles lie closer than a microsecond, so no shorter text could mean the same.
  private static func plainParts(
    _ seconds: Double
  ) -> (whole: Int64, fraction: Int64, count: Int)? {
    guard seconds.magnitude < 4_294_967_296 else { return nil }
    let micros = (seconds * 1_000_000).rounded()
    guard micros / 1_000_000 == seconds else { return nil }
    var whole = Int64(micros) / 1_000_000
    var fraction = Int64(micros) % 1_000_000
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

  private static func appendFraction(_ fraction: Int64, count: Int, to bytes: inout [UInt8]) {
    guard count > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    append(fraction, width: count, to: &bytes)
  }

  /// Does the arithmetic on decimal digits, whatever their count.
  private static func appendExactly(_ seconds: Double, to bytes: inout [UInt8]) {
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
    append(whole: whole, to: &bytes)
    guard !fraction.isEmpty else { return }
    bytes.append(UInt8(ascii: "."))
    for digit in fraction { bytes.append(UInt8(ascii: "0") + digit) }
  }

  /// Appends `YYYY-MM-DDTHH:MM:SS` for seconds since 2001.
  private static func append(whole seconds: Int64, to bytes: inout [UInt8]) {
    let (days, rest) = floored(seconds + secondsToReference, by: 86_400)
    let (year, month, day) = civil(days)
    if year >= 0, year <= 9999 {
      append(year, width: 4, to: &bytes)
    } else {
      bytes.append(UInt8(ascii: year < 0 ? "-" : "+"))
      append(abs(year), width: 6, to: &bytes)
    }
    let parts: [(StaticString, Int64)] = [
      ("-", month), ("-", day), ("T", rest / 3600), (":", rest / 60 % 60), (":", rest % 60),
    ]
    for (mark, value) in parts {
      mark.withUTF8Buffer { bytes.append(contentsOf: $0) }
      append(value, width: 2, to: &bytes)
    }
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

  private static func append(_ value: Int64, width: Int, to bytes: inout [UInt8]) {
    var count = 1
    var rest = value
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    let start = bytes.count
    for _ in 0..<max(count, width) { bytes.append(UInt8(ascii: "0")) }
    rest = value
    var place = start + max(count, width)
    while rest > 0 {
      place -= 1
      bytes[place] += UInt8(rest % 10)
      rest /= 10
    }
  }
}
