/// Numbers as text, in ASCII digits and nothing else.
enum NumberText {
  /// A number of up to 18 digits with nothing around it; `nil` for anything else.
  static func plainInteger(_ text: [UInt8]) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    var place = isNegative ? 1 : 0
    guard text.count > place, text.count - place <= 18 else { return nil }
    var number: Int64 = 0
    while place < text.count {
      let digit = text[place] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number &* 10 &+ Int64(digit)
      place += 1
    }
    return isNegative ? -number : number
  }

  /// A decimal or `0x…` integer from `Int64.min` to `UInt64.max`; `nil` for anything else.
  static func integer(_ text: ArraySlice<UInt8>) -> PropertyList? {
    var digits = text
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    var radix: UInt64 = 10
    if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
      digits.removeFirst(2)
      radix = 16
    }
    guard let magnitude = magnitude(digits, radix: radix) else { return nil }
    if isNegative {
      guard magnitude <= 1 << 63 else { return nil }
      return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    }
    return Int64(exactly: magnitude).map { .integer($0) } ?? .unsignedInteger(magnitude)
  }

  /// A decimal number or a word for one; `nil` for anything else.
  ///
  /// It is not exact when the number is too large or too small for a double.
  static func real(_ text: ArraySlice<UInt8>) -> (value: Double, isExact: Bool)? {
    var isNumber = !text.isEmpty
    for byte in text {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        continue
      default: isNumber = false
      }
    }
    let words = String(decoding: text, as: UTF8.self)
    guard isNumber else { return word(words.lowercased()).map { ($0, true) } }
    let mantissa = text.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    let isZero = !mantissa.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    guard mantissa.contains(where: { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let value = Double(words)
    else { return nil }
    return (value, value.isFinite && (value != 0 || isZero))
  }

  /// The number that a word represents.
  private static func word(_ word: String) -> Double? {
    switch word {
    case "nan", "+nan", "-nan": .nan
    case "inf", "+inf", "infinity", "+infinity": .infinity
    case "-inf", "-infinity": -.infinity
    default: nil
    }
  }

  private static func magnitude(_ digits: ArraySlice<UInt8>, radix: UInt64) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for byte in digits {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      guard digit < radix else { return nil }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: radix)
      let (sum, isStillTooLarge) = product.addingReportingOverflow(UInt64(digit))
      guard !isTooLarge, !isStillTooLarge else { return nil }
      number = sum
    }
    return number
  }
}
