import JSONText

extension SchemaEvaluator {
  // MARK: Objects

  mutating func checkObject(
    _ number: Int32,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let rule = unsafe program.objects[Int(number)]
    let count = Int64(entry.length)
    guard count >= rule.minimumProperties, count <= rule.maximumProperties else { return false }
    if rule.looksAtMembers {
      guard count >= Int64(rule.required.count), checkMembers(rule, entry, index, marks) else {
        return false
      }
    }
    return rule.dependents.count == 0 || checkDependents(rule, entry, index, marks)
  }

  @inline(__always)
  private mutating func checkMembers(
    _ rule: ObjectRule,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    var missing = rule.required.count
    var member = index + 1
    let end = Int(entry.link)
    var ordinal = 0
    while member < end {
      var isKnown = false
      if rule.slots >= 0 {
        let name = unsafe tape.name(at: member)
        let place = unsafe slot(rule.slots, rule.slotMask, name, tape[member].link)
        if place >= 0 {
          let slot = unsafe program.slots[place]
          if slot.isRequired { missing -= 1 }
          if slot.isProperty {
            isKnown = true
            guard check(slot.schema, member + 1, -1) else { return false }
          }
        }
      }
      guard checkMember(rule, member, &isKnown) else { return false }
      if isKnown, marks >= 0 { mark(marks, ordinal) }
      ordinal += 1
      member = unsafe tape.indexAfter(member + 1)
    }
    return missing == 0
  }

  /// Checks what is said of a member other than by its exact name.
  @inline(__always)
  private mutating func checkMember(
    _ rule: ObjectRule,
    _ member: Int,
    _ isKnown: inout Bool
  ) -> Bool {
    if rule.names >= 0, !check(rule.names, member, -1) { return false }
    for offset in 0..<rule.patterns.count {
      let pattern = unsafe program.patternProperties[Int(rule.patterns.start + offset)]
      guard unsafe finds(pattern.pattern, tape.name(at: member)) else { continue }
      isKnown = true
      guard check(pattern.schema, member + 1, -1) else { return false }
    }
    if !isKnown, rule.additional >= 0 {
      isKnown = true
      return check(rule.additional, member + 1, -1)
    }
    return true
  }

  private mutating func checkDependents(
    _ rule: ObjectRule,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    for offset in 0..<rule.dependents.count {
      let dependent = unsafe program.dependents[Int(rule.dependents.start + offset)]
      guard hasMember(dependent.name, entry, index) else { continue }
      if dependent.required >= 0, !hasMember(dependent.required, entry, index) { return false }
      if dependent.schema >= 0, !check(dependent.schema, index, marks) { return false }
    }
    return true
  }

  /// Whether the object has a member with the name of that number.
  func hasMember(_ name: Int32, _ entry: JSONTapeEntry, _ index: Int) -> Bool {
    let fingerprint = program.nameTexts[Int(name)].fingerprint
    let bytes = unsafe program.names[Int(name)]
    var member = index + 1
    while member < Int(entry.link) {
      if unsafe tape[member].link == fingerprint,
        unsafe TapeEquality.areEqual(tape.name(at: member), bytes)
      {
        return true
      }
      member = unsafe tape.indexAfter(member + 1)
    }
    return false
  }

  // MARK: Arrays

  mutating func checkArray(
    _ number: Int32,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let rule = unsafe program.arrays[Int(number)]
    let count = Int64(entry.length)
    guard count >= rule.minimumItems, count <= rule.maximumItems else { return false }
    if rule.prefix.count > 0 || rule.items >= 0 || rule.contains >= 0 {
      guard checkElements(rule, entry, index, marks) else { return false }
    }
    guard rule.isUnique else { return true }
    return unsafe TapeEquality(tape: tape).repeatedElement(of: index) == nil
  }

  private mutating func checkElements(
    _ rule: ArrayRule,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    var element = index + 1
    var ordinal = 0
    var contained: Int64 = 0
    while element < Int(entry.link) {
      var isKnown = false
      if ordinal < Int(rule.prefix.count) {
        isKnown = true
        let schema = unsafe program.children[Int(rule.prefix.start) + ordinal]
        guard check(schema, element, -1) else { return false }
      } else if rule.items >= 0 {
        isKnown = true
        guard check(rule.items, element, -1) else { return false }
      }
      if rule.contains >= 0, check(rule.contains, element, -1) {
        isKnown = true
        contained += 1
      }
      if isKnown, marks >= 0 { mark(marks, ordinal) }
      ordinal += 1
      element = unsafe tape.indexAfter(element)
    }
    guard rule.contains >= 0 else { return true }
    return contained >= rule.minimumContains && contained <= rule.maximumContains
  }

  // MARK: What nobody evaluated

  /// Checks the members or elements without a mark, and marks them.
  mutating func checkUnevaluated(
    _ node: SchemaNode,
    _ entry: JSONTapeEntry,
    _ index: Int,
    _ own: Int
  ) -> Bool {
    let isObject = entry.kindBit == KindBit.object
    guard let schema = unevaluated(node, isObject: isObject) else { return true }
    var place = index + 1
    for ordinal in 0..<Int(entry.length) {
      let value = isObject ? place + 1 : place
      if !isMarked(own, ordinal) {
        guard check(schema, value, -1) else { return false }
        mark(own, ordinal)
      }
      place = unsafe tape.indexAfter(value)
    }
    return true
  }

  /// The schema for what nobody evaluated, or `nil`.
  func unevaluated(_ node: SchemaNode, isObject: Bool) -> Int32? {
    let schema: Int32
    if isObject {
      schema = node.object < 0 ? -1 : unsafe program.objects[Int(node.object)].unevaluated
    } else {
      schema = node.array < 0 ? -1 : unsafe program.arrays[Int(node.array)].unevaluated
    }
    return schema < 0 ? nil : schema
  }
}
