import JSONText

extension SchemaCompiler {
  // MARK: Arrays

  mutating func arrayRule(_ source: SchemaSource) throws(SchemaError) -> Int32 {
    guard
      source.has(.prefixItems, .items, .contains, .minItems, .maxItems, .uniqueItems)
        || source.has(.unevaluatedItems)
    else { return -1 }
    var rule = ArrayRule()
    if source.dialect.hasTuples, let tuple = source[.items]?.array {
      rule.isTuple = true
      if !tuple.isEmpty { rule.prefix = try children(source, .items) }
      rule.items = child(source, .additionalItems)
    } else {
      rule.prefix = try children(source, .prefixItems)
      rule.items = child(source, .items)
    }
    rule.contains = child(source, .contains)
    rule.containsEvaluates = source.dialect.draft == .draft2020
    rule.minimumContains = try limit(source, .minContains, default: 1)
    rule.maximumContains = try limit(source, .maxContains, default: .max)
    rule.minimumItems = try limit(source, .minItems, default: 0)
    rule.maximumItems = try limit(source, .maxItems, default: .max)
    if let value = source[.uniqueItems] {
      guard let isUnique = value.boolean else {
        throw malformed(source, .uniqueItems, "must be true or false")
      }
      rule.isUnique = isUnique
    }
    rule.unevaluated = child(source, .unevaluatedItems)
    tables.arrays.append(rule)
    return Int32(tables.arrays.count - 1)
  }

  // MARK: Objects

  mutating func objectRule(_ source: SchemaSource, _ number: Int) throws(SchemaError) -> Int32 {
    var rule = ObjectRule()
    var table = PropertyTable()
    for name in try members(source, .properties).names {
      let schema = child(source, [SchemaKeyword.properties.rawValue, name])
      table.add(self.name(name)) {
        $0.schema = schema
        $0.isProperty = true
      }
    }
    try require(source, &rule, &table)
    try addPatterns(source, &rule)
    rule.additional = child(source, .additionalProperties)
    rule.names = child(source, .propertyNames)
    rule.minimumProperties = try limit(source, .minProperties, default: 0)
    rule.maximumProperties = try limit(source, .maxProperties, default: .max)
    try addDependents(source, &rule, number)
    rule.unevaluated = child(source, .unevaluatedProperties)
    (rule.slots, rule.slotMask) = place(table)
    rule.otherwise = rule.additional
    rule.looksAtMembers =
      rule.slots >= 0 || rule.patterns.count > 0 || rule.additional >= 0 || rule.names >= 0
    guard
      rule.looksAtMembers || rule.unevaluated >= 0 || rule.dependents.count > 0
        || rule.minimumProperties > 0 || rule.maximumProperties < .max
    else { return -1 }
    tables.objects.append(rule)
    return Int32(tables.objects.count - 1)
  }

  private mutating func require(
    _ source: SchemaSource,
    _ rule: inout ObjectRule,
    _ table: inout PropertyTable
  ) throws(SchemaError) {
    guard let value = source[.required] else { return }
    var required: [Int32] = []
    var seen: Set<Int32> = []
    for text in try texts(value, source, .required) {
      let name = name(text)
      guard seen.insert(name).inserted else { continue }
      required.append(name)
      table.add(name) { $0.isRequired = true }
    }
    rule.required = SchemaRange(
      start: Int32(tables.children.count),
      count: Int32(required.count)
    )
    tables.children += required
  }

  private mutating func addPatterns(
    _ source: SchemaSource,
    _ rule: inout ObjectRule
  ) throws(SchemaError) {
    let names = try members(source, .patternProperties).names
    var patterns: [PatternProperty] = []
    for name in names {
      patterns.append(
        PatternProperty(
          pattern: try pattern(name, source),
          schema: child(source, [SchemaKeyword.patternProperties.rawValue, name])
        )
      )
    }
    rule.patterns = SchemaRange(
      start: Int32(tables.patternProperties.count),
      count: Int32(patterns.count)
    )
    tables.patternProperties += patterns
  }

  private mutating func addDependents(
    _ source: SchemaSource,
    _ rule: inout ObjectRule,
    _ number: Int
  ) throws(SchemaError) {
    var dependents: [DependentRule] = []
    for member in try members(source, .dependentRequired).members {
      for required in try texts(member.value, source, .dependentRequired) {
        dependents.append(DependentRule(name: name(member.name), required: name(required)))
      }
    }
    for name in try members(source, .dependentSchemas).names {
      let schema = child(source, [SchemaKeyword.dependentSchemas.rawValue, name])
      dependents.append(DependentRule(name: self.name(name), schema: schema))
    }
    if registry.unknownKeywords == .ignore || source.dialect.isBefore2019 {
      dependents += try olderDependents(source)
    }
    note(dependents.map(\.schema), lookAtTheValueOf: number)
    rule.dependents = SchemaRange(
      start: Int32(tables.dependents.count),
      count: Int32(dependents.count)
    )
    tables.dependents += dependents
  }

  /// `dependencies`, which 2020-12 split in two and allows validators to go on reading.
  private mutating func olderDependents(
    _ source: SchemaSource
  ) throws(SchemaError) -> [DependentRule] {
    let keyword = SchemaKeyword.dependencies
    if source.dialect.isBefore2019, !source.has(keyword) { return [] }
    guard let members = source.object[keyword.rawValue]?.object?.members else { return [] }
    var dependents: [DependentRule] = []
    for member in members {
      if member.value.array != nil {
        for required in try texts(member.value, source, keyword) {
          dependents.append(
            DependentRule(name: name(member.name), required: name(required), isOlder: true)
          )
        }
      } else {
        let tokens = [keyword.rawValue, member.name]
        let pointer = "#" + source.location.appending(tokens).pointer.description
        let address = registry.documents[source.location.document].address
        let found = try registry.resolve(
          address + SchemaAddress.escapedFragment(pointer),
          from: source.base,
          at: source.location
        )
        dependents.append(
          DependentRule(name: name(member.name), schema: node(at: found.target), isOlder: true)
        )
      }
    }
    return dependents
  }

  // MARK: Combinations

  mutating func combinationRule(
    _ source: SchemaSource,
    _ number: Int
  ) throws(SchemaError) -> Int32 {
    guard
      source.has(.ref, .dynamicRef, .recursiveRef, .allOf, .anyOf, .oneOf, .not) || source.has(.if)
    else { return -1 }
    var rule = CombinationRule()
    if let found = try reference(source, .ref) { rule.reference = found.node }
    if let found = try reference(source, .dynamicRef) {
      rule.dynamicFallback = found.node
      rule.dynamicName = dynamicName(found.anchor, at: found.address)
    }
    if let found = try reference(source, .recursiveRef) {
      rule.isRecursive = true
      rule.dynamicFallback = found.node
      rule.dynamicName = dynamicName(SchemaRegistry.recursiveAnchor, at: found.address)
    }
    rule.all = try children(source, .allOf)
    rule.any = try children(source, .anyOf)
    rule.one = try children(source, .oneOf)
    rule.not = child(source, .not)
    rule.condition = child(source, .if)
    if rule.condition >= 0 {
      rule.then = child(source, .then)
      rule.otherwise = child(source, .else)
    }
    note(
      [
        rule.reference, rule.dynamicFallback, rule.not, rule.condition, rule.then, rule.otherwise,
      ],
      lookAtTheValueOf: number
    )
    for range in [rule.all, rule.any, rule.one] {
      let children = tables.children[Int(range.start)..<Int(range.start + range.count)]
      note(Array(children), lookAtTheValueOf: number)
    }
    tables.combinations.append(rule)
    return Int32(tables.combinations.count - 1)
  }
}
