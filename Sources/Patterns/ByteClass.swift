/// A set of bytes.
struct ByteClass: Hashable {
  private var words: [UInt64] = [0, 0, 0, 0]

  init() {}

  init(_ range: ClosedRange<UInt8>) {
    for byte in range { words[Int(byte) / 64] |= 1 << UInt64(byte % 64) }
  }

  func contains(_ byte: UInt8) -> Bool {
    words[Int(byte) / 64] >> UInt64(byte % 64) & 1 == 1
  }

  var isEmpty: Bool { words == [0, 0, 0, 0] }

  /// Its bytes, in order.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for index in words.indices {
      var rest = words[index]
      while rest != 0 {
        bytes.append(UInt8(index * 64 + rest.trailingZeroBitCount))
        rest &= rest &- 1
      }
    }
    return bytes
  }

  mutating func formUnion(_ other: Self) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  func intersection(_ other: Self) -> Self {
    var both = self
    for index in words.indices { both.words[index] &= other.words[index] }
    return both
  }

  func subtracting(_ other: Self) -> Self {
    var rest = self
    for index in words.indices { rest.words[index] &= ~other.words[index] }
    return rest
  }

  /// The ASCII characters that are not in the set.
  var inverted: Self {
    var inverted = self
    inverted.words[0] = ~words[0]
    inverted.words[1] = ~words[1]
    inverted.words[2] = 0
    inverted.words[3] = 0
    return inverted
  }

  /// The byte, when there is but one.
  var onlyByte: UInt8? {
    guard words.reduce(0, { $0 + $1.nonzeroBitCount }) == 1 else { return nil }
    return (UInt8.min...UInt8.max).first(where: contains)
  }

  static let digits = Self(0x30...0x39)
  static var wordCharacters: Self {
    var set = digits
    set.formUnion(Self(0x41...0x5A))
    set.formUnion(Self(0x61...0x7A))
    set.formUnion(Self(0x5F...0x5F))
    return set
  }
  /// Those of ASCII; U+2028 and U+2029 are told apart by their bytes.
  static var lineTerminators: Self {
    var set = Self(0x0A...0x0A)
    set.formUnion(Self(0x0D...0x0D))
    return set
  }
}
