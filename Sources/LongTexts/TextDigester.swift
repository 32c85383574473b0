import Crypto
import Records

/// The digest of a text that passes in JSON's escapes, in pieces.
struct TextDigester {
  private var hash = SHA256()
  /// What the hash has still to take in.
  private var buffer: [UInt8] = []
  /// How many bytes of UTF-8 the text has so far.
  private(set) var count = 0
  /// Whether what passed can be the content of a string in JSON.
  private(set) var isSound = true
  /// An escape that has begun and not ended.
  private var escape: [UInt8] = []
  /// The first half of a character that is written as two escapes.
  private var half: UInt32?
  /// How many bytes of a character are to come, and between which values the next one is.
  private var following = 0
  private var expected: ClosedRange<UInt8> = 0x80...0xBF

  static let bufferSize = 1 << 16

  init() { buffer.reserveCapacity(Self.bufferSize) }

  /// Takes in what comes next of what lies between the quotes.
  mutating func take(_ raw: UnsafeRawBufferPointer) {
    var index = 0
    while index < raw.count {
      guard escape.isEmpty else {
        takeEscaped(raw[index])
        index += 1
        continue
      }
      let rest = UnsafeRawBufferPointer(rebasing: raw[index...])
      let plain = min(rest.firstPlace(of: UInt8(ascii: "\\")) ?? rest.count, Self.bufferSize)
      if plain == 0 {
        escape = [rest[0]]
        index += 1
      } else {
        takePlain(UnsafeRawBufferPointer(rebasing: rest[..<plain]))
        index += plain
      }
    }
  }

  /// The text that passed; `nil` where it was none.
  mutating func finish() -> LongText? {
    guard isSound, escape.isEmpty, half == nil, following == 0 else { return nil }
    hash.update(data: buffer)
    buffer.removeAll(keepingCapacity: true)
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("SHA-256 has 32 bytes")
    }
    return LongText(digest: digest, count: count)
  }

  /// The last of the text that passed, without a character that has not ended: all of it where that is short.
  var heldText: String {
    var bytes = buffer[...]
    if following > 0, let lead = bytes.lastIndex(where: { $0 & 0xC0 == 0xC0 }) {
      bytes = bytes[..<lead]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func put(_ bytes: some Collection<UInt8>) {
    count += bytes.count
    if buffer.count + bytes.count > Self.bufferSize {
      hash.update(data: buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    buffer += bytes
  }

  private mutating func takePlain(_ bytes: UnsafeRawBufferPointer) {
    if half != nil { isSound = false }
    if following > 0 || bytes.contains(where: { $0 < 0x20 || $0 >= 0x80 }) {
      for byte in bytes { check(byte) }
    }
    put(bytes)
  }

  /// Sees that a byte may follow those before it.
  ///
  /// https://www.unicode.org/versions/latest/core-spec/chapter-3/ (table 3-7)
  private mutating func check(_ byte: UInt8) {
    if following > 0 {
      if !expected.contains(byte) { isSound = false }
      expected = 0x80...0xBF
      following -= 1
      return
    }
    switch byte {
    case 0x20...0x7F: break
    case 0xC2...0xDF: following = 1
    case 0xE0...0xEF:
      following = 2
      expected = (byte == 0xE0 ? 0xA0 : 0x80)...(byte == 0xED ? 0x9F : 0xBF)
    case 0xF0...0xF4:
      following = 3
      expected = (byte == 0xF0 ? 0x90 : 0x80)...(byte == 0xF4 ? 0x8F : 0xBF)
    default: isSound = false
    }
  }

  private mutating func takeEscaped(_ byte: UInt8) {
    if following > 0 { isSound = false }
    escape.append(byte)
    if escape.count == 2, byte != UInt8(ascii: "u") {
      escape = []
      if half != nil { isSound = false }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): put([byte])
      case UInt8(ascii: "b"): put([0x08])
      case UInt8(ascii: "f"): put([0x0C])
      case UInt8(ascii: "n"): put([0x0A])
      case UInt8(ascii: "r"): put([0x0D])
      case UInt8(ascii: "t"): put([0x09])
      default: isSound = false
      }
    } else if escape.count == 6 {
      let digits = String(decoding: escape[2...], as: UTF8.self)
      let unit = digits.utf8.allSatisfy(\.isHexDigit) ? UInt32(digits, radix: 16) : nil
      escape = []
      takeUnit(unit)
    }
  }

  /// Takes in a unit of UTF-16.
  private mutating func takeUnit(_ unit: UInt32?) {
    guard let unit else { return isSound = false }
    switch (half, unit) {
    case (let first?, 0xDC00...0xDFFF):
      half = nil
      put(scalar: 0x10000 + (first & 0x3FF) << 10 + unit & 0x3FF)
    case (nil, 0xD800...0xDBFF): half = unit
    case (_?, _), (nil, 0xDC00...0xDFFF): isSound = false
    case (nil, _): put(scalar: unit)
    }
  }

  private mutating func put(scalar: UInt32) {
    guard let scalar = Unicode.Scalar(scalar) else { return isSound = false }
    put(Array(String(Character(scalar)).utf8))
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
