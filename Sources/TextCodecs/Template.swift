/// Text with `{names}` in it.
package struct Template {
  /// A part of the text.
  package enum Part: Equatable {
    case text(Substring)
    case name(Substring)
  }

  package let parts: [Part]

  package init(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      if open > rest.startIndex { parts.append(.text(rest[..<open])) }
      parts.append(.name(rest[rest.index(after: open)..<close]))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { parts.append(.text(rest)) }
    self.parts = parts
  }

  /// Text in which braces may be around anything: only a word in them is a name.
  package init(prose text: String) {
    var parts: [Part] = []
    var plain = text.startIndex
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      rest = rest[open...].dropFirst()
      guard let close = rest.firstIndex(where: { !Self.isOfWord($0) }), rest[close] == "}",
        close > rest.startIndex
      else { continue }
      if open > plain { parts.append(.text(text[plain..<open])) }
      parts.append(.name(rest[..<close]))
      plain = text.index(after: close)
      rest = text[plain...]
    }
    if plain < text.endIndex { parts.append(.text(text[plain...])) }
    self.parts = parts
  }

  private static func isOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_-.".contains(character)
  }

  /// The names that have to be filled in.
  package var names: [String] {
    parts.compactMap { part in
      guard case .name(let name) = part else { return nil }
      return String(name)
    }
  }

  /// The text with every name replaced, or `nil` when one has no value.
  package func filled(_ value: (String) -> String?) -> String? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain
      case .name(let name):
        guard let value = value(String(name)) else { return nil }
        text += value
      }
    }
    return text
  }
}
