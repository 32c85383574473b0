import JSONText

extension SchemaComparer {
  /// Types, choices, bounds, patterns and formats.
  func scalars(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let kinds = before.kinds(in: old)
    var changes = types(before, after, kinds) + choices(before, after)
    if !kinds.isDisjoint(with: ["integer", "fraction"]) {
      changes += bound(before, after, "minimum", "exclusiveMinimum", isLower: true)
      changes += bound(before, after, "maximum", "exclusiveMaximum", isLower: false)
      changes += factor(before, after)
    }
    if kinds.contains("string") {
      changes += counts(before, after, "minLength", "maxLength")
      changes += sameOrGone(
        before,
        after,
        "pattern",
        .unclear,
        "whether the new pattern takes all that the old one took cannot be determined"
      )
      changes += sameOrGone(
        before,
        after,
        "format",
        .breaking,
        "texts of the old format may not be in the new one"
      )
    }
    if kinds.contains("array") { changes += counts(before, after, "minItems", "maxItems") }
    if kinds.contains("object") {
      changes += counts(before, after, "minProperties", "maxProperties")
    }
    return changes
  }

  private func types(
    _ before: SchemaView,
    _ after: SchemaView,
    _ kinds: Set<String>
  ) -> [SchemaChange] {
    let lost = kinds.subtracting(after.declaredKinds)
    if !lost.isEmpty {
      let reason = "values of type \(Self.words(lost)) were allowed and are refused"
      return [keyword(before, after, "type", .breaking, reason)]
    }
    guard before["type"] != after["type"] else { return [] }
    return [keyword(before, after, "type", .compatible, "every type that was allowed still is")]
  }

  private static func words(_ kinds: Set<String>) -> String {
    var names = kinds
    if names.isSuperset(of: ["integer", "fraction"]) {
      names.subtract(["integer", "fraction"])
      names.insert("number")
    }
    return names.sorted().map { $0 == "fraction" ? "number with a fraction" : $0 }
      .joined(separator: ", ")
  }

  private func choices(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let name = after["const"] != nil || before["const"] != nil ? "const" : "enum"
    let hasList = ["const", "enum"].contains { after[$0] != nil }
    guard hasList, let now = after.values else {
      let isGone = ["const", "enum"].contains { before[$0] != nil }
      guard isGone else { return [] }
      return [keyword(before, after, name, .compatible, "more values are allowed than were listed")]
    }
    guard let was = before.values else {
      return [
        keyword(before, after, name, .breaking, "values that are not in the list were allowed")
      ]
    }
    let gone = was.filter { value in !now.contains(value) && isAllowed(value, before) }
    if !gone.isEmpty {
      let list = gone.prefix(5).map(short).joined(separator: ", ")
      return [keyword(before, after, name, .breaking, "\(list) was allowed and is refused")]
    }
    guard now.contains(where: { !was.contains($0) }) else { return [] }
    return [keyword(before, after, name, .compatible, "every value that was allowed still is")]
  }

  /// Whether a listed value is of a type that the schema allows at all.
  private func isAllowed(_ value: JSONValue, _ view: SchemaView) -> Bool {
    let kinds = view.declaredKinds
    guard case .number(let number) = value else { return kinds.contains(value.kind.description) }
    return kinds.contains(number.decimalForm?.isInteger == true ? "integer" : "fraction")
  }

  // MARK: Numbers

  private func bound(
    _ before: SchemaView,
    _ after: SchemaView,
    _ inclusive: String,
    _ exclusive: String,
    isLower: Bool
  ) -> [SchemaChange] {
    let was = Self.bound(before, inclusive, exclusive, isLower)
    let now = Self.bound(after, inclusive, exclusive, isLower)
    guard was != now else { return [] }
    let name =
      (now?.isExclusive ?? was?.isExclusive) == true ? exclusive : inclusive
    guard let now else {
      return [keyword(before, after, name, .compatible, "numbers beyond it are allowed now")]
    }
    let holds = was.map { $0 == now || Self.isTighter($0, than: now, isLower) } ?? false
    return holds
      ? [keyword(before, after, name, .compatible, "every number that was allowed still is")]
      : [keyword(before, after, name, .breaking, "numbers that were allowed lie beyond it")]
  }

  private struct Bound: Hashable {
    let number: DecimalForm
    let isExclusive: Bool
  }

  /// The bound that counts.
  private static func bound(
    _ view: SchemaView,
    _ inclusive: String,
    _ exclusive: String,
    _ isLower: Bool
  ) -> Bound? {
    let plain = number(view[inclusive]).map { Bound(number: $0, isExclusive: false) }
    let strict = number(view[exclusive]).map { Bound(number: $0, isExclusive: true) }
    guard let plain, let strict else { return plain ?? strict }
    return isTighter(strict, than: plain, isLower) ? strict : plain
  }

  private static func isTighter(_ bound: Bound, than other: Bound, _ isLower: Bool) -> Bool {
    guard bound.number != other.number else { return bound.isExclusive && !other.isExclusive }
    return isLower ? other.number < bound.number : bound.number < other.number
  }

  private static func number(_ value: JSONValue?) -> DecimalForm? {
    guard case .number(let number) = value else { return nil }
    return number.decimalForm
  }

  private func factor(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    guard before["multipleOf"] != after["multipleOf"] else { return [] }
    guard let now = Self.number(after["multipleOf"]) else {
      return [keyword(before, after, "multipleOf", .compatible, "every number is allowed now")]
    }
    guard let was = Self.number(before["multipleOf"]) else {
      return [
        keyword(
          before,
          after,
          "multipleOf",
          .breaking,
          "numbers that are not multiples were allowed"
        )
      ]
    }
    guard let divides = Self.divides(now, was) else {
      return [
        keyword(before, after, "multipleOf", .unclear, "the numbers are too long to be divided")
      ]
    }
    return divides
      ? [
        keyword(
          before,
          after,
          "multipleOf",
          .compatible,
          "multiples of the old number are multiples of the new one"
        )
      ]
      : [
        keyword(
          before,
          after,
          "multipleOf",
          .breaking,
          "some multiples of the old number are refused"
        )
      ]
  }

  /// Whether `part` divides `whole`; `nil` where they do not fit.
  private static func divides(_ part: DecimalForm, _ whole: DecimalForm) -> Bool? {
    let least = min(part.exponent, whole.exponent)
    guard let part = integer(part, over: least), let whole = integer(whole, over: least), part != 0
    else { return nil }
    return whole % part == 0
  }

  private static func integer(_ number: DecimalForm, over exponent: Int) -> Int64? {
    let zeros = number.exponent - exponent
    guard zeros >= 0, number.digits.count + zeros <= 18 else { return nil }
    var value: Int64 = 0
    for digit in number.digits { value = value * 10 + Int64(digit) }
    for _ in 0..<zeros { value *= 10 }
    return value
  }

  // MARK: Counts, patterns, formats

  func counts(
    _ before: SchemaView,
    _ after: SchemaView,
    _ least: String,
    _ most: String
  ) -> [SchemaChange] {
    count(before, after, least, isLower: true) + count(before, after, most, isLower: false)
  }

  func count(
    _ before: SchemaView,
    _ after: SchemaView,
    _ name: String,
    isLower: Bool,
    absent: Int64? = nil
  ) -> [SchemaChange] {
    let none = absent ?? (isLower ? 0 : .max)
    let was = before[name]?.integer ?? none
    let now = after[name]?.integer ?? none
    guard was != now else { return [] }
    return (isLower ? now < was : now > was)
      ? [keyword(before, after, name, .compatible, "every size that was allowed still is")]
      : [keyword(before, after, name, .breaking, "sizes that were allowed are refused")]
  }

  private func sameOrGone(
    _ before: SchemaView,
    _ after: SchemaView,
    _ name: String,
    _ changed: SchemaChange.Effect,
    _ reason: String
  ) -> [SchemaChange] {
    guard before[name] != after[name] else { return [] }
    switch (before[name], after[name]) {
    case (_, nil): return [keyword(before, after, name, .compatible, "more texts are allowed now")]
    case (nil, _):
      return [keyword(before, after, name, .breaking, "texts of any form were allowed")]
    default: return [keyword(before, after, name, changed, reason)]
    }
  }
}
