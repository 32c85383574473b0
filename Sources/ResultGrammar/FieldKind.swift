/// What a named part of a pattern reads.
package enum FieldKind: String, CaseIterable, Sendable {
  /// Digits, grouped by threes or not: `1234`, `1,234`, `1.234`, `1 234`, `1'234`.
  case number
  /// Digits without grouping: the `6` of `3/6`.
  case count
  /// A number that may have a point: `92.0`, `1,204.5`.
  case decimal
  /// Digits, or `X` for a game that was lost.
  case attempts
  /// Minutes and seconds, or hours, minutes and seconds: `0:38`, `1:02:03`, `03:10.74`.
  case time
  /// Bare seconds: `45`.
  case seconds
  /// A length of time in words: `2m 10s`, `5 minutes and 20 seconds`.
  case duration
  /// A number written in keycap emoji: `5⃣2⃣`.
  case keycaps
  /// A date with its month in words, or year first.
  case date
  /// A date in digits, month first.
  case mdy
  /// A date in digits, day first.
  case dmy
  /// A date in digits, year first, with or without marks between: `20260702`, `25/05/17`.
  case ymd
  /// A date in digits; where no one can know which part is the month, it is kept as text.
  case mixed
  /// Letters and digits up to the next white space.
  case word
  /// Anything up to what follows in the pattern, within the line.
  case text
}

/// What a field read.
package struct FieldReading {
  /// Where the field ends.
  package var end: Int
  package var value: Int64 = 0
  package var scale = 0
  /// What the value is.
  package var form: Form = .number

  package init(end: Int, value: Int64 = 0, scale: Int = 0, form: Form = .number) {
    (self.end, self.value, self.scale, self.form) = (end, value, scale, form)
  }

  package enum Form {
    case number
    case lost
    case seconds
    case day
    /// A month and a day without a year: the value is month × 100 + day.
    case dayOfYear
    case text
  }
}

/// Reads fields out of normal text.
///
/// Every reader answers `nil` when its field is not there.
package enum FieldReader {
  package static func read(
    _ kind: FieldKind,
    in text: [UInt32],
    at start: Int,
    before limit: Int,
    upTo stop: UInt32?
  ) -> FieldReading? {
    switch kind {
    case .number: number(in: text, at: start, before: limit)
    case .count: plain(in: text, at: start, before: limit)
    case .decimal: decimal(in: text, at: start, before: limit)
    case .attempts: attempts(in: text, at: start, before: limit)
    case .time: time(in: text, at: start, before: limit)
    case .seconds: seconds(in: text, at: start, before: limit)
    case .duration: duration(in: text, at: start, before: limit)
    case .keycaps: keycaps(in: text, at: start, before: limit)
    case .date: DateReader.date(in: text, at: start, before: limit)
    case .mdy: DateReader.digits(in: text, at: start, before: limit, monthFirst: true)
    case .dmy: DateReader.digits(in: text, at: start, before: limit, monthFirst: false)
    case .ymd: DateReader.yearFirst(in: text, at: start, before: limit)
    case .mixed: mixed(in: text, at: start, before: limit)
    case .word: word(in: text, at: start, before: limit)
    case .text: words(in: text, at: start, before: limit, upTo: stop)
    }
  }

  private static func mixed(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading? {
    guard let date = GeneralDate.digits(text, start, limit) else { return nil }
    guard date.kind == .day else { return FieldReading(end: date.end, form: .text) }
    return FieldReading(end: date.end, value: date.value.digits, form: .day)
  }

  package static func digit(_ text: [UInt32], _ place: Int, _ limit: Int) -> Int64? {
    guard place < limit else { return nil }
    let scalar = text[place]
    guard scalar >= 0x30, scalar <= 0x39 else { return nil }
    return Int64(scalar - 0x30)
  }

  /// Up to twelve digits without grouping.
  package static func plain(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading? {
    var reading = FieldReading(end: start)
    while let next = digit(text, reading.end, limit) {
      guard reading.end - start < 12 else { return nil }
      reading.value = reading.value * 10 + next
      reading.end += 1
    }
    guard reading.end > start, !isKeycap(text, reading.end, limit) else { return nil }
    return reading
  }

  private static func isKeycap(_ text: [UInt32], _ place: Int, _ limit: Int) -> Bool {
    place < limit && text[place] == 0x20E3
  }

  package static func number(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading? {
    number(in: text, at: start, before: limit, point: nil)
  }

  /// Reads digits and whole groups of three behind one kind of separator, which is not `point`.
  private static func number(
    in text: [UInt32],
    at start: Int,
    before limit: Int,
    point: UInt32?
  ) -> FieldReading? {
    guard var reading = plain(in: text, at: start, before: limit) else { return nil }
    guard reading.end - start <= 3, text[start] != 0x30 else { return reading }
    guard reading.end < limit else { return reading }
    let separator = text[reading.end]
    guard isSeparator(separator), separator != point else { return reading }
    while reading.end < limit, text[reading.end] == separator, reading.value < 1_000_000_000,
      let group = plain(in: text, at: reading.end + 1, before: limit),
      group.end == reading.end + 4
    {
      reading.value = reading.value * 1000 + group.value
      reading.end = group.end
    }
    return reading
  }

  private static func isSeparator(_ scalar: UInt32) -> Bool {
    scalar == 0x2C || scalar == 0x2E || scalar == 0x27 || scalar == 0x20
  }

  package static func decimal(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading?
  {
    guard var reading = number(in: text, at: start, before: limit, point: 0x2E) else { return nil }
    guard reading.end < limit, text[reading.end] == 0x2E || text[reading.end] == 0x2C,
      let fraction = plain(in: text, at: reading.end + 1, before: limit),
      fraction.end - reading.end <= 5, reading.value < 1_000_000_000
    else { return reading }
    for _ in reading.end + 1..<fraction.end { reading.value *= 10 }
    reading.value += fraction.value
    reading.scale = fraction.end - reading.end - 1
    reading.end = fraction.end
    return reading
  }

  package static func attempts(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading?
  {
    guard start < limit else { return nil }
    if text[start] == 0x78 {
      return FieldReading(end: start + 1, form: .lost)
    }
    return plain(in: text, at: start, before: limit)
  }

  package static func seconds(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading?
  {
    guard var reading = plain(in: text, at: start, before: limit) else { return nil }
    // `1:12` is a clock, and so is `1.12` in some languages.
    if reading.end < limit, text[reading.end] == 0x3A { return nil }
    if text[reading.end..<limit].first == 0x2E, digit(text, reading.end + 1, limit) != nil {
      return nil
    }
    reading.form = .seconds
    return reading
  }

  package static func time(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading? {
    guard var reading = plain(in: text, at: start, before: limit), reading.value < 100_000 else {
      return nil
    }
    var parts = 0
    while parts < 2, reading.end < limit, text[reading.end] == 0x3A,
      let next = plain(in: text, at: reading.end + 1, before: limit),
      next.end == reading.end + 3, next.value < 60
    {
      reading.value = reading.value * 60 + next.value
      reading.end = next.end
      parts += 1
    }
    guard parts > 0 else { return nil }
    if reading.end < limit, text[reading.end] == 0x2E,
      let fraction = plain(in: text, at: reading.end + 1, before: limit),
      fraction.end - reading.end <= 4
    {
      add(fraction, to: &reading)
    }
    reading.form = .seconds
    return reading
  }

  /// Puts the digits of `fraction`, which begins one behind the end, after the point.
  private static func add(_ fraction: FieldReading, to reading: inout FieldReading) {
    for _ in reading.end + 1..<fraction.end { reading.value *= 10 }
    reading.value += fraction.value
    reading.scale = fraction.end - reading.end - 1
    reading.end = fraction.end
  }

  package static func keycaps(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading?
  {
    var reading = FieldReading(end: start)
    while let next = digit(text, reading.end, limit), isKeycap(text, reading.end + 1, limit),
      reading.end - start < 18
    {
      reading.value = reading.value * 10 + next
      reading.end += 2
    }
    return reading.end > start ? reading : nil
  }

  private static func word(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading? {
    var end = start
    while end < limit, end - start < 80, text[end] > 0x20 { end += 1 }
    return end > start ? FieldReading(end: end, form: .text) : nil
  }

  private static func words(
    in text: [UInt32],
    at start: Int,
    before limit: Int,
    upTo stop: UInt32?
  ) -> FieldReading? {
    var end = start
    while end < limit, end - start < 200, text[end] != 0x0A, text[end] != stop { end += 1 }
    return end > start ? FieldReading(end: end, form: .text) : nil
  }
}
