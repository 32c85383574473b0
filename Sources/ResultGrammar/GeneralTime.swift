/// Reads days and lengths of time in texts of games that no description knows.
package enum GeneralTime {
  /// A length of time whose units are units of time: `2m 10s`, not `5 moves`.
  package static func duration(_ text: [UInt32], _ start: Int, _ end: Int) -> FieldReading? {
    // `10時30分` is a time of the day.
    let isOfClock = start > 0 && [0x6642, 0xC2DC].contains(text[start - 1])
    guard !isOfClock, let reading = FieldReader.duration(in: text, at: start, before: end)
    else { return nil }
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
    // Scripts that write no spaces go on behind a unit: `6分41秒で`.
    if reading.end < end, Symbols.isLetter(text[reading.end]), text[reading.end] < 0x3040 {
      return nil
    }
    return reading
  }

  /// Minutes and seconds behind marks: `1'23"`.
  package static func marked(_ text: [UInt32], _ start: Int, _ end: Int) -> FieldReading? {
    guard let minutes = FieldReader.plain(in: text, at: start, before: end),
      minutes.end < end, text[minutes.end] == 0x27, minutes.value < 600,
      let seconds = FieldReader.plain(in: text, at: minutes.end + 1, before: end),
      seconds.end == minutes.end + 3, seconds.value < 60
    else { return nil }
    var last = seconds.end
    while last < end, last - seconds.end < 2, text[last] == 0x27 || text[last] == 0x22 { last += 1 }
    guard last > seconds.end else { return nil }
    return FieldReading(end: last, value: minutes.value * 60 + seconds.value, form: .seconds)
  }

  static let minutes: Set = [
    "dakika", "dk", "perc", "phút", "λεπτά", "λεπτό", "דקות", "דקה", "دقيقة", "دقائق", "मिनट", "นาที",
  ]
  static let seconds: Set = [
    "detik", "giây", "δευτερόλεπτα", "שניות", "ثانية", "ثواني", "सेकंड", "วินาที",
  ]

  private static let units: Set = minutes.union(seconds).union([
    "saniye", "saniyede", "sn", "minuuttia", "sekuntia", "menit",
    "and", "h", "hour", "hours", "hr", "hrs", "m", "min", "mins", "minut", "minuta", "minute",
    "minuten", "minuter", "minutes", "minuti", "minuto", "minutos", "minuty", "ms", "s", "sec",
    "secs", "second", "seconde", "secondes", "secondi", "secondo", "seconds", "secunde", "seg",
    "segundo", "segundos", "sek", "sekund", "sekunde", "sekunden", "sekunder", "sekundi",
    "sekundy", "perc", "mp", "мин", "минут", "минута", "минуты", "минуту", "сек", "секунд",
    "секунда", "секунды", "секунду", "хв", "хвилин", "хвилини", "分", "分钟", "分鐘", "秒", "時間", "분",
    "초", "시간",
    "a", "dan", "e", "en", "es", "et", "és", "i", "ja", "och", "og", "und", "ve", "și", "y", "и",
    "і", "và",
  ])
}

/// Reads dates that may be those of a puzzle.
package enum GeneralDate {
  package static func read(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    if let marked = digits(text, start, end) ?? spaced(text, start, end) ?? named(text, start, end)
    {
      return marked
    }
    guard let reading = DateReader.date(in: text, at: start, before: end),
      text[start..<reading.end].contains(where: { !Symbols.isDigit($0) })
    else { return nil }
    // A word may only begin like a month: `8 mails`.
    if reading.form != .day,
      let word = (start + 1..<reading.end).first(where: {
        text[$0 - 1] == 0x20 && Symbols.isLetter(text[$0])
      }),
      !DateReader.isMonth(text, word, end)
    {
      return nil
    }
    return token(reading, start)
  }

  /// Whether a ratio may be a month and a day, one of them of two digits: `11/26`.
  package static func mayBe(_ score: ResultNumber?, of maximum: ResultNumber?) -> Bool {
    guard let first = score?.integer, let second = maximum?.integer else { return false }
    return first > 0 && second > 0 && min(first, second) < 13
      && (10...31).contains(max(first, second))
  }

  /// `01/25`, whose zero says that it is no score.
  package static func withoutYear(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    guard text[start] == 0x30, start + 5 <= end, text[start + 2] == 0x2F,
      start == 0 || text[start - 1] != 0x2F,
      let first = FieldReader.plain(in: text, at: start, before: end), first.end == start + 2,
      let second = FieldReader.plain(in: text, at: start + 3, before: end), second.end == start + 5,
      start + 5 == end || text[start + 5] != 0x2F,
      first.value > 0, second.value > 0, second.value < 32
    else { return nil }
    return LineToken(kind: .date, start: start, end: start + 5)
  }

  /// `2022. 01. 24.`, as Hungarian and Korean write dates, and `24. 1. 2022` of other languages.
  private static func spaced(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    guard let first = FieldReader.plain(in: text, at: start, before: end),
      let month = behindPoint(text, first.end, end), let third = behindPoint(text, month.end, end)
    else { return nil }
    let isYearFirst = first.end == start + 4
    let year = isYearFirst ? first : third
    let day = isYearFirst ? third : first
    guard isYearFirst || third.value > 1_999,
      let date = CalendarDay(
        year: Int(year.value),
        month: Int(month.value),
        day: Int(day.value)
      )
    else { return nil }
    let last = third.end < end && text[third.end] == 0x2E ? third.end + 1 : third.end
    return token(FieldReading(end: last, value: Int64(date.number), form: .day), start)
  }

  /// `2026年3月7日`, `2026년 3월 7일`, or the same without a year.
  private static func named(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    let year = part(text, start, end, [0x5E74, 0xB144])
    guard let month = part(text, year?.end ?? start, end, [0x6708, 0xC6D4]),
      let day = part(text, month.end, end, [0x65E5, 0xC77C]),
      let date = CalendarDay(year: year?.value ?? 2000, month: month.value, day: day.value)
    else { return nil }
    guard year != nil else { return LineToken(kind: .date, start: start, end: day.end) }
    return token(FieldReading(end: day.end, value: Int64(date.number), form: .day), start)
  }

  /// A number with the sign of its unit behind it, white space before it or none.
  private static func part(_ text: [UInt32], _ start: Int, _ end: Int, _ units: [UInt32])
    -> (value: Int, end: Int)?
  {
    let place = start < end && text[start] == 0x20 ? start + 1 : start
    guard let number = FieldReader.plain(in: text, at: place, before: end), number.end < end,
      units.contains(text[number.end])
    else { return nil }
    return (Int(number.value), number.end + 1)
  }

  private static func behindPoint(_ text: [UInt32], _ place: Int, _ end: Int) -> FieldReading? {
    guard place + 2 < end, text[place] == 0x2E, text[place + 1] == 0x20 else { return nil }
    return FieldReader.plain(in: text, at: place + 2, before: end)
  }

  /// A date that begins with the name of its month, or of its day: `Jun 14 2026`, `June 12th`,
  /// `Tue, 10 Mar 2026`.
  package static func inWords(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    let word = DateReader.word(text, start, end)
    let classes = GeneralWords.table.classes(of: text, word)
    guard classes.has([.months, .weekdays]) else { return nil }
    if classes.has(.months), let reading = DateReader.date(in: text, at: start, before: end) {
      return token(reading, start)
    }
    guard classes.has(.weekdays), let place = placeBehind(word.upperBound, text, end),
      Symbols.isDigit(text[place]) || DateReader.isMonth(text, place, end),
      let reading = DateReader.date(in: text, at: place, before: end)
    else { return nil }
    return token(reading, start)
  }

  /// Where what is parted from a name begins; `nil` where nothing is.
  private static func placeBehind(_ name: Int, _ text: [UInt32], _ end: Int) -> Int? {
    var place = name
    while place < end, place - name < 3, [0x20, 0x2C, 0x2E].contains(text[place]) { place += 1 }
    return place > name && place < end ? place : nil
  }

  package static func token(_ reading: FieldReading, _ start: Int) -> LineToken {
    LineToken(
      kind: reading.form == .day ? .day : .date,
      start: start,
      end: reading.end,
      value: ResultNumber(Int(reading.value))
    )
  }

  /// `27/01/2026`, where one of the first two can only be the day, or a point says that it is.
  package static func digits(_ text: [UInt32], _ start: Int, _ end: Int) -> LineToken? {
    let dayFirst = DateReader.digits(in: text, at: start, before: end, monthFirst: false)
    let monthFirst = DateReader.digits(in: text, at: start, before: end, monthFirst: true)
    guard let first = dayFirst ?? monthFirst else { return nil }
    let year = text[start..<first.end].suffix { Symbols.isDigit($0) }.count
    guard year == 4 || year == 2, first.end - start >= 6 else { return nil }
    if year == 2, DateReader.yearFirst(in: text, at: start, before: end) != nil {
      // `25/05/17` may be of 2025 or of 2017.
      return LineToken(kind: .date, start: start, end: first.end)
    }
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
  package init(_ scalars: some Sequence<UInt32>) {
    self.init()
    for scalar in scalars { unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
  }
}
