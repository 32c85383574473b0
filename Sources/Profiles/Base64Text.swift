/// Bytes as base64 text (RFC 4648, with padding).
enum Base64Text {
  private static let digits: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// The length of the text of `count` bytes.
  static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

  static func write(_ source: UnsafeRawBufferPointer, with pen: inout Pen) {
    let digits = digits.utf8Start
    var index = 0
    while index + 3 <= source.count {
      let group =
        UInt32(source[index]) << 16 | UInt32(source[index + 1]) << 8 | UInt32(source[index + 2])
      pen.put(digits[Int(group >> 18)])
      pen.put(digits[Int(group >> 12 & 63)])
      pen.put(digits[Int(group >> 6 & 63)])
      pen.put(digits[Int(group & 63)])
      index += 3
    }
    let left = source.count - index
    guard left > 0 else { return }
    let group = UInt32(source[index]) << 16 | (left > 1 ? UInt32(source[index + 1]) << 8 : 0)
    pen.put(digits[Int(group >> 18)])
    pen.put(digits[Int(group >> 12 & 63)])
    pen.put(left > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "="))
    pen.put(UInt8(ascii: "="))
  }
}
