// What a reader of YAML has to know beside what its parser gives.

extension String {
  /// The text without the mark of byte order that some editors put before it.
  ///
  /// https://yaml.org/spec/1.2.2/#52-character-encodings
  package var withoutByteOrderMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }

  /// The first character that ends a line in YAML 1.1, and so for the parser, and in YAML 1.2 is as
  /// any other, with the line that an editor shows for it.
  ///
  /// https://yaml.org/spec/1.2.2/#54-line-break-characters
  package var unusualLineEnd: (name: String, line: Int)? {
    var line = 1
    var isBehindReturn = false
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{85}": return ("U+0085", line)
      case "\u{2028}": return ("U+2028", line)
      case "\u{2029}": return ("U+2029", line)
      case "\n": line += isBehindReturn ? 0 : 1
      case "\r": line += 1
      default: break
      }
      isBehindReturn = scalar == "\r"
    }
    return nil
  }

  /// Whether a plain scalar of this text represents nothing.
  ///
  /// https://yaml.org/spec/1.2.2/#103-core-schema
  package var isNullInYAML: Bool {
    switch self {
    case "", "~", "null", "Null", "NULL": true
    default: false
    }
  }

  /// Whether a tag of this whole name, `tag:yaml.org,2002:str`, makes text of any scalar.
  package var isTextTagInYAML: Bool { self == "!" || self == Self.commonTag + "str" }

  /// How a tag of this whole name is spelled, `!!int`, where it says something else of a value than its kind:
  /// `str`, `seq` or `map`.
  package func foreignTagInYAML(on kind: String) -> String? {
    if isEmpty || self == "!" || self == Self.commonTag + kind { return nil }
    return hasPrefix(Self.commonTag) ? "!!\(dropFirst(Self.commonTag.count))" : self
  }

  private static let commonTag = "tag:yaml.org,2002:"
}
