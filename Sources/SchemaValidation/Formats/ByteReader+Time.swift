// https://www.rfc-editor.org/rfc/rfc3339#section-5.6 and appendix A

extension ByteReader {
  mutating func takeDate() -> Bool {
    guard let year = takeNumber(4), take(0x2D), let month = takeNumber(2),
      take(0x2D), let day = takeNumber(2)
    else { return false }
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let longest: Int
    switch month {
    case 4, 6, 9, 11: longest = 30
    case 2: longest = isLeapYear ? 29 : 28
    case 1...12: longest = 31
    default: return false
    }
    return day >= 1 && day <= longest
  }

  /// Takes a time with its zone.
  ///
  /// A leap second is let in only at the end of a day in UTC.
  mutating func takeTime() -> Bool {
    guard let hour = takeNumber(2), take(0x3A), let minute = takeNumber(2),
      take(0x3A), let second = takeNumber(2), hour < 24, minute < 60, second <= 60
    else { return false }
    if take(0x2E), skip(while: { Self.isDigit($0) }) == 0 { return false }
    var minutes = hour * 60 + minute
    if !takeLetter(0x7A) {
      let sign = next
      guard take(0x2B) || take(0x2D), let zoneHour = takeNumber(2),
        take(0x3A), let zoneMinute = takeNumber(2), zoneHour < 24, zoneMinute < 60
      else { return false }
      let offset = zoneHour * 60 + zoneMinute
      minutes += sign == 0x2B ? -offset : offset
    }
    return second < 60 || (minutes + 1440) % 1440 == 1439
  }

  mutating func takeDuration() -> Bool {
    guard take(UInt8(ascii: "P")) else { return false }
    let hasDate = takeParts("YMD")
    guard let hasDate else { return false }
    if take(UInt8(ascii: "T")) { return takeParts("HMS") == true }
    if hasDate { return true }
    return skip(while: { Self.isDigit($0) }) > 0 && take(UInt8(ascii: "W"))
  }

  /// Takes counts with the given units, in order and without gaps; `nil` when there is a gap.
  private mutating func takeParts(_ units: StaticString) -> Bool? {
    var last: Int?
    while Self.isDigit(next) {
      let start = position
      skip { Self.isDigit($0) }
      var unit: Int?
      for index in 0..<units.utf8CodeUnitCount where unsafe units.utf8Start[index] == next {
        unit = index
      }
      guard let unit else {
        position = start
        return last == nil ? false : nil
      }
      if let last, unit != last + 1 { return nil }
      last = unit
      position += 1
    }
    return last != nil
  }

  mutating func takeUUID() -> Bool {
    guard count - position >= 36 else { return false }
    // The hyphens' places: one bit for each byte of the text.
    let hyphens: UInt64 = 1 << 8 | 1 << 13 | 1 << 18 | 1 << 23
    for place in 0..<36 {
      let byte = peek(place)
      let isHyphen = hyphens >> UInt64(place) & 1 == 1
      guard isHyphen ? byte == 0x2D : Self.hexadecimals.contains(byte) else { return false }
    }
    position += 36
    return true
  }
}
