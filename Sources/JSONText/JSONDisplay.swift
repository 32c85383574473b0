import TextCodecs

extension String {
  /// This JSON with everything written as an escape that could drive a terminal or mislead a reader.
  ///
  /// The value stays the same: such characters are in JSON between quotes only.
  package var escapedForDisplay: String {
    replacingHidden { scalar in
      String(scalar).utf16.reduce(into: "") { $0 += "\\u" + Hexadecimal.text($1) }
    }
  }

  /// This text with each character replaced that is not seen itself, but acts upon what is.
  ///
  /// Controls from U+007F on, marks that turn the direction of writing, ends of lines and paragraphs,
  /// tags and the like. A joiner is one of them where neither an emoji nor a script needs it.
  package func replacingHidden(with replacement: (Unicode.Scalar) -> String) -> String {
    guard utf8.contains(where: { $0 >= 0x7F }) else { return self }
    let scalars = unicodeScalars
    var text = UnicodeScalarView()
    var kept = scalars.startIndex
    var place = scalars.startIndex
    while place < scalars.endIndex {
      let scalar = scalars[place]
      let next = scalars.index(after: place)
      if scalar.isJoiner ? !scalars.joins(at: place) : scalar.isHidden {
        text.append(contentsOf: scalars[kept..<place])
        text.append(contentsOf: replacement(scalar).unicodeScalars)
        kept = next
      }
      place = next
    }
    guard kept > scalars.startIndex else { return self }
    text.append(contentsOf: scalars[kept...])
    return String(text)
  }
}

extension String.UnicodeScalarView {
  /// Whether the joiner at a place is behind a letter of a script that is not written without it, or
  /// between two emoji.
  ///
  /// https://www.unicode.org/reports/tr31/#Layout_and_Format_Control_Characters
  fileprivate func joins(at place: Index) -> Bool {
    let next = index(after: place)
    guard place > startIndex else { return false }
    let before = self[index(before: place)]
    return before.isOfJoiningScript && before.isLetterOrMark
      || self[place] == "\u{200D}" && before.isPicture && next < endIndex && self[next].isPicture
  }
}

extension Unicode.Scalar {
  fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }

  /// Whether it is, or ends, one of the characters that emoji are joined of.
  fileprivate var isPicture: Bool {
    switch value {
    case 0x2190...0x2BFF, 0xFE0F, 0x1F000...0x1FAFF: true
    default: false
    }
  }

  /// Whether it is in words; digits and punctuation are not.
  fileprivate var isLetterOrMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark: true
    default: properties.isAlphabetic
    }
  }

  /// Whether it is of a script in whose words joiners are: from Arabic to Myanmar, from Khmer to the
  /// Vedic marks, and their later blocks.
  fileprivate var isOfJoiningScript: Bool {
    switch value {
    case 0x620...0x109F, 0x1700...0x1CFF, 0xA800...0xABFF, 0xFB50...0xFDFF, 0xFE70...0xFEFC,
      0x10A00...0x11FFF, 0x1E900...0x1E95F:
      true
    default: false
    }
  }

  /// Whether the character is not seen itself, wherever it is.
  fileprivate var isHidden: Bool {
    switch value {
    // ASCII, and what most texts have beside: letters of Europe, dashes and quotation marks, arrows
    // and shapes, the signs of East Asia, emoji. No scalar of these ranges is hidden.
    case 0..<0x7F, 0xAE...0x2FF, 0x2010...0x2027, 0x2190...0x2BFF, 0x3001...0xD7FF,
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
