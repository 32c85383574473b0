import JSONText

extension SchemaEvaluator {
  // MARK: Objects

  mutating func checkObject(
    _ number: Int32,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let rule = unsafe program.objects + Int(number)
    let count = Int64(entry.length)
    guard unsafe count >= rule.pointee.minimumProperties,
      unsafe count <= rule.pointee.maximumProperties
    else { return false }
    if unsafe rule.pointee.looksAtMembers {
      guard unsafe count >= Int64(rule.pointee.required.count),
        unsafe checkMembers(rule, entry, index, marks)
      else { return false }
    }
    return unsafe rule.pointee.dependents.count == 0
      || checkDependents(rule.pointee.dependents, entry, index, marks)
  }

  @inline(__always)
  private mutating func checkMembers(
    _ rule: UnsafePointer<ObjectRule>,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let (slots, mask) = unsafe (rule.pointee.slots, rule.pointee.slotMask)
    let looksBeyondNames = unsafe rule.pointee.looksBeyondNames
    let otherwise = unsafe rule.pointee.otherwise
    var missing = unsafe rule.pointee.required.count
    var member = index &+ 1
    let end = Int(entry.link)
    var ordinal = 0
    while member < end {
      var isKnown = false
      if slots >= 0 {
        let place = unsafe slot(slots, mask, tape.name(at: member), tape[member].link)
        if place >= 0 {
          let slot = unsafe program.slots + place
          if unsafe slot.pointee.isRequired { missing &-= 1 }
          isKnown = unsafe slot.pointee.isEvaluatedBeside
          if unsafe slot.pointee.isProperty {
            isKnown = true
            guard check(unsafe slot.pointee.schema, member &+ 1, -1) else { return false }
          }
        }
      }
      if looksBeyondNames,
        unsafe !checkMember(rule.pointee.names, rule.pointee.patterns, member, &isKnown)
      {
        return false
      }
      if !isKnown, otherwise >= 0 {
        isKnown = true
        guard check(otherwise, member &+ 1, -1) else { return false }
      }
      if isKnown, marks >= 0 { mark(marks, ordinal) }
      ordinal &+= 1
      member = unsafe tape.indexAfter(member &+ 1)
    }
    return missing == 0
  }

  /// Checks what is said of a member's name, and of members whose names match a pattern.
  mutating func checkMember(
    _ names: Int32,
    _ patterns: SchemaRange,
    _ member: Int,
    _ isKnown: inout Bool
  ) -> Bool {
    if names >= 0, !check(names, member, -1) { return false }
    for offset in 0..<patterns.count {
      let pattern = unsafe program.patternProperties[Int(patterns.start + offset)]
      guard unsafe finds(pattern.pattern, tape.name(at: member)) else { continue }
      isKnown = true
      guard check(pattern.schema, member + 1, -1) else { return false }
    }
    return true
  }

  mutating func checkDependents(
    _ dependents: SchemaRange,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    for offset in 0..<dependents.count {
      let dependent = unsafe program.dependents[Int(dependents.start + offset)]
      guard hasMember(dependent.name, entry, index) else { continue }
      if dependent.required >= 0, !hasMember(dependent.required, entry, index) { return false }
      if dependent.schema >= 0, !check(dependent.schema, index, marks) { return false }
    }
    return true
  }

  /// Whether the object has a member with the name of that number.
  func hasMember(_ name: Int32, _ entry: TapeEntry, _ index: Int) -> Bool {
    self.member(name, entry, index) >= 0
  }

  /// The index of the member with the name of that number, or -1.
  func member(_ name: Int32, _ entry: TapeEntry, _ index: Int) -> Int {
    let fingerprint = unsafe program.fingerprints[Int(name)]
    var member = index &+ 1
    while member < Int(entry.link) {
      if unsafe tape[member].link == fingerprint,
        unsafe NameBytes.areEqual(tape.name(at: member), program.names[Int(name)])
      {
        return member
      }
      member = unsafe tape.indexAfter(member &+ 1)
    }
    return -1
  }

  // MARK: Arrays

  mutating func checkArray(
    _ number: Int32,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let rule = unsafe program.arrays + Int(number)
    let count = Int64(entry.length)
    guard unsafe count >= rule.pointee.minimumItems, unsafe count <= rule.pointee.maximumItems
    else {
      return false
    }
    guard unsafe checkElements(rule, entry, index, marks) else { return false }
    guard unsafe rule.pointee.isUnique else { return true }
    return unsafe TapeEquality(tape: tape).repeatedElement(of: index) == nil
  }

  private mutating func checkElements(
    _ rule: UnsafePointer<ArrayRule>,
    _ entry: TapeEntry,
    _ index: Int,
    _ marks: Int
  ) -> Bool {
    let (prefix, items) = unsafe (rule.pointee.prefix, resolved(rule.pointee.items))
    let contains = unsafe rule.pointee.contains
    let prefixCount = Int(prefix.count)
    guard prefixCount > 0 || items >= 0 || contains >= 0 else { return true }
    var element = index &+ 1
    var ordinal = 0
    var contained: Int64 = 0
    while element < Int(entry.link) {
      var isKnown = false
      if ordinal < prefixCount {
        isKnown = true
        let schema = unsafe program.children[Int(prefix.start) &+ ordinal]
        guard check(schema, element, -1) else { return false }
      } else if items >= 0 {
        isKnown = true
        guard checkValue(items, element) else { return false }
      }
      if contains >= 0, check(contains, element, -1) {
        if unsafe rule.pointee.containsEvaluates { isKnown = true }
        contained &+= 1
      }
      if isKnown, marks >= 0 { mark(marks, ordinal) }
      ordinal &+= 1
      element = unsafe tape.indexAfter(element)
    }
    guard contains >= 0 else { return true }
    return unsafe contained >= rule.pointee.minimumContains
      && contained <= rule.pointee.maximumContains
  }

  // MARK: What no one evaluated

  /// Checks the members or elements without a mark, and marks them.
  mutating func checkUnevaluated(
    _ node: SchemaNode,
    _ entry: TapeEntry,
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

  /// The schema for what no one evaluated, or `nil`.
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
