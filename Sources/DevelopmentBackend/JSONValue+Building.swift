import JSONText

extension JSONValue {
  /// Whether JavaScript takes the value for true.
  var isTruthy: Bool {
    switch self {
    case .null: false
    case .boolean(let boolean): boolean
    case .number(let number): number.double != 0
    case .string(let text): !text.isEmpty
    case .array, .object: true
    }
  }

  /// Whether a text in it, or a name, has U+0000.
  var holdsNullCharacter: Bool {
    switch self {
    case .string(let text): text.utf8.contains(0)
    case .array(let elements): elements.contains { $0.holdsNullCharacter }
    case .object(let object):
      object.members.contains { $0.name.utf8.contains(0) || $0.value.holdsNullCharacter }
    case .null, .boolean, .number: false
    }
  }
}
