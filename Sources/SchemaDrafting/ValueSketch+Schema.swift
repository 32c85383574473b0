package import JSONText
import SchemaValidation
import StringFormats

/// What a drafted schema says beyond types, members and elements.
package struct SchemaDraftOptions: Hashable, Sendable {
  /// Formats that all texts of a place are in.
  package var saysFormats: Bool
  /// The smallest and the largest number that was found.
  package var saysRanges: Bool
  /// The texts themselves, where they are few and come again and again.
  package var saysChoices: Bool
  /// That objects have no members but those that were found.
  package var isClosed: Bool
  /// The names of an object's members once more, as a note that they were found and are not declared.
  package var listsNames = false

  package init(
    saysFormats: Bool = true,
    saysRanges: Bool = true,
    saysChoices: Bool = true,
    isClosed: Bool = false
  ) {
    self.saysFormats = saysFormats
    self.saysRanges = saysRanges
    self.saysChoices = saysChoices
    self.isClosed = isClosed
  }

  /// Types, members and elements only.
  package static let bare = Self(saysFormats: false, saysRanges: false, saysChoices: false)
}

extension ValueSketch {
  /// The note of a schema under which is what was found: texts, or names of members.
  package static let seenWord = "x-seen"

  /// How many texts have to be found, and how often each on average, before they are a choice.
  private static let leastTexts = 20
  private static let leastRepeats = 4

  /// The schema that every value obeys that was taken in.
  package func schema(_ options: SchemaDraftOptions, allowsNull: Bool = false) -> JSONValue {
    guard !kinds.isEmpty, !(allowsNull && kinds == [.null]) else { return true }
    var object: JSONObject = ["type": types(allowsNull: allowsNull)]
    if kinds.contains(.string) { addTextRules(options, allowsNull, to: &object) }
    if kinds.contains(.number), options.saysRanges, let range {
      object["minimum"] = .number(range.least)
      object["maximum"] = .number(range.greatest)
    }
    if let elements {
      object["items"] = elements.schema(options, allowsNull: allowsNull)
    }
    if kinds.contains(.object) { addMemberRules(options, allowsNull, to: &object) }
    return .object(object)
  }

  /// The texts that were found, where they are few and come again and again: then they are words of the
  /// app's, and not of its user's.
  package var choices: [String]? {
    guard let examples, textCount >= Self.leastTexts,
      textCount >= examples.count * Self.leastRepeats
    else { return nil }
    return examples
  }

  /// The names of the types that were found, as JSON Schema has them.
  package var typeNames: Set<String> {
    Set(kinds.map { $0 == .number && hasOnlyIntegers ? "integer" : $0.description })
  }

  private func types(allowsNull: Bool) -> JSONValue {
    var names = typeNames
    if allowsNull { names.insert("null") }
    let sorted = names.sorted()
    return sorted.count == 1 ? .string(sorted[0]) : .array(sorted.map { .string($0) })
  }

  private func addTextRules(
    _ options: SchemaDraftOptions,
    _ allowsNull: Bool,
    to object: inout JSONObject
  ) {
    if options.saysFormats, let format = Self.watchedFormats.first(where: formats.contains) {
      object["format"] = .string(format.rawValue)
      return
    }
    guard options.saysChoices, kinds.isSubset(of: [.string, .null]), let choices else { return }
    let hasNull = allowsNull || kinds.contains(.null)
    object["enum"] = .array(choices.map { .string($0) } + (hasNull ? [.null] : []))
  }

  private func addMemberRules(
    _ options: SchemaDraftOptions,
    _ allowsNull: Bool,
    to object: inout JSONObject
  ) {
    var properties = JSONObject()
    for (name, inner) in members.sorted(by: { Self.precedes($0.key, $1.key) }) {
      properties[name.description] = inner.schema(options, allowsNull: allowsNull)
    }
    object["properties"] = .object(properties)
    if options.listsNames, !properties.isEmpty {
      object[Self.seenWord] = .array(properties.names.map { .string($0) })
    }
    let constant = constantMembers
    if !constant.isEmpty { object["required"] = .array(constant.map { .string($0) }) }
    if options.isClosed, !isOpen { object["additionalProperties"] = false }
  }
}
