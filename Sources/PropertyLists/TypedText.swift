/// The typed values that GNUstep adds to the old-style form.
enum TypedText {
  /// The value of what is between `<*` and `>`: a letter and a text.
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
