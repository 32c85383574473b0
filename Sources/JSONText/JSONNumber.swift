/// A number with the digits it was written with.
///
/// Two numbers are equal when they have the same mathematical value: `1`, `1.0` and `10e-1` are.
package struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
  /// The number as JSON spells it.
  package let literal: String

  package init(_ integer: Int64) {
    literal = String(integer)
  }

  /// Takes a finite number and spells it as shortly as reads back the same, without `.0`.
  package init(_ double: Double) {
    precondition(double.isFinite, "JSON has no spelling for a number that is not finite")
    let text = double.description
    literal = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Takes exactly what JSON calls a number, with an exponent of at most fifteen digits.
  package init?(literal: String) {
    guard DecimalForm(literal.utf8) != nil else { return nil }
    self.literal = literal
  }

  /// Takes digits that the parser has already accepted.
  init(checked literal: String) {
    self.literal = literal
  }

  /// The number as a 64-bit integer, or `nil` when it has a fraction or does not fit.
  ///
  /// `1.0` and `1e2` are integers too.
  package var int64: Int64? {
    Int64(literal) ?? DecimalForm(literal.utf8)?.int64
  }

  /// The nearest double, or `nil` when the number is beyond every finite one.
  package var double: Double? {
    guard let double = Double(literal), double.isFinite else { return nil }
    return double
  }

  /// The number as digits and a power of ten; `nil` for none that this type can hold.
  package var decimalForm: DecimalForm? {
    DecimalForm(literal.utf8)
  }

  package var description: String {
    literal
  }

  package static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.literal == right.literal { return true }
    return DecimalForm(left.literal.utf8) == DecimalForm(right.literal.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(DecimalForm(literal.utf8))
  }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  package init(integerLiteral value: Int64) {
    self.init(value)
  }

  package init(floatLiteral value: Double) {
    self.init(value)
  }
}
