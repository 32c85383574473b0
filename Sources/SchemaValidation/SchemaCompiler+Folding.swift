extension SchemaCompiler {
  /// Finds out, once everything is compiled, what a walk need not do for each value.
  ///
  /// - A schema that is no more than a reference is stepped over.
  /// - `unevaluatedProperties` becomes `additionalProperties` where the names that the schema and
  ///   all it looks at together evaluate are the same for every value.
  /// - Otherwise the walk is reported for which containers it has to keep marks.
  ///
  /// The faults are collected by the schema as it was written.
  mutating func simplify() {
    for number in tables.nodes.indices {
      tables.nodes[number].trackedKinds = trackedKinds(of: number)
    }
    for number in tables.objects.indices {
      let rule = tables.objects[number]
      tables.objects[number].looksBeyondNames = rule.names >= 0 || rule.patterns.count > 0
    }
    guard tables.dynamicTargets.isEmpty else { return }
    for number in tables.nodes.indices {
      tables.nodes[number].classIndex = end(ofReferencesFrom: number)
    }
  }

  /// The first node on the way of references that says something itself, or -1 for no way at all.
  private func end(ofReferencesFrom number: Int) -> Int32 {
    var end: Int32 = -1
    var node = tables.nodes[number]
    while let next = target(of: node) {
      end = next
      node = tables.nodes[Int(next)]
    }
    return end
  }

  /// The target of a node that is a reference and nothing else.
  private func target(of node: SchemaNode) -> Int32? {
    guard node.combination >= 0, node.types == SchemaNode.everyType, node.values < 0,
      node.string < 0, node.number < 0, node.array < 0, node.object < 0
    else { return nil }
    let rule = tables.combinations[Int(node.combination)]
    let hasMore =
      rule.dynamicFallback >= 0 || rule.all.count > 0 || rule.any.count > 0 || rule.one.count > 0
      || rule.not >= 0 || rule.condition >= 0
    return hasMore || rule.reference < 0 ? nil : rule.reference
  }

  // MARK: What is left unevaluated

  private mutating func trackedKinds(of number: Int) -> UInt8 {
    let node = tables.nodes[number]
    var kinds: UInt8 = 0
    if node.array >= 0, tables.arrays[Int(node.array)].unevaluated >= 0 { kinds |= KindBit.array }
    guard node.object >= 0 else { return kinds }
    let rule = tables.objects[Int(node.object)]
    // What `additionalProperties` takes, and it takes the rest, is evaluated.
    guard rule.unevaluated >= 0, rule.additional < 0 else { return kinds }
    return fold(number, rule) ? kinds : kinds | KindBit.object
  }

  /// Lets the table of names decide alone what `unevaluatedProperties` is for, where it can.
  private mutating func fold(_ number: Int, _ rule: ObjectRule) -> Bool {
    var reach = NameReach(tables: tables)
    guard let names = reach.names(evaluatedAt: number) else { return false }
    var table = PropertyTable()
    if rule.slots >= 0 {
      let slots = tables.slots[Int(rule.slots)...Int(rule.slots) + Int(rule.slotMask)]
      for slot in slots where slot.name >= 0 { table.add(slot.name) { $0 = slot } }
    }
    for name in names.sorted() { table.add(name) { $0.isEvaluatedBeside = true } }
    let (slots, mask) = place(table)
    tables.objects[Int(tables.nodes[number].object)].slots = slots
    tables.objects[Int(tables.nodes[number].object)].slotMask = mask
    tables.objects[Int(tables.nodes[number].object)].otherwise = rule.unevaluated
    tables.objects[Int(tables.nodes[number].object)].looksAtMembers = true
    return true
  }
}

/// The members that a schema evaluates, when names alone state.
private struct NameReach {
  let tables: SchemaTables
  private var names: Set<Int32> = []
  private var always: Set<Int32> = []
  private var sometimes: Set<Int32> = []
  /// Larger schemas than these are left to the walk.
  private static let mostNodes = 1_000

  init(tables: SchemaTables) {
    self.tables = tables
  }

  /// The names that the node and what it refers to evaluate in every object; `nil` when that
  /// depends on the object.
  mutating func names(evaluatedAt number: Int) -> Set<Int32>? {
    var waiting = [Int32(number)]
    var conditional: [Int32] = []
    while let next = waiting.popLast() {
      guard always.insert(next).inserted else { continue }
      guard always.count < Self.mostNodes, add(next, isRoot: next == number) else { return nil }
      let ways = ways(from: tables.nodes[Int(next)])
      waiting += ways.always
      conditional += ways.sometimes
    }
    while let next = conditional.popLast() {
      guard !always.contains(next), sometimes.insert(next).inserted else { continue }
      guard sometimes.count < Self.mostNodes, let found = ownNames(next),
        found.isSubset(of: names)
      else { return nil }
      let ways = ways(from: tables.nodes[Int(next)])
      conditional += ways.always + ways.sometimes
    }
    return names
  }

  private mutating func add(_ number: Int32, isRoot: Bool) -> Bool {
    guard let found = isRoot ? ownTable(number) : ownNames(number) else { return false }
    names.formUnion(found)
    return true
  }

  /// The names in `properties`; `nil` when a dynamic reference may lead anywhere.
  private func ownTable(_ number: Int32) -> Set<Int32>? {
    let node = tables.nodes[Int(number)]
    if node.combination >= 0, tables.combinations[Int(node.combination)].dynamicFallback >= 0 {
      return nil
    }
    guard node.object >= 0 else { return [] }
    let rule = tables.objects[Int(node.object)]
    guard rule.slots >= 0 else { return [] }
    let slots = tables.slots[Int(rule.slots)...Int(rule.slots) + Int(rule.slotMask)]
    return Set(slots.filter { $0.name >= 0 && $0.isProperty }.map(\.name))
  }

  /// The names in `properties`; `nil` when the node evaluates other members too.
  private func ownNames(_ number: Int32) -> Set<Int32>? {
    let node = tables.nodes[Int(number)]
    if node.object >= 0 {
      let rule = tables.objects[Int(node.object)]
      guard rule.patterns.count == 0, rule.additional < 0, rule.unevaluated < 0 else { return nil }
    }
    return ownTable(number)
  }

  /// The nodes that look at the same value: those that always apply, and those that may.
  private func ways(from node: SchemaNode) -> (always: [Int32], sometimes: [Int32]) {
    var always: [Int32] = []
    var sometimes: [Int32] = []
    if node.object >= 0 {
      let range = tables.objects[Int(node.object)].dependents
      let rules = tables.dependents[Int(range.start)..<Int(range.start + range.count)]
      sometimes += rules.map(\.schema)
    }
    if node.combination >= 0 {
      let rule = tables.combinations[Int(node.combination)]
      always += [rule.reference] + children(rule.all)
      sometimes += children(rule.any) + children(rule.one)
      sometimes += [rule.condition, rule.then, rule.otherwise]
    }
    return (always.filter { $0 >= 0 }, sometimes.filter { $0 >= 0 })
  }

  private func children(_ range: SchemaRange) -> [Int32] {
    Array(tables.children[Int(range.start)..<Int(range.start + range.count)])
  }
}
