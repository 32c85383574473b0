import TextCodecs

/// Instants counted in seconds from 2001-01-01T00:00:00Z, as Apple's frameworks count them.
package enum ReferenceDate {
  /// The instant as RFC 3339 text in UTC, with as many digits of a second as the number has.
  ///
  /// The calendar is the Gregorian one for all years, so that `NSDate.distantPast` reads
  /// `0000-12-30T00:00:00Z`. What lies outside the years 0 to 9999 is given as the number itself.
  package static func text(seconds: Double) -> String {
    // The first and the last second with a year of four digits.
    guard seconds >= -63_145_526_400, seconds < 252_423_993_600 else {
      return seconds.isFinite || seconds.isNaN ? "\(seconds)" : seconds < 0 ? "-inf" : "inf"
    }
    let whole = seconds.rounded(.down)
    return Timestamp.text(
      secondsSince1970: Int64(whole) + 978_307_200,
      fraction: fraction(of: seconds)
    )
  }

  /// `25`, or nothing for a whole second, from the shortest decimal that means this number.
  private static func fraction(of seconds: Double) -> String {
    var digits = fractionDigits(abs(seconds).description)
    if seconds < 0 { complement(&digits) }
    while digits.last == 0 { digits.removeLast() }
    return digits.map { String($0) }.joined()
  }

  /// The digits after the point of `12.5` or `1.5e-07`; none for `1e+16`.
  private static func fractionDigits(_ text: String) -> [UInt8] {
    let parts = text.split(separator: "e")
    guard let mantissa = parts.first else { return [] }
    let isDigit = { (byte: UInt8) in byte != UInt8(ascii: ".") }
    guard parts.count == 2, let exponent = Int(parts[1]) else {
      guard let point = mantissa.firstIndex(of: ".") else { return [] }
      return mantissa[point...].utf8.dropFirst().map { $0 - UInt8(ascii: "0") }
    }
    guard exponent < 0 else { return [] }
    let digits = mantissa.utf8.filter(isDigit).map { $0 - UInt8(ascii: "0") }
    return Array(repeating: 0, count: -exponent - 1) + digits
  }

  /// Turns the digits of a fraction into those of one minus it.
  private static func complement(_ digits: inout [UInt8]) {
    var borrows = false
    for place in digits.indices.reversed() {
      let taken = digits[place] + (borrows ? 1 : 0)
      digits[place] = taken == 0 ? 0 : 10 - taken
      borrows = taken > 0
    }
  }
}
