/// A number as a text shows it: `1234`, `722.2` or `92.0`.
package struct ResultNumber: Hashable, Sendable, CustomStringConvertible {
  /// The digits without the point and without zeros at its end: `7222` for `722.2`.
  package let digits: Int64
  /// How many of the digits are after the point.
  package let scale: Int

  package init(_ integer: Int) {
    self.init(digits: Int64(integer), scale: 0)
  }

  package init(digits: Int64, scale: Int) {
    var (digits, scale) = (digits, scale)
    while scale > 0, digits.isMultiple(of: 10) { (digits, scale) = (digits / 10, scale - 1) }
    self.digits = digits
    self.scale = scale
  }

  /// The number, when nothing is after its point.
  package var integer: Int? { scale == 0 ? Int(digits) : nil }

  /// The shortest form: `92` for `92.0`.
  package var description: String {
    guard scale > 0 else { return String(digits) }
    var whole = String(digits.magnitude)
    if whole.count <= scale {
      whole = String(repeating: "0", count: scale - whole.count + 1) + whole
    }
    let cut = whole.index(whole.endIndex, offsetBy: -scale)
    return (digits < 0 ? "-" : "") + whole[..<cut] + "." + whole[cut...]
  }
}

extension ResultNumber: Comparable {
  package static func < (first: ResultNumber, second: ResultNumber) -> Bool {
    let scale = max(first.scale, second.scale)
    return first.digits(scale: scale) < second.digits(scale: scale)
  }

  /// The number times ten for each of so many places behind its point.
  private func digits(scale: Int) -> Int128 {
    (self.scale..<scale).reduce(Int128(digits)) { product, _ in product * 10 }
  }
}
