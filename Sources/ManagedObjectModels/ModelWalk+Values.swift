import PropertyLists
import Records
import TextCodecs

/// The values a model has beside names and types: defaults, expressions, names for migrations.
extension ModelWalk {
  /// The name for migrations, when it is another than the property's or entity's own.
  func renamingIdentifier(
    of object: PropertyList,
    name: String
  ) throws(PropertyListError) -> String? {
    guard let identifier = try text("NSRenamingIdentifier", of: object), !identifier.isEmpty else {
      return nil
    }
    return identifier == name ? nil : identifier
  }

  /// The default as text, or `nil` when it is missing.
  func defaultValue(
    of property: PropertyList,
    kind: StoreAttribute.Kind
  ) throws(PropertyListError) -> String? {
    // A property without a default has `$null` here.
    guard let value = try archive.value("NSDefaultValue", of: property) else { return nil }
    switch value {
    case .null: return nil
    case .boolean(let flag): return flag ? "true" : "false"
    case .integer(let number):
      return kind == .boolean ? (number != 0 ? "true" : "false") : String(number)
    case .unsignedInteger(let number): return String(number)
    case .real(let number):
      if kind == .date { return ReferenceDate.text(seconds: number) }
      return DefaultText.real(number)
    case .date(let seconds): return ReferenceDate.text(seconds: seconds)
    case .string(let text): return text
    case .data, .long: return "\(value.byteCount) bytes"
    case .array, .set, .uid: return nil
    case .dictionary: return try objectText(value)
    }
  }

  /// A text, a date, a UUID, a URL or a decimal as text; of any other object, its class.
  private func objectText(_ object: PropertyList) throws(PropertyListError) -> String? {
    if let pairs = try archive.pairs(of: object), pairs.isEmpty { return nil }
    if let text = try text("NS.relative", of: object) { return text }
    if let text = try archive.value("NS.string", of: object)?.text { return text }
    if case .real(let seconds)? = try archive.value("NS.time", of: object) {
      return ReferenceDate.text(seconds: seconds)
    }
    if let bytes = try archive.value("NS.uuidbytes", of: object)?.bytes,
      let text = UUIDText.text(bytes)
    {
      return text
    }
    if let text = try decimalText(object) { return text }
    return try archive.classNames(of: object)?.first
  }

  /// A decimal of at most 64 bits, which is all that anyone types as a default.
  private func decimalText(_ object: PropertyList) throws(PropertyListError) -> String? {
    guard let bytes = try archive.value("NS.mantissa", of: object)?.bytes,
      let exponent = object["NS.exponent"]?.wholeNumber, (-128...127).contains(exponent),
      bytes.count == 16, bytes.dropFirst(8).allSatisfy({ $0 == 0 }),
      object["NS.mantissa.bo"]?.wholeNumber != 2
    else { return nil }
    let mantissa = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let sign = object["NS.negative"]?.wholeNumber == 1 ? "-" : ""
    let text = "\(sign)\(mantissa)e\(exponent)"
    return Double(text).map { DefaultText.real($0) } ?? text
  }

  /// The expression of a derived attribute as Xcode writes it, as far as its form is known.
  func derivation(of property: PropertyList) throws(PropertyListError) -> String? {
    guard let value = try archive.value("NSDerivationExpression", of: property), value != .null
    else { return nil }
    return try expression(value, depth: 0)
  }

  private func expression(_ object: PropertyList, depth: Int) throws(PropertyListError) -> String {
    guard depth < Self.greatestDepth else { return "…" }
    if let text = object.text { return text }
    if let path = try text("NSKeyPath", of: object) { return path }
    if let constant = try archive.value("NSConstantValue", of: object) {
      if let text = constant.text ?? constant.wholeNumber.map(String.init) { return text }
      return try objectText(constant) ?? "…"
    }
    var arguments: [String] = []
    if let list = try archive.value("NSArguments", of: object) {
      for element in try archive.elements(of: list) ?? [] {
        arguments.append(try expression(archive.resolved(element), depth: depth + 1))
      }
    }
    guard let selector = try text("NSSelectorName", of: object) else { return "…" }
    // A key path is archived as a function with the path as its argument.
    if selector == "valueForKeyPath:" || selector == "valueForKey:" {
      return arguments.joined(separator: ".")
    }
    return "\(selector)(\(arguments.joined(separator: ", ")))"
  }
}

/// Default values as text, the same from a compiled model and from its source.
enum DefaultText {
  /// The shortest text of the number, whole numbers without a fraction.
  static func real(_ number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// An instant, given in seconds since 2001.
  static func date(_ seconds: Double) -> String { ReferenceDate.text(seconds: seconds) }

  /// The default that the source of a model gives, in the form of the attribute's kind.
  static func source(_ text: String, kind: StoreAttribute.Kind) -> String {
    switch kind {
    case .boolean: text == "YES" || text == "1" || text == "true" ? "true" : "false"
    case .integer16, .integer32, .integer64: Int64(text).map { String($0) } ?? text
    case .double, .float, .decimal: Double(text).map { real($0) } ?? text
    default: text
    }
  }
}
