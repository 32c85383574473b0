/// Moments as servers write them, in seconds since 1970-01-01T00:00:00Z.
package enum ServerTime {
  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` and the two older forms that a recipient of HTTP has to know,
  /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`; in all of them a zone may be written
  /// as mail has it (`+0000`).
  ///
  /// A year of two digits is that of this century, unless that is more than 50 years after `now`.
  ///
  /// <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7>
  package static func httpDate(_ text: some StringProtocol, now: Double = 0) -> Double? {
    var words = String(text).split { $0 == " " || $0 == "," }.dropFirst()
    guard let first = words.first else { return nil }
    if months.contains(String(first)) {
      guard words.count == 4, let year = words.popLast() else { return nil }
      // The month comes first, and no zone at all: it is that of Greenwich.
      let rest = Array(words)
      words = [rest[1], rest[0], year, rest[2], "GMT"]
    } else if words.count == 3, case let date = first.split(separator: "-"), date.count == 3 {
      words = date + words.dropFirst()
    }
    let parts = Array(words)
    guard parts.count == 5, let day = Int(parts[0]),
      let month = months.firstIndex(of: String(parts[1])), let year = year(parts[2], now),
      let zone = mailZone(parts[4]), let clock = clock(parts[3])
    else { return nil }
    return seconds(year, month + 1, day, clock).map { $0 - zone }
  }

  private static func year(_ text: some StringProtocol, _ now: Double) -> Int? {
    guard let year = Int(text), year >= 0 else { return nil }
    guard text.count == 2 else { return year }
    let latest = 1970 + Int(now / 31_556_952) + 50
    return 2000 + year > latest ? 1900 + year : 2000 + year
  }

  /// The seconds east of Greenwich of `GMT`, `UTC`, `Z` or `+0130`.
  private static func mailZone(_ text: some StringProtocol) -> Double? {
    if ["GMT", "UTC", "UT", "Z"].contains(String(text)) { return 0 }
    guard text.count == 5, let sign = text.first, "+-".contains(sign),
      text.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }),
      let hours = Int(text.dropFirst().prefix(2)), let minutes = Int(text.suffix(2)),
      hours < 24, minutes < 60
    else { return nil }
    return Double(hours * 3_600 + minutes * 60) * (sign == "-" ? -1 : 1)
  }

  /// Reads `2026-11-20T23:15:00.000Z`, also with an offset or without a fraction, from 1970 on.
  ///
  /// <https://www.rfc-editor.org/rfc/rfc3339#section-5.6>
  package static func instant(_ text: some StringProtocol) -> Double? {
    guard let microseconds = Timestamp.microseconds(String(text)) else { return nil }
    let seconds = (Double(microseconds) + 978_307_200_000_000) / 1_000_000
    return seconds < 0 ? nil : seconds
  }

  static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The seconds since midnight of `23:15:00` or `23:15:00.5`.
  private static func clock(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = Int(parts[0]), let minutes = Int(parts[1]),
      let seconds = Double(parts[2]), (0...23).contains(hours), (0...59).contains(minutes),
      seconds >= 0, seconds < 61
    else { return nil }
    return Double(hours * 3_600 + minutes * 60) + seconds
  }

  /// Counts the days of the Gregorian calendar up to a date.
  private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ clock: Double) -> Double? {
    guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let days = CivilDate.daysSince1970(year: year, month: month, day: day)
    return Double(days * 86_400) + clock
  }
}
