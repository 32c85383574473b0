extension JSONValue {
  /// A whole number.
  package static func whole(_ number: some BinaryInteger) -> JSONValue {
    .number(JSONNumber(Int64(number)))
  }

  /// A string, or null.
  package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// An array of what `value` makes of each element.
  package static func list<Element>(
    _ elements: some Sequence<Element>,
    _ value: (Element) -> JSONValue
  ) -> JSONValue {
    .array(elements.map(value))
  }

  /// Whole numbers by their names, in the order of the names.
  package static func counts(_ counts: [String: some BinaryInteger]) -> JSONValue {
    var object = JSONObject()
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) { object[name] = .whole(count) }
    return .object(object)
  }
}
