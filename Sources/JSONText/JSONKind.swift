/// What a JSON value is.
package enum JSONKind: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  case null
  case boolean
  case number
  case string
  case array
  case object

  /// The name JSON Schema gives the kind.
  package var description: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}
