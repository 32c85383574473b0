import TextCodecs

extension ReferenceDate {
  /// The instant of `[-]YYYY-MM-DDThh:mm:ssZ`, the form of XML lists; `nil` for anything else.
  ///
  /// A year has four or more digits, up to nine; the calendar is the Gregorian one for all years.
  static func seconds(text: ArraySlice<UInt8>) -> Double? {
    seconds(text, separator: UInt8(ascii: "T"), zone: "Z")
  }

  /// The instant of `YYYY-MM-DD hh:mm:ss +hhmm`, the form of GNUstep; `nil` for anything else.
  static func seconds(spacedText text: ArraySlice<UInt8>) -> Double? {
    let zone = text.suffix(6)
    guard zone.count == 6, zone.first == 0x20,
      let sign: Double = zone.dropFirst().first == UInt8(ascii: "+")
        ? 1 : zone.dropFirst().first == UInt8(ascii: "-") ? -1 : nil,
      let hours = number(zone.dropFirst(2).prefix(2)), let minutes = number(zone.suffix(2)),
      hours < 24, minutes < 60,
      let local = seconds(text.dropLast(6), separator: 0x20, zone: "")
    else { return nil }
    return local - sign * Double(hours * 3600 + minutes * 60)
  }

  private static func seconds(
    _ text: ArraySlice<UInt8>,
    separator: UInt8,
    zone: String
  ) -> Double? {
    let isNegative = text.first == UInt8(ascii: "-")
    let yearDigits = text.dropFirst(isNegative ? 1 : 0).prefix { $0 != UInt8(ascii: "-") }
    // What follows the year: `-MM-DDThh:mm:ssZ`.
    let rest = text.dropFirst(yearDigits.count + (isNegative ? 1 : 0))
    let start = rest.startIndex
    let dash = UInt8(ascii: "-")
    let colon = UInt8(ascii: ":")
    guard (4...9).contains(yearDigits.count), let yearNumber = number(yearDigits),
      rest.count == 15 + zone.utf8.count, rest.suffix(zone.utf8.count).elementsEqual(zone.utf8),
      rest[start] == dash, rest[start + 3] == dash, rest[start + 6] == separator,
      rest[start + 9] == colon, rest[start + 12] == colon,
      let month = number(rest[(start + 1)...(start + 2)]),
      let day = number(rest[(start + 4)...(start + 5)]),
      let hour = number(rest[(start + 7)...(start + 8)]),
      let minute = number(rest[(start + 10)...(start + 11)]),
      let second = number(rest[(start + 13)...(start + 14)]), hour < 24, minute < 60, second < 60
    else { return nil }
    let year = isNegative ? -yearNumber : yearNumber
    guard CivilDate.exists(year: year, month: month, day: day) else { return nil }
    let days = CivilDate.daysSince1970(year: year, month: month, day: day) - 11_323
    return Double(days * 86_400 + hour * 3600 + minute * 60 + second)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    var number = 0
    for byte in digits {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }
}
