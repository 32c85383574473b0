import JSONText
import Profiles

// MARK: - Requests

extension RecordShape {
  /// A record's fields in the places that the destination wants them in.
  ///
  /// `id` is the identity of a record that is there; a new one has its own among its fields, where it
  /// chooses it.
  func placed(_ record: JSONObject, id: String? = nil) -> JSONObject {
    var placed = constants
    if let id { placed[self.id] = .string(id) }
    for member in record.members {
      if member.name == self.id {
        placed[self.id] = member.value
      } else if let type = types[member.name] {
        var reference = JSONValue.object(JSONObject())
        reference.place(linked(member.value, type), at: linkage.names[...])
        placed.place(reference, at: (references.names + [member.name])[...])
      } else if beside.contains(member.name) {
        placed[member.name] = member.value
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
    case .string(let id): identifier(id, type) ?? value
    case .number(let number): identifier(number.literal, type) ?? value
    case .null, .boolean, .object: value
    }
  }

  private func identifier(_ id: String, _ type: String?) -> JSONValue? {
    identifier.filled(["id": .string(id), "type": .string(type ?? "")])
  }
}

// MARK: - Answers

extension RecordShape {
  /// The fields of a row side by side; a reference that a row does not show is left out.
  func content(of row: JSONValue) -> JSONObject {
    var content = JSONObject()
    for member in value(at: fields, in: row)?.object?.members ?? []
    where types[member.name] == nil && !isPlace(member.name) {
      content[member.name] = member.value
    }
    let shown = value(at: references, in: row)
    for name in types.keys.sorted() {
      guard let link = shown?[name].flatMap({ value(at: linkage, in: $0) }) else { continue }
      content[name] = identities(in: link, types[name] ?? nil)
    }
    for name in beside { content[name] = row[name] ?? content[name] }
    content[id] = row[id]
    return content
  }

  /// Whether a name beside the fields is no field.
  private func isPlace(_ name: String) -> Bool {
    fields.names.isEmpty && (constants[name] != nil || references.names.first == name)
  }

  private func identities(in link: JSONValue, _ type: String?) -> JSONValue {
    if let elements = link.array { return .array(elements.map { identities(in: $0, type) }) }
    guard let path = identifier.path(to: "id") else {
      return link.text.flatMap { identity(in: $0, type) }.map { .string($0) } ?? link
    }
    return value(at: MemberPath(names: path), in: link) ?? .null
  }

  /// The identity in a path or an address; `nil` where it has another form.
  private func identity(in text: String, _ type: String?) -> String? {
    let mark: Character = "\u{0}"
    guard let form = identifier(String(mark), type)?.text, let place = form.firstIndex(of: mark)
    else { return nil }
    let (head, tail) = (form[..<place], form[form.index(after: place)...])
    // A server may put its own address before the path.
    guard head.isEmpty || text.hasPrefix(head) || text.contains("://"), text.hasSuffix(tail)
    else { return nil }
    let start = head.isEmpty ? text.startIndex : text.ranges(of: head).last?.upperBound
    guard let start, start <= text.index(text.endIndex, offsetBy: -tail.count) else { return nil }
    let id = text[start...].dropLast(tail.count)
    guard !id.isEmpty, !id.contains("/") else { return nil }
    return String(id)
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
