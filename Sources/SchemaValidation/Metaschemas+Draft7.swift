import JSONText

extension Metaschemas {
  /// The schema that describes draft-07 itself.
  ///
  /// https://json-schema.org/draft-07/schema
  static let draft7: JSONValue = [
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "http://json-schema.org/draft-07/schema#",
    "definitions": [
      "schemaArray": ["type": "array", "minItems": 1, "items": own],
      "nonNegativeInteger": ["type": "integer", "minimum": 0],
      "nonNegativeIntegerDefault0": [
        "allOf": [["$ref": "#/definitions/nonNegativeInteger"], ["default": 0]]
      ],
      "simpleTypes": [
        "enum": ["array", "boolean", "integer", "null", "number", "object", "string"]
      ],
      "stringArray": [
        "type": "array", "items": ["type": "string"], "uniqueItems": true, "default": [],
      ],
    ],
    "type": ["object", "boolean"],
    "properties": .object(properties),
    "default": true,
  ]

  private static let own: JSONValue = ["$ref": "#"]
  private static let flag7: JSONValue = ["type": "boolean", "default": false]
  private static let text7: JSONValue = ["type": "string"]
  private static let count: JSONValue = ["$ref": "#/definitions/nonNegativeInteger"]
  private static let least: JSONValue = ["$ref": "#/definitions/nonNegativeIntegerDefault0"]
  private static let schemas: JSONValue = ["$ref": "#/definitions/schemaArray"]
  private static let names: JSONValue = ["$ref": "#/definitions/stringArray"]
  private static let number: JSONValue = ["type": "number"]
  private static let named: JSONValue = [
    "type": "object", "additionalProperties": ["$ref": "#"], "default": [:],
  ]

  private static let properties: JSONObject = [
    "$id": ["type": "string", "format": "uri-reference"],
    "$schema": ["type": "string", "format": "uri"],
    "$ref": ["type": "string", "format": "uri-reference"],
    "$comment": text7, "title": text7, "description": text7, "default": true,
    "readOnly": flag7, "writeOnly": flag7, "examples": ["type": "array", "items": true],
    "multipleOf": ["type": "number", "exclusiveMinimum": 0],
    "maximum": number, "exclusiveMaximum": number,
    "minimum": number, "exclusiveMinimum": number,
    "maxLength": count, "minLength": least, "pattern": ["type": "string", "format": "regex"],
    "additionalItems": own,
    "items": ["anyOf": [own, schemas], "default": true],
    "maxItems": count, "minItems": least, "uniqueItems": flag7, "contains": own,
    "maxProperties": count, "minProperties": least, "required": names,
    "additionalProperties": own, "definitions": named, "properties": named,
    "patternProperties": [
      "type": "object", "additionalProperties": ["$ref": "#"],
      "propertyNames": ["format": "regex"], "default": [:],
    ],
    "dependencies": ["type": "object", "additionalProperties": ["anyOf": [own, names]]],
    "propertyNames": own, "const": true, "enum": ["type": "array", "items": true],
    "type": [
      "anyOf": [
        ["$ref": "#/definitions/simpleTypes"],
        [
          "type": "array", "items": ["$ref": "#/definitions/simpleTypes"], "minItems": 1,
          "uniqueItems": true,
        ],
      ]
    ],
    "format": text7, "contentMediaType": text7, "contentEncoding": text7,
    "if": own, "then": own, "else": own,
    "allOf": schemas, "anyOf": schemas, "oneOf": schemas, "not": own,
  ]
}
