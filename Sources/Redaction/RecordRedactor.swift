package import JSONText

/// Replaces what the records of an entity say, and keeps how they are made.
///
/// Texts become placeholders, identities pseudonyms that references still lead to, files that lie in the
/// package names of missing ones. Numbers, truth values and nothing stay, and so do the names of
/// members that a schema names or that a record has at its top.
package struct RecordRedactor {
  private let pseudonyms: Pseudonyms
  private let hints: SchemaHints?
  private let identities: Set<String>
  private let placeholder: Placeholder
  private let excerpt: @Sendable (String) -> String

  /// - Parameters:
  ///   - pseudonyms: What placeholders are made with.
  ///   - schema: The schema that the records obey, where there is one.
  ///   - identities: The members that hold a record's own key, or name others by theirs.
  ///   - excerpt: What is replaced instead of a text; each text itself, unless some are too long for that.
  package init(
    pseudonyms: Pseudonyms,
    schema: JSONValue?,
    identities: Set<String>,
    excerpt: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.excerpt = excerpt
    self.pseudonyms = pseudonyms
    hints = schema.map { SchemaHints($0) }
    self.identities = identities
    placeholder = Placeholder(pseudonyms: pseudonyms)
  }

  /// The record without what it says.
  package func redacted(_ record: JSONObject) -> JSONObject {
    var result = JSONObject()
    for member in record.members {
      let place = hints?.member(member.name).hints
      result[member.name] =
        identities.contains(member.name)
        ? pseudonym(member.value, place) : redacted(member.value, place)
    }
    return result
  }

  /// The value without what it says.
  package func redacted(_ value: JSONValue) -> JSONValue { redacted(value, nil) }

  private func redacted(_ value: JSONValue, _ hints: SchemaHints?) -> JSONValue {
    switch value {
    case .null, .boolean, .number: return value
    case .string(let text): return .string(placeholder.text(for: excerpt(text), hints))
    case .array(let elements): return .array(elements.map { redacted($0, hints?.elements) })
    case .object(let object): return .object(media(object) ?? members(object, hints))
    }
  }

  private func members(_ object: JSONObject, _ hints: SchemaHints?) -> JSONObject {
    var result = JSONObject()
    for member in object.members {
      let place = hints?.member(member.name)
      // What no schema names may be what a person typed.
      let name = place?.isNamed == true ? member.name : pseudonyms.name(member.name)
      result[name] = redacted(member.value, place?.hints)
    }
    return result
  }

  private static let mediaStates: Set<String> = [
    "present", "missing", "evicted", "remote", "refused",
  ]

  /// A file of the app's, as one that is missing; `nil` for any other object.
  private func media(_ object: JSONObject) -> JSONObject? {
    guard let name = object["name"]?.text, let state = object["state"]?.text,
      Self.mediaStates.contains(state),
      Set(object.members.map(\.name)).isSubset(of: ["name", "state", "sha256", "size", "url"])
    else { return nil }
    var result: JSONObject = [
      "name": .string("p-" + pseudonyms.digits(name, in: "file", count: 16)),
      "state": .string(state == "present" ? "missing" : state),
    ]
    if let url = object["url"]?.text { result["url"] = .string(placeholder.text(for: url, nil)) }
    return result
  }

  /// An identity, or a list of them, by which records still find each other.
  private func pseudonym(_ value: JSONValue, _ hints: SchemaHints?) -> JSONValue {
    switch value {
    case .null, .boolean: return value
    case .array(let elements): return .array(elements.map { pseudonym($0, hints?.elements) })
    case .object(let object): return .object(members(object, hints))
    case .number(let number):
      let text = JSONValue.number(number).canonicalText
      return .number(JSONNumber(Int64(1 + pseudonyms.number(text, in: "identity", below: 1 << 52))))
    case .string(let text): return .string(identity(text))
    }
  }

  /// A text that is unique where the other was, and of its kind.
  private func identity(_ text: String) -> String {
    guard !text.isEmpty else { return text }
    // These are distinguished by themselves, wherever they are; others might share a placeholder.
    return placeholder.uuid(for: text) ?? placeholder.rowAddress(for: text) ?? "p-"
      + pseudonyms.digits(text, in: "identity", count: 24)
  }
}
