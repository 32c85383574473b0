import JSONText

extension SchemaEvaluator {
  mutating func checkCombination(
    _ number: Int32,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let rule = unsafe program.combinations[Int(number)]
    if rule.reference >= 0, !check(rule.reference, index, marks) { return false }
    if rule.dynamicFallback >= 0, !check(dynamicTarget(rule), index, marks) { return false }
    for offset in 0..<rule.all.count {
      let schema = unsafe program.children[Int(rule.all.start + offset)]
      guard check(schema, index, marks) else { return false }
    }
    if rule.any.count > 0, !checkAny(rule.any, entry, index, marks) { return false }
    if rule.one.count > 0, !checkOne(rule.one, entry, index, marks) { return false }
    if rule.not >= 0, checkAside(rule.not, entry, index, -1) { return false }
    guard rule.condition >= 0 else { return true }
    let branch =
      checkAside(rule.condition, entry, index, marks) ? rule.then : rule.otherwise
    return branch < 0 || check(branch, index, marks)
  }

  private mutating func checkAny(
    _ range: SchemaRange,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    var fits = false
    for offset in 0..<range.count {
      let schema = unsafe program.children[Int(range.start + offset)]
      if checkAside(schema, entry, index, marks) {
        fits = true
        // Every branch that fits tells what it evaluated.
        if marks < 0 { return true }
      }
    }
    return fits
  }

  private mutating func checkOne(
    _ range: SchemaRange,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    var fits = false
    for offset in 0..<range.count {
      let schema = unsafe program.children[Int(range.start + offset)]
      if checkAside(schema, entry, index, marks) {
        if fits { return false }
        fits = true
      }
    }
    return fits
  }

  /// Checks a schema that may fail without harm: what it evaluated counts only when it fits.
  mutating func checkAside(
    _ schema: Int32,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    guard marks >= 0, entry.kindBit & KindBit.container != 0 else {
      return check(schema, index, marks)
    }
    let own = pushMarks(Int(entry.length))
    defer { popMarks(own) }
    guard check(schema, index, own) else { return false }
    mergeMarks(own, into: marks)
    return true
  }

  /// The schema that a dynamic reference means here: that of the outermost resource which has one.
  func dynamicTarget(_ rule: CombinationRule) -> Int32 {
    guard rule.dynamicName >= 0 else { return rule.dynamicFallback }
    let targets = program.dynamicTargets[Int(rule.dynamicName)]
    for resource in scope {
      if let target = targets[resource] { return target }
    }
    return rule.dynamicFallback
  }
}
