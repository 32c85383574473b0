import JSONText

/// The words in which faults are reported.
enum FaultWords {
  private static let longest = 60

  /// At most sixty characters of `text`.
  static func shortened(_ text: String) -> String {
    guard text.unicodeScalars.count > longest else { return text }
    var short = ""
    short.unicodeScalars.append(contentsOf: text.unicodeScalars.prefix(longest - 1))
    return short + "…"
  }

  /// `text` between quotes, control characters escaped, shortened.
  static func quoted(_ text: String) -> String {
    let isLong = text.unicodeScalars.count > longest
    return JSONValue.string(isLong ? shortened(text) : text).canonicalText
  }

  static func value(_ value: JSONValue) -> String {
    shortened(value.canonicalText)
  }

  static func count(_ count: Int, _ prefix: String, _ noun: String) -> String {
    "\(prefix) \(count) \(noun)\(count == 1 ? "" : "s")"
  }

  static func count(_ count: Int64, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// The kinds of value that a mask of types lets in.
  static func kinds(_ types: UInt8) -> String {
    var words: [String] = []
    for kind in [JSONKind.string, .number, .boolean, .array, .object, .null] {
      if types & 1 << kind.rawValue != 0 {
        words.append(word(kind))
      } else if kind == .number, types & SchemaNode.plainIntegerBit != 0 {
        words.append("a whole number")
      }
    }
    return words.isEmpty ? "nothing at this place" : words.joined(separator: " or ")
  }

  private static func word(_ kind: JSONKind) -> String {
    switch kind {
    case .null: "null"
    case .boolean: "true or false"
    case .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }

  static let cureOfUndecided =
    "simplify the pattern in the schema: repetitions inside repetitions and back references are slow"

  /// What a person can do about a fault of the keyword.
  static func cure(_ keyword: String) -> String {
    switch keyword {
    case "type": "store a value of the expected kind, or let the profile convert it"
    case "enum", "const": "use one of the values that the schema lists"
    case "required", "dependentRequired", "dependencies":
      "fill the field in, or give it a default in the profile"
    case "additionalProperties", "unevaluatedProperties", "false":
      "leave the field out in the profile, or add it to the schema"
    case "unevaluatedItems", "items", "additionalItems", "maxItems":
      "remove the elements that are too many"
    case "minItems", "contains", "minContains": "add the elements that are missing"
    case "maxContains": "remove elements until few enough are left"
    case "minLength": "write a longer text"
    case "maxLength": "shorten the text"
    case "pattern", "format", "contentEncoding", "contentMediaType":
      "write the text in the expected form"
    case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf":
      "correct the number"
    case "uniqueItems": "remove the element that is there twice"
    case "minProperties": "fill in more fields"
    case "maxProperties": "leave fields out"
    case "propertyNames": "rename the field"
    case "anyOf", "oneOf", "not": "bring the record into one of the shapes the schema allows"
    default: "simplify the record, or ask the people who wrote the schema"
    }
  }
}
