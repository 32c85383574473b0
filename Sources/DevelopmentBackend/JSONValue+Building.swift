import JSONText

extension JSONValue {
  /// A whole number.
  static func whole(_ number: some BinaryInteger) -> JSONValue {
    .number(JSONNumber(Int64(number)))
  }

  /// A string, or null.
  static func text(_ text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }

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
}
