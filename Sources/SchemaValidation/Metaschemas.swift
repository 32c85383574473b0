import JSONText

/// The schemas that describe the drafts of JSON Schema, for references that lead to them.
///
/// https://json-schema.org/draft/2020-12/schema
enum Metaschemas {
  /// The metaschema at `address`, or `nil`.
  static func value(at address: String) -> JSONValue? {
    if address == SchemaDraft.draft7.address { return draft7 }
    if let text = olderTexts[address] { return try? JSONValue(parsing: Array(text.utf8)) }
    let prefix = "https://json-schema.org/draft/2020-12/"
    guard address.hasPrefix(prefix) else { return nil }
    return values[String(address.dropFirst(prefix.count))]
  }

  private static let values: [String: JSONValue] = [
    "schema": document(
      "schema",
      [
        "$vocabulary": [
          "https://json-schema.org/draft/2020-12/vocab/core": true,
          "https://json-schema.org/draft/2020-12/vocab/applicator": true,
          "https://json-schema.org/draft/2020-12/vocab/unevaluated": true,
          "https://json-schema.org/draft/2020-12/vocab/validation": true,
          "https://json-schema.org/draft/2020-12/vocab/meta-data": true,
          "https://json-schema.org/draft/2020-12/vocab/format-annotation": true,
          "https://json-schema.org/draft/2020-12/vocab/content": true,
        ],
        "allOf": [
          ["$ref": "meta/core"], ["$ref": "meta/applicator"], ["$ref": "meta/unevaluated"],
          ["$ref": "meta/validation"], ["$ref": "meta/meta-data"],
          ["$ref": "meta/format-annotation"], ["$ref": "meta/content"],
        ],
        "$comment":
          "definitions and dependencies are here so that older schemas are not misread",
        "properties": [
          "definitions": ["type": "object", "additionalProperties": schema, "default": [:]],
          "dependencies": [
            "type": "object",
            "additionalProperties": [
              "anyOf": [schema, ["$ref": "meta/validation#/$defs/stringArray"]]
            ],
            "default": [:],
          ],
          "$recursiveAnchor": ["$ref": "meta/core#/$defs/anchorString"],
          "$recursiveRef": ["$ref": "meta/core#/$defs/uriReferenceString"],
        ],
      ]
    ),
    "meta/core": document("meta/core", core),
    "meta/applicator": document("meta/applicator", applicator),
    "meta/unevaluated": document(
      "meta/unevaluated",
      ["properties": ["unevaluatedItems": schema, "unevaluatedProperties": schema]]
    ),
    "meta/validation": document("meta/validation", validation),
    "meta/meta-data": document(
      "meta/meta-data",
      [
        "properties": [
          "title": text, "description": text, "default": true,
          "deprecated": flag, "readOnly": flag, "writeOnly": flag,
          "examples": ["type": "array", "items": true],
        ]
      ]
    ),
    "meta/format-annotation": document("meta/format-annotation", ["properties": ["format": text]]),
    "meta/format-assertion": document("meta/format-assertion", ["properties": ["format": text]]),
    "meta/content": document(
      "meta/content",
      [
        "properties": [
          "contentEncoding": text, "contentMediaType": text, "contentSchema": schema,
        ]
      ]
    ),
  ]

  private static let schema: JSONValue = ["$dynamicRef": "#meta"]
  private static let text: JSONValue = ["type": "string"]
  private static let flag: JSONValue = ["type": "boolean", "default": false]
  private static let namedSchemas: JSONValue = [
    "type": "object", "additionalProperties": ["$dynamicRef": "#meta"], "default": [:],
  ]

  private static func document(_ name: String, _ body: JSONObject) -> JSONValue {
    var object: JSONObject = [
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": .string("https://json-schema.org/draft/2020-12/" + name),
      "$dynamicAnchor": "meta",
      "type": ["object", "boolean"],
    ]
    for member in body.members {
      object[member.name] = member.value
    }
    return .object(object)
  }

  private static let core: JSONObject = [
    "properties": [
      "$id": ["$ref": "#/$defs/uriReferenceString", "pattern": "^[^#]*#?$"],
      "$schema": ["$ref": "#/$defs/uriString"],
      "$ref": ["$ref": "#/$defs/uriReferenceString"],
      "$anchor": ["$ref": "#/$defs/anchorString"],
      "$dynamicRef": ["$ref": "#/$defs/uriReferenceString"],
      "$dynamicAnchor": ["$ref": "#/$defs/anchorString"],
      "$vocabulary": [
        "type": "object", "propertyNames": ["$ref": "#/$defs/uriString"],
        "additionalProperties": ["type": "boolean"],
      ],
      "$comment": text,
      "$defs": namedSchemas,
    ],
    "$defs": [
      "anchorString": ["type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"],
      "uriString": ["type": "string", "format": "uri"],
      "uriReferenceString": ["type": "string", "format": "uri-reference"],
    ],
  ]

  private static let applicator: JSONObject = [
    "properties": [
      "prefixItems": ["$ref": "#/$defs/schemaArray"],
      "items": schema, "contains": schema, "additionalProperties": schema,
      "properties": namedSchemas,
      "patternProperties": [
        "type": "object", "additionalProperties": ["$dynamicRef": "#meta"],
        "propertyNames": ["format": "regex"], "default": [:],
      ],
      "dependentSchemas": namedSchemas,
      "propertyNames": schema, "if": schema, "then": schema, "else": schema,
      "allOf": ["$ref": "#/$defs/schemaArray"],
      "anyOf": ["$ref": "#/$defs/schemaArray"],
      "oneOf": ["$ref": "#/$defs/schemaArray"],
      "not": schema,
    ],
    "$defs": [
      "schemaArray": ["type": "array", "minItems": 1, "items": ["$dynamicRef": "#meta"]]
    ],
  ]

  private static let validation: JSONObject = [
    "properties": [
      "type": [
        "anyOf": [
          ["$ref": "#/$defs/simpleTypes"],
          [
            "type": "array", "items": ["$ref": "#/$defs/simpleTypes"], "minItems": 1,
            "uniqueItems": true,
          ],
        ]
      ],
      "const": true,
      "enum": ["type": "array", "items": true],
      "multipleOf": ["type": "number", "exclusiveMinimum": 0],
      "maximum": ["type": "number"], "exclusiveMaximum": ["type": "number"],
      "minimum": ["type": "number"], "exclusiveMinimum": ["type": "number"],
      "maxLength": ["$ref": "#/$defs/nonNegativeInteger"],
      "minLength": ["$ref": "#/$defs/nonNegativeIntegerDefault0"],
      "pattern": ["type": "string", "format": "regex"],
      "maxItems": ["$ref": "#/$defs/nonNegativeInteger"],
      "minItems": ["$ref": "#/$defs/nonNegativeIntegerDefault0"],
      "uniqueItems": flag,
      "maxContains": ["$ref": "#/$defs/nonNegativeInteger"],
      "minContains": ["$ref": "#/$defs/nonNegativeInteger", "default": 1],
      "maxProperties": ["$ref": "#/$defs/nonNegativeInteger"],
      "minProperties": ["$ref": "#/$defs/nonNegativeIntegerDefault0"],
      "required": ["$ref": "#/$defs/stringArray"],
      "dependentRequired": [
        "type": "object", "additionalProperties": ["$ref": "#/$defs/stringArray"],
      ],
    ],
    "$defs": [
      "nonNegativeInteger": ["type": "integer", "minimum": 0],
      "nonNegativeIntegerDefault0": ["$ref": "#/$defs/nonNegativeInteger", "default": 0],
      "simpleTypes": [
        "enum": ["array", "boolean", "integer", "null", "number", "object", "string"]
      ],
      "stringArray": [
        "type": "array", "items": ["type": "string"], "uniqueItems": true, "default": [],
      ],
    ],
  ]
}
