/// Escapes for the forms that are text with marks.
extension String {
  /// For HTML and XML, inside an element or an attribute in double quotes; characters that XML
  /// does not have are replaced by U+FFFD.
  ///
  /// https://www.w3.org/TR/xml/#charsets
  var escapedForMarkup: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\n", "\r", "\t": text += "&#\(scalar.value);"
      default:
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF, 0x202A...0x202E, 0x2066...0x2069:
          text += "\u{FFFD}"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }

  /// For Markdown, so that nothing in it is a mark, a mention, a link or HTML.
  var escapedForMarkdown: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~":
        text += "\\"
        text.unicodeScalars.append(scalar)
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "@": text += "&#64;"
      case "\n", "\r", "\t": text += " "
      default:
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: text += "\u{FFFD}"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }

  /// For Markdown, between backticks: nothing in it ends the span or its line.
  var plainForCodeSpan: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x60: text += "'"
      case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: text += " "
      case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// At most `limit` characters, and a sign that there were more.
  func shortened(to limit: Int) -> String {
    count > limit ? prefix(limit - 1) + "…" : self
  }
}

/// Numbers and times as people write them.
enum Figures {
  /// `0.4 s`, `12 s`, `3 min 20 s`.
  static func seconds(_ seconds: Double) -> String {
    if seconds < 10 { return "\((seconds * 10).rounded() / 10) s" }
    let whole = Int(seconds.rounded())
    return whole < 120 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
  }

  /// `512 bytes`, `1.4 MB`.
  static func bytes(_ bytes: Int64) -> String {
    guard bytes >= 1_000 else { return "\(bytes) bytes" }
    var value = Double(bytes) / 1_000
    var units = ["kB", "MB", "GB"][...]
    while value >= 1_000, units.count > 1 {
      value /= 1_000
      units.removeFirst()
    }
    let figure = value < 10 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    return "\(figure) \(units.first ?? "GB")"
  }

  /// A number with a sign.
  static func difference(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

  /// `1 record`, `2 records`.
  static func count(_ number: Int, _ word: String) -> String {
    number == 1 ? "1 \(word)" : "\(number) \(word)s"
  }
}
