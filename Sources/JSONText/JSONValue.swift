/// A JSON value held whole: for manifests, answers and settings, not for records by the million.
///
/// Strings are equal when their code points are; objects, whatever the order of their members.
package indirect enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue: Hashable {
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, _), (.boolean, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .null: break
    case .boolean(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): value.hashScalars(into: &hasher)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

// MARK: - Looking inside

extension JSONValue {
  package var kind: JSONKind {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  package var isNull: Bool {
    self == .null
  }

  /// The text of a string, or `nil`.
  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The number, when it is an integer that fits 64 bits, or `nil`.
  package var integer: Int64? {
    guard case .number(let number) = self else { return nil }
    return number.int64
  }

  /// The nearest double of a number, or `nil`.
  package var double: Double? {
    guard case .number(let number) = self else { return nil }
    return number.double
  }

  package var boolean: Bool? {
    guard case .boolean(let boolean) = self else { return nil }
    return boolean
  }

  package var array: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  package var object: JSONObject? {
    guard case .object(let object) = self else { return nil }
    return object
  }

  /// The member called `name`; `nil` when it is missing, or this is no object.
  package subscript(_ name: String) -> JSONValue? {
    object?[name]
  }

  /// The element at `index`; `nil` when it is missing, or this is no array.
  package subscript(_ index: Int) -> JSONValue? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  /// The value that a JSON Pointer leads to, or `nil`.
  ///
  /// `""` is the value itself, `"/heroes/0/name"` the name of the first hero.
  package func value(at pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      let next: JSONValue?
      switch value {
      case .object(let object): next = object[token]
      case .array(let elements):
        let index = JSONPointer.index(token)
        next = index.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      case .null, .boolean, .number, .string: next = nil
      }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  /// The value that a JSON Pointer leads to; `nil` also when `pointer` is not one.
  package func value(at pointer: String) -> JSONValue? {
    JSONPointer(pointer).flatMap { value(at: $0) }
  }
}

// MARK: - Literals

// `nil` is no literal for `.null`: where an optional value is wanted, it would turn “nothing there”
// into “null is there” without a word.

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(booleanLiteral value: Bool) {
    self = .boolean(value)
  }

  package init(integerLiteral value: Int64) {
    self = .number(JSONNumber(value))
  }

  package init(floatLiteral value: Double) {
    self = .number(JSONNumber(value))
  }

  package init(stringLiteral value: String) {
    self = .string(value)
  }

  package init(arrayLiteral elements: JSONValue...) {
    self = .array(elements)
  }

  /// A later value for the same name replaces the earlier one.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    var object = JSONObject()
    for (name, value) in elements {
      object[name] = value
    }
    self = .object(object)
  }
}
