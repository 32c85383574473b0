import JSONText

/// The collections of an OpenAPI 3 description, <https://spec.openapis.org/oas/v3.1.0>.
///
/// A collection is a path at which records are made. It has the last name of that path, the fields that a new record
/// may have, and those that only the answer has, which the server fills. A description without such a path has the
/// objects of its components instead.
struct OpenAPIDescription {
  let root: JSONValue

  /// A reference in a reference, or a part of a part, is followed so often.
  private static let mostSteps = 16

  var collections: [RemoteSchema.Collection]? {
    let paths = root["paths"]?.object?.members ?? []
    var places: [Place] = []
    for method in ["post", "put"] {
      for path in paths {
        guard let place = place(at: path.name, path.value, by: method),
          !places.contains(where: { $0.name == place.name })
        else { continue }
        places.append(place)
      }
    }
    let names = places.map(\.name)
    guard places.isEmpty else {
      return places.map { place in
        RemoteSchema.Collection(
          name: place.name,
          fields: fields(sent: place.sent, answered: place.answered, among: names),
          path: place.path
        )
      }
    }
    return root["components"]?["schemas"]?.object?.members.compactMap { member in
      object(member.value).map {
        RemoteSchema.Collection(
          name: member.name,
          fields: fields(sent: $0, answered: nil, among: [])
        )
      }
    }
  }

  /// A path at which records are made.
  private struct Place {
    let name: String
    let path: String
    let sent: Object
    let answered: Object?
  }

  /// `nil` where no records are made at a path, or each is below another record.
  ///
  /// A record is posted to its collection, or put to an address of its own there.
  private func place(at path: String, _ item: JSONValue, by method: String) -> Place? {
    var names = path.split(separator: "/").map(String.init)
    if method == "put" {
      guard names.last?.hasPrefix("{") == true else { return nil }
      names.removeLast()
    }
    let way = item[method]
    guard let name = names.last, !names.contains(where: { $0.contains("{") }),
      let sent = way.flatMap({ content(of: resolved($0["requestBody"])) })
    else { return nil }
    let answers = way?["responses"]
    return Place(
      name: name,
      path: "/" + names.joined(separator: "/"),
      sent: sent,
      answered: ["201", "200"].lazy.compactMap { content(of: resolved(answers?[$0])) }.first
    )
  }

  /// The object in a body or in an answer, without what is around the record.
  private func content(of holder: JSONValue?) -> Object? {
    let forms = holder?["content"]?.object?.members ?? []
    let form =
      forms.first { $0.name.hasPrefix("application/") && $0.name.contains("json") }
      ?? forms.first { $0.name.hasPrefix("multipart/form-data") }
    return form.flatMap { object($0.value["schema"]) }.map { unwrapped($0) }
  }

  // MARK: - Objects

  /// The properties of an object, whether it has them itself or by its parts.
  private struct Object {
    var properties: [(name: String, schema: JSONValue)] = []
    var required: Set<String> = []
    /// The references that were followed to them, so that a circle ends.
    var followed: Set<String> = []

    subscript(name: String) -> JSONValue? { properties.first { $0.name == name }?.schema }
  }

  /// What a schema says of an object's properties; `nil` where it is of something else.
  private func object(_ schema: JSONValue?) -> Object? {
    var found = Object()
    collect(schema, into: &found)
    return found.properties.isEmpty ? nil : found
  }

  private func collect(_ schema: JSONValue?, into found: inout Object) {
    if let reference = schema?["$ref"]?.text, !found.followed.insert(reference).inserted { return }
    guard let schema = resolved(schema) else { return }
    for part in schema["allOf"]?.array ?? [] { collect(part, into: &found) }
    if let only = only(of: schema) { collect(only, into: &found) }
    for property in schema["properties"]?.object?.members ?? [] {
      found.properties.removeAll { $0.name == property.name }
      found.properties.append((property.name, property.value))
    }
    found.required.formUnion((schema["required"]?.array ?? []).compactMap(\.text))
  }

  /// What may be beside a record in a body or an answer.
  private static let beside: Set = [
    "errors", "included", "jsonapi", "links", "message", "meta", "status", "success",
  ]

  /// A record without the member around it, as in `{"data": …}` and `{"note": …}`.
  ///
  /// Of JSON:API, it is the attributes and relationships.
  private func unwrapped(_ outer: Object, steps: Int = 3) -> Object {
    if outer["type"] != nil, var record = object(outer["attributes"]) {
      record.properties += object(outer["relationships"])?.properties ?? []
      return record
    }
    let own = outer.properties.filter { !Self.beside.contains($0.name) }
    guard steps > 0, own.count == 1, let inner = object(own[0].schema) else { return outer }
    return unwrapped(inner, steps: steps - 1)
  }

  /// The one of several forms that a value has unless it is null.
  private func only(of schema: JSONValue) -> JSONValue? {
    let forms = ((schema["anyOf"] ?? schema["oneOf"])?.array ?? []).filter {
      resolved($0)?["type"]?.text != "null"
    }
    return forms.count == 1 ? forms[0] : nil
  }

  /// What a reference within the description leads to; anything else is itself.
  private func resolved(_ value: JSONValue?) -> JSONValue? {
    var value = value
    for _ in 0..<Self.mostSteps {
      guard let reference = value?["$ref"]?.text else { return value }
      guard reference.hasPrefix("#") else { return nil }
      value = root.value(at: String(reference.dropFirst()))
    }
    return nil
  }

  // MARK: - Fields

  /// The fields of a record, where `names` are those of all collections.
  private func fields(
    sent: Object,
    answered: Object?,
    among names: [String]
  ) -> [RemoteSchema.Field] {
    let own = sent.properties.map { property in
      RemoteSchema.Field(
        name: property.name,
        kind: list(property, among: names) ?? kind(of: property.schema),
        isRequired: sent.required.contains(property.name) && !says("default", property.schema),
        isFilled: says("readOnly", property.schema)
      )
    }
    let made = (answered?.properties ?? []).filter { sent[$0.name] == nil }
    return own
      + made.map { RemoteSchema.Field(name: $0.name, kind: kind(of: $0.schema), isFilled: true) }
  }

  /// The kind of an array that is called after the identities of a collection: `tag_ids` beside `tags`.
  private func list(
    _ property: (name: String, schema: JSONValue),
    among names: [String]
  ) -> RemoteSchema.Field.Kind? {
    let name = Self.letters(of: property.name)
    guard resolved(property.schema)?["type"]?.text == "array", name.hasSuffix("ids") else {
      return nil
    }
    let one = name.dropLast(3)
    let called = [one + "s", one + "es", one.dropLast() + "ies"].map { String($0) }
    return names.first { called.contains(Self.letters(of: $0)) }
      .map { .relation(to: $0, isMany: true) }
  }

  private static func letters(of name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Whether a schema has a setting that holds: any value but `false`.
  private func says(_ setting: String, _ schema: JSONValue) -> Bool {
    let value = schema[setting] ?? resolved(schema)?[setting]
    return setting == "default" ? value != nil : value?.boolean == true
  }

  private func kind(of schema: JSONValue, steps: Int = Self.mostSteps) -> RemoteSchema.Field.Kind {
    guard steps > 0, let schema = resolved(schema) else { return .value }
    let parts = schema["allOf"]?.array ?? []
    if let only = only(of: schema) ?? (parts.count == 1 ? parts[0] : nil) {
      return kind(of: only, steps: steps - 1)
    }
    let types = Set(
      [schema["type"]?.text].compactMap(\.self)
        + (schema["type"]?.array ?? []).compactMap(\.text)
    )
    .subtracting(["null"])
    switch types {
    case ["boolean"]: return .boolean
    case ["integer"], ["number"], ["integer", "number"]: return .number
    case ["string"]:
      return switch schema["format"]?.text {
      case "date-time": .moment
      case "binary": .file
      default: .value
      }
    default: return schema["properties"] == nil && parts.isEmpty ? .value : .object
    }
  }
}
