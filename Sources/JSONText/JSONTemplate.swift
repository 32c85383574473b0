import TextCodecs

/// JSON with `{names}` in its texts.
///
/// A text that is one name alone becomes the value itself; in a longer text, a value is written as text.
/// A member called `...` puts the members of an object beside the others, which come before those of the same
/// name.
package struct JSONTemplate: Hashable, Sendable {
  let value: JSONValue
  /// The names that have to be filled in.
  package let names: Set<String>

  package init(_ value: JSONValue) {
    self.value = value
    names = Self.names(in: value)
  }

  /// The member that puts an object's members beside the others.
  private static let spread = "..."

  /// The JSON with each name replaced; `nil` where one has no value, or none that is part of a text.
  package func filled(_ values: [String: JSONValue]) -> JSONValue? {
    Self.filled(value, values)
  }

  /// The members that an object has beside those of the name, and that win over those of the same name.
  package func members(beside name: String) -> Set<String> {
    Self.members(beside: .string("{\(name)}"), in: value)
  }

  private static func members(beside spread: JSONValue, in value: JSONValue) -> Set<String> {
    switch value {
    case .array(let elements):
      elements.reduce(into: []) { $0.formUnion(members(beside: spread, in: $1)) }
    case .object(let object):
      object.members.reduce(
        into: object[Self.spread] == spread
          ? Set(object.members.map(\.name)).subtracting([Self.spread]) : []
      ) { $0.formUnion(members(beside: spread, in: $1.value)) }
    case .null, .boolean, .number, .string: []
    }
  }

  /// The members on the way to the text that is one name alone; `nil` where there is none outside of lists.
  package func path(to name: String) -> [String]? { Self.path(to: "{\(name)}", in: value) }

  /// The values that a JSON of this form has for the names, which are texts by themselves here; `nil` for a JSON of
  /// another form.
  ///
  /// An object has the members of the form, and those of an object inside may be absent.
  package func matched(by value: JSONValue) -> [String: JSONValue]? {
    Self.matched(self.value, by: value, isInside: false)
  }

  private static func matched(
    _ form: JSONValue,
    by value: JSONValue,
    isInside: Bool
  ) -> [String: JSONValue]? {
    switch form {
    case .string(let text):
      let template = Template(prose: text)
      guard template.parts.count == 1, let name = template.names.first else {
        return form == value ? [:] : nil
      }
      return [name: value]
    case .object(let members):
      guard let object = value.object,
        object.members.allSatisfy({ members[$0.name] != nil }),
        isInside || object.count == members.count
      else { return nil }
      var found: [String: JSONValue] = [:]
      for member in members.members {
        guard let inner = object[member.name] else { continue }
        guard let one = matched(member.value, by: inner, isInside: true) else { return nil }
        found.merge(one) { first, _ in first }
      }
      return found
    case .null, .boolean, .number, .array: return form == value ? [:] : nil
    }
  }

  private static func path(to text: String, in value: JSONValue) -> [String]? {
    if value.text == text { return [] }
    for member in value.object?.members ?? [] {
      if let rest = path(to: text, in: member.value) { return [member.name] + rest }
    }
    return nil
  }

  private static func names(in value: JSONValue) -> Set<String> {
    switch value {
    case .string(let text): Set(Template(prose: text).names)
    case .array(let elements): elements.reduce(into: []) { $0.formUnion(names(in: $1)) }
    case .object(let object):
      object.members.reduce(into: []) { $0.formUnion(names(in: $1.value)) }
    case .null, .boolean, .number: []
    }
  }

  private static func filled(_ value: JSONValue, _ values: [String: JSONValue]) -> JSONValue? {
    switch value {
    case .string(let text): return filled(text, values)
    case .array(let elements):
      let filled = elements.compactMap { Self.filled($0, values) }
      return filled.count == elements.count ? .array(filled) : nil
    case .object(let object):
      var filled = JSONObject()
      if let spread = object[Self.spread] {
        guard let inner = Self.filled(spread, values)?.object else { return nil }
        filled = inner
      }
      for member in object.members where member.name != Self.spread {
        guard let value = Self.filled(member.value, values) else { return nil }
        filled[member.name] = value
      }
      return .object(filled)
    case .null, .boolean, .number: return value
    }
  }

  private static func filled(_ text: String, _ values: [String: JSONValue]) -> JSONValue? {
    let template = Template(prose: text)
    if template.parts.count == 1, let name = template.names.first { return values[name] }
    return template.filled { values[$0]?.text ?? values[$0]?.integer.map(String.init) }
      .map { .string($0) }
  }
}

extension JSONValue {
  /// Whether a text inside, or a name, has a name in braces.
  package func mentions(_ name: String) -> Bool {
    switch self {
    case .string(let text): text.contains("{\(name)}")
    case .array(let elements): elements.contains { $0.mentions(name) }
    case .object(let object):
      object.members.contains { $0.name.contains("{\(name)}") || $0.value.mentions(name) }
    case .null, .boolean, .number: false
    }
  }

  /// The same with a name in braces replaced wherever it is, in names as well.
  package func replacing(_ name: String, with text: String) -> JSONValue {
    switch self {
    case .string(let whole): return .string(whole.replacing("{\(name)}", with: text))
    case .array(let elements): return .array(elements.map { $0.replacing(name, with: text) })
    case .object(let object):
      var replaced = JSONObject()
      for member in object.members {
        replaced[member.name.replacing("{\(name)}", with: text)] =
          member.value.replacing(name, with: text)
      }
      return .object(replaced)
    case .null, .boolean, .number: return self
    }
  }
}
