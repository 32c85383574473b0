import TextCodecs

extension String {
  /// This JSON with everything written as an escape that could drive a terminal or mislead a reader.
  ///
  /// The value stays the same: such characters are in JSON between quotes only.
  package var escapedForDisplay: String {
    guard utf8.contains(where: { $0 >= 0x7F }),
      let first = unicodeScalars.firstIndex(where: \.isHidden)
    else { return self }
    var text = String(unicodeScalars[..<first])
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars[first...] {
      guard scalar.isHidden else {
        text.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        text += "\\u" + Hexadecimal.text(unit)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether the character is not seen itself, but acts upon what is.
  ///
  /// Controls from U+007F on, marks that turn the direction of writing, ends of lines and paragraphs,
  /// tags and the like; not the joiners, without which some scripts and emoji are not written.
  package var isHidden: Bool {
    switch value {
    // ASCII, the joiners, and what most texts have beside: letters of Europe, dashes and quotation
    // marks, arrows and shapes, the signs of East Asia, emoji. No scalar of these ranges is hidden.
    case 0..<0x7F, 0x200C, 0x200D, 0xAE...0x2FF, 0x2010...0x2027, 0x2190...0x2BFF, 0x3001...0xD7FF,
      0x1F000...0x1FAFF:
      return false
    default: break
    }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
