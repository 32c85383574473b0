/// A finite double as decimal digits: the fewest that read back as the same double.
struct DecimalText {
  let isNegative: Bool
  /// Digits before the point, 0 to 9, at least one.
  let whole: [UInt8]
  /// Digits behind the point, without zeros at the end.
  let fraction: [UInt8]

  init(_ value: Double) {
    var digits: [UInt8] = []
    var point: Int?
    var exponent = 0
    var text = Array(value.magnitude.description.utf8)[...]
    while let byte = text.popFirst() {
      if byte == UInt8(ascii: ".") {
        point = digits.count
      } else if byte == UInt8(ascii: "e") {
        exponent = Self.exponent(text)
        break
      } else {
        digits.append(byte - UInt8(ascii: "0"))
      }
    }
    let place = (point ?? digits.count) + exponent
    if place <= 0 {
      whole = [0]
      digits.insert(contentsOf: Array(repeating: 0, count: -place), at: 0)
      fraction = Self.trimmed(digits[...])
    } else if place >= digits.count {
      whole = digits + Array(repeating: 0, count: place - digits.count)
      fraction = []
    } else {
      whole = Array(digits[..<place])
      fraction = Self.trimmed(digits[place...])
    }
    isNegative = value < 0
  }

  private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
    let isNegative = text.first == UInt8(ascii: "-")
    var value = 0
    for byte in text where byte &- UInt8(ascii: "0") < 10 {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return isNegative ? -value : value
  }

  private static func trimmed(_ digits: ArraySlice<UInt8>) -> [UInt8] {
    var digits = digits
    while digits.last == 0 { digits.removeLast() }
    return Array(digits)
  }
}
