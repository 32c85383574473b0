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
  /// The most fields and parts that all collections may have together.
  private static let mostFields = 100_000
  /// The longest reference that is followed, in bytes.
  private static let longestReference = 1024

  private let tally = Tally()

  /// The collections; `nil` where the description has neither paths nor components.
  ///
  /// - Throws: ``SchemaFault`` where they would have too many fields.
  func collections() throws(SchemaFault) -> [RemoteSchema.Collection]? {
    let paths = root["paths"]?.object?.members ?? []
    var places: [Place] = []
    var names: Set<String> = []
    for method in ["post", "put"] {
      for path in paths {
        guard let place = try place(at: path.name, path.value, by: method, except: names)
        else { continue }
        names.insert(place.name)
        places.append(place)
      }
    }
    var collections: [RemoteSchema.Collection] = []
    guard places.isEmpty else {
      let called = Dictionary(places.map { (Self.letters(of: $0.name), $0.name) }) { first, _ in
        first
      }
      for place in places {
        let fields = try fields(sent: place.sent, answered: place.answered, called)
        collections.append(
          RemoteSchema.Collection(
            name: place.name,
            fields: fields,
            path: place.path,
            list: place.list
          )
        )
      }
      return collections
    }
    guard let schemas = root["components"]?["schemas"]?.object else { return nil }
    for member in schemas.members {
      guard let object = try object(member.value) else { continue }
      let fields = try fields(sent: object, answered: nil, [:])
      collections.append(RemoteSchema.Collection(name: member.name, fields: fields))
    }
    return collections
  }

  /// The paths at which records are made below another record, in the order of the description.
  var nestedPaths: [String] {
    (root["paths"]?.object?.members ?? []).compactMap { path in
      let names = path.name.split(separator: "/")
      let isMade =
        path.value["post"] != nil && names.last?.hasPrefix("{") == false
        || path.value["put"] != nil
      return isMade && names.dropLast().contains { $0.contains("{") } ? path.name : nil
    }
  }

  /// How many fields were looked at, as one schema may be referred to from many places.
  private final class Tally {
    private var count = 0

    /// Counts fields or parts before they are looked at.
    func add(_ fields: Int) throws(SchemaFault) {
      count += fields
      guard count <= mostFields else {
        throw SchemaFault("the description has more than \(mostFields) fields and parts")
      }
    }

    /// Counts what a list has beyond the usual, as each of it is looked at.
    func add(list: Int) throws(SchemaFault) { try add(max(0, list - mostSteps)) }
  }

  /// A path at which records are made.
  private struct Place {
    let name: String
    let path: String
    let sent: Object
    let answered: Object?
    let list: RemoteSchema.ListShape?
  }

  /// `nil` where no records are made at a path, each is below another record, or a place has the name.
  ///
  /// A record is posted to its collection, or put to an address of its own there.
  private func place(
    at path: String,
    _ item: JSONValue,
    by method: String,
    except known: Set<String>
  ) throws(SchemaFault) -> Place? {
    var names = path.split(separator: "/").map(String.init)
    if method == "put" {
      guard names.last?.hasPrefix("{") == true else { return nil }
      names.removeLast()
    }
    guard let name = names.last, !known.contains(name),
      !names.contains(where: { $0.contains("{") }), let way = item[method],
      let body = try content(of: resolved(way["requestBody"]))
    else { return nil }
    let sent = try unwrapped(body) { _ in true }
    var answered: Object?
    for status in ["201", "200"] where answered == nil {
      guard let answer = try content(of: resolved(way["responses"]?[status])) else { continue }
      // Of a record, a member may be an object too: the one around it is called as usual, or as in what is sent.
      let own = answer.without(Self.beside)
      let shown = try unwrapped(own) { $0 == "data" || $0 == sent.name }
      answered = shown.record ?? answer
    }
    return Place(
      name: name,
      path: "/" + names.joined(separator: "/"),
      sent: sent.record ?? body,
      answered: answered,
      list: method == "post" ? try list(item["get"]) : nil
    )
  }

  /// How the records of a path are listed, by the names that are usual.
  private func list(_ get: JSONValue?) throws(SchemaFault) -> RemoteSchema.ListShape? {
    guard let get else { return nil }
    var shape = RemoteSchema.ListShape()
    var lists: [String] = []
    for member in try content(of: resolved(get["responses"]?["200"]))?.properties.members ?? [] {
      guard let items = try settled(member.value)?["items"], try object(items) != nil else {
        continue
      }
      lists.append(member.name)
    }
    if lists.count == 1 { shape.rows = lists[0] }
    let listed = get["parameters"]?.array ?? []
    try tally.add(list: listed.count)
    for parameter in listed.lazy.compactMap(resolved) where parameter["in"]?.text == "query" {
      guard let name = parameter["name"]?.text else { continue }
      let schema = try parameter["schema"].flatMap { schema throws(SchemaFault) in
        try settled(schema)
      }
      switch name {
      case "limit", "per_page", "perPage", "page_size", "pageSize", "size":
        shape.limit = name
        shape.most = (schema?["maximum"] ?? schema?["default"])?.integer
      case "offset", "skip": shape.offset = name
      case "page":
        shape.page = name
        shape.first = Self.first(schema)
      default: break
      }
    }
    return shape
  }

  /// The number of the first page: the one that is meant without a number, else the least.
  private static func first(_ schema: JSONValue?) -> Int64? {
    let above = schema?["exclusiveMinimum"]?.integer
    let first = (schema?["default"] ?? schema?["minimum"])?.integer ?? above.map { $0 &+ 1 }
    return first.flatMap { (0...1).contains($0) ? $0 : nil }
  }

  /// The object in a body or in an answer.
  private func content(of holder: JSONValue?) throws(SchemaFault) -> Object? {
    let forms = holder?["content"]?.object?.members ?? []
    try tally.add(list: forms.count)
    let form =
      forms.first { $0.name.hasPrefix("application/") && $0.name.contains("json") }
      ?? forms.first { $0.name.hasPrefix("multipart/form-data") }
    return try object(form?.value["schema"])
  }

  // MARK: - Objects

  /// The properties of an object, whether it has them itself or by its parts.
  private struct Object {
    var properties = JSONObject()
    var required: Set<String> = []
    /// Whether it may have no other properties.
    var isClosed = false
    /// The references that were followed to them, so that a circle ends.
    var followed: Set<String> = []

    func without(_ names: Set<String>) -> Object {
      var rest = Object()
      for property in properties.members where !names.contains(property.name) {
        rest.properties[property.name] = property.value
      }
      return rest
    }
  }

  /// What a schema says of an object's properties; `nil` where it is of something else.
  private func object(_ schema: JSONValue?) throws(SchemaFault) -> Object? {
    var found = Object()
    try collect(schema, into: &found)
    return found.properties.isEmpty ? nil : found
  }

  private func collect(
    _ part: JSONValue?,
    into found: inout Object,
    steps: Int = Self.mostSteps
  ) throws(SchemaFault) {
    guard let schema = resolved(part) else { return }
    guard steps > 0 else {
      throw SchemaFault("a schema has parts of parts, more than \(Self.mostSteps) deep")
    }
    if let reference = part?["$ref"]?.text, !found.followed.insert(reference).inserted { return }
    let parts = schema["allOf"]?.array ?? []
    try tally.add(parts.count + 1)
    for part in parts { try collect(part, into: &found, steps: steps - 1) }
    if let only = try only(of: schema) { try collect(only, into: &found, steps: steps - 1) }
    let properties = schema["properties"]?.object?.members ?? []
    try tally.add(properties.count)
    for property in properties { found.properties[property.name] = property.value }
    let required = schema["required"]?.array ?? []
    try tally.add(list: required.count)
    found.required.formUnion(required.compactMap(\.text))
    let others = ["additionalProperties", "unevaluatedProperties"]
    if others.contains(where: { schema[$0]?.boolean == false }) { found.isClosed = true }
  }

  /// What may be beside a record in an answer.
  private static let beside: Set = [
    "errors", "included", "jsonapi", "links", "message", "meta", "status", "success",
  ]

  /// The members of a JSON:API record, <https://jsonapi.org/format/#document-resource-objects>.
  private static let resource: Set = [
    "type", "id", "lid", "attributes", "relationships", "links", "meta",
  ]

  /// A record without the one member around it, as in `{"data": …}` and `{"note": …}`, and that member's name; no
  /// record if no other member is around it.
  private func unwrapped(
    _ outer: Object,
    where mayWrap: (String) -> Bool
  ) throws(SchemaFault) -> (record: Object?, name: String?) {
    if let record = try attributes(of: outer) { return (record, nil) }
    guard outer.properties.count == 1, let member = outer.properties.members.first,
      mayWrap(member.name), let inner = try object(member.value)
    else { return (nil, nil) }
    let attributes = try attributes(of: inner)
    return (attributes ?? inner, member.name)
  }

  /// The attributes and relationships of a JSON:API record; `nil` for another object.
  private func attributes(of record: Object) throws(SchemaFault) -> Object? {
    guard record.properties["type"] != nil,
      record.properties.names.allSatisfy(Self.resource.contains),
      var found = try object(record.properties["attributes"])
    else { return nil }
    let relationships = try object(record.properties["relationships"])
    for member in relationships?.properties.members ?? [] {
      found.properties[member.name] = member.value
    }
    return found
  }

  /// The one of several forms that a value has unless it is null.
  private func only(of schema: JSONValue) throws(SchemaFault) -> JSONValue? {
    let all = (schema["anyOf"] ?? schema["oneOf"])?.array ?? []
    try tally.add(list: all.count)
    let forms = all.filter { resolved($0)?["type"]?.text != "null" }
    return forms.count == 1 ? forms[0] : nil
  }

  /// What a reference within the description leads to; anything else is itself.
  private func resolved(_ value: JSONValue?) -> JSONValue? {
    var value = value
    for _ in 0..<Self.mostSteps {
      guard let reference = value?["$ref"]?.text else { return value }
      guard reference.utf8.count <= Self.longestReference, reference.hasPrefix("#") else {
        return nil
      }
      value = root.value(at: String(reference.dropFirst()))
    }
    return nil
  }

  // MARK: - Fields

  /// The fields of a record, where `called` are the names of all collections by their letters.
  private func fields(
    sent: Object,
    answered: Object?,
    _ called: [String: String]
  ) throws(SchemaFault) -> [RemoteSchema.Field] {
    var fields: [RemoteSchema.Field] = []
    for property in sent.properties.members {
      var kind = list(property, called)
      if kind == nil { kind = try self.kind(of: property.value) }
      let mayLack = !sent.required.contains(property.name) || says("default", property.value)
      fields.append(
        RemoteSchema.Field(
          name: property.name,
          kind: kind ?? .value,
          isRequired: !mayLack,
          isFilled: says("readOnly", property.value),
          rule: says("readOnly", property.value) ? FieldRule(.own) : try rule(of: property.value)
        )
      )
    }
    for property in answered?.properties.members ?? []
    where sent.properties[property.name] == nil {
      let kind = try kind(of: property.value)
      let isOwn = sent.isClosed || says("readOnly", property.value)
      let rule = FieldRule(isOwn ? .own : .answered)
      fields.append(
        RemoteSchema.Field(name: property.name, kind: kind, isFilled: true, rule: rule)
      )
    }
    return fields
  }

  /// The kind of an array that is called after the identities of a collection: `tag_ids` beside `tags`.
  private func list(
    _ property: JSONObject.Member,
    _ called: [String: String]
  ) -> RemoteSchema.Field.Kind? {
    let name = Self.letters(of: property.name)
    guard name.hasSuffix("ids"), resolved(property.value)?["type"]?.text == "array" else {
      return nil
    }
    let one = name.dropLast(3)
    let several = [one + "s", one + "es", one.dropLast() + "ies"]
    return several.lazy.compactMap { called[String($0)] }.first
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

  private func kind(of schema: JSONValue) throws(SchemaFault) -> RemoteSchema.Field.Kind {
    guard let schema = try settled(schema) else { return .value }
    let listed = schema["type"]?.array ?? []
    try tally.add(list: listed.count)
    let types = Set(([schema["type"]] + listed).compactMap { $0?.text }).subtracting(["null"])
    switch types {
    case ["boolean"]: return .boolean
    case ["integer"], ["number"], ["integer", "number"]: return .number
    case ["string"]:
      let format = schema["format"]?.text
      return RemoteSchema.isMoment(format: format) ? .moment : format == "binary" ? .file : .value
    default: return isPlain(schema) ? .value : .object
    }
  }

  /// Whether a schema says nothing of members.
  private func isPlain(_ schema: JSONValue) -> Bool {
    schema["properties"] == nil && schema["allOf"]?.array?.isEmpty != false
  }

  private func rule(of schema: JSONValue) throws(SchemaFault) -> FieldRule? {
    try settled(schema).map { FieldRule(ofSchema: $0) }
  }

  /// The schema that a value has unless it is null, where references and parts lead to one alone; `nil` where they lead
  /// nowhere.
  private func settled(
    _ schema: JSONValue,
    steps: Int = Self.mostSteps
  ) throws(SchemaFault) -> JSONValue? {
    guard steps > 0, let schema = resolved(schema) else { return nil }
    let parts = schema["allOf"]?.array ?? []
    let only = try only(of: schema)
    guard let only = only ?? (parts.count == 1 ? parts[0] : nil) else { return schema }
    return try settled(only, steps: steps - 1)
  }
}
