import JSONText

extension SchemaPlanner {
  /// The rule that distinguishes alternatives by one member's text, or -1.
  mutating func choice(among range: SchemaRange) -> Int32 {
    guard range.count > 1, range.count <= 4_096 else { return -1 }
    let schemas = tables.children[Int(range.start)..<Int(range.start + range.count)]
    var branches: [(schema: Int32, texts: [Int32: Set<Int32>])] = []
    for schema in schemas {
      let node = tables.nodes[Int(resolved(schema))]
      // An alternative that lets no object in never fits one.
      if node.types & KindBit.object == 0 { continue }
      guard node.plan >= 0 else { return -1 }
      let plan = tables.plans[Int(node.plan)]
      if plan.types & KindBit.object == 0 { continue }
      branches.append((schema, fixedTexts(plan)))
    }
    guard let first = branches.first?.texts else { return -1 }
    let names = first.keys.filter { name in branches.allSatisfy { $0.texts[name] != nil } }
    // The name that distinguishes most, and among equals the first of them all.
    let chosen = names.max { left, right in
      let counts = (count(left, branches), count(right, branches))
      return counts.0 == counts.1 ? left > right : counts.0 < counts.1
    }
    guard let chosen, count(chosen, branches) > 1 else { return -1 }
    return add(chosen, branches.map { ($0.schema, $0.texts[chosen, default: []]) })
  }

  private func count(
    _ name: Int32,
    _ branches: [(schema: Int32, texts: [Int32: Set<Int32>])]
  ) -> Int {
    Set(branches.flatMap { $0.texts[name, default: []] }).count
  }

  /// The members that must be there and must be one of some texts, with those.
  private func fixedTexts(_ plan: ObjectPlan) -> [Int32: Set<Int32>] {
    guard plan.slots >= 0 else { return [:] }
    var fixed: [Int32: Set<Int32>] = [:]
    let slots = tables.memberSlots[Int(plan.slots)...Int(plan.slots) + Int(plan.slotMask)]
    for slot in slots where slot.name >= 0 && slot.isRequired && slot.schema >= 0 {
      let more = tables.children[Int(slot.more.start)..<Int(slot.more.start + slot.more.count)]
      for schema in [slot.schema] + more {
        let node = tables.nodes[Int(schema)]
        guard node.values >= 0 else { continue }
        let rule = tables.valueRules[Int(node.values)]
        guard rule.hasOnlyTexts, rule.slots >= 0 else { continue }
        let texts = tables.slots[Int(rule.slots)...Int(rule.slots) + Int(rule.slotMask)]
        let names = Set(texts.map(\.name).filter { $0 >= 0 })
        fixed[slot.name] = fixed[slot.name].map { $0.intersection(names) } ?? names
      }
    }
    return fixed
  }

  private mutating func add(_ name: Int32, _ branches: [(schema: Int32, texts: Set<Int32>)])
    -> Int32
  {
    var schemas: [Int32: Int32] = [:]
    for branch in branches {
      for text in branch.texts { schemas[text] = schemas[text] == nil ? branch.schema : -2 }
    }
    var size = 2
    while size < schemas.count * 2 { size *= 2 }
    var slots = [PropertySlot](repeating: PropertySlot(), count: size)
    for (text, schema) in schemas.sorted(by: { $0.key < $1.key }) {
      var slot = PropertySlot()
      slot.fingerprint = tables.names[Int(text)].fingerprint
      slot.name = text
      slot.schema = schema
      var index = Int(slot.fingerprint) & (size - 1)
      while slots[index].name >= 0 { index = (index + 1) & (size - 1) }
      slots[index] = slot
    }
    let rule = ChoiceRule(
      name: name,
      slots: Int32(tables.slots.count),
      slotMask: UInt32(size - 1)
    )
    tables.slots += slots
    tables.choices.append(rule)
    return Int32(tables.choices.count - 1)
  }
}
