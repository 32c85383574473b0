/// A plan while it is made: the members it knows, each once.
struct PlanDraft {
  /// A member's place and all the schemas for it.
  struct Member {
    var slot: MemberSlot
    var schemas: [Int32] = []
  }

  var plan = ObjectPlan()
  private(set) var members: [Member] = []
  private var places: [Int32: Int] = [:]

  private mutating func place(_ name: Int32) -> Int {
    if let place = places[name] { return place }
    var slot = MemberSlot()
    slot.name = name
    places[name] = members.count
    members.append(Member(slot: slot))
    return members.count - 1
  }

  private static func slots(of rule: ObjectRule, _ tables: SchemaTables) -> [PropertySlot] {
    guard rule.slots >= 0 else { return [] }
    let slots = tables.slots[Int(rule.slots)...Int(rule.slots) + Int(rule.slotMask)]
    return slots.filter { $0.name >= 0 }
  }

  /// Takes over what the schema itself says of an object.
  mutating func begin(with rule: ObjectRule, _ tables: SchemaTables) {
    plan.patterns = rule.patterns
    plan.names = rule.names
    plan.otherwise = rule.otherwise
    plan.dependents = rule.dependents
    add(rule, tables)
    for slot in Self.slots(of: rule, tables) where slot.isProperty || slot.isEvaluatedBeside {
      members[place(slot.name)].slot.isKnown = true
    }
  }

  /// Adds what another schema says of the same object.
  mutating func add(_ rule: ObjectRule, _ tables: SchemaTables) {
    plan.minimumProperties = max(plan.minimumProperties, rule.minimumProperties)
    plan.maximumProperties = min(plan.maximumProperties, rule.maximumProperties)
    for slot in Self.slots(of: rule, tables) {
      let place = place(slot.name)
      if slot.isRequired { members[place].slot.isRequired = true }
      if slot.isProperty, !members[place].schemas.contains(slot.schema) {
        members[place].schemas.append(slot.schema)
      }
    }
  }

  /// The tests that a schema comes to, or `nil` when it asks for more than members noted can know.
  mutating func tests(of rule: ObjectRule, _ tables: SchemaTables) -> [MemberTest]? {
    let slots = Self.slots(of: rule, tables).filter { $0.isProperty || $0.isRequired }
    guard rule.minimumProperties == 0, rule.maximumProperties == .max else { return nil }
    let new = slots.count { slot in places[slot.name].map { members[$0].slot.register } ?? -1 < 0 }
    guard Int(plan.registers) + new <= SchemaPlanner.mostRegisters else { return nil }
    return slots.map { slot in
      let place = place(slot.name)
      if members[place].slot.register < 0 {
        members[place].slot.register = plan.registers
        plan.registers += 1
      }
      return MemberTest(
        register: members[place].slot.register,
        schema: slot.isProperty ? slot.schema : -1,
        isRequired: slot.isRequired
      )
    }
  }
}
