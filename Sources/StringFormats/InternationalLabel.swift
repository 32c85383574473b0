/// Which labels of international host names are well formed.
///
/// The properties come from the Unicode tables of the Swift library; the rules are those of
/// https://www.rfc-editor.org/rfc/rfc5891, …/rfc5892 and …/rfc5893.
enum InternationalLabel {
  /// Whether the part of an A-label after `xn--` represents a U-label.
  static func acceptsEncoded(_ bytes: [UInt8]) -> Bool {
    guard let label = Punycode.decode(bytes), label.contains(where: { !$0.isASCII }),
      accepts(label), let again = Punycode.encode(label)
    else { return false }
    return again.elementsEqual(bytes) { $0 == $1 || $0 == $1 | 0x20 && ByteReader.isLetter($1) }
  }

  /// Whether `label` is a U-label.
  static func accepts(_ label: [UnicodeScalar]) -> Bool {
    guard let first = label.first, first != "-", label.last != "-",
      !(label.count >= 4 && label[2] == "-" && label[3] == "-")
    else { return false }
    switch first.properties.generalCategory {
    case .spacingMark, .nonspacingMark, .enclosingMark: return false
    default: break
    }
    for (index, scalar) in label.enumerated() {
      guard isAllowed(scalar, index, label) else { return false }
    }
    return obeyBidiRule([label])
  }

  private static func isAllowed(
    _ scalar: UnicodeScalar,
    _ index: Int,
    _ label: [UnicodeScalar]
  ) -> Bool {
    if let isAllowed = contextual(scalar, index, label) { return isAllowed }
    switch scalar.value {
    // Exceptions of RFC 5892, section 2.6, that are let in and not let in.
    case 0xDF, 0x3C2, 0x6FD, 0x6FE, 0xF0B, 0x3007: return true
    case 0x640, 0x7FA, 0x302E, 0x302F, 0x3031...0x3035, 0x303B: return false
    // Old Hangul, section 2.9.
    case 0x1100...0x11FF, 0xA960...0xA97C, 0xD7B0...0xD7FB: return false
    case 0x2D, 0x30...0x39, 0x61...0x7A: return true
    case 0..<0x80: return false
    default: break
    }
    let properties = scalar.properties
    if properties.changesWhenNFKCCaseFolded || properties.isWhitespace
      || properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
    {
      return false
    }
    switch properties.generalCategory {
    case .lowercaseLetter, .uppercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark,
      .spacingMark, .decimalNumber:
      return true
    default: return false
    }
  }

  /// The rules of RFC 5892, appendix A; `nil` when none speaks of the scalar.
  private static func contextual(
    _ scalar: UnicodeScalar,
    _ index: Int,
    _ label: [UnicodeScalar]
  ) -> Bool? {
    let before = index > 0 ? label[index - 1] : nil
    let after = index + 1 < label.count ? label[index + 1] : nil
    switch scalar.value {
    case 0xB7: return before == "l" && after == "l"
    case 0x375:
      return after.map {
        (0x370...0x3FF).contains($0.value) || (0x1F00...0x1FFF).contains($0.value)
      } ?? false
    case 0x5F3, 0x5F4: return before.map { (0x591...0x5F4).contains($0.value) } ?? false
    case 0x30FB: return label.contains(where: isJapanese)
    case 0x660...0x669: return !label.contains { (0x6F0...0x6F9).contains($0.value) }
    case 0x6F0...0x6F9: return !label.contains { (0x660...0x669).contains($0.value) }
    case 0x200D: return before.map(isVirama) ?? false
    case 0x200C: return before.map(isVirama) ?? false || joins(index, label)
    default: return nil
    }
  }

  private static func isVirama(_ scalar: UnicodeScalar) -> Bool {
    scalar.properties.canonicalCombiningClass == .virama
  }

  /// Hiragana, Katakana or Han.
  private static func isJapanese(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF,
      0x3005, 0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF:
      true
    default: false
    }
  }

  /// Whether a non-joiner is between letters of a script that joins its letters.
  private static func joins(_ index: Int, _ label: [UnicodeScalar]) -> Bool {
    let before = label[..<index].last { !isTransparent($0) }
    let after = label[(index + 1)...].first { !isTransparent($0) }
    guard let before, let after else { return false }
    return isJoining(before, onlyBothSides: true) && isJoining(after, onlyBothSides: false)
  }

  private static func isTransparent(_ scalar: UnicodeScalar) -> Bool {
    scalar.properties.generalCategory == .nonspacingMark
  }

  private static func isJoining(_ scalar: UnicodeScalar, onlyBothSides: Bool) -> Bool {
    switch scalar.value {
    // Letters of Arabic that join only to the right.
    case 0x622...0x625, 0x627, 0x629, 0x62F...0x632, 0x648, 0x671...0x673, 0x675...0x677,
      0x688...0x699, 0x6C0, 0x6C3...0x6CB, 0x6CD, 0x6CF, 0x6D2, 0x6D3, 0x6D5, 0x6EE, 0x6EF:
      return !onlyBothSides
    case 0x620...0x64A, 0x66E...0x6D3, 0x6FA...0x6FF, 0x712...0x72F, 0x74D...0x77F, 0x7CA...0x7EA,
      0x8A0...0x8C7:
      return true
    default: return false
    }
  }

  // MARK: Writing direction

  /// Whether no label of a name mixes directions (RFC 5893, section 2).
  static func obeyBidiRule(_ labels: [[UnicodeScalar]]) -> Bool {
    guard
      labels.contains(where: {
        $0.contains { direction($0) == .right || direction($0) == .arabicNumber }
      })
    else { return true }
    return labels.allSatisfy(obeysBidiRule)
  }

  private enum Direction {
    case left
    case right
    case arabicNumber
    case europeanNumber
    case neutral
    case mark
  }

  private static func obeysBidiRule(_ label: [UnicodeScalar]) -> Bool {
    let directions = label.map(direction)
    guard let first = directions.first else { return true }
    let last = directions.last { $0 != .mark } ?? first
    if first == .right {
      let hasBothNumbers =
        directions.contains(.arabicNumber) && directions.contains(.europeanNumber)
      return !directions.contains(.left) && !hasBothNumbers
        && (last == .right || last == .arabicNumber || last == .europeanNumber)
    }
    guard first == .left else { return false }
    return !directions.contains(.right) && !directions.contains(.arabicNumber)
      && (last == .left || last == .europeanNumber)
  }

  private static func direction(_ scalar: UnicodeScalar) -> Direction {
    switch scalar.value {
    case 0x30...0x39, 0x6F0...0x6F9: return .europeanNumber
    case 0x660...0x669: return .arabicNumber
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return .mark
    case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .spacingMark, .decimalNumber, .letterNumber:
      switch scalar.value {
      case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF:
        return .right
      default: return .left
      }
    default: return .neutral
    }
  }
}
