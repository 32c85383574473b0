/// Numbers from the digits of a literal that is known to be well formed.
package enum JSONDigits {
  /// The value of at most eighteen digits and a sign.
  @inlinable
  @inline(__always)
  package static func integer(_ digits: UnsafeRawBufferPointer) -> Int64 {
    var value: Int64 = 0
    var index = 0
    let isNegative = unsafe digits[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    while index < digits.count {
      value = value &* 10 &+ Int64(unsafe digits[index] &- UInt8(ascii: "0"))
      index += 1
    }
    return isNegative ? 0 &- value : value
  }

  /// The nearest double, or `nil` when it is not finite.
  package static func double(_ digits: UnsafeRawBufferPointer) -> Double? {
    if let exact = unsafe shortDouble(digits) { return exact }
    let text = unsafe String(decoding: digits, as: UTF8.self)
    guard let double = Double(text), double.isFinite else { return nil }
    return double
  }

  /// Up to fifteen digits with a point among them: one exact division.
  private static func shortDouble(_ digits: UnsafeRawBufferPointer) -> Double? {
    guard digits.count <= 17 else { return nil }
    var mantissa: Int64 = 0
    var places = 0
    var count = 0
    var hasPoint = false
    let isNegative = unsafe digits[0] == UInt8(ascii: "-")
    for index in (isNegative ? 1 : 0)..<digits.count {
      let byte = unsafe digits[index]
      if byte == UInt8(ascii: ".") {
        hasPoint = true
        continue
      }
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      mantissa = mantissa &* 10 &+ Int64(digit)
      count += 1
      if hasPoint { places += 1 }
    }
    guard count <= 15 else { return nil }
    let magnitude = Double(mantissa) / powersOfTen[places]
    return isNegative ? -magnitude : magnitude
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]
}
