extension PatternSyntax {
  /// Reads what may follow a backslash and represents a class; `nil` when it is something else.
  ///
  /// Gives the inside of a class as the engine spells it, which may be empty.
  mutating func classEscape() throws(PatternError) -> String? {
    let set: CodePointSet
    switch next {
    case "d": set = .digits
    case "D": set = .digits.inverted
    case "w": set = .wordCharacters
    case "W": set = .wordCharacters.inverted
    case "s": set = .spaces
    case "S": set = .spaces.inverted
    case "p", "P": return try property(isInverted: next == "P")
    default: return nil
    }
    position += 1
    return set.classText
  }

  private mutating func property(isInverted: Bool) throws(PatternError) -> String {
    let start = position - 1
    position += 1
    guard take("{") else { throw malformed("a property needs a name in braces", at: start) }
    var name = ""
    while let scalar = next, scalar != "}" {
      name.unicodeScalars.append(scalar)
      position += 1
    }
    guard take("}") else { throw malformed("the property's name does not end", at: start) }
    guard let text = UnicodeProperties.classText(name, isInverted: isInverted) else {
      throw malformed("there is no property called \(name)", at: start)
    }
    guard engine == .icu else { return text }
    if UnicodeProperties.changesWithVersions(name) { review.asksForProperties = true }
    guard let forICU = UnicodeProperties.icuClassText(name, isInverted: isInverted) else {
      refuse("\\p{\(name)}, in which versions of Unicode have different characters")
      return text
    }
    return forICU
  }

  /// Reads what follows a backslash and represents one code point.
  mutating func characterEscape() throws(PatternError) -> UInt32 {
    let start = position - 1
    guard let letter = next else { throw malformed("a backslash at the end", at: start) }
    position += 1
    switch letter {
    case "t": return 0x09
    case "n": return 0x0A
    case "v": return 0x0B
    case "f": return 0x0C
    case "r": return 0x0D
    case "0":
      if let digit = next, ("0"..."9").contains(digit) {
        throw malformed("an octal escape", at: start)
      }
      return 0
    case "c":
      guard let control = next, control.properties.isAlphabetic, control.isASCII else {
        throw malformed("\\c needs a letter", at: start)
      }
      position += 1
      return control.value & 0x1F
    case "x":
      guard let value = hexadecimal(2) else {
        throw malformed("\\x needs two hexadecimal digits", at: start)
      }
      return value
    case "u":
      return try unicodeEscape(start)
    case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/":
      return letter.value
    default:
      throw malformed("\\\(letter) is not an escape of ECMA-262", at: start)
    }
  }

  private mutating func unicodeEscape(_ start: Int) throws(PatternError) -> UInt32 {
    if take("{") {
      var value: UInt32?
      while let digit = hexadecimal(1) {
        value = min((value ?? 0) * 16 + digit, 0x110000)
      }
      guard let value, value <= CodePointSet.last, take("}") else {
        throw malformed("\\u{…} needs a code point", at: start)
      }
      return value
    }
    guard let lead = hexadecimal(4) else {
      throw malformed("\\u needs four hexadecimal digits", at: start)
    }
    guard lead & 0xFC00 == 0xD800, follows("\\u") else { return lead }
    let afterLead = position
    position += 2
    guard let trail = hexadecimal(4), trail & 0xFC00 == 0xDC00 else {
      position = afterLead
      return lead
    }
    return 0x10000 + (lead & 0x3FF) << 10 + trail & 0x3FF
  }

  /// Reads exactly `count` hexadecimal digits, or nothing.
  private mutating func hexadecimal(_ count: Int) -> UInt32? {
    guard position + count <= scalars.count else { return nil }
    var value: UInt32 = 0
    for place in position..<position + count {
      guard let scalar = UnicodeScalar(scalars[place]), scalar.isASCII,
        let digit = Character(scalar).hexDigitValue
      else { return nil }
      value = value * 16 + UInt32(digit)
    }
    position += count
    return value
  }
}
