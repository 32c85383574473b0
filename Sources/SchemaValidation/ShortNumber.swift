/// A number of few digits, read once to be held against several bounds.
@safe
struct ShortNumber {
  /// The number, when it is written without a fraction and an exponent.
  private(set) var integer: Int64 = 0
  private(set) var isInteger = false
  /// The nearest double; not a number when the digits have to decide.
  private(set) var double = Double.nan
  /// The digits as one number without sign and point, and how many of them follow the point; -1 for
  /// a number that is not so short.
  private(set) var magnitude: Int64 = 0
  private(set) var decimals = -1

  /// Reads a literal that is known to be well formed; a plain one is digits with at most a sign.
  @inline(__always)
  init(_ digits: UnsafeRawBufferPointer, isPlain: Bool) {
    guard digits.count <= 17 else { return }
    let isNegative = unsafe digits[0] == UInt8(ascii: "-")
    var scale: Int64 = 1
    var place = isNegative ? 1 : 0
    while place < digits.count {
      let digit = unsafe digits[place] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      magnitude = magnitude &* 10 &+ Int64(digit)
      place &+= 1
    }
    if isPlain {
      integer = isNegative ? 0 &- magnitude : magnitude
      isInteger = true
      double = Double(integer)
      decimals = 0
      return
    }
    // Sixteen bytes with a point among them hold at most fifteen digits, which a double holds
    // exactly; the power of ten is exact too, so the quotient is the nearest double.
    guard digits.count <= 16, unsafe digits[place] == UInt8(ascii: ".") else { return }
    place &+= 1
    let point = place
    while place < digits.count {
      let digit = unsafe digits[place] &- UInt8(ascii: "0")
      guard digit < 10 else { return }
      magnitude = magnitude &* 10 &+ Int64(digit)
      scale = scale &* 10
      place &+= 1
    }
    decimals = place &- point
    let value = Double(magnitude) / Double(scale)
    double = isNegative ? -value : value
  }

  /// Orders the number against a bound: negative, zero or positive; `nil` when only the digits state.
  @inline(__always)
  func order(_ bound: NumberBound) -> Int? {
    if isInteger, bound.isInteger {
      return integer < bound.integer ? -1 : integer == bound.integer ? 0 : 1
    }
    // Doubles decide when they are clearly apart; the comparison fails for what is no number.
    let slack = (double.magnitude + bound.double.magnitude) * 1e-14
    if double < bound.double - slack { return -1 }
    return double > bound.double + slack ? 1 : nil
  }

  /// Whether the number is a whole number of times a divisor; `nil` when only the digits state.
  @inline(__always)
  func isMultiple(of divisor: NumberBound) -> Bool? {
    guard decimals >= 0, divisor.decimals >= 0 else { return nil }
    // Both sent to the same count of decimals.
    let (left, isTooLong) = magnitude.multipliedReportingOverflow(
      by: Self.power(Int(divisor.decimals))
    )
    guard !isTooLong, decimals <= 15 else { return nil }
    return left % (divisor.magnitude &* Self.power(decimals)) == 0
  }

  /// Ten to the power of a small number.
  @inline(__always)
  private static func power(_ exponent: Int) -> Int64 {
    var power: Int64 = 1
    for _ in 0..<exponent { power = power &* 10 }
    return power
  }
}
