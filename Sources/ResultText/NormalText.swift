/// A text in the one form that patterns are held against, and where each part of it came from.
///
/// ASCII letters are lower case, spaces of every width are one kind, quotation marks and dashes are
/// straight, carriage returns and variation selectors are gone, a written `\n` is a line end, and
/// Slack's names of emoji are the emoji. Bytes that are not UTF-8 become U+FFFD, one each.
struct NormalText {
  /// The Unicode scalars that are left.
  private(set) var scalars: [UInt32] = []
  /// For each scalar, the byte of the text it begins at; one more for the end.
  private(set) var places: [Int32] = []

  var count: Int { scalars.count }

  init() {}

  init(_ text: String) {
    read(Array(text.utf8))
  }

  mutating func read(_ bytes: [UInt8]) {
    scalars.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    scalars.reserveCapacity(bytes.count)
    places.reserveCapacity(bytes.count + 1)
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      if Self.isPlain(byte) {
        append(UInt32(byte), at: place)
        place += 1
      } else if byte < 0x80 {
        place = readASCII(byte, at: place, of: bytes)
      } else {
        let (scalar, length) = Self.decode(bytes, at: place)
        if let folded = Self.fold(scalar) { append(folded, at: place) }
        place += length
      }
    }
    places.append(Int32(bytes.count))
  }

  /// Small letters, digits and white space stand for themselves.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x61 && byte <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x20 || byte == 0x0A
  }

  @inline(__always)
  private mutating func append(_ scalar: UInt32, at place: Int) {
    scalars.append(scalar)
    places.append(Int32(place))
  }

  /// Reads what begins with an ASCII byte, and answers where the next begins.
  private mutating func readASCII(_ byte: UInt8, at place: Int, of bytes: [UInt8]) -> Int {
    switch byte {
    case UInt8(ascii: "\r"):
      return place + 1
    case UInt8(ascii: "\\"):
      if place + 1 < bytes.count {
        if bytes[place + 1] == UInt8(ascii: "n") {
          append(0x0A, at: place)
          return place + 2
        }
        if bytes[place + 1] == UInt8(ascii: "r") { return place + 2 }
      }
    case UInt8(ascii: ":"):
      if let name = EmojiNames.find(in: bytes, at: place) {
        for scalar in name.scalars { append(scalar, at: place) }
        return place + name.length
      }
    case UInt8(ascii: "A")...UInt8(ascii: "Z"):
      append(UInt32(byte) + 32, at: place)
      return place + 1
    case UInt8(ascii: "\t"):
      append(0x20, at: place)
      return place + 1
    default:
      break
    }
    append(UInt32(byte), at: place)
    return place + 1
  }

  /// The one form of `scalar`, or `nil` for what only changes how its neighbour looks.
  static func fold(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x41...0x5A: scalar + 32
    case 0x09, 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: 0x20
    case 0xFE0E, 0xFE0F, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, 0x0D, 0x1F3FB...0x1F3FF: nil
    case 0x2018, 0x2019: 0x27
    case 0x201C, 0x201D, 0x201E: 0x22
    case 0x2010...0x2015: 0x2D
    case 0x2028, 0x2029, 0x85: 0x0A
    default: scalar
    }
  }

  /// The scalar at `place` and its length; a byte that begins none is U+FFFD.
  private static func decode(_ bytes: [UInt8], at place: Int) -> (UInt32, Int) {
    let first = UInt32(bytes[place])
    let length: Int
    var scalar: UInt32
    switch first {
    case 0xC2...0xDF: (length, scalar) = (2, first & 0x1F)
    case 0xE0...0xEF: (length, scalar) = (3, first & 0x0F)
    case 0xF0...0xF4: (length, scalar) = (4, first & 0x07)
    default: return (0xFFFD, 1)
    }
    guard place + length <= bytes.count else { return (0xFFFD, 1) }
    for index in 1..<length {
      let next = UInt32(bytes[place + index])
      guard next & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      scalar = scalar << 6 | next & 0x3F
    }
    let isShortest = length == 2 || (length == 3 ? scalar >= 0x800 : scalar >= 0x10000)
    guard isShortest, scalar <= 0x10FFFF, !(0xD800...0xDFFF).contains(scalar) else {
      return (0xFFFD, 1)
    }
    return (scalar, length)
  }
}
