import JSONText

extension FaultCollector {
  // MARK: Objects

  mutating func collectObject(_ node: SchemaNode, _ number: Int32, _ index: Int, _ marks: Int) {
    guard node.object >= 0 else { return }
    let rule = unsafe evaluator.program.objects[Int(node.object)]
    let entry = unsafe evaluator.tape[index]
    let count = Int64(entry.length)
    if count < rule.minimumProperties {
      let least = FaultWords.count(rule.minimumProperties, "member")
      add("minProperties", number, expected: "at least \(least)", found: found(index))
    }
    if count > rule.maximumProperties {
      let most = FaultWords.count(rule.maximumProperties, "member")
      add("maxProperties", number, expected: "at most \(most)", found: found(index))
    }
    for offset in 0..<rule.required.count {
      let name = unsafe evaluator.program.children[Int(rule.required.start + offset)]
      guard !evaluator.hasMember(name, entry, index) else { continue }
      let expected = "a member called \(quotedName(name))"
      add("required", number, expected: expected, found: .kind("no such member"))
    }
    if rule.looksAtMembers { collectMembers(rule, number, index, marks) }
    collectDependents(rule, number, index, marks)
  }

  private func quotedName(_ number: Int32) -> String {
    FaultWords.quoted(evaluator.program.nameTexts[Int(number)].description)
  }

  private mutating func collectMembers(
    _ rule: ObjectRule,
    _ number: Int32,
    _ index: Int,
    _ marks: Int
  ) {
    var member = index + 1
    let entry = unsafe evaluator.tape[index]
    for ordinal in 0..<Int(entry.length) {
      let isKnown = collectMember(rule, number, member)
      if isKnown, marks >= 0 { evaluator.mark(marks, ordinal) }
      member = unsafe evaluator.tape.indexAfter(member + 1)
    }
  }

  /// Collects for one member, and says whether some keyword speaks of it.
  private mutating func collectMember(_ rule: ObjectRule, _ number: Int32, _ member: Int) -> Bool {
    let name = name(member)
    var isKnown = false
    if rule.slots >= 0 {
      let fingerprint = unsafe evaluator.tape[member].link
      let place = unsafe evaluator.slot(
        rule.slots,
        rule.slotMask,
        evaluator.tape.name(at: member),
        fingerprint
      )
      if place >= 0 {
        let slot = unsafe evaluator.program.slots[place]
        if slot.isProperty {
          isKnown = true
          descend(to: slot.schema, member + 1, instance: name, ["properties", name])
        }
      }
    }
    if rule.names >= 0 { descend(to: rule.names, member, instance: nil, ["propertyNames"]) }
    for offset in 0..<rule.patterns.count {
      let pattern = unsafe evaluator.program.patternProperties[Int(rule.patterns.start + offset)]
      let source = evaluator.program.patternSource(pattern.pattern)
      guard unsafe evaluator.finds(pattern.pattern, evaluator.tape.name(at: member)) else {
        if evaluator.takeGivenUp() {
          // It is unknown whether it is known; another fault of it would be a guess.
          isKnown = true
          let path = ["patternProperties", source]
          addUndecided("patternProperties", pattern: pattern.pattern, number, member, path: path)
        }
        continue
      }
      isKnown = true
      descend(to: pattern.schema, member + 1, instance: name, ["patternProperties", source])
    }
    if !isKnown, rule.additional >= 0 {
      isKnown = true
      other("additionalProperties", rule.additional, number, member + 1, name)
    }
    return isKnown
  }

  /// Collects for a member or element that no keyword names.
  private mutating func other(
    _ keyword: String,
    _ schema: Int32,
    _ number: Int32,
    _ index: Int,
    _ token: String
  ) {
    let node = unsafe evaluator.nodes[Int(schema)]
    guard node.isFixed, node.types == 0 else {
      descend(to: schema, index, instance: token, [keyword])
      return
    }
    let isMember = keyword == "additionalProperties" || keyword == "unevaluatedProperties"
    let expected =
      isMember ? "no member called \(FaultWords.quoted(token))" : "no element at this place"
    add(keyword, number, expected: expected, found: found(index), at: token)
  }

  private mutating func collectDependents(
    _ rule: ObjectRule,
    _ number: Int32,
    _ index: Int,
    _ marks: Int
  ) {
    let entry = unsafe evaluator.tape[index]
    for offset in 0..<rule.dependents.count {
      let dependent = unsafe evaluator.program.dependents[Int(rule.dependents.start + offset)]
      guard evaluator.hasMember(dependent.name, entry, index) else { continue }
      if dependent.required >= 0, !evaluator.hasMember(dependent.required, entry, index) {
        let names = (quotedName(dependent.required), quotedName(dependent.name))
        add(
          dependent.isOlder ? "dependencies" : "dependentRequired",
          number,
          expected: "a member called \(names.0), because there is one called \(names.1)",
          found: .kind("no such member")
        )
      }
      if dependent.schema >= 0 {
        let name = evaluator.program.nameTexts[Int(dependent.name)].description
        let path = [dependent.isOlder ? "dependencies" : "dependentSchemas", name]
        descend(to: dependent.schema, index, instance: nil, path, marks: marks)
      }
    }
  }

  // MARK: Arrays

  mutating func collectArray(_ node: SchemaNode, _ number: Int32, _ index: Int, _ marks: Int) {
    guard node.array >= 0 else { return }
    let rule = unsafe evaluator.program.arrays[Int(node.array)]
    let count = unsafe Int64(evaluator.tape[index].length)
    if count < rule.minimumItems {
      let least = FaultWords.count(rule.minimumItems, "element")
      add("minItems", number, expected: "at least \(least)", found: found(index))
    }
    if count > rule.maximumItems {
      let most = FaultWords.count(rule.maximumItems, "element")
      add("maxItems", number, expected: "at most \(most)", found: found(index))
    }
    collectElements(rule, number, index, marks)
    guard rule.isUnique,
      let repeated = unsafe TapeEquality(tape: evaluator.tape).repeatedElement(of: index)
    else { return }
    add(
      "uniqueItems",
      number,
      expected: "elements that all differ",
      found: .kind("elements \(repeated.first + 1) and \(repeated.second + 1) are the same")
    )
  }

  private mutating func collectElements(
    _ rule: ArrayRule,
    _ number: Int32,
    _ index: Int,
    _ marks: Int
  ) {
    var element = index + 1
    var contained: Int64 = 0
    var isUndecided = false
    for ordinal in 0..<(unsafe Int(evaluator.tape[index].length)) {
      var isKnown = true
      if ordinal < Int(rule.prefix.count) {
        let schema = unsafe evaluator.program.children[Int(rule.prefix.start) + ordinal]
        let place = String(ordinal)
        descend(
          to: schema,
          element,
          instance: place,
          [rule.isTuple ? "items" : "prefixItems", place]
        )
      } else if rule.items >= 0 {
        other(
          rule.isTuple ? "additionalItems" : "items",
          rule.items,
          number,
          element,
          String(ordinal)
        )
      } else {
        isKnown = false
      }
      if rule.contains >= 0 {
        switch obeys(rule.contains, element, instance: String(ordinal), ["contains"]) {
        case true?:
          isKnown = isKnown || rule.containsEvaluates
          contained += 1
        case false?: break
        case nil:
          isKnown = true
          isUndecided = true
        }
      }
      if isKnown, marks >= 0 { evaluator.mark(marks, ordinal) }
      element = unsafe evaluator.tape.indexAfter(element)
    }
    if rule.contains >= 0, !isUndecided { collectContained(rule, number, contained) }
  }

  private mutating func collectContained(_ rule: ArrayRule, _ number: Int32, _ count: Int64) {
    let found = Found.kind("\(count) that \(count == 1 ? "fits" : "fit")")
    if count < rule.minimumContains {
      let least = FaultWords.count(rule.minimumContains, "element")
      let keyword = rule.minimumContains == 1 ? "contains" : "minContains"
      add(keyword, number, expected: "at least \(least) as the schema describes", found: found)
    }
    if count > rule.maximumContains {
      let most = FaultWords.count(rule.maximumContains, "element")
      add("maxContains", number, expected: "at most \(most) as the schema describes", found: found)
    }
  }

  // MARK: What no one evaluated

  mutating func collectUnevaluated(
    _ node: SchemaNode,
    _ number: Int32,
    _ index: Int,
    _ own: Int
  ) {
    let entry = unsafe evaluator.tape[index]
    let isObject = entry.kindBit == KindBit.object
    guard let schema = evaluator.unevaluated(node, isObject: isObject) else { return }
    var place = index + 1
    for ordinal in 0..<Int(entry.length) {
      let value = isObject ? place + 1 : place
      if !evaluator.isMarked(own, ordinal) {
        let keyword = isObject ? "unevaluatedProperties" : "unevaluatedItems"
        other(keyword, schema, number, value, isObject ? name(place) : String(ordinal))
        evaluator.mark(own, ordinal)
      }
      place = unsafe evaluator.tape.indexAfter(value)
    }
  }
}
