/// Bytes as hexadecimal digits.
enum HexText {
  /// The value of a digit, or `nil` for any other character.
  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The bytes of an even number of digits with white space anywhere; `nil` for anything else.
  static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var high: UInt8?
    for byte in text where byte != 0x20 && !(0x09...0x0D).contains(byte) {
      guard let digit = digit(byte) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil ? bytes : nil
  }
}

/// The typed values that GNUstep adds to the old-style form.
enum TypedText {
  /// The value of what stands between `<*` and `>`: a letter and a text.
  ///
  /// https://www.gnustep.org/resources/documentation/Developer/Base/Reference/NSPropertyList.html
  static func value(_ typed: ArraySlice<UInt8>) -> PropertyList? {
    var text = typed.dropFirst()
    if text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\""), text.count > 1 {
      text = text.dropFirst().dropLast()
    }
    switch typed.first {
    case UInt8(ascii: "I"): return NumberText.integer(text)
    case UInt8(ascii: "R"): return NumberText.real(text).map { .real($0.value) }
    case UInt8(ascii: "B"):
      if text.elementsEqual("Y".utf8) { return .boolean(true) }
      return text.elementsEqual("N".utf8) ? .boolean(false) : nil
    case UInt8(ascii: "D"):
      return ReferenceDate.seconds(spacedText: text).map { .date(secondsSinceReferenceDate: $0) }
    default: return nil
    }
  }
}
