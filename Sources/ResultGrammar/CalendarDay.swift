import TextCodecs

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
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), CivilDate.exists(year: year, month: month, day: day) else {
      return nil
    }
    number = CivilDate.daysSince1970(year: year, month: month, day: day)
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
    let date = CivilDate(daysSince1970: number)
    return (date.year, date.month, date.day)
  }

  /// The day that many days later.
  package func adding(_ days: Int) -> CalendarDay {
    CalendarDay(number: number + days)
  }

  /// `2024-03-04`.
  package var description: String { CivilDate(daysSince1970: number).description }

  package static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    left.number < right.number
  }
}
