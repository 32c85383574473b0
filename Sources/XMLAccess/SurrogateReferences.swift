import TextCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes a pair of references to surrogates, `&#55357;&#57313;`, as one to the character they mean.
///
/// XML forbids the pair, and Java programs write it for every emoji. A reference to half a pair, or to
/// what XML has no character for, is left as it is, and so refused by the parser, or written as one to
/// U+FFFD and counted. The bytes are of an encoding that writes ASCII as ASCII.
struct SurrogateReferences {
  /// The beginning of a pair whose end is in the next piece.
  private var carried: [UInt8] = []
  /// Whether a reference to no character is written as one to U+FFFD.
  private let replaces: Bool
  /// How many references were to no character.
  private(set) var replacedCount = 0

  init(replaces: Bool) { self.replaces = replaces }

  /// The most bytes that a pair of references has.
  private static let longestPair = 32

  /// Gives the bytes to parse, mostly the piece itself.
  mutating func pass(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
    let bytes = carried.isEmpty ? piece : carried + piece
    carried = []
    var rewritten: [UInt8] = []
    var copied = 0
    var end = bytes.count
    var mark = Self.ampersand(in: bytes, from: 0)
    while mark < bytes.count {
      if !isLast, bytes.count - mark < Self.longestPair, Self.mayBegin(bytes[mark...]) {
        carried = Array(bytes[mark...])
        end = mark
        break
      }
      var next = mark + 1
      if let (scalar, end) = read(bytes, at: mark) {
        rewritten += bytes[copied..<mark]
        rewritten += "&#\(scalar);".utf8
        copied = end
        next = end
      }
      mark = Self.ampersand(in: bytes, from: next)
    }
    if copied == 0, end == bytes.count { return bytes }
    return rewritten + bytes[copied..<end]
  }

  /// What to write for the reference that begins at `mark`, and where it ends; `nil` to leave it.
  private mutating func read(_ bytes: [UInt8], at mark: Int) -> (scalar: Int, end: Int)? {
    guard let (value, end) = Self.reference(bytes, at: mark) else { return nil }
    if (0xD800...0xDBFF).contains(value), let (low, afterLow) = Self.reference(bytes, at: end),
      (0xDC00...0xDFFF).contains(low)
    {
      return (0x10000 + (value - 0xD800) << 10 + (low - 0xDC00), afterLow)
    }
    guard replaces else { return nil }
    switch value {
    case 0x9, 0xA, 0xD, 0x20..<0xD800, 0xE000..<0xFFFE, 0x10000...0x10FFFF: return nil
    default:
      replacedCount += 1
      return (0xFFFD, end)
    }
  }

  /// Whether the last bytes of a piece may be the beginning of a pair.
  private static func mayBegin(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.dropFirst().first.map { $0 == UInt8(ascii: "#") } ?? true
  }

  /// The number of the reference that begins at `place`, and where it ends.
  private static func reference(_ bytes: [UInt8], at place: Int) -> (Int, Int)? {
    guard place + 3 < bytes.count, bytes[place] == UInt8(ascii: "&"),
      bytes[place + 1] == UInt8(ascii: "#")
    else { return nil }
    let isHexadecimal = bytes[place + 2] | 0x20 == UInt8(ascii: "x")
    var end = place + (isHexadecimal ? 3 : 2)
    var value = 0
    while end < bytes.count, end - place < 12, let digit = digit(bytes[end], isHexadecimal) {
      value = value * (isHexadecimal ? 16 : 10) + digit
      end += 1
    }
    guard end < bytes.count, bytes[end] == UInt8(ascii: ";") else { return nil }
    return (value, end + 1)
  }

  private static func digit(_ byte: UInt8, _ isHexadecimal: Bool) -> Int? {
    guard let value = Hexadecimal.value(of: byte), isHexadecimal || value < 10 else { return nil }
    return Int(value)
  }

  private static func ampersand(in bytes: [UInt8], from start: Int) -> Int {
    guard start < bytes.count else { return bytes.count }
    return unsafe bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress,
        let found = unsafe memchr(base + start, Int32(UInt8(ascii: "&")), buffer.count - start)
      else { return buffer.count }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
