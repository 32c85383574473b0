/// Bytes as text in base 64 (RFC 4648, section 4), and back.
enum Base64Form {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  /// The text, padded and unbroken.
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

  /// The bytes of a text, white space anywhere passed over; `nil` when it is none.
  static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    var digitCount = 0
    var padCount = 0
    for character in text {
      switch character {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      case UInt8(ascii: "="): padCount += 1
      default:
        guard let digit = value(of: character), padCount == 0 else { return nil }
        group = group << 6 | digit
        digitCount += 1
        if digitCount % 4 == 0 {
          bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: group >> $0) }
          group = 0
        }
      }
    }
    // Whole groups, or a last one of two or three digits; the padding is complete or left out.
    let last = digitCount % 4
    guard last != 1, padCount == 0 || (last > 0 && last + padCount == 4) else { return nil }
    if last == 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 4)) }
    if last == 3 { bytes += [10, 2].map { UInt8(truncatingIfNeeded: group >> $0) } }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
