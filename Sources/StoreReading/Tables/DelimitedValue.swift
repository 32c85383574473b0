/// What a value of delimited text can mean beside a text.
enum DelimitedValue {
  /// The words that programming languages and spreadsheets write.
  static func boolean(_ text: some Collection<UInt8>) -> Bool? {
    guard text.count == 4 || text.count == 5 else { return nil }
    return switch String(decoding: text, as: UTF8.self) {
    case "true", "TRUE", "True": true
    case "false", "FALSE", "False": false
    default: nil
    }
  }

  /// Whether it is a number as JSON writes one without an exponent.
  static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    var digits = text
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    let whole = digits.prefix(while: isDigit)
    guard let first = whole.first, whole.count == 1 || first != UInt8(ascii: "0") else {
      return false
    }
    digits = digits.dropFirst(whole.count)
    // Of “-0” an integer would not keep the sign.
    guard let point = digits.first else { return !isNegative || first != UInt8(ascii: "0") }
    guard point == UInt8(ascii: ".") else { return false }
    let fraction = digits.dropFirst()
    return !fraction.isEmpty && fraction.allSatisfy(isDigit)
  }

  /// The whole number, or `nil` for one that 64 bits do not hold, and for any other text.
  static func integer(_ text: some Collection<UInt8>) -> Int64? {
    Int64(String(decoding: text, as: UTF8.self))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
