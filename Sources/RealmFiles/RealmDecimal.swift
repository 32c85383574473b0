/// A decimal number with up to 34 digits: `significand × 10^exponent`, not a number, or infinite.
package struct RealmDecimal: Hashable, Sendable {
  package enum Class: Hashable, Sendable {
    case finite, infinite, notANumber
  }

  package let `class`: Class
  package let isNegative: Bool
  package let significand: UInt128
  package let exponent: Int

  package init(
    `class`: Class = .finite,
    isNegative: Bool = false,
    significand: UInt128 = 0,
    exponent: Int = 0
  ) {
    self.class = `class`
    self.isNegative = isNegative
    self.significand = significand
    self.exponent = exponent
  }
}

extension RealmDecimal {
  /// How IEEE 754 lays out the decimals of one width, with a binary integer as significand.
  private struct Layout {
    /// The whole width in bits.
    let width: Int
    let exponentBits: Int
    let bias: Int

    /// The bits of a significand that has no bit of its own implied.
    var significandBits: Int { width - 1 - exponentBits }

    init?(byteCount: Int) {
      switch byteCount {
      case 4: (width, exponentBits, bias) = (32, 8, 101)
      case 8: (width, exponentBits, bias) = (64, 10, 398)
      case 16: (width, exponentBits, bias) = (128, 14, 6176)
      case _: return nil
      }
    }
  }

  /// Reads an IEEE 754 decimal of 4, 8 or 16 bytes.
  ///
  /// The sign is the highest bit. Where the next two bits are not both set, exponent and significand
  /// follow. Where they are, both begin two bits later, and the significand has `100` before its bits.
  /// Five bits behind the sign that are `11110` are infinity, `11111` is no number.
  ///
  /// - Returns: `nil` for Realm's null, which is the NaN whose lowest byte is 0xAA.
  static func reading(_ bits: UInt128, byteCount: Int) -> RealmDecimal? {
    guard let layout = Layout(byteCount: byteCount) else {
      preconditionFailure("a decimal has 4, 8 or 16 bytes")
    }
    let isNegative = bits >> (layout.width - 1) & 1 == 1
    let combination = bits >> (layout.width - 6) & 31
    if combination == 31 {
      if bits & 0xFF == 0xAA, !isNegative { return nil }
      return RealmDecimal(class: .notANumber)
    }
    if combination == 30 { return RealmDecimal(class: .infinite, isNegative: isNegative) }
    let mask = (UInt128(1) << layout.exponentBits) - 1
    var low = layout.significandBits
    var implied: UInt128 = 0
    if combination >> 3 == 3 {
      implied = UInt128(1) << low
      low -= 2
    }
    return RealmDecimal(
      isNegative: isNegative,
      significand: bits & ((UInt128(1) << low) - 1) | implied,
      exponent: Int(bits >> low & mask) - layout.bias
    )
  }
}

extension RealmDecimal: CustomStringConvertible {
  /// The number as text, every digit kept: `-12.50`, `7E+30`, `Infinity`, `NaN`.
  package var description: String {
    let sign = isNegative ? "-" : ""
    switch self.class {
    case .notANumber: return "NaN"
    case .infinite: return sign + "Infinity"
    case .finite: break
    }
    let digits = String(significand)
    if exponent == 0 { return sign + digits }
    // As General Decimal Arithmetic writes numbers: a plain point where few zeros are needed.
    let place = digits.count + exponent
    if exponent < 0, place > -6 {
      if place > 0 { return sign + digits.prefix(place) + "." + digits.dropFirst(place) }
      return sign + "0." + String(repeating: "0", count: -place) + digits
    }
    let power = place - 1
    let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
    return sign + digits.prefix(1) + fraction + "E" + (power < 0 ? "" : "+") + String(power)
  }
}
