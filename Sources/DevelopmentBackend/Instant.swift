import Foundation

/// A moment in milliseconds since 1970, as the server stores and prints it.
struct Instant: Hashable, Comparable, Sendable {
  let milliseconds: Int64

  init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The moment by the machine's clock.
  static var now: Instant {
    Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
  }

  /// Reads `2026-11-20`, `2026-11-20T10:00:00Z` and `2026-11-20T10:00:00.123+01:00`.
  init?(_ text: String) {
    let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
    let styles = [
      Date.ISO8601FormatStyle(includingFractionalSeconds: true),
      Date.ISO8601FormatStyle(includingFractionalSeconds: false),
    ]
    for style in styles {
      if let date = try? style.parse(full) {
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
        return
      }
    }
    return nil
  }

  static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  func adding(seconds: Double) -> Instant {
    Instant(milliseconds: milliseconds + Int64(seconds * 1_000))
  }

  /// The moment as `2026-11-20T10:00:00.123Z`.
  ///
  /// The day is counted with eras of 400 years that begin in March:
  /// <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
  var text: String {
    let day = 86_400_000 as Int64
    let days = milliseconds >= 0 ? milliseconds / day : (milliseconds - day + 1) / day
    let rest = Int(milliseconds - days * day)
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let dayOfMonth = Int(dayOfYear - (153 * monthIndex + 2) / 5 + 1)
    let month = Int(monthIndex < 10 ? monthIndex + 3 : monthIndex - 9)
    let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
      + padded(rest / 3_600_000, 2) + ":" + padded(rest / 60_000 % 60, 2) + ":"
      + padded(rest / 1_000 % 60, 2) + "." + padded(rest % 1_000, 3) + "Z"
  }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
