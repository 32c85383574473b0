/// A set of code points as ranges, spelled the way PCRE2 and ICU read them inside a class.
struct CodePointSet {
  private(set) var ranges: [ClosedRange<UInt32>] = []

  static let last: UInt32 = 0x10FFFF
  /// The surrogates as the inside of a class of ICU.
  static let surrogatesText = "\\x{d800}-\\x{dfff}"
  private static let surrogates: ClosedRange<UInt32> = 0xD800...0xDFFF

  init(_ ranges: [ClosedRange<UInt32>] = []) {
    self.ranges = ranges
  }

  static let digits = Self([0x30...0x39])
  static let wordCharacters = Self([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  /// WhiteSpace and LineTerminator of ECMA-262, sections 12.2 and 12.3.
  static let spaces = Self([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
    0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])
  static let lineTerminators = Self([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
  static let ascii = Self([0...0x7F])
  static let everything = Self([0...last])

  /// Every code point that is not in the set, whose ranges must be in order.
  var inverted: Self {
    var gaps: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= Self.last { gaps.append(next...Self.last) }
    return Self(gaps)
  }

  /// The ranges as the inside of a class; empty when only surrogates are left.
  ///
  /// No UTF-8 text holds a surrogate, and PCRE2 takes none as the end of a range.
  var classText: String {
    ranges.compactMap { range in
      var (low, high) = (range.lowerBound, range.upperBound)
      if Self.surrogates.contains(low) { low = Self.surrogates.upperBound + 1 }
      if Self.surrogates.contains(high) { high = Self.surrogates.lowerBound - 1 }
      guard low <= high else { return nil }
      return low == high
        ? Self.spelled(low) : "\(Self.spelled(low))-\(Self.spelled(high))"
    }.joined()
  }

  /// One code point, spelled so that it means nothing but itself.
  static func spelled(_ codePoint: UInt32) -> String {
    switch codePoint {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
      String(UnicodeScalar(UInt8(codePoint)))
    default:
      "\\x{\(String(codePoint, radix: 16))}"
    }
  }
}
