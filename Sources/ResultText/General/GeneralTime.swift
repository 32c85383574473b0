/// Reads days and lengths of time in texts of games that no description knows.
enum GeneralTime {
  /// A length of time whose units are units of time: `2m 10s`, not `5 moves`.
  static func duration(_ text: [UInt32], _ start: Int, _ end: Int) -> FieldReading? {
    guard let reading = FieldReader.duration(in: text, at: start, before: end) else { return nil }
    var place = start
    while place < reading.end {
      let first = place
      while place < reading.end, Symbols.isLetter(text[place]) { place += 1 }
      if place > first {
        let unit = String(text[first..<place])
        guard units.contains(unit) else { return nil }
      }
      place = max(place, first + 1)
    }
    if reading.end < end, Symbols.isLetter(text[reading.end]) { return nil }
    return reading
  }

  private static let units: Set = [
    "and", "h", "hour", "hours", "hr", "hrs", "m", "min", "mins", "minut", "minuta", "minute",
    "minuten", "minuter", "minutes", "minuti", "minuto", "minutos", "minuty", "ms", "s", "sec",
    "secs", "second", "seconde", "secondes", "secondi", "secondo", "seconds", "secunde", "seg",
    "segundo", "segundos", "sek", "sekund", "sekunde", "sekunden", "sekunder", "sekundi",
    "sekundy",
  ]
}

/// Reads dates that may be those of a puzzle.
enum GeneralDate {
  static func read(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    if let marked = digits(text, start, end) { return marked }
    guard let reading = DateReader.date(in: text, at: start, before: end),
      text[start..<reading.end].contains(where: { !Symbols.isDigit($0) })
    else { return nil }
    return token(reading, start)
  }

  /// A date that begins with the name of its month: `Jun 14 2026`, `June 12th`.
  static func inWords(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    guard DateReader.isMonth(text, start, end),
      let reading = DateReader.date(in: text, at: start, before: end)
    else { return nil }
    return token(reading, start)
  }

  static func token(_ reading: FieldReading, _ start: Int) -> LineToken {
    LineToken(
      kind: reading.form == .day ? .day : .date,
      start: start,
      end: reading.end,
      value: ResultNumber(Int(reading.value))
    )
  }

  /// `27/01/2026`, where one of the first two can only be the day, or a point says that it is.
  static func digits(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    let dayFirst = DateReader.digits(in: text, at: start, before: end, monthFirst: false)
    let monthFirst = DateReader.digits(in: text, at: start, before: end, monthFirst: true)
    guard let first = dayFirst ?? monthFirst else { return nil }
    let year = text[start..<first.end].suffix { Symbols.isDigit($0) }.count
    guard year == 4 || year == 2, first.end - start >= 6 else { return nil }
    let hasPoint = text[start..<first.end].contains(0x2E)
    guard dayFirst == nil || monthFirst == nil || hasPoint || dayFirst?.value == monthFirst?.value
    else { return LineToken(kind: .date, start: start, end: first.end) }
    return token(hasPoint ? dayFirst ?? first : first, start)
  }
}

extension Sequence<UInt32> {
  fileprivate func suffix(while condition: (UInt32) -> Bool) -> [UInt32] {
    Array(reversed().prefix(while: condition))
  }
}

extension ArraySlice<UInt32> {
  fileprivate func suffix(_ condition: (UInt32) -> Bool) -> [UInt32] {
    suffix(while: condition)
  }
}

extension String {
  /// The text of Unicode scalars that a text gave.
  init(_ scalars: some Sequence<UInt32>) {
    self.init()
    for scalar in scalars { unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
  }
}
