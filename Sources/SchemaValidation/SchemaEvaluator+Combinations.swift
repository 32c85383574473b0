import JSONText

extension SchemaEvaluator {
  mutating func checkCombination(
    _ number: Int32,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let rule = unsafe program.combinations + Int(number)
    let reference = unsafe rule.pointee.reference
    if reference >= 0, !check(reference, index, marks) { return false }
    if unsafe rule.pointee.dynamicFallback >= 0,
      unsafe !check(dynamicTarget(rule.pointee), index, marks)
    {
      return false
    }
    let all = unsafe rule.pointee.all
    for offset in 0..<Int(all.count) {
      let schema = unsafe program.children[Int(all.start) &+ offset]
      guard check(schema, index, marks) else { return false }
    }
    let any = unsafe rule.pointee.any
    if any.count > 0 {
      let choice = unsafe chosen(rule.pointee.anyChoice, entry, index)
      if choice == Self.several {
        guard checkAny(any, entry, index, marks) else { return false }
      } else if choice < 0 || !checkSeparately(choice, entry, index, marks) {
        return false
      }
    }
    let one = unsafe rule.pointee.one
    if one.count > 0 {
      let choice = unsafe chosen(rule.pointee.oneChoice, entry, index)
      if choice == Self.several {
        guard checkOne(one, entry, index, marks) else { return false }
      } else if choice < 0 || !checkSeparately(choice, entry, index, marks) {
        return false
      }
    }
    let not = unsafe rule.pointee.not
    if not >= 0, checkSeparately(not, entry, index, -1) { return false }
    let condition = unsafe rule.pointee.condition
    guard condition >= 0 else { return true }
    let holds = checkSeparately(condition, entry, index, marks)
    let branch = unsafe holds ? rule.pointee.then : rule.pointee.otherwise
    return branch < 0 || check(branch, index, marks)
  }

  /// Represents more alternatives than one that may fit.
  private static let several: Int32 = -2

  /// The only alternative that can fit, by a member whose text each of them fixes; -1 when none can,
  /// and ``several`` when that does not state.
  @inline(__always)
  private func chosen(_ number: Int32, _ entry: TapeEntry, _ index: Int) -> Int32 {
    guard number >= 0, entry.kindBit == KindBit.object else { return Self.several }
    let rule = unsafe program.choices[Int(number)]
    let member = member(rule.name, entry, index)
    guard member >= 0 else { return -1 }
    let value = unsafe tape[member &+ 1]
    guard value.kindBit == KindBit.string else { return -1 }
    let text = unsafe textBytes(value, member &+ 1)
    let fingerprint = unsafe NameBytes.fingerprint(of: text)
    let place = unsafe slot(rule.slots, rule.slotMask, text, fingerprint)
    return place < 0 ? -1 : unsafe program.slots[place].schema
  }

  private mutating func checkAny(
    _ range: SchemaRange,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    var fits = false
    for offset in 0..<range.count {
      let schema = unsafe program.children[Int(range.start + offset)]
      if checkSeparately(schema, entry, index, marks) {
        fits = true
        // Every branch that fits says what it evaluated.
        if marks < 0 { return true }
      }
    }
    return fits
  }

  private mutating func checkOne(
    _ range: SchemaRange,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    var fits = false
    for offset in 0..<range.count {
      let schema = unsafe program.children[Int(range.start + offset)]
      if checkSeparately(schema, entry, index, marks) {
        if fits { return false }
        fits = true
      }
    }
    return fits
  }

  /// Checks a schema that may fail without harm: what it evaluated counts only when it fits.
  mutating func checkSeparately(
    _ schema: Int32,
    _ entry: TapeEntry,
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
