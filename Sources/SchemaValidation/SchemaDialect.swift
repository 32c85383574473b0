import JSONText

/// Which keywords count in a schema.
struct SchemaDialect: Hashable {
  var vocabularies: Set<Vocabulary>
  /// Keywords of 2020-12 that the dialect does not have yet.
  var lacks: Set<String> = []

  static let standard = Self(vocabularies: Set(Vocabulary.allCases).subtracting([.formatAssertion]))
  static let address = "https://json-schema.org/draft/2020-12/schema"
  static let previous = Self(
    vocabularies: standard.vocabularies,
    lacks: ["prefixItems", "$dynamicRef", "$dynamicAnchor"]
  )

  /// A group of keywords that a dialect has or has not.
  enum Vocabulary: String, CaseIterable {
    case core
    case applicator
    case unevaluated
    case validation
    case metaData = "meta-data"
    case formatAnnotation = "format-annotation"
    case formatAssertion = "format-assertion"
    case content

    static let prefix = "https://json-schema.org/draft/2020-12/vocab/"

    init?(address: String) {
      guard address.hasPrefix(Self.prefix) else { return nil }
      self.init(rawValue: String(address.dropFirst(Self.prefix.count)))
    }
  }

  /// Whether the keyword counts here.
  func has(_ keyword: SchemaKeyword) -> Bool {
    if lacks.contains(keyword.rawValue) { return false }
    if keyword == .format {
      return vocabularies.contains(.formatAnnotation) || vocabularies.contains(.formatAssertion)
    }
    return vocabularies.contains(keyword.vocabulary)
  }
}

/// The keywords of JSON Schema 2020-12.
///
/// https://json-schema.org/draft/2020-12/json-schema-validation
enum SchemaKeyword: String, CaseIterable {
  case id = "$id"
  case schema = "$schema"
  case ref = "$ref"
  case anchor = "$anchor"
  case dynamicRef = "$dynamicRef"
  case dynamicAnchor = "$dynamicAnchor"
  case vocabularyList = "$vocabulary"
  case comment = "$comment"
  case definitions = "$defs"
  case prefixItems
  case items
  case contains
  case additionalProperties
  case properties
  case patternProperties
  case dependentSchemas
  case propertyNames
  case `if`
  case then
  case `else`
  case allOf
  case anyOf
  case oneOf
  case not
  case unevaluatedItems
  case unevaluatedProperties
  case type
  case const
  case `enum`
  case multipleOf
  case maximum
  case exclusiveMaximum
  case minimum
  case exclusiveMinimum
  case maxLength
  case minLength
  case pattern
  case maxItems
  case minItems
  case uniqueItems
  case maxContains
  case minContains
  case maxProperties
  case minProperties
  case required
  case dependentRequired
  case title
  case description
  case `default`
  case deprecated
  case readOnly
  case writeOnly
  case examples
  case format
  case contentEncoding
  case contentMediaType
  case contentSchema

  var vocabulary: SchemaDialect.Vocabulary {
    switch self {
    case .id, .schema, .ref, .anchor, .dynamicRef, .dynamicAnchor, .vocabularyList, .comment,
      .definitions:
      .core
    case .prefixItems, .items, .contains, .additionalProperties, .properties, .patternProperties,
      .dependentSchemas, .propertyNames, .if, .then, .else, .allOf, .anyOf, .oneOf, .not:
      .applicator
    case .unevaluatedItems, .unevaluatedProperties: .unevaluated
    case .type, .const, .enum, .multipleOf, .maximum, .exclusiveMaximum, .minimum,
      .exclusiveMinimum, .maxLength, .minLength, .pattern, .maxItems, .minItems, .uniqueItems,
      .maxContains, .minContains, .maxProperties, .minProperties, .required, .dependentRequired:
      .validation
    case .title, .description, .default, .deprecated, .readOnly, .writeOnly, .examples: .metaData
    case .format: .formatAnnotation
    case .contentEncoding, .contentMediaType, .contentSchema: .content
    }
  }

  /// How the keyword's value holds schemas.
  var holding: Holding {
    switch self {
    case .items, .contains, .additionalProperties, .propertyNames, .if, .then, .else, .not,
      .unevaluatedItems, .unevaluatedProperties, .contentSchema:
      .one
    case .prefixItems, .allOf, .anyOf, .oneOf: .list
    case .definitions, .properties, .patternProperties, .dependentSchemas: .named
    case .id, .schema, .ref, .anchor, .dynamicRef, .dynamicAnchor, .vocabularyList, .comment,
      .type, .const, .enum, .multipleOf, .maximum, .exclusiveMaximum, .minimum,
      .exclusiveMinimum, .maxLength, .minLength, .pattern, .maxItems, .minItems, .uniqueItems,
      .maxContains, .minContains, .maxProperties, .minProperties, .required, .dependentRequired,
      .title, .description, .default, .deprecated, .readOnly, .writeOnly, .examples, .format,
      .contentEncoding, .contentMediaType:
      .none
    }
  }

  enum Holding {
    case none
    case one
    case list
    case named
  }
}
