import JSONText
import Patterns

/// Turns one schema and all it refers to into a program.
///
/// Nothing here calls itself: a schema that is found gets a number at once and waits in a queue.
struct SchemaCompiler {
  var registry: SchemaRegistry
  var tables = SchemaTables()
  let formats: FormatMeaning
  private var numbers: [SchemaLocation: Int32] = [:]
  private var queue: [SchemaLocation] = []
  private var resources: [String: Int32] = [:]
  private var dynamicNames: [String: Int32] = [:]
  private var nameNumbers: [JSONName: Int32] = [:]
  private var patternNumbers: [String: Int32] = [:]
  /// For each node, the nodes that look at the same value.
  private var inPlace: [[Int32]] = []

  init(registry: SchemaRegistry, formats: FormatMeaning) {
    self.registry = registry
    self.formats = formats
  }

  /// Compiles the schema at `location`, which becomes node 0.
  static func compile(
    _ location: SchemaLocation,
    registry: SchemaRegistry,
    formats: FormatMeaning
  ) throws(SchemaError) -> SchemaProgram {
    var compiler = Self(registry: registry, formats: formats)
    _ = compiler.node(at: location)
    try compiler.drain()
    try compiler.refuseEndless()
    compiler.simplify()
    var planner = SchemaPlanner(compiler.tables)
    planner.plan()
    return SchemaProgram(planner.tables)
  }

  private mutating func drain() throws(SchemaError) {
    var next = 0
    repeat {
      while next < queue.count {
        try compile(queue[next], number: next)
        next += 1
      }
      findDynamicTargets()
    } while next < queue.count
  }

  /// Numbers every schema that a dynamic reference may mean.
  private mutating func findDynamicTargets() {
    tables.dynamicTargets = Array(repeating: [:], count: dynamicNames.count)
    for (name, number) in dynamicNames {
      for (address, location) in registry.dynamicAnchors[name, default: [:]] {
        tables.dynamicTargets[Int(number)][resource(address)] = node(at: location)
      }
    }
  }

  /// The number of the schema at `location`, which is compiled when its turn comes.
  mutating func node(at location: SchemaLocation) -> Int32 {
    if let number = numbers[location] { return number }
    let number = Int32(queue.count)
    numbers[location] = number
    queue.append(location)
    tables.nodes.append(SchemaNode())
    tables.locations.append(
      registry.address(ofDocument: location.document) + "#" + location.pointer.description
    )
    inPlace.append([])
    return number
  }

  mutating func resource(_ address: String) -> Int32 {
    if let number = resources[address] { return number }
    let number = Int32(resources.count)
    resources[address] = number
    return number
  }

  mutating func name(_ text: String) -> Int32 {
    let name = JSONName(text)
    if let number = nameNumbers[name] { return number }
    let number = Int32(tables.names.count)
    nameNumbers[name] = number
    tables.names.append(name)
    return number
  }

  // MARK: One schema

  private mutating func compile(_ location: SchemaLocation, number: Int) throws(SchemaError) {
    guard let subschema = registry.subschema(at: location) else {
      throw registry.error(location, .absent)
    }
    var node = SchemaNode()
    node.resource = resource(subschema.base)
    switch subschema.value {
    case .boolean(let takesEverything):
      node.isFixed = true
      node.types = takesEverything ? SchemaNode.everyType : 0
    case .object(let object):
      let source = SchemaSource(object: object, location: location, subschema: subschema)
      try refuseUnknown(source)
      try compile(source, into: &node, number: number)
      annotate(source, number)
      node.isFixed = isEmpty(node)
    case .null, .number, .string, .array:
      throw registry.error(
        location,
        .malformed(keyword: "schema", reason: "must be an object, true or false")
      )
    }
    tables.nodes[number] = node
  }

  /// Notes what the schema says beside validity, unknown keywords among it.
  private mutating func annotate(_ source: SchemaSource, _ number: Int) {
    guard !source.ignoresSiblings else { return }
    for member in source.object.members {
      if let keyword = SchemaKeyword(rawValue: member.name),
        keyword != .olderID || source.dialect.has(.olderID)
      {
        guard SchemaKeyword.annotations.contains(keyword), source.dialect.has(keyword) else {
          continue
        }
        if keyword == .contentSchema, source[.contentMediaType] == nil { continue }
      }
      tables.annotations[Int32(number), default: []].append((member.name, member.value))
    }
  }

  private func isEmpty(_ node: SchemaNode) -> Bool {
    node.types == SchemaNode.everyType && !node.hasCombination && node.values < 0
      && node.string < 0 && node.number < 0 && node.array < 0 && node.object < 0
  }

  private func refuseUnknown(_ source: SchemaSource) throws(SchemaError) {
    guard registry.unknownKeywords == .refuse else { return }
    for name in source.object.names where !name.hasPrefix("x-") {
      if let keyword = SchemaKeyword(rawValue: name), !source.dialect.lacks.contains(keyword) {
        continue
      }
      throw registry.error(source.location, .unknownKeyword(name))
    }
  }

  private mutating func compile(
    _ source: SchemaSource,
    into node: inout SchemaNode,
    number: Int
  ) throws(SchemaError) {
    if let types = source[.type] { node.types = try kinds(types, source) }
    node.values = try valueRule(source)
    node.string = try stringRule(source)
    node.number = try numberRule(source)
    node.array = try arrayRule(source)
    node.object = try objectRule(source, number)
    node.combination = try combinationRule(source, number)
    node.hasCombination = node.combination >= 0
    node.tracks =
      source[.unevaluatedItems] != nil || source[.unevaluatedProperties] != nil
    if registry.unknownKeywords == .refuse { try compileUnused(source) }
  }

  /// Compiles `$defs` that nothing may refer to, so that faults in them are found too.
  private mutating func compileUnused(_ source: SchemaSource) throws(SchemaError) {
    for keyword in [SchemaKeyword.definitions, .olderDefinitions] {
      for name in try members(source, keyword).names {
        _ = child(source, [keyword.rawValue, name])
      }
    }
  }

  // MARK: Help

  func malformed(
    _ source: SchemaSource,
    _ keyword: SchemaKeyword,
    _ reason: String
  ) -> SchemaError {
    registry.error(source.location, .malformed(keyword: keyword.rawValue, reason: reason))
  }

  mutating func child(_ source: SchemaSource, _ tokens: [String]) -> Int32 {
    node(at: source.location.appending(tokens))
  }

  /// The schema that is the value of `keyword`, or -1.
  mutating func child(_ source: SchemaSource, _ keyword: SchemaKeyword) -> Int32 {
    source[keyword] == nil ? -1 : child(source, [keyword.rawValue])
  }

  /// The schemas that are the elements of `keyword`.
  mutating func children(
    _ source: SchemaSource,
    _ keyword: SchemaKeyword
  ) throws(SchemaError) -> SchemaRange {
    guard let value = source[keyword] else { return SchemaRange() }
    guard let elements = value.array, !elements.isEmpty else {
      throw malformed(source, keyword, "must be a list of schemas")
    }
    let numbers = elements.indices.map { child(source, [keyword.rawValue, String($0)]) }
    let range = SchemaRange(start: Int32(tables.children.count), count: Int32(numbers.count))
    tables.children += numbers
    return range
  }

  func members(
    _ source: SchemaSource,
    _ keyword: SchemaKeyword
  ) throws(SchemaError) -> JSONObject {
    guard let value = source[keyword] else { return JSONObject() }
    guard let object = value.object else { throw malformed(source, keyword, "must be an object") }
    return object
  }

  func limit(
    _ source: SchemaSource,
    _ keyword: SchemaKeyword,
    default otherwise: Int64
  ) throws(SchemaError) -> Int64 {
    guard let value = source[keyword] else { return otherwise }
    guard case .number(let number) = value, let form = number.decimalForm, form.isInteger,
      !form.isNegative
    else { throw malformed(source, keyword, "must be a whole number from zero on") }
    return form.int64 ?? .max
  }

  func texts(
    _ value: JSONValue,
    _ source: SchemaSource,
    _ keyword: SchemaKeyword
  ) throws(SchemaError) -> [String] {
    guard let elements = value.array else {
      throw malformed(source, keyword, "must be a list of names")
    }
    var texts: [String] = []
    for element in elements {
      guard let text = element.text else {
        throw malformed(source, keyword, "must be a list of names")
      }
      texts.append(text)
    }
    return texts
  }

  mutating func pattern(_ text: String, _ source: SchemaSource) throws(SchemaError) -> Int32 {
    if let number = patternNumbers[text] { return number }
    do throws(PatternError) {
      tables.patterns.append(try Pattern(text))
    } catch {
      throw malformed(source, .pattern, "\(error)")
    }
    let number = Int32(tables.patterns.count - 1)
    patternNumbers[text] = number
    return number
  }

  func asserts(_ source: SchemaSource) -> Bool {
    formats == .assert || source.dialect.vocabularies.contains(.formatAssertion)
  }

  // MARK: References

  mutating func reference(
    _ source: SchemaSource,
    _ keyword: SchemaKeyword
  ) throws(SchemaError) -> (node: Int32, address: String, anchor: String?)? {
    guard let value = source[keyword] else { return nil }
    guard let text = value.text else { throw malformed(source, keyword, "must be a text") }
    let found = try registry.resolve(text, from: source.base, at: source.location)
    return (node(at: found.target), found.address, found.anchor)
  }

  /// The number of a dynamic anchor's name when the reference really is dynamic, or -1.
  mutating func dynamicName(_ anchor: String?, at address: String) -> Int32 {
    guard let anchor, registry.dynamicAnchors[anchor]?[address] != nil else { return -1 }
    if let number = dynamicNames[anchor] { return number }
    let number = Int32(dynamicNames.count)
    dynamicNames[anchor] = number
    return number
  }

  mutating func note(_ targets: [Int32], lookAtTheValueOf number: Int) {
    inPlace[number] += targets.filter { $0 >= 0 }
  }

  /// Refuses schemas that would look at one value for ever.
  private func refuseEndless() throws(SchemaError) {
    var isFinished = [Bool](repeating: false, count: inPlace.count)
    var isOpen = isFinished
    for start in inPlace.indices where !isFinished[start] {
      var way: [(node: Int, next: Int)] = [(start, 0)]
      isOpen[start] = true
      while let last = way.last {
        guard last.next < inPlace[last.node].count else {
          isOpen[last.node] = false
          isFinished[last.node] = true
          way.removeLast()
          continue
        }
        way[way.count - 1].next += 1
        let target = Int(inPlace[last.node][last.next])
        if isOpen[target] { throw registry.error(queue[target], .endless) }
        guard !isFinished[target] else { continue }
        isOpen[target] = true
        way.append((target, 0))
      }
    }
  }
}

/// A schema object while it is compiled.
struct SchemaSource {
  let object: JSONObject
  let location: SchemaLocation
  let base: String
  let dialect: SchemaDialect
  let ignoresSiblings: Bool

  init(object: JSONObject, location: SchemaLocation, subschema: SchemaRegistry.Subschema) {
    self.object = object
    self.location = location
    base = subschema.base
    dialect = subschema.dialect
    ignoresSiblings = dialect.isBefore2019 && object[SchemaKeyword.ref.rawValue] != nil
  }

  /// The value of `keyword` when the dialect has it.
  ///
  /// Before 2019-09 nothing beside a reference counts.
  subscript(_ keyword: SchemaKeyword) -> JSONValue? {
    if ignoresSiblings, keyword != .ref { return nil }
    guard let value = object[keyword.rawValue], dialect.has(keyword) else { return nil }
    return value
  }

  func has(_ keywords: SchemaKeyword...) -> Bool {
    keywords.contains { self[$0] != nil }
  }
}
