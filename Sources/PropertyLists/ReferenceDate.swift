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
    let day = Int64((whole / 86_400).rounded(.down))
    let second = Int64(whole) - day * 86_400
    let (year, month, dayOfMonth) = civil(daysSinceReferenceDate: day)
    return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(dayOfMonth, 2) + "T"
      + digits(second / 3600, 2) + ":" + digits(second / 60 % 60, 2) + ":"
      + digits(second % 60, 2) + fraction(of: seconds) + "Z"
  }

  /// `.25`, or nothing for a whole second, from the shortest decimal that means this number.
  private static func fraction(of seconds: Double) -> String {
    var digits = fractionDigits(abs(seconds).description)
    if seconds < 0 { complement(&digits) }
    while digits.last == 0 { digits.removeLast() }
    guard !digits.isEmpty else { return "" }
    return "." + digits.map { String($0) }.joined()
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

  private static func digits(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// Year, month and day in the proleptic Gregorian calendar.
  ///
  /// Years are counted from March, in cycles of 400 years (146,097 days), so that the leap day is
  /// the last of its year.
  private static func civil(
    daysSinceReferenceDate day: Int64
  ) -> (year: Int64, month: Int64, day: Int64) {
    // 2001-01-01 is day 730,791 from 0000-03-01; one cycle more keeps the number positive.
    let shifted = day + 730_791 + 146_097
    let cycle = shifted / 146_097
    let dayOfCycle = shifted % 146_097
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfCycle + (cycle - 1) * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfMonth)
  }
}
