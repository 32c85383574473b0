/// Percent-encoding of all but RFC 3986's unreserved characters.
package enum PercentCoding {
  /// The text, encoded; characters of `kept` stay as they are.
  package static func encoded(_ text: String, keeping kept: String = "") -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let plain = Set("-._~\(kept)".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        bytes.append(byte)
      case _ where plain.contains(byte): bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What an encoded text says; a percent sign that no two hexadecimal digits follow stands for itself.
  package static func decoded(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
      if byte == UInt8(ascii: "%"), digits.count == 2 {
        bytes.append(UInt8(digits[0] << 4 | digits[1]))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
