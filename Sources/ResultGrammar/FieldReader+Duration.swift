extension FieldReader {
  /// Reads lengths of time with their units behind them: `3h 1m 44s`, `1 minute and 1 second`.
  package static func duration(in text: [UInt32], at start: Int, before limit: Int) -> FieldReading?
  {
    var total = FieldReading(end: start, form: .seconds)
    var place = start
    var isFirst = true
    while true {
      let begin = isFirst ? place : skipJoint(in: text, at: place, before: limit)
      guard let part = unit(in: text, at: begin, before: limit) else { break }
      total.value += part.value
      if part.scale > 0 {
        for _ in 0..<part.scale { total.value *= 10 }
        total.value += part.fraction
        total.scale = part.scale
      }
      place = part.end
      total.end = place
      isFirst = false
      guard total.scale == 0, total.value < 1_000_000 else { break }
    }
    return isFirst ? nil : total
  }

  /// A comma, white space, and a word for “and” before a number.
  private static func skipJoint(in text: [UInt32], at start: Int, before limit: Int) -> Int {
    var place = start
    if place + 1 < limit, text[place] == 0x2C, text[place + 1] == 0x20 { place += 1 }
    while place < limit, text[place] == 0x20 { place += 1 }
    var end = place
    while end < limit, end - place < 4, Symbols.isLetter(text[end]) { end += 1 }
    guard end > place, end + 1 < limit, text[end] == 0x20, Symbols.isDigit(text[end + 1]),
      ands.contains(where: { $0.elementsEqual(text[place..<end]) })
    else { return place }
    return end + 1
  }

  private static let ands = [
    "a", "and", "dan", "e", "en", "es", "et", "és", "i", "ja", "och", "og", "und", "ve", "și", "y",
    "и",
    "і", "và",
  ].map { $0.unicodeScalars.map(\.value) }

  private static func unit(
    in text: [UInt32],
    at start: Int,
    before limit: Int
  ) -> (value: Int64, fraction: Int64, scale: Int, end: Int)? {
    let whole = plain(in: text, at: start, before: limit)
    var value = whole?.value ?? 0
    var place = whole?.end ?? start
    var fraction: Int64 = 0
    var scale = 0
    if place < limit, text[place] == 0x2E,
      let digits = plain(in: text, at: place + 1, before: limit), digits.end - place <= 4
    {
      fraction = digits.value
      scale = digits.end - place - 1
      place = digits.end
    }
    guard whole != nil || scale > 0, value < 1_000_000 else { return nil }
    while place < limit, text[place] == 0x20 { place += 1 }
    guard place < limit else { return nil }
    switch text[place] {
    case 0x68 where scale == 0: value *= 3600
    case 0x6642 where scale == 0 && place + 1 < limit && text[place + 1] == 0x9593,
      0xC2DC where scale == 0 && place + 1 < limit && text[place + 1] == 0xAC04:
      value *= 3600
    case 0x6D where scale == 0, 0x43C where scale == 0, 0x445 where scale == 0,
      0x5206 where scale == 0, 0xBD84 where scale == 0:
      value *= 60
    case 0x73, 0x441, 0x79D2, 0xCD08: break
    default:
      guard scale == 0, let unit = otherUnit(in: text, at: place, before: limit) else { return nil }
      return (value * unit.seconds, 0, 0, unit.end)
    }
    let letters = place
    if text[place] >= 0x3040 {
      // What counts a unit of time may follow: `2分钟`, `1時間`, `1시간`.
      place += 1
      if place < limit, [0x949F, 0x9418, 0x9593, 0xAC04].contains(text[place]) { place += 1 }
    } else {
      let isLatin = text[place] < 0x80
      while place < limit, isLatin ? isLatinLetter(text[place]) : isCyrillic(text[place]),
        place - letters < 8
      {
        place += 1
      }
    }
    return (value, fraction, scale, place)
  }

  /// A unit that no usual letter begins: `3 dakika`, `12 giây`.
  private static func otherUnit(in text: [UInt32], at start: Int, before limit: Int)
    -> (seconds: Int64, end: Int)?
  {
    var end = start
    while end < limit, end - start < 14, Symbols.isLetter(text[end]) { end += 1 }
    let word = text[start..<end]
    return otherUnits.first { word.elementsEqual($0.name) }.map { ($0.seconds, end) }
  }

  /// The words for minute and second that begin with no letter of the usual units.
  private static let otherUnits: [(name: [UInt32], seconds: Int64)] =
    GeneralTime.minutes.map { (name: Array($0.unicodeScalars.map(\.value)), seconds: 60) }
    + GeneralTime.seconds.map { (name: Array($0.unicodeScalars.map(\.value)), seconds: 1) }

  private static func isLatinLetter(_ scalar: UInt32) -> Bool { scalar >= 0x61 && scalar <= 0x7A }

  private static func isCyrillic(_ scalar: UInt32) -> Bool {
    scalar >= 0x430 && scalar <= 0x45F
  }
}
