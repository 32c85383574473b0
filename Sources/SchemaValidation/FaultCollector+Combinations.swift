import JSONText

extension FaultCollector {
  mutating func collectCombination(
    _ node: SchemaNode,
    _ number: Int32,
    _ index: Int,
    _ marks: Int
  ) {
    let rule = unsafe evaluator.program.combinations[Int(node.combination)]
    if rule.reference >= 0 {
      descend(to: rule.reference, index, instance: nil, ["$ref"], marks: marks)
    }
    if rule.dynamicFallback >= 0 {
      let target = evaluator.dynamicTarget(rule)
      let keyword = rule.isRecursive ? "$recursiveRef" : "$dynamicRef"
      descend(to: target, index, instance: nil, [keyword], marks: marks)
    }
    for offset in 0..<rule.all.count {
      let schema = unsafe evaluator.program.children[Int(rule.all.start + offset)]
      descend(to: schema, index, instance: nil, ["allOf", String(offset)], marks: marks)
    }
    collectAlternatives("anyOf", rule.any, number, index, marks)
    collectAlternatives("oneOf", rule.one, number, index, marks)
    if rule.not >= 0, obeys(rule.not, index, ["not"]) == true {
      let expected = "a value that is not as the schema forbids"
      add("not", number, expected: expected, found: found(index))
    }
    guard rule.condition >= 0 else { return }
    guard let holds = obeys(rule.condition, index, ["if"], marks: marks) else {
      markAll(index, marks)
      return
    }
    let branch = holds ? rule.then : rule.otherwise
    guard branch >= 0 else { return }
    descend(to: branch, index, instance: nil, [holds ? "then" : "else"], marks: marks)
  }

  private mutating func collectAlternatives(
    _ keyword: String,
    _ range: SchemaRange,
    _ number: Int32,
    _ index: Int,
    _ marks: Int
  ) {
    guard range.count > 0 else { return }
    var fitting: [Int] = []
    var isUndecided = false
    for offset in 0..<range.count {
      let schema = unsafe evaluator.program.children[Int(range.start + offset)]
      switch obeys(schema, index, [keyword, String(offset)], marks: marks) {
      case true?: fitting.append(Int(offset) + 1)
      case false?: break
      case nil: isUndecided = true
      }
    }
    if isUndecided {
      markAll(index, marks)
    } else if fitting.isEmpty {
      collectNearest(keyword, range, number, index, marks)
    } else if keyword == "oneOf", fitting.count > 1 {
      let shapes = fitting.map(String.init).joined(separator: " and ")
      let expected = "exactly one of \(range.count) shapes"
      let both = found(index).behind("shapes \(shapes) fit ")
      add(keyword, number, expected: expected, found: both)
    }
  }

  /// Shows that no alternative fits, and what is wrong with the one that comes nearest.
  private mutating func collectNearest(
    _ keyword: String,
    _ range: SchemaRange,
    _ number: Int32,
    _ index: Int,
    _ marks: Int
  ) {
    let expected = range.count == 1 ? "the one allowed shape" : "one of \(range.count) shapes"
    add(keyword, number, expected: expected, found: found(index))
    var nearest: (offset: Int32, faults: [SchemaFault], score: Int)?
    for offset in 0..<range.count {
      let schema = unsafe evaluator.program.children[Int(range.start + offset)]
      let tried = trial(schema, index, [keyword, String(offset)])
      if tried.score < nearest?.score ?? .max { nearest = (offset, tried.faults, tried.score) }
    }
    guard let nearest else { return }
    faults += nearest.faults.prefix(Self.mostFaults - faults.count)
    markAll(index, marks)
  }

  /// Lets nothing count as unevaluated after alternatives that failed: it would only be noise.
  private mutating func markAll(_ index: Int, _ marks: Int) {
    let entry = unsafe evaluator.tape[index]
    guard marks >= 0, entry.kindBit & KindBit.container != 0 else { return }
    for ordinal in 0..<Int(entry.length) {
      evaluator.mark(marks, ordinal)
    }
  }
}

// MARK: - Patterns that were given up

extension FaultCollector {
  /// Whether the value obeys a schema that may fail without harm; `nil` where a pattern was given up on
  /// the way, which is a fault of its own: it is unknown what it would have said.
  mutating func obeys(
    _ schema: Int32,
    _ index: Int,
    instance token: String? = nil,
    _ path: [String],
    marks: Int = -1
  ) -> Bool? {
    let entry = unsafe evaluator.tape[index]
    let fits = evaluator.checkSeparately(schema, entry, index, marks)
    guard evaluator.takeGivenUp() else { return fits }
    if let token { instance.append(token) }
    // Each such match may take long: few are looked for where they are.
    patience -= Self.costOfUndecided
    let found = trial(schema, index, path).faults.filter(\.isUndecided)
    if found.isEmpty {
      addUndecided("pattern", pattern: nil, schema, index, path: path)
    } else {
      faults += found.prefix(Self.mostFaults - faults.count)
    }
    if token != nil { instance.removeLast() }
    return nil
  }

  private static let costOfUndecided = 1_000

  /// Adds that a pattern was given up on the text at `index`.
  mutating func addUndecided(
    _ keyword: String,
    pattern: Int32?,
    _ number: Int32,
    _ index: Int,
    path: [String]? = nil
  ) {
    let source = pattern.map { " " + FaultWords.shortened(evaluator.program.patternSource($0)) }
    let expected =
      "a text for which the pattern\(source ?? "") can be decided within its limits"
    add(
      keyword,
      number,
      expected: expected,
      found: found(index),
      path: path,
      isUndecided: true
    )
  }
}
