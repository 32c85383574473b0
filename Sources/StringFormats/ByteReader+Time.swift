import TextCodecs

// https://www.rfc-editor.org/rfc/rfc3339#section-5.6 and appendix A

extension ByteReader {
  mutating func takeDate() -> Bool {
    guard let year = takeNumber(4), take(0x2D), let month = takeNumber(2),
      take(0x2D), let day = takeNumber(2)
    else { return false }
    return CivilDate.exists(year: year, month: month, day: day)
  }

  /// Takes a time with its zone.
  mutating func takeTime() -> Bool {
    guard let hour = takeNumber(2), take(0x3A), let minute = takeNumber(2),
      take(0x3A), let second = takeNumber(2)
    else { return false }
    return takeRest(hour, minute, second)
  }

  /// Takes the fraction and the zone after a time.
  ///
  /// A leap second is let in only at the end of a day in UTC.
  @inline(__always)
  private mutating func takeRest(_ hour: Int, _ minute: Int, _ second: Int) -> Bool {
    guard hour < 24, minute < 60, second <= 60 else { return false }
    if take(0x2E), skip(while: { Self.isDigit($0) }) == 0 { return false }
    var minutes = hour &* 60 &+ minute
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

  /// Takes a date, a T and a time with its zone: two words with the digits in fixed places.
  mutating func takeDateTime() -> Bool {
    guard count &- position >= 20 else { return false }
    // What is left of `2026-01-` and `31T09:30` when zeros and separators are taken off.
    let date = word(at: 0) ^ 0x2D30_302D_3030_3030
    let time = word(at: 8) ^ 0x3030_3A30_3054_3030
    let separators: (UInt64, UInt64) = (0xFF00_00FF_0000_0000, 0x0000_FF00_00DF_0000)
    let digits: (UInt64, UInt64) = (0x00FF_FF00_FFFF_FFFF, 0xFFFF_00FF_FF00_FFFF)
    guard date & separators.0 | time & separators.1 == 0,
      Self.areDigits(date & digits.0), Self.areDigits(time & digits.1), peek(16) == 0x3A
    else { return false }
    let part = { (word: UInt64, place: UInt64) in
      Int(word &>> (place &* 8) & 0xF) &* 10 &+ Int(word &>> (place &* 8 &+ 8) & 0xF)
    }
    position &+= 17
    let year = part(date, 0) &* 100 &+ part(date, 2)
    guard CivilDate.exists(year: year, month: part(date, 5), day: part(time, 0)),
      let second = takeNumber(2)
    else { return false }
    return takeRest(part(time, 3), part(time, 6), second)
  }

  /// Whether every byte of `word` is at most nine.
  @inline(__always)
  private static func areDigits(_ word: UInt64) -> Bool {
    (word &+ 0x7676_7676_7676_7676 | word) & 0x8080_8080_8080_8080 == 0
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
}
