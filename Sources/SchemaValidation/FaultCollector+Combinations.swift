import JSONText

extension FaultCollector {
  mutating func collectCombination(
    _ node: SchemaNode,
    _ number: Int32,
    _ index: Int,
    _ marks: Int
  ) {
    let rule = unsafe evaluator.program.combinations[Int(node.combination)]
    let entry = unsafe evaluator.tape[index]
    if rule.reference >= 0 {
      descend(to: rule.reference, index, instance: nil, ["$ref"], marks: marks)
    }
    if rule.dynamicFallback >= 0 {
      let target = evaluator.dynamicTarget(rule)
      descend(to: target, index, instance: nil, ["$dynamicRef"], marks: marks)
    }
    for offset in 0..<rule.all.count {
      let schema = unsafe evaluator.program.children[Int(rule.all.start + offset)]
      descend(to: schema, index, instance: nil, ["allOf", String(offset)], marks: marks)
    }
    collectAlternatives("anyOf", rule.any, number, index, marks)
    collectAlternatives("oneOf", rule.one, number, index, marks)
    if rule.not >= 0, evaluator.checkAside(rule.not, entry, index, -1) {
      let expected = "a value that is not as the schema forbids"
      add("not", number, expected: expected, found: found(index))
    }
    guard rule.condition >= 0 else { return }
    let holds = evaluator.checkAside(rule.condition, entry, index, marks)
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
    let entry = unsafe evaluator.tape[index]
    var fitting: [Int] = []
    for offset in 0..<range.count {
      let schema = unsafe evaluator.program.children[Int(range.start + offset)]
      if evaluator.checkAside(schema, entry, index, marks) { fitting.append(Int(offset) + 1) }
    }
    if fitting.isEmpty {
      collectNearest(keyword, range, number, index, marks)
    } else if keyword == "oneOf", fitting.count > 1 {
      let shapes = fitting.map(String.init).joined(separator: " and ")
      let expected = "exactly one of \(range.count) shapes"
      add(keyword, number, expected: expected, found: "shapes \(shapes) fit \(found(index))")
    }
  }

  /// Tells that no alternative fits, and what is wrong with the one that comes nearest.
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
