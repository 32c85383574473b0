import ExportPackage
import JSONText
import LongTexts
import TextCodecs

/// The texts of an entity's records that need not be held for the check against the schema.
///
/// Where a schema looks into no text, the stand-in of a long one is as valid as the text is. Where it asks for
/// base 64 alone, the text is read in pieces, and an empty one is as valid.
struct UnreadTexts: Sendable {
  private let rule: TextRule

  init(of entity: PackageManifest.Entity, in package: PackageReader) throws {
    guard let name = entity.schema else {
      rule = .unread
      return
    }
    let schema = try package.schema(name).flatMap { try? JSONValue(parsing: $0) }
    rule = schema.map { TextRule($0, isWhole: true) } ?? .read
  }

  /// The line that is as valid as this one is with its texts; `nil` where it has to be checked with them.
  func checked(_ line: [UInt8], _ texts: LongTexts) -> [UInt8]? {
    guard rule != .unread, let record = try? JSONValue(parsing: line) else { return line }
    guard let checked = checked(record, rule, texts) else { return nil }
    return checked == record ? line : checked.canonicalBytes + [0x0A]
  }

  private func checked(_ value: JSONValue, _ rule: TextRule, _ texts: LongTexts) -> JSONValue? {
    switch (rule, value) {
    case (.unread, _): return value
    case (.read, _): return LongText.mayBeIn(value.canonicalBytes) ? nil : value
    case (.parts(let parts), .string(let text)):
      guard parts.areEncoded, let long = LongText(standIn: text.utf8) else { return value }
      return Self.isBase64(long, texts) ? "" : nil
    case (.parts(let parts), .array(let elements)):
      var checked: [JSONValue] = []
      for element in elements {
        guard let element = self.checked(element, parts.elements, texts) else { return nil }
        checked.append(element)
      }
      return .array(checked)
    case (.parts(let parts), .object(var object)):
      for member in object.members {
        let rule = parts.members[member.name] ?? parts.others
        guard let value = checked(member.value, rule, texts) else { return nil }
        object[member.name] = value
      }
      return .object(object)
    case (.parts, .null), (.parts, .boolean), (.parts, .number): return value
    }
  }

  private static func isBase64(_ text: LongText, _ texts: LongTexts) -> Bool {
    var check = Base64.PaddedCheck()
    do throws(LongTextFault) {
      let reader = try texts.reader(of: text)
      while let piece = try reader.next() { check.take(piece) }
      return check.isPassed
    } catch {
      // Who reads the whole line says what is wrong.
      return false
    }
  }
}

/// What a schema may ask of the texts in a value.
private indirect enum TextRule: Hashable, Sendable {
  /// No more than that they are texts.
  case unread
  /// That they are base 64, or what is asked of the parts of a value.
  case parts(Parts)
  /// Anything.
  case read

  struct Parts: Hashable, Sendable {
    /// Whether the value itself, where it is a text, has to be base 64.
    var areEncoded = false
    var members: [String: TextRule] = [:]
    /// Of members without a rule of their own.
    var others = TextRule.unread
    var elements = TextRule.unread
  }

  /// What a schema may say at its top beside what it says of values.
  private static let headings: Set<String> = ["$id", "$schema", "$defs", "definitions"]
  private static let remarks: Set<String> = [
    "type", "title", "description", "$comment", "default", "examples", "deprecated", "readOnly",
    "writeOnly", "required",
  ]

  init(_ schema: JSONValue, isWhole: Bool = false) {
    guard let object = schema.object else {
      self = schema.boolean == nil ? .read : .unread
      return
    }
    var rule = TextRule.unread
    var parts = Parts()
    for keyword in object.members {
      switch (keyword.name, keyword.value) {
      case ("properties", .object(let properties)):
        for property in properties.members { parts.members[property.name] = Self(property.value) }
      case ("items", let elements): parts.elements = Self(elements)
      case ("additionalProperties", let others): parts.others = Self(others)
      case ("contentEncoding", "base64"): parts.areEncoded = true
      case ("anyOf", .array(let schemas)), ("oneOf", .array(let schemas)),
        ("allOf", .array(let schemas)):
        for schema in schemas { rule = rule.joined(with: Self(schema)) }
      case (let name, _):
        let isHeading = isWhole && Self.headings.contains(name)
        guard isHeading || Self.remarks.contains(name) || name.hasPrefix("x-") else {
          self = .read
          return
        }
      }
    }
    self = parts.isUnread ? rule : rule.joined(with: .parts(parts))
  }

  /// What two schemas of one value ask together.
  private func joined(with other: TextRule) -> TextRule {
    switch (self, other) {
    case (.unread, let rule), (let rule, .unread): return rule
    case (.read, _), (_, .read): return .read
    case (.parts(let first), .parts(let second)):
      var parts = Parts()
      parts.areEncoded = first.areEncoded || second.areEncoded
      for name in Set(first.members.keys).union(second.members.keys) {
        let rule = first.members[name] ?? first.others
        parts.members[name] = rule.joined(with: second.members[name] ?? second.others)
      }
      parts.others = first.others.joined(with: second.others)
      parts.elements = first.elements.joined(with: second.elements)
      return .parts(parts)
    }
  }
}

extension TextRule.Parts {
  fileprivate var isUnread: Bool {
    !areEncoded && others == .unread && elements == .unread
      && members.values.allSatisfy { $0 == .unread }
  }
}
