/// What becomes of an attribute's values when its kind changes.
struct KindChange {
  let severity: ModelDifference.Severity
  /// What happens, as a clause; empty when nothing does.
  let reason: String

  /// `nil` when nothing changes.
  init?(from old: StoreAttribute.Kind, to new: StoreAttribute.Kind) {
    guard old != new else { return nil }
    (severity, reason) = Self.outcome(old, new)
  }

  private static func outcome(
    _ old: StoreAttribute.Kind,
    _ new: StoreAttribute.Kind
  ) -> (ModelDifference.Severity, String) {
    if case .transformable(let transformer, _) = old,
      case .transformable(let other, _) = new
    {
      // The class of the value is a promise of the code; only the transformer makes the bytes.
      return transformer == other
        ? (.compatible, "") : (.breaking, "what one wrote, the other may not read")
    }
    if case .undeclared = old { return (.compatible, "the first model does not state its type") }
    if case .undeclared = new { return (.compatible, "the second model does not state its type") }
    guard let isWider = widened(old, new) else { return (.lossy, reason(old, new)) }
    return isWider ? (.compatible, "") : (.lossy, "values beyond its range are cut")
  }

  /// For two kinds of number, whether the second holds each value of the first.
  private static func widened(_ old: StoreAttribute.Kind, _ new: StoreAttribute.Kind) -> Bool? {
    guard let first = numeric(old), let second = numeric(new) else { return nil }
    return first.wholeBits <= second.wholeBits && first.fractionBits <= second.fractionBits
  }

  /// How many bits of a whole number are exact, and of a fraction.
  private static func numeric(
    _ kind: StoreAttribute.Kind
  ) -> (wholeBits: Int, fractionBits: Int)? {
    switch kind {
    case .boolean: (1, 0)
    case .integer16: (16, 0)
    case .integer32: (32, 0)
    case .integer64: (64, 0)
    case .float: (24, 24)
    case .double: (53, 53)
    // A store keeps decimals as doubles or as texts; 38 digits are what the type promises.
    case .decimal: (126, 53)
    default: nil
    }
  }

  private static func reason(_ old: StoreAttribute.Kind, _ new: StoreAttribute.Kind) -> String {
    switch (old, new) {
    case (.string, _) where numeric(new) != nil: "texts that are not numbers are dropped"
    case (.date, .string), (.string, .date):
      "Core Data converts no dates: a lightweight migration drops the values"
    default: "a lightweight migration drops the values"
    }
  }
}

extension StoreAttribute.Kind {
  /// What the kind is called in a message.
  package var words: String {
    switch self {
    case .integer16: "a 16-bit integer"
    case .integer32: "a 32-bit integer"
    case .integer64: "a 64-bit integer"
    case .decimal: "a decimal"
    case .double: "a double"
    case .float: "a float"
    case .string: "a string"
    case .boolean: "a boolean"
    case .date: "a date"
    case .binary: "binary data"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .transformable(let transformer, let valueClass):
      "transformable" + (valueClass.map { " (\($0))" } ?? "")
        + (transformer.map { " through \($0)" } ?? "")
    case .objectID: "an object ID"
    case .composite(_, let isEnumeration): isEnumeration ? "an enum" : "a composite"
    case .undeclared(let type): type.isEmpty ? "of no declared type" : "declared as \(type)"
    }
  }
}
