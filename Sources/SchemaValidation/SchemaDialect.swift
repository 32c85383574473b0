import JSONText

/// Which keywords count in a schema.
struct SchemaDialect: Hashable {
  var vocabularies: Set<Vocabulary>
  /// Keywords that the dialect does not have, or not any more.
  var lacks = Self.olderKeywords
  /// Draft-07, where a reference stands alone, a list of `items` is a tuple, and an `$id` may be
  /// an anchor.
  var isDraft7 = false

  static let standard = Self(vocabularies: Set(Vocabulary.allCases).subtracting([.formatAssertion]))
  static let address = "https://json-schema.org/draft/2020-12/schema"
  static let draft7Address = "http://json-schema.org/draft-07/schema"
  static let previous = Self(
    vocabularies: standard.vocabularies,
    lacks: olderKeywords.union([.prefixItems, .dynamicRef, .dynamicAnchor])
  )
  /// The keywords of draft-07, as its validation page lists them.
  ///
  /// https://json-schema.org/draft-07/json-schema-validation
  static let draft7 = Self(
    vocabularies: standard.vocabularies.subtracting([.unevaluated]),
    lacks: [
      .prefixItems, .dynamicRef, .dynamicAnchor, .anchor, .vocabularyList, .definitions,
      .dependentSchemas, .dependentRequired, .minContains, .maxContains, .deprecated,
      .contentSchema, .unevaluatedItems, .unevaluatedProperties,
    ],
    isDraft7: true
  )

  private static let olderKeywords: Set<SchemaKeyword> = [
    .additionalItems, .dependencies, .olderDefinitions,
  ]

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
    if lacks.contains(keyword) { return false }
    if keyword == .format {
      return vocabularies.contains(.formatAnnotation) || vocabularies.contains(.formatAssertion)
    }
    return vocabularies.contains(keyword.vocabulary)
  }
}

/// The keywords of JSON Schema 2020-12, and those that only draft-07 has.
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
  case additionalItems
  case dependencies
  case olderDefinitions = "definitions"

  var vocabulary: SchemaDialect.Vocabulary {
    switch self {
    case .id, .schema, .ref, .anchor, .dynamicRef, .dynamicAnchor, .vocabularyList, .comment,
      .definitions, .olderDefinitions:
      .core
    case .prefixItems, .items, .contains, .additionalProperties, .properties, .patternProperties,
      .dependentSchemas, .propertyNames, .if, .then, .else, .allOf, .anyOf, .oneOf, .not,
      .additionalItems, .dependencies:
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

  /// The keywords whose own value is what they have to say.
  static let annotations: Set<Self> = [
    .title, .description, .default, .deprecated, .readOnly, .writeOnly, .examples, .format,
    .contentEncoding, .contentMediaType, .contentSchema,
  ]

  /// How the keyword's value holds schemas.
  var holding: Holding {
    switch self {
    case .items, .contains, .additionalProperties, .propertyNames, .if, .then, .else, .not,
      .unevaluatedItems, .unevaluatedProperties, .contentSchema, .additionalItems:
      .one
    case .prefixItems, .allOf, .anyOf, .oneOf: .list
    case .definitions, .properties, .patternProperties, .dependentSchemas, .dependencies,
      .olderDefinitions:
      .named
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
