/// A number as its significant digits and a power of ten, so that `1.0`, `1` and `10e-1` are equal.
package struct DecimalForm: Hashable, Sendable {
  package let isNegative: Bool
  /// Digits from 0 to 9 without zeros at either end; none for zero.
  package let digits: [UInt8]
  /// The power of ten that the last digit represents.
  package let exponent: Int

  /// Exponents with more digits than these are refused.
  package static let longestExponent = 15

  /// Takes exactly a JSON number with an exponent that is not too long.
  package init?(_ literal: some Collection<UInt8>) {
    var rest = literal[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest = rest.dropFirst() }
    let whole = rest.prefix(while: Self.isDigit)
    rest = rest.dropFirst(whole.count)
    guard let first = whole.first, whole.count == 1 || first != UInt8(ascii: "0") else {
      return nil
    }
    var digits = whole.map { $0 - UInt8(ascii: "0") }
    var exponent = 0
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: Self.isDigit)
      guard !fraction.isEmpty else { return nil }
      digits += fraction.map { $0 - UInt8(ascii: "0") }
      exponent = -fraction.count
      rest = rest.dropFirst(1 + fraction.count)
    }
    if let letter = rest.first {
      guard letter | 0x20 == UInt8(ascii: "e"), let power = Self.power(rest.dropFirst()) else {
        return nil
      }
      exponent += power
    }
    self.init(isNegative: isNegative, digits: digits, exponent: exponent)
  }

  /// Takes exactly a JSON number from memory; made here so that callers elsewhere get it fast.
  package init?(_ literal: UnsafeRawBufferPointer) {
    guard let form = unsafe Self.read(literal) else { return nil }
    self = form
  }

  private static func read(_ literal: some Collection<UInt8>) -> Self? {
    Self(literal)
  }

  private init(isNegative: Bool, digits: [UInt8], exponent: Int) {
    let leading = digits.prefix { $0 == 0 }.count
    var significant = Array(digits.dropFirst(leading))
    var power = exponent
    while significant.last == 0 {
      significant.removeLast()
      power += 1
    }
    self.isNegative = isNegative && !significant.isEmpty
    self.digits = significant
    self.exponent = significant.isEmpty ? 0 : power
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
  }

  private static func power(_ text: some Collection<UInt8>) -> Int? {
    var rest = text[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    guard !rest.isEmpty, rest.count <= longestExponent, rest.allSatisfy(isDigit) else {
      return nil
    }
    let value = rest.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return isNegative ? -value : value
  }

  /// The number as a 64-bit integer, or `nil` when it has a fraction or does not fit.
  package var int64: Int64? {
    guard !digits.isEmpty else { return 0 }
    guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
    var value: Int64 = 0
    for place in 0..<digits.count + exponent {
      let digit = Int64(place < digits.count ? digits[place] : 0)
      let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflows) =
        isNegative
        ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
      guard !overflows, !sumOverflows else { return nil }
      value = sum
    }
    return value
  }

  /// Whether the number has no fraction, however large it is.
  package var isInteger: Bool {
    exponent >= 0
  }
}

extension DecimalForm: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative
      ? right.hasSmallerMagnitude(than: left) : left.hasSmallerMagnitude(than: right)
  }

  private func hasSmallerMagnitude(than other: Self) -> Bool {
    guard !digits.isEmpty, !other.digits.isEmpty else {
      return digits.isEmpty && !other.digits.isEmpty
    }
    let places = digits.count + exponent
    let otherPlaces = other.digits.count + other.exponent
    if places != otherPlaces { return places < otherPlaces }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}
