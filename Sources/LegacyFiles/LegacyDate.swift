package import Records
package import ResultGrammar
import TextCodecs

/// When something was written, as a legacy file says it.
package enum LegacyDate: Hashable, Sendable {
  /// An instant: whole seconds since 1970, and what follows the point, as digits.
  case instant(Int64, fraction: String)
  /// A day and the seconds of it, on a clock whose zone the file does not say.
  case local(CalendarDay, second: Int)

  /// Seconds since 1970, a local clock being read in `zone`.
  package func seconds(in zone: TimeZoneRules) -> Int64 {
    switch self {
    case .instant(let seconds, _): return seconds
    case .local(let day, let second):
      let local = Int64(day.number) * 86_400 + Int64(second)
      let first = local - Int64(zone.offset(at: local))
      return local - Int64(zone.offset(at: first))
    }
  }

  /// The instant as `2024-03-05T10:11:12Z`, with the fraction that the file gave.
  package func text(in zone: TimeZoneRules) -> String {
    let seconds = seconds(in: zone)
    guard case .instant(_, let fraction) = self else {
      return Timestamp.text(secondsSince1970: seconds)
    }
    return Timestamp.text(secondsSince1970: seconds, fraction: fraction)
  }

  /// Seconds since 2001, as Apple's frameworks count; `nil` outside the years 1 to 9999.
  package init?(secondsSinceReferenceDate seconds: Double) {
    self.init(seconds: seconds, epoch: 978_307_200)
  }

  /// What a number counts to in a unit; `nil` outside the years 1 to 9999.
  package init?(_ number: Double, in unit: DateUnit) {
    switch unit {
    case .secondsSince2001: self.init(secondsSinceReferenceDate: number)
    case .secondsSince1970: self.init(seconds: number, epoch: 0)
    case .millisecondsSince1970:
      if let whole = Int64(exactly: number) {
        self.init(milliseconds: whole)
      } else {
        self.init(seconds: number / 1000, epoch: 0)
      }
    }
  }

  /// Milliseconds since 1970, as Android counts.
  package init?(milliseconds: Int64) {
    let rounded = milliseconds / 1000
    let whole = milliseconds % 1000 < 0 ? rounded - 1 : rounded
    guard Self.isPossible(whole) else { return nil }
    let rest = String(milliseconds - whole * 1000)
    var fraction = String(repeating: "0", count: 3 - rest.count) + rest
    while fraction.hasSuffix("0") { fraction.removeLast() }
    self = .instant(whole, fraction: fraction)
  }

  private init?(seconds: Double, epoch: Int64) {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    guard Self.isPossible(Int64(whole) + epoch) else { return nil }
    let micro = Int64(((seconds - whole) * 1_000_000).rounded(.down))
    let rest = String(micro)
    var fraction = String(repeating: "0", count: max(0, 6 - rest.count)) + rest
    while fraction.hasSuffix("0") { fraction.removeLast() }
    self = .instant(Int64(whole) + epoch, fraction: fraction)
  }

  /// Whether it lies in the years 2010 to 2040, as results do.
  var isUsual: Bool { (1_262_304_000..<2_240_611_200).contains(seconds(in: .utc)) }

  /// Whether an instant lies in the years 1 to 9999.
  private static func isPossible(_ seconds: Int64) -> Bool {
    (-62_135_596_800..<253_402_300_800).contains(seconds)
  }
}

extension LegacyDate {
  /// Reads ISO 8601, with `T` or a space: `2024-03-05T10:11:12Z`, `…12.5+01:00`, `2024-03-05 10:11`
  /// (a local clock) and `2024-03-05` (a local day at noon); `2024-03-05 10:11:12 +0000`, as `NSDate`
  /// describes itself; and English words, `Tuesday, March 5, 2024 at 10:11:12 AM UTC` and
  /// `Tue, 5 Mar 2024 10:11:12 +0000`.
  package init?(_ text: String) {
    if text.utf8.prefix(5).contains(where: { ($0 | 0x20) &- 0x61 < 26 }) {
      guard let date = Self.inWords(text) else { return nil }
      self = date
      return
    }
    let bytes = Array(text.utf8)
    guard bytes.count >= 10, let day = CalendarDay(String(decoding: bytes[..<10], as: UTF8.self))
    else { return nil }
    guard bytes.count > 10 else {
      self = .local(day, second: 43_200)
      return
    }
    var clock = Clock(bytes[11...])
    guard bytes[10] == UInt8(ascii: "T") || bytes[10] == 0x20, let second = clock.second() else {
      return nil
    }
    let fraction = clock.fraction()
    guard let zone = clock.zone() else { return nil }
    switch zone {
    case .none: self = .local(day, second: second)
    case .offset(let offset):
      let seconds = Int64(day.number) * 86_400 + Int64(second - offset)
      self = .instant(seconds, fraction: fraction)
    }
  }

  /// Reads a date whose month is an English word; `nil` for other texts, and for other words in it.
  private static func inWords(_ text: String) -> LegacyDate? {
    var words = text.split { $0.isWhitespace || $0 == "," }.map { $0.lowercased() }
    if let first = words.first, EnglishDate.isWeekday(first) { words.removeFirst() }
    guard words.count >= 4 else { return nil }
    let isMonthFirst = EnglishDate.month(words[0]) != nil
    guard let month = EnglishDate.month(words[isMonthFirst ? 0 : 1]),
      let day = Int(words[isMonthFirst ? 1 : 0]), let year = Int(words[2]), words[2].count == 4,
      let date = CalendarDay(year: year, month: month, day: day)
    else { return nil }
    words.removeFirst(3)
    if words.first == "at" { words.removeFirst() }
    guard !words.isEmpty else { return nil }
    var clock = Clock(ArraySlice(words.removeFirst().utf8))
    let isPadded = clock.rest.dropFirst().first != UInt8(ascii: ":")
    if !isPadded { clock.rest = [UInt8(ascii: "0")] + clock.rest }
    guard var second = clock.second(), clock.rest.isEmpty else { return nil }
    if let half = words.first, half == "am" || half == "pm" {
      guard (3_600..<46_800).contains(second) else { return nil }
      second = second % 43_200 + (half == "pm" ? 43_200 : 0)
      words.removeFirst()
    }
    guard let zone = words.first else { return .local(date, second: second) }
    var rest = Clock(ArraySlice((zone == "gmt" ? "UTC" : zone.uppercased()).utf8))
    guard words.count == 1, case .offset(let offset)? = rest.zone() else { return nil }
    return .instant(Int64(date.number) * 86_400 + Int64(second - offset), fraction: "")
  }

  fileprivate static func digit(_ byte: UInt8) -> Int? {
    byte >= 0x30 && byte <= 0x39 ? Int(byte - 0x30) : nil
  }
}

/// The English words of dates.
enum EnglishDate {
  /// The months by their names, whole or cut.
  private static let months: [String: Int] = {
    var found = ["sept": 9]
    for (place, name) in monthNames.enumerated() {
      found[name] = place + 1
      found[String(name.prefix(3))] = place + 1
    }
    return found
  }()
  private static let monthNames = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]
  /// The days of the week, whole or cut.
  private static let weekdays = Set(
    weekdayNames.flatMap { name in [name] + (3...5).map { String(name.prefix($0)) } }
  )
  private static let weekdayNames = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// The month of a word in small letters, whole or of its first three or four; `nil` for another word.
  static func month(_ word: String) -> Int? {
    months[word.hasSuffix(".") ? String(word.dropLast()) : word]
  }

  /// Whether a word in small letters is a day of the week, whole or cut.
  static func isWeekday(_ word: String) -> Bool {
    weekdays.contains(word.hasSuffix(".") ? String(word.dropLast()) : word)
  }
}

/// Reads the clock of an ISO 8601 text.
private struct Clock {
  var rest: ArraySlice<UInt8>

  enum Zone { case none, offset(Int) }

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  private mutating func two(below limit: Int) -> Int? {
    guard rest.count >= 2, let high = LegacyDate.digit(rest[rest.startIndex]),
      let low = LegacyDate.digit(rest[rest.startIndex + 1]), high * 10 + low < limit
    else { return nil }
    rest = rest.dropFirst(2)
    return high * 10 + low
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: scalar) else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func second() -> Int? {
    guard let hour = two(below: 24), take(":"), let minute = two(below: 60) else { return nil }
    guard take(":") else { return hour * 3600 + minute * 60 }
    guard let second = two(below: 60) else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  mutating func fraction() -> String {
    guard rest.first == UInt8(ascii: "."), rest.dropFirst().first.flatMap(LegacyDate.digit) != nil
    else { return "" }
    let digits = rest.dropFirst().prefix { LegacyDate.digit($0) != nil }
    rest = rest.dropFirst(1 + digits.count)
    var text = String(decoding: digits.prefix(9), as: UTF8.self)
    while text.hasSuffix("0") { text.removeLast() }
    return text
  }

  mutating func zone() -> Zone? {
    if rest.isEmpty { return Zone.none }
    _ = take(" ")
    if take("Z") || take("U") && take("T") && take("C") { return rest.isEmpty ? .offset(0) : nil }
    let sign = take("+") ? 1 : take("-") ? -1 : 0
    guard sign != 0, let hours = two(below: 24) else { return nil }
    _ = take(":")
    guard let minutes = rest.isEmpty ? 0 : two(below: 60), rest.isEmpty else { return nil }
    return .offset(sign * (hours * 3600 + minutes * 60))
  }
}
