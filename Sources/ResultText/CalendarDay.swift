#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A day of the Gregorian calendar, without a clock or a zone.
package struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  package let number: Int

  package init(number: Int) {
    self.number = number
  }

  /// The day that this machine's clock shows, in UTC.
  package static var today: CalendarDay {
    CalendarDay(number: Int(time(nil)) / 86_400)
  }

  /// The day of that date, or `nil` when the calendar has no such date.
  ///
  /// The sum is that of <https://howardhinnant.github.io/date_algorithms.html#days_from_civil>.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.length(ofMonth: month, year: year)
    else { return nil }
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    number = era * 146_097 + dayOfEra - 719_468
  }

  /// Reads `2024-03-04`; anything else is `nil`.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 4, parts[1].count == 2, parts[2].count == 2,
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Year, month and day.
  package var date: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The day that many days later.
  package func adding(_ days: Int) -> CalendarDay {
    CalendarDay(number: number + days)
  }

  /// `2024-03-04`.
  package var description: String {
    let (year, month, day) = date
    return Self.padded(year, to: 4) + "-" + Self.padded(month, to: 2) + "-"
      + Self.padded(day, to: 2)
  }

  package static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    left.number < right.number
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
