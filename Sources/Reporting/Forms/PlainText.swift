import JSONText

/// Escapes for the forms that are text with marks.
extension String {
  /// For HTML and XML, inside an element or an attribute in double quotes; characters that XML
  /// does not have are replaced by U+FFFD.
  ///
  /// https://www.w3.org/TR/xml/#charsets
  var escapedForMarkup: String {
    mapped { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case "\n", "\r", "\t": "&#\(scalar.value);"
      case "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
      default: scalar.isControl ? "\u{FFFD}" : nil
      }
    }
  }

  /// For Markdown, so that nothing in it is a mark, a mention, a link or HTML.
  var escapedForMarkdown: String {
    mapped { scalar in
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~": "\\\(scalar)"
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "@": "&#64;"
      case "\n", "\r", "\t": " "
      default: scalar.isControl ? "\u{FFFD}" : nil
      }
    }
  }

  /// For HTML within Markdown: nothing in it is a mark of either, or a mention.
  var escapedForMarkupInMarkdown: String {
    escapedForMarkup.mapped { scalar in
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "~", "@": "&#\(scalar.value);"
      default: nil
      }
    }
  }

  /// For Markdown, between backticks: nothing in it ends the span or its line.
  var plainForCodeSpan: String {
    mapped { scalar in
      switch scalar {
      case "`": "'"
      case "\t", "\n", "\r", "\u{2028}", "\u{2029}": " "
      default: scalar.isControl ? "\u{FFFD}" : nil
      }
    }
  }

  /// The text with everything escaped that could drive a terminal: controls, and what is hidden.
  package var plainForTerminal: String {
    // Most texts have no such character, which their bytes say at once.
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return self }
    let escape = { (scalar: Unicode.Scalar) in "\\u{\(String(scalar.value, radix: 16))}" }
    return mapped { $0.value < 0x20 ? escape($0) : nil }.replacingHidden(with: escape)
  }

  /// The text with those characters replaced that `replacement` gives something for.
  private func mapped(_ replacement: (Unicode.Scalar) -> String?) -> String {
    guard let first = unicodeScalars.firstIndex(where: { replacement($0) != nil }) else {
      return self
    }
    var text = String.UnicodeScalarView(unicodeScalars[..<first])
    for scalar in unicodeScalars[first...] {
      if let other = replacement(scalar) {
        text.append(contentsOf: other.unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// For Markdown, at most `limit` characters.
  func escapedForMarkdown(upTo limit: Int) -> String { escaped(upTo: limit, \.escapedForMarkdown) }

  /// Escaped to at most `limit` characters, with a sign that there were more; no escape is cut.
  func escaped(upTo limit: Int, _ escape: (String) -> String) -> String {
    let whole = escape(self)
    guard whole.count > limit else { return whole }
    var text = ""
    var left = limit - 1
    for character in self {
      let next = escape(String(character))
      left -= next.count
      guard left >= 0 else { break }
      text += next
    }
    return text + "…"
  }

  /// At most `limit` characters, and a sign that there were more.
  func shortened(to limit: Int) -> String {
    count > limit ? prefix(limit - 1) + "…" : self
  }
}

extension Unicode.Scalar {
  /// Whether it is a control, or turns the direction of writing.
  fileprivate var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
