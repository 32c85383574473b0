package import JSONText

/// Schemas that know each other by their addresses.
///
/// Nothing is fetched: a reference leads to a schema of the set, to one that the finder has, to one that
/// describes a draft of JSON Schema, or nowhere.
package struct SchemaSet: Sendable {
  private let registry: SchemaRegistry
  private let formats: FormatMeaning

  /// The most schemas of a set, with those inside of others, where no one says otherwise.
  ///
  /// Each takes about a KiB until it is compiled. The largest documents in public use, of provisioning
  /// templates, have some MB, and one schema in a hundred bytes.
  package static let usualLimit = 150_000

  /// Takes the schemas, each under its address and under every `$id` in it.
  ///
  /// - Parameters:
  ///   - schemas: The schemas.
  ///   - formats: Whether a value that is not in its format is a fault.
  ///   - unknownKeywords: What becomes of a keyword that the draft does not have.
  ///   - draft: The draft of a schema that does not name its own.
  ///   - drafts: The drafts that a schema may name; where keywords are refused, only those of packages
  ///     unless given.
  ///   - limit: The most schemas, with those inside of others.
  ///   - finder: Where further schemas are, which are read when a reference leads to them.
  /// - Throws: ``SchemaError`` when one is not JSON, two share an address, there are more than `limit`, or
  ///   one is written in a draft that is not read.
  package init(
    schemas: [(address: String, bytes: [UInt8])],
    formats: FormatMeaning = .assert,
    unknownKeywords: UnknownKeywordMeaning = .refuse,
    draft: SchemaDraft = .draft2020,
    drafts: Set<SchemaDraft>? = nil,
    limit: Int = SchemaSet.usualLimit,
    finder: (any SchemaFinder)? = nil
  ) throws(SchemaError) {
    let usual = unknownKeywords == .refuse ? SchemaDraft.ofPackages : Set(SchemaDraft.allCases)
    var registry = SchemaRegistry(
      unknownKeywords: unknownKeywords,
      draft: draft,
      drafts: (drafts ?? usual).union([draft]),
      limit: limit,
      finder: finder
    )
    for (address, bytes) in schemas {
      try registry.add(SchemaRegistry.value(of: bytes, at: address), at: address)
    }
    self.registry = registry
    self.formats = formats
  }

  /// `name` as the part of an address that represents it and for no other name.
  package static func addressPart(_ name: String) -> String {
    SchemaAddress.escapedSegment(name)
  }

  /// Every part of a document with the address that it gives itself, whether that part is a schema or
  /// not.
  package static func identified(
    in value: JSONValue,
    at address: String
  ) -> [(address: String, value: JSONValue)] {
    var found: [(address: String, value: JSONValue)] = []
    var waiting = [(value, SchemaAddress(address))]
    while let (next, base) = waiting.popLast() {
      var base = base
      switch next {
      case .object(let object):
        for keyword in [SchemaKeyword.id, .olderID] {
          guard let id = object[keyword.rawValue]?.text else { continue }
          let own = SchemaAddress(id).resolved(against: base)
          found.append((own.withoutFragment, next))
          base = own
        }
        waiting += object.members.map { ($0.value, base) }
      case .array(let elements): waiting += elements.map { ($0, base) }
      case .null, .boolean, .number, .string: break
      }
    }
    return found
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

/// Has schemas that are read only when a reference leads to them.
package protocol SchemaFinder: Sendable {
  /// The document that holds the schema of an address without a fragment, with the document's own address;
  /// `nil` if it does not exist.
  ///
  /// - Throws: ``SchemaError`` for one that is there and cannot be read.
  func document(
    with address: String
  ) throws(SchemaError) -> (address: String, bytes: [UInt8])?
}

/// A compiled schema, which any number of tasks may use at once.
package struct Schema: Sendable {
  /// The address the schema was asked for under.
  package let address: String
  let program: SchemaProgram

  /// Says whether the value obeys the schema.
  ///
  /// For many values, a ``SchemaValidator`` keeps the memory that validation needs.
  package func isValid(_ document: JSONDocument, _ node: JSONNode) -> Bool {
    SchemaValidator(self).isValid(document, node)
  }

  /// Every fault of the value, in the order of the schema's keywords.
  package func faults(_ document: JSONDocument, _ node: JSONNode) -> [SchemaFault] {
    SchemaValidator(self).faults(document, node)
  }
}

/// A schema with the memory that validation needs; each task has its own.
package final class SchemaValidator {
  // Nothing is called from inside a change of it, so that no access can overlap another.
  @exclusivity(unchecked) private var evaluator: SchemaEvaluator

  package init(_ schema: Schema) {
    unsafe evaluator = SchemaEvaluator(schema.program)
  }

  /// Says whether the value obeys the schema.
  package func isValid(_ document: JSONDocument, _ node: JSONNode) -> Bool {
    unsafe evaluator.isValid(document, node)
  }

  /// Whether an array obeys the schema if each of its elements obeys a schema of its own: nothing is asked
  /// of how many there are, or of what they are to each other.
  package var looksAtElementsAlone: Bool { unsafe evaluator.elementSchema != nil }

  /// Says whether all elements of that array obey, which are read one at a time from `bytes`.
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
