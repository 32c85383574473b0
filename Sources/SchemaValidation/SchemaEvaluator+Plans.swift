import JSONText

extension SchemaEvaluator {
  /// Checks an object by its plan; no one asks what was evaluated.
  mutating func checkPlanned(_ number: Int32, _ entry: TapeEntry, _ index: Int) -> Bool {
    let plan = unsafe program.plans + Int(number)
    let count = Int64(entry.length)
    guard unsafe plan.pointee.types & KindBit.object != 0,
      unsafe count >= plan.pointee.minimumProperties,
      unsafe count <= plan.pointee.maximumProperties,
      unsafe count >= Int64(plan.pointee.requiredCount)
    else { return false }
    guard unsafe plan.pointee.looksAgain else {
      return unsafe !plan.pointee.looksAtMembers || checkMembers(plan, entry, index, 0)
    }
    depth += 1
    defer { depth -= 1 }
    effort -= 1
    guard depth < Self.maximumDepth, effort > 0 else {
      effort = 0
      return false
    }
    let frame = frameTop
    frameTop = unsafe frame &+ Int(plan.pointee.registers)
    defer { frameTop = frame }
    frames.clear(from: frame, to: frameTop)
    if unsafe plan.pointee.looksAtMembers {
      guard unsafe checkMembers(plan, entry, index, frame) else { return false }
    }
    let dependents = unsafe plan.pointee.dependents
    if dependents.count > 0, !checkDependents(dependents, entry, index, -1) { return false }
    if unsafe plan.pointee.hasCondition {
      let holds = unsafe checkTest(plan.pointee.condition, index, frame)
      let branch = unsafe holds ? plan.pointee.then : plan.pointee.elseTest
      guard checkTest(branch, index, frame) else { return false }
    }
    let combination = unsafe plan.pointee.combination
    return combination < 0 || checkCombination(combination, entry, index, -1)
  }

  @inline(__always)
  private mutating func checkTest(_ test: ObjectTest, _ index: Int, _ frame: Int) -> Bool {
    if test.schema >= 0 { return check(test.schema, index, -1) }
    for offset in 0..<Int(test.tests.count) {
      let member = unsafe program.memberTests[Int(test.tests.start) &+ offset]
      let place = frames.value(at: frame &+ Int(member.register))
      if place == 0 {
        if member.isRequired { return false }
      } else if member.schema >= 0, !check(member.schema, place, -1) {
        return false
      }
    }
    return true
  }

  @inline(__always)
  private mutating func checkMembers(
    _ plan: UnsafePointer<ObjectPlan>,
    _ entry: TapeEntry,
    _ index: Int,
    _ frame: Int
  ) -> Bool {
    let (slots, mask) = unsafe (plan.pointee.slots, plan.pointee.slotMask)
    let looksBeyondNames = unsafe plan.pointee.looksBeyondNames
    let otherwise = unsafe plan.pointee.otherwise
    var missing = unsafe plan.pointee.requiredCount
    var member = index &+ 1
    let end = Int(entry.link)
    while member < end {
      var isKnown = false
      if slots >= 0, let slot = unsafe memberSlot(slots, mask, member) {
        if unsafe slot.pointee.isRequired { missing &-= 1 }
        isKnown = unsafe slot.pointee.isKnown
        if unsafe slot.pointee.register >= 0 {
          unsafe frames.note(member &+ 1, at: frame &+ Int(slot.pointee.register))
        }
        let schema = unsafe slot.pointee.schema
        if schema >= 0, !checkValue(schema, member &+ 1) { return false }
        if unsafe slot.pointee.more.count > 0,
          unsafe !checkMore(slot.pointee.more, member &+ 1)
        {
          return false
        }
      }
      if looksBeyondNames,
        unsafe !checkMember(plan.pointee.names, plan.pointee.patterns, member, &isKnown)
      {
        return false
      }
      if !isKnown, otherwise >= 0, !check(otherwise, member &+ 1, -1) { return false }
      member = unsafe tape.indexAfter(member &+ 1)
    }
    return missing == 0
  }

  private mutating func checkMore(_ range: SchemaRange, _ index: Int) -> Bool {
    for offset in 0..<Int(range.count) {
      let schema = unsafe program.children[Int(range.start) &+ offset]
      guard checkValue(schema, index) else { return false }
    }
    return true
  }

  /// The place in a plan's table that knows the member, or `nil`.
  @inline(__always)
  private func memberSlot(
    _ start: Int32,
    _ mask: UInt32,
    _ member: Int
  ) -> UnsafePointer<MemberSlot>? {
    let fingerprint = unsafe tape[member].link
    let slots = unsafe program.memberSlots + Int(start)
    var place = Int(fingerprint & mask)
    while unsafe slots[place].name >= 0 {
      if unsafe slots[place].fingerprint == fingerprint,
        unsafe NameBytes.areEqual(program.names[Int(slots[place].name)], tape.name(at: member))
      {
        return unsafe slots + place
      }
      place = (place &+ 1) & Int(mask)
    }
    return nil
  }
}

/// Space for the members that plans note, one frame above the other.
@safe
final class FrameStack {
  private static let capacity = (SchemaEvaluator.maximumDepth + 1) * SchemaPlanner.mostRegisters
  private let places = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)

  deinit {
    unsafe places.deallocate()
  }

  @inline(__always)
  func clear(from start: Int, to end: Int) {
    for place in start..<end { unsafe (places + place).initialize(to: 0) }
  }

  @inline(__always)
  func note(_ member: Int, at place: Int) {
    unsafe places[place] = UInt32(truncatingIfNeeded: member)
  }

  /// The index of the member's value, or zero when it is missing.
  @inline(__always)
  func value(at place: Int) -> Int {
    Int(unsafe places[place])
  }
}
