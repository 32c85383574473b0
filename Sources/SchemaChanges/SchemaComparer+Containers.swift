import JSONText

extension SchemaComparer {
  /// Members and elements.
  func containers(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let kinds = before.kinds(in: old)
    var changes: [SchemaChange] = []
    if kinds.contains("object") {
      changes += required(before, after) + dependencies(before, after) + members(before, after)
    }
    if kinds.contains("array") { changes += elements(before, after) }
    return changes
  }

  // MARK: Members that must be there

  private func required(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let (was, now) = (Self.names(before["required"]), Self.names(after["required"]))
    var changes: [SchemaChange] = []
    for name in now.subtracting(was).sorted() {
      let reason = "objects without it were allowed"
      changes.append(
        change(after, "required", .breaking, "“\(name)” is required", reason, new: .string(name))
      )
    }
    for name in was.subtracting(now).sorted() {
      let reason = "objects that have it are still allowed"
      changes.append(
        change(
          after,
          "required",
          .compatible,
          "“\(name)” is not required any more",
          reason,
          old: .string(name)
        )
      )
    }
    return changes
  }

  private func dependencies(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let (was, now) = (before["dependentRequired"]?.object, after["dependentRequired"]?.object)
    var changes: [SchemaChange] = []
    for name in Set(was?.names ?? []).union(now?.names ?? []).sorted() {
      let (old, new) = (Self.names(was?[name]), Self.names(now?[name]))
      guard old != new else { continue }
      changes.append(
        change(
          new.isEmpty ? before : after,
          "dependentRequired",
          new.isSubset(of: old) ? .compatible : .breaking,
          "what “\(name)” asks for beside it has changed",
          new.isSubset(of: old) ? "it asks for less" : "objects without those members were allowed",
          at: [name],
          old: was?[name],
          new: now?[name]
        )
      )
    }
    let (schemas, newSchemas) = (
      before.schemas("dependentSchemas"), after.schemas("dependentSchemas")
    )
    for (name, schema) in newSchemas.sorted(by: { $0.key < $1.key }) {
      changes += compare(schemas[name] ?? before.anything("dependentSchemas"), schema)
    }
    return changes
  }

  private static func names(_ value: JSONValue?) -> Set<String> {
    Set(value?.array?.compactMap(\.text) ?? [])
  }

  // MARK: Members

  private func members(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let (was, now) = (before.schemas("properties"), after.schemas("properties"))
    let patterns = PatternMembers(before, after)
    var changes: [SchemaChange] = []
    for name in Set(was.keys).union(now.keys).sorted() {
      let oldRules = patterns.rules(of: name, was[name], in: before, isOld: true)
      let newRules = patterns.rules(of: name, now[name], in: after, isOld: false)
      guard let oldRules, let newRules else {
        changes.append(
          keyword(before, after, "patternProperties", .unclear, "a pattern cannot be used")
        )
        continue
      }
      let inner = conjunction(oldRules, newRules)
      if inner.contains(where: \.isBreaking) || (was[name] != nil) == (now[name] != nil) {
        changes += inner.map { self.member(name, $0, was[name], now[name], after) }
      } else {
        changes.append(appearance(of: name, was[name], now[name], before, after))
      }
    }
    changes += patterns.changes(self)
    changes += compare(patterns.rest(before, isOld: true), patterns.rest(after, isOld: false))
    changes += compare(
      before.schema("propertyNames") ?? before.anything("propertyNames"),
      after.schema("propertyNames") ?? after.anything("propertyNames")
    )
    return changes
      + leftOver(before, after, "unevaluatedProperties", "additionalProperties", changes)
  }

  /// A member that only one of the schemas names, and that data may have or lack as before.
  private func appearance(
    of name: String,
    _ was: SchemaNode?,
    _ now: SchemaNode?,
    _ before: SchemaView,
    _ after: SchemaView
  ) -> SchemaChange {
    change(
      now == nil ? before : after,
      "properties",
      .compatible,
      now == nil ? "the member “\(name)” is gone" : "the member “\(name)” is new",
      now == nil ? "the schema still lets it through" : "no value that was allowed is refused",
      at: [name],
      old: was?.value,
      new: now?.value
    )
  }

  /// Says of a member that came or went what the bare change of its value would not state.
  private func member(
    _ name: String,
    _ change: SchemaChange,
    _ was: SchemaNode?,
    _ now: SchemaNode?,
    _ after: SchemaView
  ) -> SchemaChange {
    guard change.isBreaking, (was == nil) != (now == nil) else { return change }
    let isGone = now == nil
    return SchemaChange(
      schema: self.name,
      pointer: isGone
        ? JSONPointer(tokens: after.node.pointer + ["properties", name]).description
        : change.pointer,
      keyword: isGone ? "properties" : change.keyword,
      effect: change.effect,
      old: was?.value ?? change.old,
      new: change.new,
      cause: isGone
        ? "the member “\(name)” is gone" : "the member “\(name)” is new: \(change.cause)",
      reason: isGone
        ? "objects that have it are refused"
        : "the old schema allowed anything under that name"
    )
  }

  /// What all of some schemas allow, against what all of others do.
  func conjunction(_ oldRules: [SchemaNode], _ newRules: [SchemaNode]) -> [SchemaChange] {
    if let was = oldRules.first, oldRules.count == 1, newRules.count == 1, let now = newRules.first
    {
      return compare(was, now)
    }
    var changes: [SchemaChange] = []
    for rule in newRules where !oldRules.contains(where: { isCovered($0, by: rule) }) {
      if let first = oldRules.first { changes += compare(first, rule) }
    }
    return changes
  }

  // MARK: Elements

  private func elements(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let (was, now) = (ElementRules(before), ElementRules(after))
    var changes: [SchemaChange] = []
    for index in 0..<max(was.first.count, now.first.count) {
      changes += compare(was.rule(index), now.rule(index))
    }
    changes += compare(was.rest, now.rest)
    if after["uniqueItems"]?.boolean == true, before["uniqueItems"]?.boolean != true {
      changes.append(
        keyword(before, after, "uniqueItems", .breaking, "arrays with equal elements were allowed")
      )
    } else if before["uniqueItems"]?.boolean == true, after["uniqueItems"]?.boolean != true {
      changes.append(
        keyword(before, after, "uniqueItems", .compatible, "equal elements are allowed now")
      )
    }
    changes += contained(before, after)
    return changes + leftOver(before, after, "unevaluatedItems", "items", changes)
  }

  private func contained(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    switch (before.schema("contains"), after.schema("contains")) {
    case (nil, nil): return []
    case (_, nil):
      return [
        keyword(before, after, "contains", .compatible, "arrays need not contain it any more")
      ]
    case (nil, _):
      return [
        keyword(
          before,
          after,
          "contains",
          .breaking,
          "arrays without an element like that were allowed"
        )
      ]
    case (let was?, let now?):
      var changes = compare(was, now)
      if !changes.isEmpty, after["maxContains"] != nil {
        changes.append(
          keyword(before, after, "maxContains", .unclear, "what is counted has changed")
        )
      }
      changes += count(before, after, "minContains", isLower: true, absent: 1)
      return changes + count(before, after, "maxContains", isLower: false)
    }
  }

  // MARK: What no keyword looked at

  /// `unevaluated…`, which means what the other keywords leave over.
  private func leftOver(
    _ before: SchemaView,
    _ after: SchemaView,
    _ name: String,
    _ nearer: String,
    _ others: [SchemaChange]
  ) -> [SchemaChange] {
    guard let now = after.schema(name), now.value != true else { return [] }
    guard let was = before.schema(name) else {
      let isClosed = before[nearer] == false
      return isClosed
        ? []
        : [keyword(before, after, name, .breaking, "what is left over was allowed to be anything")]
    }
    var changes = compare(was, now)
    let isTouched =
      before.looksTwice || after.looksTwice || before["contains"] != nil
      || after["contains"] != nil
    if isTouched, before.node.value != after.node.value || !others.isEmpty {
      changes.append(
        keyword(before, after, name, .unclear, "what the other keywords leave over has changed")
      )
    }
    return changes
  }
}

/// What an array's elements have to obey, by their place.
private struct ElementRules {
  let first: [SchemaNode]
  let rest: SchemaNode

  init(_ view: SchemaView) {
    let rest: SchemaNode?
    if view["items"]?.array != nil {
      first = view.list("items")
      rest = view.schema("additionalItems")
    } else {
      first = view.list("prefixItems")
      rest = view.schema("items")
    }
    let canFallBack = !view.looksTwice && view["contains"] == nil
    self.rest =
      rest ?? (canFallBack ? view.schema("unevaluatedItems") : nil) ?? view.anything("items")
  }

  func rule(_ index: Int) -> SchemaNode { index < first.count ? first[index] : rest }
}
