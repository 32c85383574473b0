/// A JSON Pointer: a place inside a value.
///
/// https://www.rfc-editor.org/rfc/rfc6901
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
  /// Names and indices from the outside in, unescaped.
  package var tokens: [String]

  package init(tokens: [String] = []) {
    self.tokens = tokens
  }

  /// Takes `""` or text that begins with a slash and escapes `~` as `~0` and `/` as `~1`.
  package init?(_ text: String) {
    var tokens: [String] = []
    if !text.isEmpty {
      let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
      guard let first = parts.first, first.isEmpty else { return nil }
      for part in parts.dropFirst() {
        guard let token = Self.unescaped(part) else { return nil }
        tokens.append(token)
      }
    }
    self.tokens = tokens
  }

  // By code points: two names that only look alike are two places.

  package static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    left.tokens.count == right.tokens.count
      && zip(left.tokens, right.tokens).allSatisfy { $0.hasSameScalars(as: $1) }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(tokens.count)
    for token in tokens { token.hashScalars(into: &hasher) }
  }

  package var description: String {
    tokens.map { "/" + Self.escaped($0) }.joined()
  }

  /// `name` with `~` as `~0` and `/` as `~1`.
  package static func escaped(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The array index that a token spells: digits without a leading zero, or `nil`.
  package static func index(_ token: String) -> Int? {
    let digits = token.utf8
    guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0"),
      digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 })
    else { return nil }
    return Int(token)
  }

  private static func unescaped(_ part: Substring.UnicodeScalarView) -> String? {
    var text = ""
    var scalars = part.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "~" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      switch scalars.next() {
      case "0": text += "~"
      case "1": text += "/"
      default: return nil
      }
    }
    return text
  }
}
