import JSONText
import Records

/// One JSON Schema (2020-12) with a definition for each entity's records, as they are sent.
///
/// https://json-schema.org/draft/2020-12/json-schema-core
struct JSONSchemaForm {
  let tables: [Table]

  var emitted: EmittedSchema {
    var definitions = JSONObject()
    for table in tables { definitions[table.entity.text] = .object(Self.record(of: table)) }
    let document: JSONValue = [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": .object(definitions),
    ]
    return EmittedSchema(
      text: document.prettyText + "\n",
      notes: tables.notes + tables.uncheckedKeys
    )
  }

  /// The schema of one record, in which a member that may be absent may also be null.
  static func record(of table: Table, isWhole: Bool = true) -> JSONObject {
    var properties: JSONObject = [FieldNaming.key: ["type": "string"]]
    for field in table.fields { properties[field.name] = .object(schema(of: field)) }
    var schema: JSONObject = [
      "type": "object", "properties": .object(properties), "additionalProperties": false,
    ]
    if isWhole {
      let required = table.fields.filter(\.isRequired).map(\.name)
      schema["required"] = .array(([FieldNaming.key] + required).map { .string($0) })
    } else {
      properties[FieldNaming.key] = nil
      schema["properties"] = .object(properties)
    }
    return schema
  }

  private static func schema(of field: Table.Field) -> JSONObject {
    let (type, found) = described(field.content)
    var schema = found
    if let type {
      schema["type"] = field.isRequired ? .string(type) : .array([.string(type), "null"])
    }
    return schema
  }

  /// The type of a field's values, `nil` for any, and what else is known of them.
  private static func described(_ content: SchemaSource.Content) -> (String?, JSONObject) {
    switch content {
    case .integer(let bits):
      ("integer", bits == 64 ? ["format": "int64"] : bits == 32 ? ["format": "int32"] : Self.short)
    case .number: ("number", ["format": "double"])
    case .boolean: ("boolean", [:])
    case .text, .decimal: ("string", [:])
    case .uuid: ("string", ["format": "uuid"])
    case .date: ("string", ["format": "date-time"])
    case .bytes: ("string", ["contentEncoding": "base64"])
    case .object: ("object", [:])
    case .list: ("array", [:])
    case .texts: ("array", ["items": ["type": "string"]])
    case .any: (nil, [:])
    case .reference(let targets): ("string", ["x-references": names(targets)])
    case .references(let targets):
      ("array", ["items": ["type": "string"], "x-references": names(targets)])
    }
  }

  /// A whole number of 16 bits.
  private static let short: JSONObject = ["minimum": -32_768, "maximum": 32_767]

  private static func names(_ targets: [EntityName]) -> JSONValue {
    .array(targets.map { .string($0.text) })
  }
}
