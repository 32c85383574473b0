import JSONText
import RequestBodies

extension FieldExpression {
  /// What a write may have of the fields that it changes: a text, their names and their values.
  func values(of body: JSONObject) -> [String: JSONValue] {
    var parts: [String] = []
    var names = JSONObject()
    var values = JSONObject()
    for (number, member) in body.members.enumerated() {
      if let part = text(each, number, member.name) { parts.append(part) }
      if let key = nameKey.flatMap({ text($0, number, member.name) }) {
        names[key] = .string(member.name)
      }
      if let key = valueKey.flatMap({ text($0, number, member.name) }) {
        values[key] = member.value
      }
    }
    return [
      "expression": .string(parts.joined(separator: separator)), "names": .object(names),
      "values": .object(values),
    ]
  }
}
