package import JSONText

/// Where a destination wants the parts of a record, if not side by side in one object.
///
/// JSON:API, for one, wants `{"type": "notes", "id": "1", "attributes": {…}, "relationships": {…}}`, and a
/// reference as `{"data": {"type": "folders", "id": "2"}}`:
/// <https://jsonapi.org/format/#document-resource-objects>. Everything but requests and answers has the
/// fields side by side.
package struct RecordShape: Hashable, Sendable {
  /// What every request says beside the record.
  package let constants: JSONObject
  /// The name of the identity, in a record and in what is sent.
  package let id: String
  /// The member that holds the fields; empty where they are beside the identity.
  package let fields: MemberPath
  /// The member that holds the references.
  package let references: MemberPath
  /// Where a reference has what names the other record, or an array of those; empty for the reference itself.
  package let linkage: MemberPath
  /// What names another record: a text, or an object with `{id}` and `{type}` in it.
  package let identifier: JSONValue
  /// What the destination calls the records that each reference names, by the reference's name; `nil` where
  /// the profile does not say.
  package let types: [String: String?]

  /// Whether a reference has to say of which kind its record is.
  package var needsTypes: Bool { Self.has("{type}", in: identifier) }

  /// Where what names another record has its identity; `nil` where it has none.
  package var identityPath: MemberPath? { Self.path(to: "{id}", in: identifier) }

  private static func has(_ text: String, in value: JSONValue) -> Bool {
    value.text == text || value.object?.members.contains { has(text, in: $0.value) } == true
  }

  private static func path(to text: String, in value: JSONValue) -> MemberPath? {
    if value.text == text { return MemberPath(names: []) }
    for member in value.object?.members ?? [] {
      if let rest = path(to: text, in: member.value) {
        return MemberPath(names: [member.name] + rest.names)
      }
    }
    return nil
  }
}

// MARK: - Requests

extension RecordShape {
  /// A record's fields in the places that the destination wants them in.
  ///
  /// `id` is the identity of a record that is there; a new one has its own among its fields, where it
  /// chooses it.
  package func placed(_ record: JSONObject, id: String? = nil) -> JSONObject {
    var placed = constants
    if let id { placed[self.id] = .string(id) }
    for member in record.members {
      if member.name == self.id {
        placed[self.id] = member.value
      } else if let type = types[member.name] {
        var reference = JSONValue.object(JSONObject())
        reference.place(linked(member.value, type), at: linkage.names[...])
        placed.place(reference, at: (references.names + [member.name])[...])
      } else {
        placed.place(member.value, at: (fields.names + [member.name])[...])
      }
    }
    return placed
  }

  /// What names one record, or an array of those; `null` for none.
  private func linked(_ value: JSONValue, _ type: String?) -> JSONValue {
    switch value {
    case .array(let elements): .array(elements.map { linked($0, type) })
    case .string(let id): Self.filled(identifier, ["{id}": id, "{type}": type ?? ""])
    case .number(let number):
      Self.filled(identifier, ["{id}": number.literal, "{type}": type ?? ""])
    case .null, .boolean, .object: value
    }
  }

  private static func filled(_ value: JSONValue, _ texts: [String: String]) -> JSONValue {
    switch value {
    case .string(let text): .string(texts[text] ?? text)
    case .object(let object):
      .object(
        object.members.reduce(into: JSONObject()) { filled, member in
          filled[member.name] = Self.filled(member.value, texts)
        }
      )
    case .array(let elements): .array(elements.map { filled($0, texts) })
    case .null, .boolean, .number: value
    }
  }
}

// MARK: - Answers

extension RecordShape {
  /// The fields of a row side by side; a reference that a row does not show is left out.
  package func content(of row: JSONValue) -> JSONObject {
    var content = JSONObject()
    for member in value(at: fields, in: row)?.object?.members ?? []
    where types[member.name] == nil && !isPlace(member.name) {
      content[member.name] = member.value
    }
    let shown = value(at: references, in: row)
    for name in types.keys.sorted() {
      guard let link = shown?[name].flatMap({ value(at: linkage, in: $0) }) else { continue }
      content[name] = identities(in: link)
    }
    content[id] = row[id]
    return content
  }

  /// Whether a name beside the fields is no field.
  private func isPlace(_ name: String) -> Bool {
    fields.names.isEmpty && (constants[name] != nil || references.names.first == name)
  }

  private func identities(in link: JSONValue) -> JSONValue {
    if let elements = link.array { return .array(elements.map { identities(in: $0) }) }
    guard let path = identityPath else { return link }
    return value(at: path, in: link) ?? .null
  }

  private func value(at path: MemberPath, in value: JSONValue) -> JSONValue? {
    path.names.reduce(Optional(value)) { $0?[$1] }
  }
}

extension JSONValue {
  /// Puts a value at a path of members; the empty path is this value itself.
  fileprivate mutating func place(_ value: JSONValue, at path: ArraySlice<String>) {
    guard !path.isEmpty else {
      self = value
      return
    }
    var object = self.object ?? JSONObject()
    object.place(value, at: path)
    self = .object(object)
  }
}

extension JSONObject {
  /// Puts a value at a path of members, and makes the objects on the way there.
  fileprivate mutating func place(_ value: JSONValue, at path: ArraySlice<String>) {
    guard let name = path.first else { return }
    var inner = self[name] ?? .object(JSONObject())
    inner.place(value, at: path.dropFirst())
    self[name] = inner
  }
}
