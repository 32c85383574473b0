/// Bytes as text in base 64 (RFC 4648, section 4), and back.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  /// The text, padded and unbroken.
  package static func text(_ bytes: [UInt8]) -> String {
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

  /// The bytes of a text, which may have white space anywhere and lack its padding.
  ///
  /// `nil` when it holds other characters, something after the padding, or a lone last digit.
  package static func bytes(_ text: [UInt8]) -> [UInt8]? {
    let values = values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var group: UInt32 = 0
    var digitCount = 0
    var isPadded = false
    for byte in text {
      let value = values[Int(byte)]
      if value < 64 {
        guard !isPadded else { return nil }
        group = group << 6 | UInt32(value)
        digitCount &+= 1
        guard digitCount & 3 == 0 else { continue }
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
      } else if byte == UInt8(ascii: "=") {
        isPadded = true
      } else if byte != 0x20, byte < 0x09 || byte > 0x0D {
        return nil
      }
    }
    switch digitCount & 3 {
    case 2: bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    case 3:
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    case 1: return nil
    default: break
    }
    return bytes
  }

  /// The value of each byte as a digit; 255 for those that are none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
}
