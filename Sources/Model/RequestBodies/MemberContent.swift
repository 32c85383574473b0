import JSONText
package import Records

/// What a member of a record holds, by which a preset says how it is sent.
package enum MemberContent: String, CaseIterable {
  /// The attribute that is the record's identity.
  case identity
  /// The object's own address, where that is the record's identity.
  case address
  case reference, references, media
  case date, boolean, integer, number
  /// The digits of a number, as a text.
  case decimal
  case text, uuid, texts, bytes, list, object
  /// Anything else, or anything at all.
  case any

  /// The kinds that a convention may name it by, the nearest first.
  var kinds: [MemberContent] {
    switch self {
    case .address, .media, .any: [self]
    case .date, .decimal, .uuid, .bytes: [self, .text, .any]
    case .integer: [.integer, .number, .any]
    case .texts: [.texts, .list, .any]
    case .identity, .reference, .references, .boolean, .number, .text, .list, .object: [self, .any]
    }
  }
}

/// The members that a record schema lists.
package struct SchemaMembers {
  private let root: JSONValue

  /// Nothing where the bytes are no JSON object.
  package init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self),
      case .success(let root) = Result(catching: { () throws(JSONError) in
        try JSONValue(parsing: text)
      }), root.object != nil
    else { return nil }
    self.root = root
  }

  package var names: [String] { root["properties"]?.object?.names ?? [] }

  package func content(of name: String) -> MemberContent {
    root["properties"]?[name].map { content(of: $0, depth: 0) } ?? .any
  }

  /// The entities whose records the member names, as a drafted schema has them.
  package func targets(of name: String) -> [EntityName] {
    let names = root["properties"]?[name]?["x-references"]?.array ?? []
    return names.compactMap { $0.text.flatMap { EntityName($0) } }
  }

  private func content(of schema: JSONValue, depth: Int) -> MemberContent {
    guard depth < 8 else { return .any }
    if let reference = schema["$ref"]?.text, reference.hasPrefix("#"),
      let found = root.value(at: String(reference.dropFirst()))
    {
      return content(of: found, depth: depth + 1)
    }
    if let holds = schema["x-holds"]?.text.flatMap({ MemberContent(rawValue: $0) }) { return holds }
    if let forms = (schema["anyOf"] ?? schema["oneOf"])?.array {
      return common(forms.filter { $0["type"]?.text != "null" }, depth: depth)
    }
    let types = types(of: schema)
    if schema["x-references"] != nil { return types == ["array"] ? .references : .reference }
    switch types {
    case ["string"]: return text(schema)
    case ["boolean"]: return .boolean
    case ["integer"]: return .integer
    case ["number"], ["integer", "number"]: return .number
    case ["object"]: return .object
    case ["array"]:
      let items = schema["items"].map { content(of: $0, depth: depth + 1) }
      return items == .text || items == .uuid ? .texts : .list
    default: return .any
    }
  }

  private func text(_ schema: JSONValue) -> MemberContent {
    switch schema["format"]?.text {
    case "date-time"?: return .date
    case "uuid"?: return .uuid
    case _: return schema["contentEncoding"]?.text == "base64" ? .bytes : .text
    }
  }

  private func common(_ forms: [JSONValue], depth: Int) -> MemberContent {
    let contents = Set(forms.map { content(of: $0, depth: depth + 1) })
    return contents.count == 1 ? contents.first ?? .any : .any
  }

  /// The types that values may have but for `null`, in the order of their names.
  private func types(of schema: JSONValue) -> [String] {
    var types: Set<String> = []
    if let type = schema["type"] {
      types = Set([type.text].compactMap(\.self) + (type.array ?? []).compactMap(\.text))
    } else {
      for value in schema["enum"]?.array ?? [schema["const"]].compactMap(\.self) {
        types.insert(value.kind.description)
      }
    }
    return types.subtracting(["null"]).sorted()
  }
}
