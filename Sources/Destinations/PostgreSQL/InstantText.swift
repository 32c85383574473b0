import TextCodecs

/// Dates and times between RFC 3339 in UTC, which records have, and what PostgreSQL writes with
/// `DateStyle ISO` and `TimeZone UTC`.
///
/// PostgreSQL counts years before the first as `BC`, and has no year 0; a year beyond 9999 has as many digits
/// as it needs. https://www.postgresql.org/docs/current/datatype-datetime.html
package enum InstantText {
  /// What a column takes for an instant; `nil` where the text is not one.
  ///
  /// A column without a zone takes the time in UTC.
  package static func column(_ text: String, hasZone: Bool) -> String? {
    guard Timestamp.microseconds(text) != nil else { return nil }
    var rest = text[...]
    guard let year = takeYear(&rest), let zone = zonePlace(in: rest) else { return nil }
    let isUTC = ["Z", "z", "+00:00", "-00:00"].contains(rest[zone...])
    // A time elsewhere would be another one in a column that keeps no zone.
    guard hasZone || isUTC else { return nil }
    let time = rest[..<zone].replacing("t", with: "T").replacing("T", with: " ")
    let (digits, era) = columnYear(year)
    return digits + time + (hasZone ? (isUTC ? "+00" : String(rest[zone...])) : "") + era
  }

  package static func columnDate(_ text: String) -> String? {
    var rest = text[...]
    guard let year = takeYear(&rest), isDay(rest), rest.count == 6 else { return nil }
    let (digits, era) = columnYear(year)
    return digits + rest + era
  }

  /// What a record has for a column's instant; `nil` for `infinity`, and what else is no instant.
  package static func record(_ text: String) -> String? {
    let (year, rest) = parts(text)
    guard let year, isDay(rest.prefix(6)), rest.count >= 15 else { return nil }
    var time = rest.dropFirst(7)
    if time.hasSuffix("+00") { time.removeLast(3) }
    guard !time.contains("+"), !time.contains("-") else { return nil }
    return recordYear(year) + rest.prefix(6) + "T" + time + "Z"
  }

  package static func recordDate(_ text: String) -> String? {
    let (year, rest) = parts(text)
    guard let year, isDay(rest), rest.count == 6 else { return nil }
    return recordYear(year) + rest
  }

  // MARK: - Years

  /// Takes the year off an RFC 3339 text: four digits, or a sign and at least six.
  private static func takeYear(_ rest: inout Substring) -> Int? {
    let isSigned = rest.first == "+" || rest.first == "-"
    let isNegative = rest.first == "-"
    if isSigned { rest.removeFirst() }
    let digits = rest.prefix(while: \.isASCIIDigit)
    guard isSigned ? digits.count >= 6 : digits.count == 4, let year = Int(digits) else {
      return nil
    }
    rest = rest.dropFirst(digits.count)
    return isNegative ? -year : year
  }

  private static func columnYear(_ year: Int) -> (digits: String, era: String) {
    year > 0 ? (padded(year), "") : (padded(1 - year), " BC")
  }

  private static func recordYear(_ year: Int) -> String {
    switch year {
    case 0...9_999: padded(year)
    case ..<0: "-" + String(repeating: "0", count: max(0, 6 - "\(-year)".count)) + "\(-year)"
    default: "+" + String(repeating: "0", count: max(0, 6 - "\(year)".count)) + "\(year)"
    }
  }

  private static func padded(_ year: Int) -> String {
    String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
  }

  /// The year of a column's text, counted with a year 0, and what follows it.
  private static func parts(_ text: String) -> (year: Int?, rest: Substring) {
    let isBefore = text.hasSuffix(" BC")
    let plain = isBefore ? text.dropLast(3) : text[...]
    let digits = plain.prefix(while: \.isASCIIDigit)
    guard digits.count >= 4, let year = Int(digits) else { return (nil, plain) }
    return (isBefore ? 1 - year : year, plain.dropFirst(digits.count))
  }

  // MARK: - Pieces

  /// Whether a text is `-11-28`.
  private static func isDay(_ text: Substring) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= 6, bytes[0] == UInt8(ascii: "-"), bytes[3] == UInt8(ascii: "-") else {
      return false
    }
    return [1, 2, 4, 5].allSatisfy { bytes[$0] &- UInt8(ascii: "0") < 10 }
  }

  /// Where the zone of an RFC 3339 text begins, of which the year is taken off.
  private static func zonePlace(in rest: Substring) -> Substring.Index? {
    guard rest.count > 7 else { return nil }
    let time = rest.index(rest.startIndex, offsetBy: 7)
    return rest[time...].firstIndex { "Zz+-".contains($0) }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
