import JSONText

/// Which keywords count in a schema, and what some of them mean.
struct SchemaDialect: Hashable {
  /// The draft, where the keywords of several differ in meaning.
  let draft: SchemaDraft
  var vocabularies: Set<Vocabulary>
  /// Keywords that the dialect does not have, or not any more.
  let lacks: Set<SchemaKeyword>

  /// Nothing beside a reference counts, and an identifier may be an anchor.
  var isBefore2019: Bool { draft == .draft7 || draft == .draft6 || draft == .draft4 }
  /// A list of `items` is a tuple, and `additionalItems` speaks of the rest.
  var hasTuples: Bool { draft != .draft2020 }
  /// The keyword that names a schema's address.
  var identifier: SchemaKeyword { draft == .draft4 ? .olderID : .id }

  static let standard = Self(
    draft: .draft2020,
    vocabularies: Set(Vocabulary.allCases).subtracting([.formatAssertion]),
    lacks: [
      .additionalItems, .dependencies, .olderDefinitions, .olderID, .recursiveRef,
      .recursiveAnchor,
    ]
  )
  /// The keywords of draft 2019-09.
  ///
  /// https://json-schema.org/draft/2019-09/json-schema-core
  static let draft2019 = Self(
    draft: .draft2019,
    vocabularies: standard.vocabularies,
    lacks: [
      .dependencies, .olderDefinitions, .olderID, .prefixItems, .dynamicRef, .dynamicAnchor,
    ]
  )
  /// The keywords of draft-07, as its validation page lists them.
  ///
  /// https://json-schema.org/draft-07/json-schema-validation
  static let draft7 = Self(
    draft: .draft7,
    vocabularies: standard.vocabularies.subtracting([.unevaluated]),
    lacks: [
      .olderID, .recursiveRef, .recursiveAnchor, .prefixItems, .dynamicRef, .dynamicAnchor, .anchor,
      .vocabularyList, .definitions, .dependentSchemas, .dependentRequired, .minContains,
      .maxContains, .deprecated, .contentSchema, .unevaluatedItems, .unevaluatedProperties,
    ]
  )
  /// The keywords of draft-06.
  ///
  /// https://json-schema.org/draft-06/json-schema-release-notes
  static let draft6 = Self(
    draft: .draft6,
    vocabularies: draft7.vocabularies,
    lacks: draft7.lacks.union([
      .if, .then, .else, .comment, .readOnly, .writeOnly, .contentEncoding, .contentMediaType,
    ])
  )
  /// The keywords of draft-04.
  ///
  /// https://json-schema.org/draft-06/json-schema-release-notes#backwards-incompatible-changes
  static let draft4 = Self(
    draft: .draft4,
    vocabularies: draft7.vocabularies,
    lacks: draft6.lacks.union([.id, .const, .contains, .propertyNames, .examples])
      .subtracting([.olderID])
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

    /// The draft of a vocabulary's address, and what of our own it is; `nil` for one that is not known.
    static func known(_ address: String) -> (draft: SchemaDraft, vocabularies: Set<Self>)? {
      for draft in [SchemaDraft.draft2020, .draft2019] {
        let prefix = "https://json-schema.org/draft/\(draft.rawValue)/vocab/"
        guard address.hasPrefix(prefix) else { continue }
        switch (draft, String(address.dropFirst(prefix.count))) {
        case (.draft2019, "format"): return (draft, [.formatAnnotation])
        case (.draft2019, "applicator"): return (draft, [.applicator, .unevaluated])
        case (.draft2019, "unevaluated"), (.draft2019, "format-annotation"),
          (.draft2019, "format-assertion"):
          return nil
        case (_, let name): return Self(rawValue: name).map { (draft, [$0]) }
        }
      }
      return nil
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

/// The keywords of JSON Schema 2020-12, and those that only older drafts have.
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
  case olderID = "id"
  case recursiveRef = "$recursiveRef"
  case recursiveAnchor = "$recursiveAnchor"

  var vocabulary: SchemaDialect.Vocabulary {
    switch self {
    case .id, .schema, .ref, .anchor, .dynamicRef, .dynamicAnchor, .vocabularyList, .comment,
      .definitions, .olderDefinitions, .olderID, .recursiveRef, .recursiveAnchor:
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
      .contentEncoding, .contentMediaType, .olderID, .recursiveRef, .recursiveAnchor:
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
