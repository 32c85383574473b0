/// Reads dates in the ways that games write them.
package enum DateReader {
  private typealias Part = (value: Int, end: Int)

  /// Reads `2024-03-07`, `2026/02/10`, `29.03.2024`, `Oct 4, 2026`, `22 July, 2026`, `June 11th`.
  package static func date(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading? {
    if let name = month(in: text, at: start, before: limit) {
      return monthFirst(name, in: text, before: limit)
    }
    guard let first = FieldReader.plain(in: text, at: start, before: limit), first.end < limit
    else {
      return nil
    }
    if first.end - start == 4 {
      return yearFirst(Int(first.value), in: text, at: first.end, before: limit)
    }
    // `3. März 2026`
    let isPointed =
      text[first.end] == 0x2E && first.end + 1 < limit && text[first.end + 1] == 0x20
    if !isPointed, text[first.end] == 0x2E || text[first.end] == 0x2F {
      return digits(in: text, at: start, before: limit, monthFirst: false)
    }
    var place =
      isPointed ? first.end + 1 : skipOrdinal(in: text, at: first.end, before: limit)
    place = skip(in: text, at: place, before: limit)
    guard let name = month(in: text, at: place, before: limit) else { return nil }
    return day(Int(first.value), name.value, in: text, at: name.end, before: limit)
  }

  /// Reads `1/23/2024` or, day first, `27/01/2024`; a year of two digits is of this century.
  package static func digits(
    in text: [UInt32],
    at start: Int,
    before limit: Int,
    monthFirst: Bool
  ) -> FieldReading? {
    guard let first = FieldReader.plain(in: text, at: start, before: limit), first.end < limit,
      text[first.end] == 0x2F || text[first.end] == 0x2E || text[first.end] == 0x2D,
      let second = FieldReader.plain(in: text, at: first.end + 1, before: limit),
      second.end < limit, text[second.end] == text[first.end],
      let third = FieldReader.plain(in: text, at: second.end + 1, before: limit)
    else { return nil }
    let year = third.end - second.end == 3 ? 2000 + Int(third.value) : Int(third.value)
    let month = Int(monthFirst ? first.value : second.value)
    let day = Int(monthFirst ? second.value : first.value)
    return reading(year, month, day, end: third.end)
  }

  /// Reads `20260702`, `2026-07-02` or `25/05/17`; a year of two digits is of this century.
  package static func yearFirst(in text: [UInt32], at start: Int, before limit: Int)
    -> FieldReading?
  {
    guard let first = FieldReader.plain(in: text, at: start, before: limit) else { return nil }
    if first.end - start == 8 {
      let digits = Int(first.value)
      return reading(digits / 10_000, digits / 100 % 100, digits % 100, end: first.end)
    }
    guard first.end < limit else { return nil }
    let year = first.end - start == 2 ? 2000 + Int(first.value) : Int(first.value)
    return yearFirst(year, in: text, at: first.end, before: limit)
  }

  private static func yearFirst(
    _ year: Int,
    in text: [UInt32],
    at place: Int,
    before limit: Int
  ) -> FieldReading? {
    guard text[place] == 0x2D || text[place] == 0x2F || text[place] == 0x2E,
      let second = FieldReader.plain(in: text, at: place + 1, before: limit), second.end < limit,
      text[second.end] == text[place],
      let third = FieldReader.plain(in: text, at: second.end + 1, before: limit)
    else { return nil }
    return reading(year, Int(second.value), Int(third.value), end: third.end)
  }

  private static func monthFirst(
    _ name: Part,
    in text: [UInt32],
    before limit: Int
  ) -> FieldReading? {
    let place = skip(in: text, at: name.end, before: limit)
    guard let first = FieldReader.plain(in: text, at: place, before: limit) else { return nil }
    let end = skipOrdinal(in: text, at: first.end, before: limit)
    return day(Int(first.value), name.value, in: text, at: end, before: limit)
  }

  /// A day and a month are known; a year may follow.
  private static func day(
    _ day: Int,
    _ month: Int,
    in text: [UInt32],
    at end: Int,
    before limit: Int
  ) -> FieldReading? {
    let place = skip(in: text, at: end, before: limit)
    if place > end, let year = FieldReader.plain(in: text, at: place, before: limit),
      year.end - place == 4
    {
      return reading(Int(year.value), month, day, end: year.end)
    }
    guard CalendarDay(year: 2000, month: month, day: day) != nil else { return nil }
    return FieldReading(end: end, value: Int64(month * 100 + day), form: .dayOfYear)
  }

  private static func reading(_ year: Int, _ month: Int, _ day: Int, end: Int) -> FieldReading? {
    guard let found = CalendarDay(year: year, month: month, day: day) else { return nil }
    return FieldReading(end: end, value: Int64(found.number), form: .day)
  }

  private static func skip(in text: [UInt32], at start: Int, before limit: Int) -> Int {
    var place = start
    while place < limit, place - start < 3, text[place] == 0x20 || text[place] == 0x2C {
      place += 1
    }
    return place
  }

  /// Skips the letters of `11th`.
  private static func skipOrdinal(in text: [UInt32], at start: Int, before limit: Int) -> Int {
    guard start + 1 < limit else { return start }
    switch (text[start], text[start + 1]) {
    case (0x73, 0x74), (0x6E, 0x64), (0x72, 0x64), (0x74, 0x68): return start + 2
    default: return start
    }
  }

  private typealias Month = (name: [UInt32], month: Int)

  /// The beginnings of the months' names in the languages of Europe by their first characters,
  /// longer ones first.
  private static let months: [UInt32: [Month]] = Dictionary(grouping: allMonths) { $0.name[0] }

  private static let allMonths: [Month] = [
    "jan gen ene sty led oca янв січ", "feb fev fév febr lut úno şub фев лют", "mar mär bře берез",
    "apr abr avr kwi dub nis апр квіт", "may mai mag mei maj kvě май трав",
    "jun juin giu cze čer haz июн черв",
    "jul juil lug lip červenec июл лип", "aug ago aoû aou sie srp ağu авг серп",
    "sep set wrz zář eyl сен верес",
    "oct okt ott out paź říj eki окт жовт", "nov noi lis kas ноя листоп",
    "dec dez dic déc gru pro ara дек груд",
  ].enumerated().flatMap { index, names in
    names.split(separator: " ").map { (Array($0.unicodeScalars.map(\.value)), index + 1) }
  }
  .sorted { $0.0.count > $1.0.count }

  /// Whether a word is here that is the name of a month, whole or short.
  package static func isMonth(_ text: [UInt32], _ start: Int, _ limit: Int) -> Bool {
    GeneralWords.table.classes(of: text, word(text, start, limit)).has(.months)
  }

  /// The letters at a place, as many as the name of a month or of a day of the week has.
  static func word(_ text: [UInt32], _ start: Int, _ limit: Int) -> Range<Int> {
    var end = start
    while end < limit, end - start < 12, Symbols.isLetter(text[end]) { end += 1 }
    return start..<end
  }

  /// A month by the beginning of its name; the rest of the word and a point are skipped.
  private static func month(in text: [UInt32], at start: Int, before limit: Int) -> Part? {
    guard start + 3 < limit, Symbols.isLetter(text[start]) else { return nil }
    let month = months[text[start]]?.first { text[start..<limit].starts(with: $0.name) }
    guard let month else { return nil }
    var end = start + month.name.count
    while end < limit, end - start < 10, Symbols.isLetter(text[end]) { end += 1 }
    // `3 out of 6` is no day of October.
    if end + 3 < limit, text[end..<end + 4].elementsEqual([0x20, 0x6F, 0x66, 0x20]) { return nil }
    if end < limit, text[end] == 0x2E { end += 1 }
    return (month.month, end)
  }
}
