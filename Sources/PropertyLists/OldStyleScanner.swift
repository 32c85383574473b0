import TextCodecs

/// Walks over the bytes of an old-style list: white space, comments, words, quotes and data.
struct OldStyleScanner {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { place == bytes.count }

  var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// The line, counted from one; it is counted anew each time.
  private var line: Int { 1 + bytes[..<place].count { $0 == 0x0A } }

  /// Where the scanner is, for a note.
  var placeName: String { "byte \(place)" }

  mutating func advance() {
    place += 1
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  func refused(_ reason: String) -> PropertyListError {
    .malformedText(line: line, reason: reason)
  }

  /// Passes over white space, `// …` and `/* … */`.
  mutating func skipSpaces() throws(PropertyListError) {
    while let byte = next {
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        place += 1
      } else if bytes[place...].starts(with: [0xE2, 0x80, 0xA8])
        || bytes[place...].starts(with: [0xE2, 0x80, 0xA9])
      {
        // U+2028 and U+2029.
        place += 3
      } else if bytes[place...].starts(with: "//".utf8) {
        place = bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
      } else if bytes[place...].starts(with: "/*".utf8) {
        place += 2
        let slash = UInt8(ascii: "/")
        while place + 1 < bytes.count,
          bytes[place] != UInt8(ascii: "*") || bytes[place + 1] != slash
        {
          place += 1
        }
        guard place + 1 < bytes.count else { throw refused("a comment does not end") }
        place += 2
      } else {
        return
      }
    }
  }

  /// Reads a word or a quoted text, and says whether half a surrogate pair was in it.
  mutating func text() throws(PropertyListError) -> (text: String, hasLoneSurrogate: Bool) {
    guard let first = next else { throw refused("it ends where a value belongs") }
    guard first != UInt8(ascii: "\""), first != UInt8(ascii: "'") else {
      place += 1
      return try quoted(first)
    }
    let start = place
    while let byte = next, Self.isWordPart(byte) { place += 1 }
    guard place > start else {
      throw refused("“\(Character(Unicode.Scalar(first)))” where a value belongs")
    }
    return (String(decoding: bytes[start..<place], as: UTF8.self), false)
  }

  /// Whether a byte may appear in a text without quotes.
  static func isWordPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"), UInt8(ascii: ":"),
      UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    // Letters beyond ASCII, which some writers leave without quotes.
    case 0x80...: true
    default: false
    }
  }
}

// MARK: - Quoted text

extension OldStyleScanner {
  private mutating func quoted(
    _ quote: UInt8
  ) throws(PropertyListError) -> (text: String, hasLoneSurrogate: Bool) {
    let start = place
    while let byte = next, byte != quote, byte != UInt8(ascii: "\\") { place += 1 }
    var text = Array(bytes[start..<place])
    var units: [UInt16] = []
    var hasLoneSurrogate = false
    while let byte = next {
      place += 1
      if byte == UInt8(ascii: "\\"), let unit = try escape() {
        units.append(unit)
        continue
      }
      hasLoneSurrogate = Self.append(&units, to: &text) || hasLoneSurrogate
      if byte == quote { return (String(decoding: text, as: UTF8.self), hasLoneSurrogate) }
      if byte != UInt8(ascii: "\\") { text.append(byte) }
    }
    place = start
    throw refused("a quoted text does not end")
  }

  /// Moves UTF-16 units into text; says whether one of them was half a pair.
  private static func append(_ units: inout [UInt16], to text: inout [UInt8]) -> Bool {
    guard !units.isEmpty else { return false }
    let isWhole = String(validating: units, as: UTF16.self) != nil
    text += String(decoding: units, as: UTF16.self).utf8
    units.removeAll()
    return !isWhole
  }

  /// What is after a backslash, as one unit of UTF-16.
  ///
  /// `nil` when the backslash means nothing and what follows represents itself.
  private mutating func escape() throws(PropertyListError) -> UInt16? {
    guard let byte = next else { throw refused("a quoted text does not end") }
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var value: UInt16 = 0
      var count = 0
      while count < 3, let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) {
        value = value * 8 + UInt16(digit - UInt8(ascii: "0"))
        place += 1
        count += 1
      }
      return NextStepEncoding.unit(UInt8(truncatingIfNeeded: value))
    case UInt8(ascii: "U"), UInt8(ascii: "u"):
      let digits = bytes[(place + 1)...].prefix(4).prefix { Hexadecimal.value(of: $0) != nil }
      guard !digits.isEmpty else { return nil }
      place += 1 + digits.count
      return digits.reduce(0) { $0 << 4 | UInt16(Hexadecimal.value(of: $1) ?? 0) }
    default:
      guard let unit = Self.shortEscapes[byte] else { return nil }
      place += 1
      return unit
    }
  }

  private static let shortEscapes: [UInt8: UInt16] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
    UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13,
    UInt8(ascii: "\""): 0x22, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\\"): 0x5C, 0x0A: 0x0A,
  ]
}

// MARK: - Data and typed values

extension OldStyleScanner {
  /// Reads `<0fbd77>` or one of GNUstep's typed values.
  mutating func dataOrTyped() throws(PropertyListError) -> PropertyList {
    guard let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else {
      throw refused("data does not end")
    }
    let inside = bytes[(place + 1)..<end]
    let value: PropertyList?
    if inside.first == UInt8(ascii: "*") {
      value = TypedText.value(inside.dropFirst())
    } else {
      value = Hexadecimal.bytes(inside, .spaced).map { .data($0) }
    }
    guard let value else {
      let words = String(decoding: inside.prefix(40), as: UTF8.self)
      throw refused("“<\(words)>” is neither data in hexadecimal digits nor a typed value")
    }
    place = end + 1
    return value
  }
}
