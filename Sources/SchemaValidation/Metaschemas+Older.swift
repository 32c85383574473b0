import JSONText

extension Metaschemas {
  /// The schemas that describe draft-04, draft-06 and draft 2019-09 themselves, by their addresses.
  ///
  /// https://json-schema.org/specification-links
  static let olderTexts: [String: String] = [
    "http://json-schema.org/draft-04/schema": ##"""
    {"id": "http://json-schema.org/draft-04/schema#", "$schema":
    "http://json-schema.org/draft-04/schema#", "definitions": {"schemaArray": {"type":
    "array", "minItems": 1, "items": {"$ref": "#"}}, "positiveInteger": {"type": "integer",
    "minimum": 0}, "positiveIntegerDefault0": {"allOf": [{"$ref":
    "#/definitions/positiveInteger"}, {"default": 0}]}, "simpleTypes": {"enum": ["array",
    "boolean", "integer", "null", "number", "object", "string"]}, "stringArray": {"type":
    "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": true}}, "type":
    "object", "properties": {"id": {"type": "string"}, "$schema": {"type": "string"},
    "title": {"type": "string"}, "description": {"type": "string"}, "default": {},
    "multipleOf": {"type": "number", "minimum": 0, "exclusiveMinimum": true}, "maximum":
    {"type": "number"}, "exclusiveMaximum": {"type": "boolean", "default": false}, "minimum":
    {"type": "number"}, "exclusiveMinimum": {"type": "boolean", "default": false},
    "maxLength": {"$ref": "#/definitions/positiveInteger"}, "minLength": {"$ref":
    "#/definitions/positiveIntegerDefault0"}, "pattern": {"type": "string", "format":
    "regex"}, "additionalItems": {"anyOf": [{"type": "boolean"}, {"$ref": "#"}], "default":
    {}}, "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/definitions/schemaArray"}],
    "default": {}}, "maxItems": {"$ref": "#/definitions/positiveInteger"}, "minItems":
    {"$ref": "#/definitions/positiveIntegerDefault0"}, "uniqueItems": {"type": "boolean",
    "default": false}, "maxProperties": {"$ref": "#/definitions/positiveInteger"},
    "minProperties": {"$ref": "#/definitions/positiveIntegerDefault0"}, "required": {"$ref":
    "#/definitions/stringArray"}, "additionalProperties": {"anyOf": [{"type": "boolean"},
    {"$ref": "#"}], "default": {}}, "definitions": {"type": "object", "additionalProperties":
    {"$ref": "#"}, "default": {}}, "properties": {"type": "object", "additionalProperties":
    {"$ref": "#"}, "default": {}}, "patternProperties": {"type": "object",
    "additionalProperties": {"$ref": "#"}, "default": {}}, "dependencies": {"type": "object",
    "additionalProperties": {"anyOf": [{"$ref": "#"}, {"$ref":
    "#/definitions/stringArray"}]}}, "enum": {"type": "array", "minItems": 1, "uniqueItems":
    true}, "type": {"anyOf": [{"$ref": "#/definitions/simpleTypes"}, {"type": "array",
    "items": {"$ref": "#/definitions/simpleTypes"}, "minItems": 1, "uniqueItems": true}]},
    "format": {"type": "string"}, "allOf": {"$ref": "#/definitions/schemaArray"}, "anyOf":
    {"$ref": "#/definitions/schemaArray"}, "oneOf": {"$ref": "#/definitions/schemaArray"},
    "not": {"$ref": "#"}}, "dependencies": {"exclusiveMaximum": ["maximum"],
    "exclusiveMinimum": ["minimum"]}, "default": {}}
    """##,
    "http://json-schema.org/draft-06/schema": ##"""
    {"$schema": "http://json-schema.org/draft-06/schema#", "$id":
    "http://json-schema.org/draft-06/schema#", "definitions": {"schemaArray": {"type":
    "array", "minItems": 1, "items": {"$ref": "#"}}, "nonNegativeInteger": {"type":
    "integer", "minimum": 0}, "nonNegativeIntegerDefault0": {"allOf": [{"$ref":
    "#/definitions/nonNegativeInteger"}, {"default": 0}]}, "simpleTypes": {"enum": ["array",
    "boolean", "integer", "null", "number", "object", "string"]}, "stringArray": {"type":
    "array", "items": {"type": "string"}, "uniqueItems": true, "default": []}}, "type":
    ["object", "boolean"], "properties": {"$id": {"type": "string", "format":
    "uri-reference"}, "$schema": {"type": "string", "format": "uri"}, "$ref": {"type":
    "string", "format": "uri-reference"}, "title": {"type": "string"}, "description":
    {"type": "string"}, "default": {}, "examples": {"type": "array", "items": {}},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0}, "maximum": {"type": "number"},
    "exclusiveMaximum": {"type": "number"}, "minimum": {"type": "number"},
    "exclusiveMinimum": {"type": "number"}, "maxLength": {"$ref":
    "#/definitions/nonNegativeInteger"}, "minLength": {"$ref":
    "#/definitions/nonNegativeIntegerDefault0"}, "pattern": {"type": "string", "format":
    "regex"}, "additionalItems": {"$ref": "#"}, "items": {"anyOf": [{"$ref": "#"}, {"$ref":
    "#/definitions/schemaArray"}], "default": {}}, "maxItems": {"$ref":
    "#/definitions/nonNegativeInteger"}, "minItems": {"$ref":
    "#/definitions/nonNegativeIntegerDefault0"}, "uniqueItems": {"type": "boolean",
    "default": false}, "contains": {"$ref": "#"}, "maxProperties": {"$ref":
    "#/definitions/nonNegativeInteger"}, "minProperties": {"$ref":
    "#/definitions/nonNegativeIntegerDefault0"}, "required": {"$ref":
    "#/definitions/stringArray"}, "additionalProperties": {"$ref": "#"}, "definitions":
    {"type": "object", "additionalProperties": {"$ref": "#"}, "default": {}}, "properties":
    {"type": "object", "additionalProperties": {"$ref": "#"}, "default": {}},
    "patternProperties": {"type": "object", "additionalProperties": {"$ref": "#"},
    "propertyNames": {"format": "regex"}, "default": {}}, "dependencies": {"type": "object",
    "additionalProperties": {"anyOf": [{"$ref": "#"}, {"$ref":
    "#/definitions/stringArray"}]}}, "propertyNames": {"$ref": "#"}, "const": {}, "enum":
    {"type": "array"}, "type": {"anyOf": [{"$ref": "#/definitions/simpleTypes"}, {"type":
    "array", "items": {"$ref": "#/definitions/simpleTypes"}, "minItems": 1, "uniqueItems":
    true}]}, "format": {"type": "string"}, "allOf": {"$ref": "#/definitions/schemaArray"},
    "anyOf": {"$ref": "#/definitions/schemaArray"}, "oneOf": {"$ref":
    "#/definitions/schemaArray"}, "not": {"$ref": "#"}}, "default": {}}
    """##,
    "https://json-schema.org/draft/2019-09/schema": ##"""
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$id":
    "https://json-schema.org/draft/2019-09/schema", "$vocabulary":
    {"https://json-schema.org/draft/2019-09/vocab/core": true,
    "https://json-schema.org/draft/2019-09/vocab/applicator": true,
    "https://json-schema.org/draft/2019-09/vocab/validation": true,
    "https://json-schema.org/draft/2019-09/vocab/meta-data": true,
    "https://json-schema.org/draft/2019-09/vocab/format": false,
    "https://json-schema.org/draft/2019-09/vocab/content": true}, "$recursiveAnchor": true,
    "allOf": [{"$ref": "meta/core"}, {"$ref": "meta/applicator"}, {"$ref":
    "meta/validation"}, {"$ref": "meta/meta-data"}, {"$ref": "meta/format"}, {"$ref":
    "meta/content"}], "type": ["object", "boolean"], "properties": {"definitions": {"type":
    "object", "additionalProperties": {"$recursiveRef": "#"}, "default": {}}, "dependencies":
    {"type": "object", "additionalProperties": {"anyOf": [{"$recursiveRef": "#"},
    {"$ref": "meta/validation#/$defs/stringArray"}]}}}}
    """##,
    "https://json-schema.org/draft/2019-09/meta/core": ##"""
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$id":
    "https://json-schema.org/draft/2019-09/meta/core", "$vocabulary":
    {"https://json-schema.org/draft/2019-09/vocab/core": true}, "$recursiveAnchor": true,
    "type": ["object", "boolean"], "properties": {"$id": {"type": "string", "format":
    "uri-reference", "pattern": "^[^#]*#?$"}, "$schema": {"type": "string", "format": "uri"},
    "$anchor": {"type": "string", "pattern": "^[A-Za-z][-A-Za-z0-9.:_]*$"}, "$ref": {"type":
    "string", "format": "uri-reference"}, "$recursiveRef": {"type": "string", "format":
    "uri-reference"}, "$recursiveAnchor": {"type": "boolean", "default": false},
    "$vocabulary": {"type": "object", "propertyNames": {"type": "string", "format": "uri"},
    "additionalProperties": {"type": "boolean"}}, "$comment": {"type": "string"}, "$defs":
    {"type": "object", "additionalProperties": {"$recursiveRef": "#"}, "default": {}}}}
    """##,
    "https://json-schema.org/draft/2019-09/meta/applicator": ##"""
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$id":
    "https://json-schema.org/draft/2019-09/meta/applicator", "$vocabulary":
    {"https://json-schema.org/draft/2019-09/vocab/applicator": true}, "$recursiveAnchor":
    true, "type": ["object", "boolean"], "properties": {"additionalItems": {"$recursiveRef":
    "#"}, "unevaluatedItems": {"$recursiveRef": "#"}, "items": {"anyOf": [{"$recursiveRef":
    "#"}, {"$ref": "#/$defs/schemaArray"}]}, "contains": {"$recursiveRef": "#"},
    "additionalProperties": {"$recursiveRef": "#"}, "unevaluatedProperties":
    {"$recursiveRef": "#"}, "properties": {"type": "object", "additionalProperties":
    {"$recursiveRef": "#"}, "default": {}}, "patternProperties": {"type": "object",
    "additionalProperties": {"$recursiveRef": "#"}, "propertyNames": {"format": "regex"},
    "default": {}}, "dependentSchemas": {"type": "object", "additionalProperties":
    {"$recursiveRef": "#"}}, "propertyNames": {"$recursiveRef": "#"}, "if": {"$recursiveRef":
    "#"}, "then": {"$recursiveRef": "#"}, "else": {"$recursiveRef": "#"}, "allOf": {"$ref":
    "#/$defs/schemaArray"}, "anyOf": {"$ref": "#/$defs/schemaArray"}, "oneOf": {"$ref":
    "#/$defs/schemaArray"}, "not": {"$recursiveRef": "#"}}, "$defs": {"schemaArray": {"type":
    "array", "minItems": 1, "items": {"$recursiveRef": "#"}}}}
    """##,
    "https://json-schema.org/draft/2019-09/meta/validation": ##"""
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$id":
    "https://json-schema.org/draft/2019-09/meta/validation", "$vocabulary":
    {"https://json-schema.org/draft/2019-09/vocab/validation": true}, "$recursiveAnchor":
    true, "type": ["object", "boolean"], "properties": {"multipleOf": {"type": "number",
    "exclusiveMinimum": 0}, "maximum": {"type": "number"}, "exclusiveMaximum": {"type":
    "number"}, "minimum": {"type": "number"}, "exclusiveMinimum": {"type": "number"},
    "maxLength": {"$ref": "#/$defs/nonNegativeInteger"}, "minLength": {"$ref":
    "#/$defs/nonNegativeIntegerDefault0"}, "pattern": {"type": "string", "format": "regex"},
    "maxItems": {"$ref": "#/$defs/nonNegativeInteger"}, "minItems": {"$ref":
    "#/$defs/nonNegativeIntegerDefault0"}, "uniqueItems": {"type": "boolean", "default":
    false}, "maxContains": {"$ref": "#/$defs/nonNegativeInteger"}, "minContains": {"$ref":
    "#/$defs/nonNegativeInteger", "default": 1}, "maxProperties": {"$ref":
    "#/$defs/nonNegativeInteger"}, "minProperties": {"$ref":
    "#/$defs/nonNegativeIntegerDefault0"}, "required": {"$ref": "#/$defs/stringArray"},
    "dependentRequired": {"type": "object", "additionalProperties": {"$ref":
    "#/$defs/stringArray"}}, "const": true, "enum": {"type": "array", "items": true}, "type":
    {"anyOf": [{"$ref": "#/$defs/simpleTypes"}, {"type": "array", "items": {"$ref":
    "#/$defs/simpleTypes"}, "minItems": 1, "uniqueItems": true}]}}, "$defs":
    {"nonNegativeInteger": {"type": "integer", "minimum": 0}, "nonNegativeIntegerDefault0":
    {"$ref": "#/$defs/nonNegativeInteger", "default": 0}, "simpleTypes": {"enum": ["array",
    "boolean", "integer", "null", "number", "object", "string"]}, "stringArray": {"type":
    "array", "items": {"type": "string"}, "uniqueItems": true, "default": []}}}
    """##,
    "https://json-schema.org/draft/2019-09/meta/meta-data": ##"""
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$id":
    "https://json-schema.org/draft/2019-09/meta/meta-data", "$vocabulary":
    {"https://json-schema.org/draft/2019-09/vocab/meta-data": true}, "$recursiveAnchor":
    true, "type": ["object", "boolean"], "properties": {"title": {"type": "string"},
    "description": {"type": "string"}, "default": true, "deprecated": {"type": "boolean",
    "default": false}, "readOnly": {"type": "boolean", "default": false}, "writeOnly":
    {"type": "boolean", "default": false}, "examples": {"type": "array", "items": true}}}
    """##,
    "https://json-schema.org/draft/2019-09/meta/format": ##"""
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$id":
    "https://json-schema.org/draft/2019-09/meta/format", "$vocabulary":
    {"https://json-schema.org/draft/2019-09/vocab/format": true}, "$recursiveAnchor": true,
    "type": ["object", "boolean"], "properties": {"format": {"type": "string"}}}
    """##,
    "https://json-schema.org/draft/2019-09/meta/content": ##"""
    {"$schema": "https://json-schema.org/draft/2019-09/schema", "$id":
    "https://json-schema.org/draft/2019-09/meta/content", "$vocabulary":
    {"https://json-schema.org/draft/2019-09/vocab/content": true}, "$recursiveAnchor": true,
    "type": ["object", "boolean"], "properties": {"contentMediaType": {"type": "string"},
    "contentEncoding": {"type": "string"}, "contentSchema": {"$recursiveRef": "#"}}}
    """##,
  ]
}
