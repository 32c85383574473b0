import JSONText

/// Finds, once everything is compiled, what a walk can do in one pass.
///
/// Nothing here changes what a schema means; where a plan cannot say exactly the same, it does not exist.
struct SchemaPlanner {
  var tables: SchemaTables
  /// How many schemas one plan takes together, and how many members it notes.
  private static let mostSchemas = 64
  static let mostRegisters = 8

  init(_ tables: SchemaTables) {
    self.tables = tables
  }

  mutating func plan() {
    for number in tables.nodes.indices {
      tables.nodes[number].shape = shape(tables.nodes[number])
    }
    // A dynamic reference means another schema by the way that led to it.
    guard tables.dynamicTargets.isEmpty else { return }
    for number in tables.nodes.indices {
      tables.nodes[number].plan = plan(of: tables.nodes[number])
    }
    for number in tables.combinations.indices {
      let rule = tables.combinations[number]
      tables.combinations[number].anyChoice = choice(among: rule.any)
      tables.combinations[number].oneChoice = choice(among: rule.one)
    }
  }

  private func shape(_ node: SchemaNode) -> SchemaShape {
    if node.isFixed { return .type }
    guard node.number < 0, node.array < 0, node.object < 0, node.combination < 0 else {
      return .any
    }
    if node.string >= 0 { return node.values < 0 ? .text : .any }
    return node.values < 0 ? .type : .values
  }

  /// The node that `number` represents.
  func resolved(_ number: Int32) -> Int32 {
    let target = tables.nodes[Int(number)].classIndex
    return target >= 0 ? target : number
  }

  // MARK: Plans

  private mutating func plan(of node: SchemaNode) -> Int32 {
    let looksAtObjects = node.object >= 0 || node.combination >= 0
    guard !node.isFixed, looksAtObjects, node.trackedKinds & KindBit.object == 0 else { return -1 }
    var draft = PlanDraft()
    if node.object >= 0 { draft.begin(with: tables.objects[Int(node.object)], tables) }
    var rest = CombinationRule()
    if node.combination >= 0 {
      rest = tables.combinations[Int(node.combination)]
      merge(&rest, into: &draft)
      takeCondition(of: &rest, into: &draft)
    }
    draft.plan.combination = add(rest)
    draft.plan.types &= node.types
    return place(draft)
  }

  /// Takes in the schemas that always apply, and leaves those that have to be looked at alone.
  private mutating func merge(_ rest: inout CombinationRule, into draft: inout PlanDraft) {
    var waiting = children(rest.all).reversed() + (rest.reference >= 0 ? [rest.reference] : [])
    var seen: Set<Int32> = []
    var left: [Int32] = []
    while let next = waiting.popLast().map(resolved) {
      guard seen.insert(next).inserted else { continue }
      let node = tables.nodes[Int(next)]
      guard seen.count < Self.mostSchemas, isPlainObject(node) else {
        left.append(next)
        continue
      }
      draft.plan.types &= node.types
      if node.object >= 0 { draft.add(tables.objects[Int(node.object)], tables) }
      guard node.combination >= 0 else { continue }
      let inner = tables.combinations[Int(node.combination)]
      waiting += children(inner.all)
      if inner.reference >= 0 { waiting.append(inner.reference) }
    }
    rest.reference = -1
    rest.all = SchemaRange(start: Int32(tables.children.count), count: Int32(left.count))
    tables.children += left
  }

  /// Whether a schema asks of objects only what a table of names can know.
  private func isPlainObject(_ node: SchemaNode) -> Bool {
    guard !node.isFixed || node.types != 0, node.values < 0,
      node.trackedKinds & KindBit.object == 0
    else { return false }
    if node.object >= 0 {
      let rule = tables.objects[Int(node.object)]
      guard rule.patterns.count == 0, rule.names < 0, rule.otherwise < 0,
        rule.dependents.count == 0
      else { return false }
    }
    guard node.combination >= 0 else { return true }
    let rule = tables.combinations[Int(node.combination)]
    return rule.dynamicFallback < 0 && rule.any.count == 0 && rule.one.count == 0
      && rule.not < 0 && rule.condition < 0
  }

  private func children(_ range: SchemaRange) -> [Int32] {
    Array(tables.children[Int(range.start)..<Int(range.start + range.count)])
  }

  /// Turns `if`, `then` and `else` into tests of members noted on the way, where they are no more.
  private mutating func takeCondition(of rest: inout CombinationRule, into draft: inout PlanDraft) {
    guard rest.condition >= 0 else { return }
    draft.plan.hasCondition = true
    draft.plan.condition = test(rest.condition, &draft)
    draft.plan.then = test(rest.then, &draft)
    draft.plan.elseTest = test(rest.otherwise, &draft)
    rest.condition = -1
    rest.then = -1
    rest.otherwise = -1
  }

  private mutating func test(_ number: Int32, _ draft: inout PlanDraft) -> ObjectTest {
    guard number >= 0 else { return ObjectTest() }
    let number = resolved(number)
    let node = tables.nodes[Int(number)]
    let takesObjects = node.types & KindBit.object != 0
    guard !node.isFixed, takesObjects, node.object >= 0, node.combination < 0,
      isPlainObject(node),
      let tests = draft.tests(of: tables.objects[Int(node.object)], tables)
    else { return ObjectTest(schema: number) }
    let range = SchemaRange(start: Int32(tables.memberTests.count), count: Int32(tests.count))
    tables.memberTests += tests
    return ObjectTest(tests: range)
  }

  /// The number of what is left of a combination, or -1 when nothing is.
  private mutating func add(_ rule: CombinationRule) -> Int32 {
    guard
      rule.reference >= 0 || rule.dynamicFallback >= 0 || rule.all.count > 0 || rule.any.count > 0
        || rule.one.count > 0 || rule.not >= 0 || rule.condition >= 0
    else { return -1 }
    tables.combinations.append(rule)
    return Int32(tables.combinations.count - 1)
  }

  private mutating func place(_ draft: PlanDraft) -> Int32 {
    var plan = draft.plan
    let entries = draft.members
    plan.requiredCount = Int32(entries.count { $0.slot.isRequired })
    plan.looksBeyondNames = plan.names >= 0 || plan.patterns.count > 0
    plan.looksAtMembers = !entries.isEmpty || plan.looksBeyondNames || plan.otherwise >= 0
    if !entries.isEmpty {
      var size = 2
      while size < entries.count * 2 { size *= 2 }
      var slots = [MemberSlot](repeating: MemberSlot(), count: size)
      for entry in entries { put(entry, among: &slots) }
      plan.slots = Int32(tables.memberSlots.count)
      plan.slotMask = UInt32(size - 1)
      tables.memberSlots += slots
    }
    tables.plans.append(plan)
    return Int32(tables.plans.count - 1)
  }

  private mutating func put(_ entry: PlanDraft.Member, among slots: inout [MemberSlot]) {
    var slot = entry.slot
    slot.fingerprint = tables.names[Int(slot.name)].fingerprint
    // What a schema that takes everything says need not be asked.
    let schemas = entry.schemas.map(resolved).filter {
      let node = tables.nodes[Int($0)]
      return !node.isFixed || node.types == 0
    }
    slot.schema = schemas.first ?? -1
    slot.more = SchemaRange(
      start: Int32(tables.children.count),
      count: Int32(max(0, schemas.count - 1))
    )
    tables.children += schemas.dropFirst()
    var index = Int(slot.fingerprint) & (slots.count - 1)
    while slots[index].name >= 0 { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }
}
