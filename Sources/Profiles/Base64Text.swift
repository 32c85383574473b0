/// Bytes as base64 text (RFC 4648, with padding).
enum Base64Text {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  static func append(_ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + (source.count + 2) / 3 * 4)
    var index = 0
    while index < source.count {
      let left = source.count - index
      let first = UInt32(source[index]) << 16
      let second = left > 1 ? UInt32(source[index + 1]) << 8 : 0
      let third = left > 2 ? UInt32(source[index + 2]) : 0
      let group = first | second | third
      bytes.append(digits[Int(group >> 18)])
      bytes.append(digits[Int(group >> 12 & 63)])
      bytes.append(left > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "="))
      bytes.append(left > 2 ? digits[Int(group & 63)] : UInt8(ascii: "="))
      index += 3
    }
  }
}
