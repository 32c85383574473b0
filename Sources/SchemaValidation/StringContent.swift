import JSONText

/// What a text has to hold beside characters: `contentEncoding` and `contentMediaType`.
///
/// https://json-schema.org/draft-07/json-schema-validation#rfc.section.8
struct StringContent: Hashable {
  var isBase64 = false
  var isJSON = false

  static let anything = Self()

  /// The keyword that the text breaks, and what it asks for; `nil` when all is well.
  func fault(in text: UnsafeRawBufferPointer) -> (keyword: String, expected: String)? {
    var bytes = unsafe Array(text)
    if isBase64 {
      guard let decoded = Self.decoded(bytes) else {
        return ("contentEncoding", "bytes in base 64")
      }
      bytes = decoded
    }
    guard isJSON else { return nil }
    do throws(JSONError) {
      try JSONDocument().parse(copying: bytes)
      return nil
    } catch {
      return ("contentMediaType", "a text that is JSON")
    }
  }

  /// The bytes that a text in base 64 (RFC 4648, with padding) stands for.
  private static func decoded(_ text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var buffer: UInt32 = 0
    var bits = 0
    for letter in text.dropLast(padding) {
      guard let value = value(of: letter) else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
    }
    return bytes
  }

  private static func value(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
