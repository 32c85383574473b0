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

  /// A comma, white space, and the word “and”.
  private static func skipJoint(in text: [UInt32], at start: Int, before limit: Int) -> Int {
    var place = start
    if place + 1 < limit, text[place] == 0x2C, text[place + 1] == 0x20 { place += 1 }
    while place < limit, text[place] == 0x20 { place += 1 }
    if place + 4 < limit, text[place] == 0x61, text[place + 1] == 0x6E, text[place + 2] == 0x64,
      text[place + 3] == 0x20
    {
      return place + 4
    }
    return place
  }

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
    case 0x6D where scale == 0: value *= 60
    case 0x73: break
    default: return nil
    }
    let letters = place
    while place < limit, text[place] >= 0x61, text[place] <= 0x7A, place - letters < 8 {
      place += 1
    }
    return (value, fraction, scale, place)
  }
}
