import JSONText
import Patterns
import StringFormats

extension SchemaCompiler {
  func kinds(_ value: JSONValue, _ source: SchemaSource) throws(SchemaError) -> UInt8 {
    let names: [String]
    if let name = value.text {
      names = [name]
    } else {
      names = try texts(value, source, .type)
    }
    var types: UInt8 = 0
    for name in names {
      switch name {
      case "null": types |= 1 << JSONKind.null.rawValue
      case "boolean": types |= 1 << JSONKind.boolean.rawValue
      case "number":
        types |=
          1 << JSONKind.number.rawValue | SchemaNode.integerBit | SchemaNode.plainIntegerBit
      case "integer":
        types |= SchemaNode.plainIntegerBit
        if source.dialect.draft != .draft4 { types |= SchemaNode.integerBit }
      case "string": types |= 1 << JSONKind.string.rawValue
      case "array": types |= 1 << JSONKind.array.rawValue
      case "object": types |= 1 << JSONKind.object.rawValue
      default: throw malformed(source, .type, "has no type called \"\(name)\"")
      }
    }
    return types
  }

  // MARK: Values

  mutating func valueRule(_ source: SchemaSource) throws(SchemaError) -> Int32 {
    switch (source[.const], source[.enum]) {
    case (nil, nil): return -1
    case (let value?, nil): return valueRule([value], isConstant: true)
    case (nil, let list?): return valueRule(try elements(list, source), isConstant: false)
    case (let value?, let list?):
      let both = try elements(list, source).filter { $0 == value }
      return valueRule(both, isConstant: true)
    }
  }

  private func elements(_ list: JSONValue, _ source: SchemaSource) throws(SchemaError)
    -> [JSONValue]
  {
    guard let elements = list.array else { throw malformed(source, .enum, "must be a list") }
    return elements
  }

  private mutating func valueRule(_ values: [JSONValue], isConstant: Bool) -> Int32 {
    var rule = ValueRule()
    rule.isConstant = isConstant
    rule.values = SchemaRange(start: Int32(tables.values.count), count: Int32(values.count))
    tables.values += values
    let texts = values.compactMap(\.text)
    rule.hasOnlyTexts = texts.count == values.count
    rule.hasNull = values.contains(.null)
    rule.hasTrue = values.contains(.boolean(true))
    rule.hasFalse = values.contains(.boolean(false))
    var table = PropertyTable()
    for text in texts {
      table.add(name(text)) { _ in }
    }
    (rule.slots, rule.slotMask) = place(table)
    tables.valueRules.append(rule)
    return Int32(tables.valueRules.count - 1)
  }

  /// Puts a table among the slots and gives where it begins and its mask.
  mutating func place(_ table: PropertyTable) -> (start: Int32, mask: UInt32) {
    guard !table.entries.isEmpty else { return (-1, 0) }
    var size = 2
    while size < table.entries.count * 2 {
      size *= 2
    }
    var slots = [PropertySlot](repeating: PropertySlot(), count: size)
    for entry in table.entries {
      var slot = entry
      slot.fingerprint = tables.names[Int(entry.name)].fingerprint
      var index = Int(slot.fingerprint) & (size - 1)
      while slots[index].name >= 0 {
        index = (index + 1) & (size - 1)
      }
      slots[index] = slot
    }
    let start = Int32(tables.slots.count)
    tables.slots += slots
    return (start, UInt32(size - 1))
  }

  // MARK: Strings

  mutating func stringRule(_ source: SchemaSource) throws(SchemaError) -> Int32 {
    var rule = StringRule()
    rule.minimumLength = try limit(source, .minLength, default: 0)
    rule.maximumLength = try limit(source, .maxLength, default: .max)
    if let value = source[.pattern] {
      guard let text = value.text else { throw malformed(source, .pattern, "must be a text") }
      rule.pattern = try pattern(text, source)
    }
    if let value = source[.format] { rule.format = try format(value, source) }
    rule.content = content(source)
    guard
      rule.minimumLength > 0 || rule.maximumLength < .max || rule.pattern >= 0 || rule.format >= 0
        || rule.content != .anything
    else { return -1 }
    tables.strings.append(rule)
    return Int32(tables.strings.count - 1)
  }

  private mutating func format(
    _ value: JSONValue,
    _ source: SchemaSource
  ) throws(SchemaError) -> Int32 {
    guard let text = value.text else { throw malformed(source, .format, "must be a text") }
    guard let format = SchemaFormat(rawValue: text) else {
      if registry.unknownKeywords == .refuse {
        throw registry.error(source.location, .unknownFormat(text))
      }
      return -1
    }
    guard asserts(source) else { return -1 }
    tables.formats.append(format)
    return Int32(tables.formats.count - 1)
  }

  /// What the text has to hold: only draft-07 lets a validator insist on it.
  private func content(_ source: SchemaSource) -> StringContent {
    guard source.dialect.draft == .draft7, formats == .assert else { return .anything }
    let isBase64 = source[.contentEncoding]?.text == "base64"
    let isJSON = source[.contentMediaType]?.text == "application/json"
    return StringContent(isBase64: isBase64, isJSON: isJSON)
  }

  // MARK: Numbers

  mutating func numberRule(_ source: SchemaSource) throws(SchemaError) -> Int32 {
    var rule = NumberRule()
    rule.minimum = try bound(source, .minimum)
    rule.maximum = try bound(source, .maximum)
    if source.dialect.draft != .draft4 {
      rule.exclusiveMinimum = try bound(source, .exclusiveMinimum)
      rule.exclusiveMaximum = try bound(source, .exclusiveMaximum)
    }
    rule.multipleOf = try bound(source, .multipleOf)
    if source.dialect.draft == .draft4 {
      if try isExclusive(source, .exclusiveMinimum) {
        (rule.minimum, rule.exclusiveMinimum) = (-1, rule.minimum)
      }
      if try isExclusive(source, .exclusiveMaximum) {
        (rule.maximum, rule.exclusiveMaximum) = (-1, rule.maximum)
      }
    }
    if rule.multipleOf >= 0 {
      let form = tables.literals[Int(tables.bounds[Int(rule.multipleOf)].literal)].decimalForm
      guard let form, !form.isNegative, !form.digits.isEmpty else {
        throw malformed(source, .multipleOf, "must be above zero")
      }
    }
    guard
      source.has(.minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum, .multipleOf)
    else { return -1 }
    tables.numbers.append(rule)
    return Int32(tables.numbers.count - 1)
  }

  /// Whether the bound beside the keyword is itself excluded, as draft-04 says it.
  private func isExclusive(
    _ source: SchemaSource,
    _ keyword: SchemaKeyword
  ) throws(SchemaError) -> Bool {
    guard let value = source[keyword] else { return false }
    guard let isExclusive = value.boolean else {
      throw malformed(source, keyword, "must be true or false")
    }
    return isExclusive
  }

  private mutating func bound(
    _ source: SchemaSource,
    _ keyword: SchemaKeyword
  ) throws(SchemaError) -> Int32 {
    guard let value = source[keyword] else { return -1 }
    guard case .number(let number) = value else {
      throw malformed(source, keyword, "must be a number")
    }
    let integer = number.int64.flatMap { $0.magnitude < 1 << 53 ? $0 : nil }
    tables.literals.append(number)
    var bound = NumberBound(
      integer: integer ?? 0,
      isInteger: integer != nil,
      double: number.double ?? .nan,
      literal: Int32(tables.literals.count - 1)
    )
    if let form = number.decimalForm, form.digits.count <= 3, (-2...0).contains(form.exponent) {
      bound.magnitude = form.digits.reduce(0) { $0 * 10 + Int64($1) }
      bound.decimals = bound.magnitude > 0 ? Int32(-form.exponent) : -1
    }
    tables.bounds.append(bound)
    return Int32(tables.bounds.count - 1)
  }
}

/// The names of an object, each once, before they are placed.
struct PropertyTable {
  private(set) var entries: [PropertySlot] = []
  private var places: [Int32: Int] = [:]

  /// Adds `name` unless it is there, and lets `change` say what is known of it.
  mutating func add(_ name: Int32, _ change: (inout PropertySlot) -> Void) {
    if let place = places[name] {
      change(&entries[place])
      return
    }
    var slot = PropertySlot()
    slot.name = name
    change(&slot)
    places[name] = entries.count
    entries.append(slot)
  }
}
