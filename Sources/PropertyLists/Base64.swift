/// Bytes as text in base 64 (RFC 4648, section 4), padded and unbroken.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var place = 0
    while place < bytes.count {
      let rest = bytes.count - place
      let second = rest > 1 ? UInt32(bytes[place + 1]) : 0
      let third = rest > 2 ? UInt32(bytes[place + 2]) : 0
      let group = UInt32(bytes[place]) << 16 | second << 8 | third
      text.append(alphabet[Int(group >> 18)])
      text.append(alphabet[Int(group >> 12 & 63)])
      text.append(rest > 1 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
      text.append(rest > 2 ? alphabet[Int(group & 63)] : UInt8(ascii: "="))
      place += 3
    }
    return String(decoding: text, as: UTF8.self)
  }
}
