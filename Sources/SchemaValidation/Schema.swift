package import JSONText

/// Schemas that know each other by their addresses.
///
/// Nothing is fetched: a reference leads to a schema of the set, to a metaschema of 2020-12 or of
/// draft-07, or nowhere.
package struct SchemaSet: Sendable {
  private let registry: SchemaRegistry
  private let formats: FormatMeaning

  /// The most schemas of a set, with those inside of others, where nobody says otherwise.
  ///
  /// Each takes about a KiB until it is compiled. The largest documents in public use, of provisioning
  /// templates, have some MB, and one schema in a hundred bytes.
  package static let usualLimit = 150_000

  /// Takes the schemas, each under its address and under every `$id` in it.
  ///
  /// - Throws: ``SchemaError`` when one is not JSON, two share an address, or there are more than
  ///   `limit`.
  package init(
    schemas: [(address: String, bytes: [UInt8])],
    formats: FormatMeaning = .assert,
    unknownKeywords: UnknownKeywordMeaning = .refuse,
    draft: SchemaDraft = .draft2020,
    limit: Int = SchemaSet.usualLimit
  ) throws(SchemaError) {
    var registry = SchemaRegistry(unknownKeywords: unknownKeywords, draft: draft, limit: limit)
    for (address, bytes) in schemas {
      let value: JSONValue
      do throws(JSONError) {
        value = try JSONValue(parsing: bytes)
      } catch {
        throw SchemaError(address: address, location: "", reason: .notJSON(error))
      }
      try registry.add(value, at: address)
    }
    self.registry = registry
    self.formats = formats
  }

  /// `name` as the part of an address that stands for it and for no other name.
  package static func addressPart(_ name: String) -> String {
    SchemaAddress.escapedSegment(name)
  }

  /// Compiles the schema at `address` and all that it refers to.
  ///
  /// - Throws: ``SchemaError`` with the place of what cannot be used.
  package func schema(at address: String) throws(SchemaError) -> Schema {
    guard let location = registry.location(ofResource: address) else {
      throw SchemaError(address: address, location: "", reason: .absent)
    }
    let program = try SchemaCompiler.compile(location, registry: registry, formats: formats)
    return Schema(address: address, program: program)
  }
}

/// A compiled schema, which any number of tasks may use at once.
package struct Schema: Sendable {
  /// The address the schema was asked for under.
  package let address: String
  let program: SchemaProgram

  /// Tells whether the value obeys the schema.
  ///
  /// For many values, a ``SchemaValidator`` keeps the room that validation needs.
  package func isValid(_ document: JSONDocument, _ node: JSONNode) -> Bool {
    SchemaValidator(self).isValid(document, node)
  }

  /// Every fault of the value, in the order of the schema's keywords.
  package func faults(_ document: JSONDocument, _ node: JSONNode) -> [SchemaFault] {
    SchemaValidator(self).faults(document, node)
  }
}

/// A schema with the room that validation needs; each task has its own.
package final class SchemaValidator {
  // Nothing is called from inside a change of it, so that no access can overlap another.
  @exclusivity(unchecked) private var evaluator: SchemaEvaluator

  package init(_ schema: Schema) {
    unsafe evaluator = SchemaEvaluator(schema.program)
  }

  /// Tells whether the value obeys the schema.
  package func isValid(_ document: JSONDocument, _ node: JSONNode) -> Bool {
    unsafe evaluator.isValid(document, node)
  }

  /// Whether an array obeys the schema if each of its elements obeys a schema of its own: nothing is asked
  /// of how many there are, or of what they are to each other.
  package var looksAtElementsAlone: Bool { unsafe evaluator.elementSchema != nil }

  /// Tells whether all elements of such an array obey, which are read one at a time from `bytes`.
  ///
  /// - Throws: `JSONError` for the first element that is no JSON, if those before it obey.
  package func areElementsValid(
    _ document: JSONDocument,
    _ bytes: UnsafeRawBufferPointer
  ) throws(JSONError) -> Bool {
    guard let schema = unsafe evaluator.elementSchema else { return false }
    unsafe evaluator.beginElements()
    return unsafe try document.parseElements(bytes) { element in
      unsafe evaluator.isValid(document, element, schema)
    }
  }

  /// Every fault of the value, in the order of the schema's keywords; none for a value that obeys.
  package func faults(_ document: JSONDocument, _ node: JSONNode) -> [SchemaFault] {
    unsafe FaultCollector.faults(of: node, in: document, evaluator)
  }

  /// What the schema has to say about the value beside its validity; nothing for one that does not
  /// obey it.
  package func annotations(_ document: JSONDocument, _ node: JSONNode) -> [SchemaAnnotation] {
    guard isValid(document, node) else { return [] }
    return unsafe AnnotationCollector.annotations(of: node, in: document, evaluator)
  }
}
