/// A day of the Gregorian calendar, which counts for all years, also those before it was made.
package struct CivilDate: Hashable, Sendable, CustomStringConvertible {
  package let year: Int
  package let month: Int
  package let day: Int

  /// The day that many days after 1970-01-01.
  ///
  /// Years are counted from March, in eras of 400 years, so that the leap day is the last of its year:
  /// <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
  package init(daysSince1970 days: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The days from 1970-01-01 to a date; a day that its month does not have counts on into the next.
  ///
  /// <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>
  package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Whether the calendar has this date.
  @inlinable
  @inline(__always)
  package static func exists(year: Int, month: Int, day: Int) -> Bool {
    guard month >= 1, month <= 12, day >= 1 else { return false }
    if month == 2 {
      let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return day <= (isLeapYear ? 29 : 28)
    }
    // April, June, September and November have thirty.
    return day <= (0b1010_0101_0000 >> month & 1 == 1 ? 30 : 31)
  }

  /// `2024-03-04`.
  package var description: String {
    DecimalDigits.padded(year, 4) + "-" + DecimalDigits.padded(month, 2) + "-"
      + DecimalDigits.padded(day, 2)
  }
}

/// Decimal numbers with zeros in front.
enum DecimalDigits {
  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
