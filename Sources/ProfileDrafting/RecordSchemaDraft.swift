import JSONText
import Profiles
import Records
import SchemaDrafting
import SchemaValidation

/// Drafts the schema of an entity's records: what the model says, widened to what the data are.
///
/// Where the data were not looked at, any member may be null, and nothing is said of a value but
/// its type; for an old store's rows often lack what its model asks for today.
///
/// What the rows alone have is distinguished under `x-seen`: texts that come again and again, and those
/// names of members that no model has, but a person may have typed.
struct RecordSchemaDraft {
  let app: String
  let entity: StoreEntity
  let model: StoreModel
  let keyMember: String
  /// How attributes are read whose bytes hold values.
  let readings: [String: FieldProfile.Reading]
  /// The entities whose records attributes name.
  let named: [String: EntityName]
  /// The lists of references that join tables make.
  let lists: [JoinTables.List]
  /// The attributes that name files.
  let files: Set<String>
  /// The members of the records, as they were found; `nil` when no record was looked at.
  let sketch: ValueSketch?

  /// What is said of values of which the model says nothing.
  private static let freeForm: SchemaDraftOptions = {
    var options = SchemaDraftOptions.bare
    options.listsNames = true
    return options
  }()

  /// The name of the schema's file.
  static func name(app: String, entity: EntityName) -> String {
    "\(app).\(entity).v1.schema.json"
  }

  func document(members: [String]) -> JSONValue {
    var properties = JSONObject()
    let attributes = Dictionary(
      entity.attributes(reading: readings).map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for member in members { properties[member] = schema(of: member, attributes[member]) }
    let name = SchemaSet.addressPart("\(app).\(entity.name).v1")
    return [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": .string("urn:ferry:schema:\(name)"),
      "title": .string(entity.name.text),
      "type": "object",
      "properties": .object(properties),
      "required": .array(members.map { .string($0) }),
      "additionalProperties": false,
    ]
  }

  private func schema(of member: String, _ attribute: StoreAttribute?) -> JSONValue {
    let seen = sketch?.member(member)
    if files.contains(member) { return NamedFiles.Place.schema }
    if let target = named[member] { return reference(to: target, seen) }
    if let attribute {
      return schema(of: attribute, seen, isOptional: attribute.isOptional || sketch == nil)
    }
    if let relationship = entity.relationships.first(where: { $0.name == member }) {
      return relationship.isToMany
        ? references(to: relationship.destination, seen)
        : reference(to: relationship.destination, seen)
    }
    if let list = lists.first(where: { $0.member == member }) {
      return references(to: list.target, seen)
    }
    return ["type": types(["string"], seen, isOptional: false)]
  }

  private func reference(to entity: EntityName, _ seen: ValueSketch?) -> JSONValue {
    ["type": types(["string"], seen, isOptional: true), "x-references": names(of: entity)]
  }

  private func references(to entity: EntityName, _ seen: ValueSketch?) -> JSONValue {
    [
      "type": types(["array"], seen, isOptional: false), "items": ["type": "string"],
      "x-references": names(of: entity),
    ]
  }

  private func names(of entity: EntityName) -> JSONValue {
    .array(model.tree(of: entity).sorted().map { .string($0.text) })
  }

  private func schema(
    of attribute: StoreAttribute,
    _ seen: ValueSketch?,
    isOptional: Bool
  ) -> JSONValue {
    if case .composite(let parts, let isEnumeration) = attribute.kind {
      if isEnumeration, parts.count == 1, let part = parts.first {
        return schema(of: part, seen, isOptional: isOptional)
      }
      return schema(of: parts, seen, isOptional: isOptional)
    }
    guard let names = Self.types(of: attribute.kind) else {
      return seen?.schema(Self.freeForm, allowsNull: true) ?? true
    }
    var object: JSONObject = ["type": types(names, seen, isOptional: isOptional)]
    if let content = Self.content(of: attribute.kind) { object["x-holds"] = .string(content) }
    addRules(of: attribute.kind, seen, to: &object)
    if let examples = seen?.choices, !examples.isEmpty, names == ["string"],
      attribute.kind == .string
    {
      object[ValueSketch.seenWord] = .array(examples.map { .string($0) })
    }
    return .object(object)
  }

  private func schema(
    of parts: [StoreAttribute],
    _ seen: ValueSketch?,
    isOptional: Bool
  ) -> JSONValue {
    var properties = JSONObject()
    let stored = parts.filter { !$0.isTransient }
    for part in stored {
      properties[part.name] = schema(of: part, seen?.member(part.name), isOptional: true)
    }
    return [
      "type": types(["object"], seen, isOptional: isOptional),
      "properties": .object(properties),
      "additionalProperties": false,
    ]
  }

  /// Formats and bounds, as far as all values that were found keep them.
  private func addRules(
    of kind: StoreAttribute.Kind,
    _ seen: ValueSketch?,
    to object: inout JSONObject
  ) {
    guard sketch != nil else { return }
    switch kind {
    case .date where seen?.keepsFormat("date-time") ?? true: object["format"] = "date-time"
    case .uuid where seen?.keepsFormat("uuid") ?? true: object["format"] = "uuid"
    case .integer16: addBounds(Int64(Int16.min), Int64(Int16.max), seen, to: &object)
    case .integer32: addBounds(Int64(Int32.min), Int64(Int32.max), seen, to: &object)
    case .integer64 where seen?.range.map(Self.isWide) ?? false:
      addBounds(.min, .max, seen, to: &object)
    case .binary: object["contentEncoding"] = "base64"
    default: break
    }
  }

  /// Whether the range has a number that a double does not keep.
  private static func isWide(_ range: (least: JSONNumber, greatest: JSONNumber)) -> Bool {
    let most = Int64(1) << 53
    let (least, greatest) = (range.least.int64 ?? 0, range.greatest.int64 ?? 0)
    return least < -most || greatest > most
  }

  private func addBounds(
    _ least: Int64,
    _ greatest: Int64,
    _ seen: ValueSketch?,
    to object: inout JSONObject
  ) {
    if let range = seen?.range {
      guard let first = range.least.int64, let last = range.greatest.int64,
        first >= least, last <= greatest
      else { return }
    }
    object["minimum"] = .number(JSONNumber(least))
    object["maximum"] = .number(JSONNumber(greatest))
  }

  /// What a text holds, where the model says it.
  private static func content(of kind: StoreAttribute.Kind) -> String? {
    switch kind {
    case .date: "date"
    case .binary: "bytes"
    case .decimal: "decimal"
    case .integer16, .integer32, .integer64, .double, .float, .boolean, .string, .uuid, .uri,
      .objectID, .transformable, .composite, .undeclared:
      nil
    }
  }

  /// The types that the records' writer gives a kind, or `nil` where only the data state.
  private static func types(of kind: StoreAttribute.Kind) -> [String]? {
    switch kind {
    case .integer16, .integer32, .integer64: ["integer"]
    case .double, .float: ["number"]
    case .boolean: ["boolean"]
    case .decimal, .string, .date, .binary, .uuid, .uri, .objectID: ["string"]
    case .transformable, .composite, .undeclared: nil
    }
  }

  /// The expected types and those that were found, as the value of `type`.
  private func types(_ expected: [String], _ seen: ValueSketch?, isOptional: Bool) -> JSONValue {
    var names = Set(expected)
    names.formUnion(seen?.typeNames ?? [])
    if isOptional { names.insert("null") }
    if names.contains("number") { names.remove("integer") }
    let sorted = names.sorted()
    return sorted.count == 1 ? .string(sorted[0]) : .array(sorted.map { .string($0) })
  }
}
