package import JSONText

/// What a schema has to say about a value beside its validity.
package struct SchemaAnnotation: Hashable, Sendable {
  /// The JSON Pointer of the value.
  package let instanceLocation: String
  /// The JSON Pointer of the keyword, through the references that led there.
  package let keywordLocation: String
  /// The address and pointer of the schema that holds the keyword.
  package let schemaLocation: String
  package let keyword: String
  package let value: JSONValue
}

/// Collects the annotations of a value that obeys its schema.
///
/// Of a value that does not, nothing may be collected: what a schema says holds only where it fits.
/// Every function gives the ordinals of the members or elements that were evaluated on the way.
struct AnnotationCollector {
  private var evaluator: SchemaEvaluator
  private(set) var annotations: [SchemaAnnotation] = []
  private var instance: [String] = []
  private var keywords: [String] = []
  private var depth = 0

  /// More annotations than anybody reads.
  private static let mostAnnotations = 100_000

  static func annotations(
    of node: JSONNode,
    in document: JSONDocument,
    _ evaluator: SchemaEvaluator
  ) -> [SchemaAnnotation] {
    var collector = Self(evaluator: evaluator)
    collector.evaluator.begin(document)
    _ = collector.collect(0, node.index)
    // It looks at alternatives that the verdict did not need; what one says that was given up is unknown.
    return collector.evaluator.hasGivenUp ? [] : collector.annotations
  }

  private init(evaluator: SchemaEvaluator) {
    self.evaluator = evaluator
  }

  // MARK: One schema

  private mutating func collect(_ number: Int32, _ index: Int) -> Set<Int> {
    depth += 1
    defer { depth -= 1 }
    guard depth < 500, annotations.count < Self.mostAnnotations else { return [] }
    let node = unsafe evaluator.nodes[Int(number)]
    let isEntering = evaluator.enter(node)
    defer { if isEntering { evaluator.scope.removeLast() } }
    let isString = unsafe evaluator.tape[index].kind == .string
    for own in evaluator.program.annotations[number, default: []] {
      // What a text holds is said of texts only.
      if own.keyword.hasPrefix("content"), !isString { continue }
      add(own.keyword, own.value, number)
    }
    var evaluated: Set<Int> = []
    switch unsafe evaluator.tape[index].kind {
    case .object where node.object >= 0: evaluated = collectMembers(node, number, index)
    case .array where node.array >= 0: evaluated = collectElements(node, number, index)
    default: break
    }
    if node.combination >= 0 { evaluated.formUnion(collectCombination(node, index)) }
    if node.tracks { collectUnevaluated(node, number, index, &evaluated) }
    return evaluated
  }

  private mutating func add(_ keyword: String, _ value: JSONValue, _ number: Int32) {
    annotations.append(
      SchemaAnnotation(
        instanceLocation: JSONPointer(tokens: instance).description,
        keywordLocation: JSONPointer(tokens: keywords + [keyword]).description,
        schemaLocation: evaluator.program.locations[Int(number)],
        keyword: keyword,
        value: value
      )
    )
  }

  /// Collects one level down in the schema, and in the value where `token` names a part of it.
  private mutating func descend(
    _ path: [String],
    _ token: String?,
    _ schema: Int32,
    _ index: Int
  ) -> Set<Int> {
    if let token { instance.append(token) }
    keywords += path
    let evaluated = collect(schema, index)
    keywords.removeLast(path.count)
    if token != nil { instance.removeLast() }
    return evaluated
  }

  // MARK: Objects

  private mutating func collectMembers(
    _ node: SchemaNode,
    _ number: Int32,
    _ index: Int
  ) -> Set<Int> {
    let rule = unsafe evaluator.program.objects[Int(node.object)]
    var known: [String: [JSONValue]] = [:]
    var evaluated: Set<Int> = []
    forEachMember(of: index) { collector, ordinal, name, member in
      for (keyword, path, schema) in collector.schemas(of: member, name, rule) {
        known[keyword, default: []].append(.string(name))
        evaluated.insert(ordinal)
        _ = collector.descend(path, name, schema, member + 1)
      }
    }
    for keyword in ["properties", "patternProperties", "additionalProperties"] {
      if let names = known[keyword] { add(keyword, .array(names), number) }
    }
    let entry = unsafe evaluator.tape[index]
    for offset in 0..<rule.dependents.count {
      let dependent = unsafe evaluator.program.dependents[Int(rule.dependents.start + offset)]
      guard dependent.schema >= 0, evaluator.hasMember(dependent.name, entry, index) else {
        continue
      }
      let name = evaluator.program.nameTexts[Int(dependent.name)].description
      let keyword = dependent.isOlder ? "dependencies" : "dependentSchemas"
      evaluated.formUnion(descend([keyword, name], nil, dependent.schema, index))
    }
    return evaluated
  }

  /// The schemas for a member, with the keyword each is under and the way to it.
  private func schemas(
    of member: Int,
    _ name: String,
    _ rule: ObjectRule
  ) -> [(keyword: String, path: [String], schema: Int32)] {
    var found: [(keyword: String, path: [String], schema: Int32)] = []
    if rule.slots >= 0 {
      let place = unsafe evaluator.slot(
        rule.slots,
        rule.slotMask,
        evaluator.tape.name(at: member),
        evaluator.tape[member].link
      )
      if place >= 0, unsafe evaluator.program.slots[place].isProperty {
        let schema = unsafe evaluator.program.slots[place].schema
        found.append(("properties", ["properties", name], schema))
      }
    }
    for offset in 0..<rule.patterns.count {
      let pattern = unsafe evaluator.program.patternProperties[Int(rule.patterns.start + offset)]
      guard unsafe evaluator.finds(pattern.pattern, evaluator.tape.name(at: member)) else {
        continue
      }
      let source = evaluator.program.patternSource(pattern.pattern)
      found.append(("patternProperties", ["patternProperties", source], pattern.schema))
    }
    if found.isEmpty, rule.additional >= 0 {
      found.append(("additionalProperties", ["additionalProperties"], rule.additional))
    }
    return found
  }

  private mutating func forEachMember(
    of index: Int,
    _ body: (inout Self, _ ordinal: Int, _ name: String, _ member: Int) -> Void
  ) {
    var member = index + 1
    for ordinal in 0..<(unsafe Int(evaluator.tape[index].length)) {
      let name = unsafe String(decoding: evaluator.tape.name(at: member), as: UTF8.self)
      body(&self, ordinal, name, member)
      member = unsafe evaluator.tape.indexAfter(member + 1)
    }
  }

  // MARK: Arrays

  private mutating func collectElements(
    _ node: SchemaNode,
    _ number: Int32,
    _ index: Int
  ) -> Set<Int> {
    let rule = unsafe evaluator.program.arrays[Int(node.array)]
    let count = unsafe Int(evaluator.tape[index].length)
    let prefixCount = min(Int(rule.prefix.count), count)
    var evaluated: Set<Int> = []
    var contained: [Int] = []
    var element = index + 1
    for ordinal in 0..<count {
      if ordinal < prefixCount {
        let schema = unsafe evaluator.program.children[Int(rule.prefix.start) + ordinal]
        let path = [rule.isTuple ? "items" : "prefixItems", String(ordinal)]
        _ = descend(path, String(ordinal), schema, element)
        evaluated.insert(ordinal)
      } else if rule.items >= 0 {
        let keyword = rule.isTuple ? "additionalItems" : "items"
        _ = descend([keyword], String(ordinal), rule.items, element)
        evaluated.insert(ordinal)
      }
      if rule.contains >= 0, evaluator.check(rule.contains, element, -1) {
        _ = descend(["contains"], String(ordinal), rule.contains, element)
        if rule.containsEvaluates { evaluated.insert(ordinal) }
        contained.append(ordinal)
      }
      element = unsafe evaluator.tape.indexAfter(element)
    }
    if prefixCount > 0 {
      let last = JSONValue.number(JSONNumber(Int64(prefixCount - 1)))
      add(
        rule.isTuple ? "items" : "prefixItems",
        prefixCount == count ? .boolean(true) : last,
        number
      )
    }
    if rule.items >= 0, count > prefixCount {
      add(rule.isTuple ? "additionalItems" : "items", .boolean(true), number)
    }
    if rule.contains >= 0, count > 0 {
      let all = JSONValue.array(contained.map { .number(JSONNumber(Int64($0))) })
      add("contains", contained.count == count ? .boolean(true) : all, number)
    }
    return evaluated
  }

  // MARK: Combinations

  private mutating func collectCombination(_ node: SchemaNode, _ index: Int) -> Set<Int> {
    let rule = unsafe evaluator.program.combinations[Int(node.combination)]
    var evaluated: Set<Int> = []
    if rule.reference >= 0 { evaluated.formUnion(descend(["$ref"], nil, rule.reference, index)) }
    if rule.dynamicFallback >= 0 {
      let target = evaluator.dynamicTarget(rule)
      let keyword = rule.isRecursive ? "$recursiveRef" : "$dynamicRef"
      evaluated.formUnion(descend([keyword], nil, target, index))
    }
    for (keyword, range) in [("allOf", rule.all), ("anyOf", rule.any), ("oneOf", rule.one)] {
      for offset in 0..<range.count {
        let schema = unsafe evaluator.program.children[Int(range.start + offset)]
        guard evaluator.check(schema, index, -1) else { continue }
        evaluated.formUnion(descend([keyword, String(offset)], nil, schema, index))
      }
    }
    guard rule.condition >= 0 else { return evaluated }
    let holds = evaluator.check(rule.condition, index, -1)
    if holds { evaluated.formUnion(descend(["if"], nil, rule.condition, index)) }
    let branch = holds ? rule.then : rule.otherwise
    if branch >= 0 {
      evaluated.formUnion(descend([holds ? "then" : "else"], nil, branch, index))
    }
    return evaluated
  }

  // MARK: What no one evaluated

  private mutating func collectUnevaluated(
    _ node: SchemaNode,
    _ number: Int32,
    _ index: Int,
    _ evaluated: inout Set<Int>
  ) {
    let entry = unsafe evaluator.tape[index]
    let isObject = entry.kindBit == KindBit.object
    guard entry.kindBit & KindBit.container != 0,
      let schema = evaluator.unevaluated(node, isObject: isObject)
    else { return }
    let keyword = isObject ? "unevaluatedProperties" : "unevaluatedItems"
    var names: [JSONValue] = []
    var place = index + 1
    for ordinal in 0..<Int(entry.length) {
      let value = isObject ? place + 1 : place
      if evaluated.insert(ordinal).inserted {
        let name =
          isObject
          ? unsafe String(decoding: evaluator.tape.name(at: place), as: UTF8.self)
          : String(ordinal)
        names.append(.string(name))
        _ = descend([keyword], name, schema, value)
      }
      place = unsafe evaluator.tape.indexAfter(value)
    }
    guard !names.isEmpty else { return }
    add(keyword, isObject ? .array(names) : .boolean(true), number)
  }
}
