extension Timestamp {
  /// The instant an RFC 3339 text names, in microseconds since 2001, or `nil`.
  ///
  /// Digits after the sixth are dropped. A leap second counts as the second after it. An instant that an
  /// `Int64` cannot count is `nil`.
  package static func microseconds(_ text: String) -> Int64? {
    var rest = Array(text.utf8)[...]
    guard let year = takeYear(&rest), let month = take("-", 2, &rest),
      let day = take("-", 2, &rest),
      (1...12).contains(month), (1...31).contains(day),
      let mark = rest.first, mark | 0x20 == UInt8(ascii: "t") || mark == UInt8(ascii: " ")
    else { return nil }
    rest.removeFirst()
    guard let hour = digits(2, &rest), let minute = take(":", 2, &rest),
      let second = take(":", 2, &rest), hour < 24, minute < 60, second <= 60
    else { return nil }
    let micros = takeFraction(&rest)
    guard let offset = takeOffset(&rest), rest.isEmpty else { return nil }
    let days = Int64(
      CivilDate.daysSince1970(year: Int(year), month: Int(month), day: Int(day)) - 11_323
    )
    let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second
    let (scaled, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isBeyond) = scaled.addingReportingOverflow(micros)
    return isTooFar || isBeyond ? nil : sum
  }

  private static func takeYear(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    guard let first = rest.first else { return nil }
    guard first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else {
      return digits(4, &rest)
    }
    rest.removeFirst()
    let count = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }.count
    guard (6...9).contains(count), let year = digits(count, &rest) else { return nil }
    return first == UInt8(ascii: "-") ? -year : year
  }

  private static func take(
    _ mark: Unicode.Scalar,
    _ count: Int,
    _ rest: inout ArraySlice<UInt8>
  ) -> Int64? {
    guard rest.first == UInt8(ascii: mark) else { return nil }
    rest.removeFirst()
    return digits(count, &rest)
  }

  private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int64? {
    guard rest.count >= count else { return nil }
    var value: Int64 = 0
    for byte in rest.prefix(count) {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int64(digit)
    }
    rest.removeFirst(count)
    return value
  }

  private static func takeFraction(_ rest: inout ArraySlice<UInt8>) -> Int64 {
    guard rest.first == UInt8(ascii: ".") else { return 0 }
    rest.removeFirst()
    let found = rest.prefix { $0 &- UInt8(ascii: "0") < 10 }
    rest.removeFirst(found.count)
    var value: Int64 = 0
    for place in 0..<6 {
      let digit = place < found.count ? found[found.startIndex + place] - UInt8(ascii: "0") : 0
      value = value * 10 + Int64(digit)
    }
    return value
  }

  /// Minutes east of UTC.
  private static func takeOffset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    guard let mark = rest.popFirst() else { return nil }
    if mark | 0x20 == UInt8(ascii: "z") { return 0 }
    guard mark == UInt8(ascii: "+") || mark == UInt8(ascii: "-"), let hour = digits(2, &rest),
      let minute = take(":", 2, &rest), hour < 24, minute < 60
    else { return nil }
    return mark == UInt8(ascii: "-") ? -(hour * 60 + minute) : hour * 60 + minute
  }
}
