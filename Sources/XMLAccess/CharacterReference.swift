/// What is at an `&` in text.
enum CharacterReference: Equatable {
  /// The bytes end before the reference does.
  case unfinished
  /// A reference to a character that XML does not allow and that property lists have.
  case forbidden(scalar: UInt32, size: Int)
  /// Whatever libxml2 judges itself.
  case other

  /// The longest reference with a number: `&#x0010FFFF;` and some zeroes.
  private static let longest = 16

  /// Looks at the bytes from `start`, where an `&` is.
  ///
  /// Forbidden and read all the same are U+0001 to U+001F, U+FFFE and U+FFFF.
  /// https://www.w3.org/TR/xml/#NT-Char
  init(in bytes: [UInt8], at start: Int) {
    let reference = bytes[start...].prefix(Self.longest)
    guard let end = reference.firstIndex(of: UInt8(ascii: ";")) else {
      let isShort = reference.count < Self.longest && reference.allSatisfy(Self.isPart)
      self = isShort ? .unfinished : .other
      return
    }
    let inside = String(decoding: reference[(start + 1)..<end], as: UTF8.self)
    guard inside.first == "#" else {
      self = .other
      return
    }
    let digits = inside.dropFirst()
    let isHex = digits.first == "x"
    let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    guard let number, digits.first != "+", digits.dropFirst().first != "+",
      (1..<0x20).contains(number) || number == 0xFFFE || number == 0xFFFF,
      ![0x09, 0x0A, 0x0D].contains(number)
    else {
      self = .other
      return
    }
    self = .forbidden(scalar: number, size: end + 1 - start)
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "#"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: false
    }
  }
}
