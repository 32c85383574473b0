extension JSONTemplate {
  /// The template without the members and elements that are one of these names alone, and without the objects and
  /// lists that have nothing else in them.
  package func leavingOut(_ names: Set<String>) -> JSONTemplate {
    names.isEmpty ? self : JSONTemplate(Self.leavingOut(names, in: value) ?? .object(JSONObject()))
  }

  private static func leavingOut(_ names: Set<String>, in value: JSONValue) -> JSONValue? {
    switch value {
    case .string(let text): return names.contains { text == "{\($0)}" } ? nil : value
    case .array(let elements):
      let left = elements.compactMap { leavingOut(names, in: $0) }
      return left.isEmpty && !elements.isEmpty ? nil : .array(left)
    case .object(let object):
      var left = JSONObject()
      for member in object.members { left[member.name] = leavingOut(names, in: member.value) }
      return left.isEmpty && !object.isEmpty ? nil : .object(left)
    case .null, .boolean, .number: return value
    }
  }
}
