package import JSONText

/// Takes out of a schema what is said there of single records, and keeps what it asks for.
///
/// Samples of values are left out. Names of members that a draft found in rows are replaced by those that
/// a ``RecordRedactor`` gives them, so that redacted records obey the schema as the others did.
package struct SchemaRedactor {
  private let pseudonyms: Pseudonyms

  /// Keywords that only show values.
  private static let samples: Set<String> = [JSONValue.seenWord, "examples"]
  /// Keywords whose value is no schema and holds none.
  private static let plainWords: Set<String> = ["const", "default", "enum"]
  /// Keywords with a schema, or a list of names, under each of several names.
  private static let namedWords: Set<String> = [
    "$defs", "definitions", "dependencies", "dependentRequired", "dependentSchemas",
    "patternProperties", "properties",
  ]

  package init(pseudonyms: Pseudonyms) { self.pseudonyms = pseudonyms }

  /// The schema without what it says of single records.
  package func redacted(_ schema: JSONValue) -> JSONValue {
    switch schema {
    case .object(let object): .object(keywords(object, seen: schema.seenNames))
    case .array(let elements): .array(elements.map { redacted($0) })
    case .null, .boolean, .number, .string: schema
    }
  }

  private func keywords(_ schema: JSONObject, seen: Set<String>) -> JSONObject {
    var result = JSONObject()
    for member in schema.members where !Self.samples.contains(member.name) {
      result[member.name] = value(of: member, seen: seen)
    }
    return result
  }

  private func value(of keyword: JSONObject.Member, seen: Set<String>) -> JSONValue {
    if Self.plainWords.contains(keyword.name) { return keyword.value }
    if Self.namedWords.contains(keyword.name), let object = keyword.value.object {
      var result = JSONObject()
      for member in object.members {
        let isSeen = keyword.name == "properties" && seen.contains(member.name)
        result[isSeen ? pseudonyms.name(member.name) : member.name] = redacted(member.value)
      }
      return .object(result)
    }
    guard keyword.name == "required", let names = keyword.value.array else {
      return redacted(keyword.value)
    }
    return .array(
      names.map { name -> JSONValue in
        guard let text = name.text, seen.contains(text) else { return name }
        return .string(pseudonyms.name(text))
      }
    )
  }
}

extension JSONValue {
  /// The note of a schema under which a draft lists what it found in rows: texts, or names of members.
  static let seenWord = "x-seen"

  /// The names that this schema has among its own members and that a draft found in rows.
  var seenNames: Set<String> {
    guard self["properties"] != nil else { return [] }
    return Set((self[Self.seenWord]?.array ?? []).compactMap { $0.text })
  }
}
