package import JSONText
package import Profiles

extension Profile {
  /// ``meaning`` as YAML, which reads back as the same profile: what a run keeps.
  ///
  /// It is JSON, one setting a line, in the order of the file: entities are sent in that order.
  package var expandedText: String { Self.expandedText(of: meaning) }

  static func expandedText(of meaning: JSONValue) -> String {
    var text = ""
    write(meaning, indentation: "", to: &text)
    return text + "\n"
  }

  /// What another profile says otherwise, key by key, in the order of the keys.
  package func changes(to other: Profile) -> [ProfileChange] {
    var changes: [ProfileChange] = []
    Self.compare(meaning, other.meaning, at: [], &changes)
    let names = (entities.map(\.name), other.entities.map(\.name))
    if names.0 != names.1, Set(names.0) == Set(names.1) {
      changes.append(ProfileChange(key: "entities", kind: .reordered))
    }
    return changes
  }

  private static func compare(
    _ before: JSONValue,
    _ after: JSONValue,
    at place: [String],
    _ changes: inout [ProfileChange]
  ) {
    guard let old = before.object, let new = after.object else {
      if before != after {
        changes.append(ProfileChange(place, .changed(from: before, to: after)))
      }
      return
    }
    for name in Set(old.names).union(new.names).sorted() {
      let place = place + [name]
      switch (old[name], new[name]) {
      case (let old?, let new?): compare(old, new, at: place, &changes)
      case (_?, nil): changes.append(ProfileChange(place, .removed))
      case (nil, _?): changes.append(ProfileChange(place, .added))
      case (nil, nil): break
      }
    }
  }

  private static func write(_ value: JSONValue, indentation: String, to text: inout String) {
    let inner = indentation + "  "
    switch value {
    case .object(let object) where !object.isEmpty:
      text += "{"
      for (number, member) in object.members.enumerated() {
        text += number == 0 ? "\n" : ",\n"
        text += inner + plainText(of: .string(member.name)) + ": "
        write(member.value, indentation: inner, to: &text)
      }
      text += "\n\(indentation)}"
    case .array(let elements):
      text += "["
      for (number, element) in elements.enumerated() {
        if number > 0 { text += ", " }
        write(element, indentation: inner, to: &text)
      }
      text += "]"
    case .null, .boolean, .number, .string, .object: text += plainText(of: value)
    }
  }

  /// A value in one line, without what ends a line for some readers of YAML alone.
  private static func plainText(of value: JSONValue) -> String {
    var text = ""
    for scalar in value.canonicalText.unicodeScalars {
      switch scalar {
      case "\u{85}": text += "\\u0085"
      case "\u{2028}": text += "\\u2028"
      case "\u{2029}": text += "\\u2029"
      case "\u{7F}": text += "\\u007f"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

/// One key of which two profiles say something else.
package struct ProfileChange: Hashable, Sendable {
  /// The names on the way to it, with points between them: `entities.Note.fields.title.attribute`.
  package let key: String
  package let kind: Kind

  /// What became of the key.
  package enum Kind: Hashable, Sendable {
    case added, removed
    case changed(from: JSONValue, to: JSONValue)
    /// The same names are in another order.
    case reordered
  }

  init(key: String, kind: Kind) {
    self.key = key
    self.kind = kind
  }

  fileprivate init(_ place: [String], _ kind: Kind) {
    self.init(key: place.joined(separator: "."), kind: kind)
  }
}

extension ProfileChange: CustomStringConvertible {
  package var description: String {
    switch kind {
    case .added: "\(key) (added)"
    case .removed: "\(key) (removed)"
    case .changed(let before, let after): "\(key) (\(Self.words(before)), now \(Self.words(after)))"
    case .reordered: "\(key) (in another order)"
    }
  }

  /// The longest value that is shown whole.
  private static let longest = 60

  private static func words(_ value: JSONValue) -> String {
    let text = value.canonicalText
    return text.count > longest ? "\(text.prefix(longest))…" : text
  }
}
