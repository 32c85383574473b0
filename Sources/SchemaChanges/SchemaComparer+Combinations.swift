import JSONText

extension SchemaComparer {
  /// `allOf`, `anyOf`, `oneOf`, `not`, and `if`.
  func combinations(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    conditions(before, after) + anyOf(before, after) + oneOf(before, after) + not(before, after)
      + condition(before, after)
  }

  /// A schema that is nothing but a choice is held against another branch by branch.
  func distributed(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange]? {
    guard before.keywords.count == 1, before.conditions.isEmpty,
      after["anyOf"] == nil, after["oneOf"] == nil
    else { return nil }
    let branches = before.list("anyOf") + before.list("oneOf")
    guard !branches.isEmpty else { return nil }
    var changes: [SchemaChange] = []
    for branch in branches {
      changes += compare(branch, after.node).filter(\.isBreaking)
    }
    guard changes.isEmpty else { return changes }
    let keyword = before.keywords.names[0]
    return [
      change(before, keyword, .compatible, "“\(keyword)” is gone", "every branch is still allowed")
    ]
  }

  private func conditions(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    var left = Array(before.conditions.enumerated())
    for (index, now) in after.conditions.enumerated() {
      if let place = left.firstIndex(where: { isCovered($0.element, by: now) }) {
        changes += compare(left[place].element, now)
        left.remove(at: place)
      } else if isCovered(before.node, by: now) {
        continue
      } else if let was = left.first(where: { $0.offset == index }) {
        changes += compare(was.element, now)
        left.removeAll { $0.offset == index }
      } else {
        changes.append(
          change(
            after,
            "allOf",
            .breaking,
            "a condition is new: \(short(now.value))",
            "values that do not meet it were allowed",
            new: now.value
          )
        )
      }
    }
    for gone in left {
      changes.append(
        change(
          before,
          "allOf",
          .compatible,
          "a condition is gone: \(short(gone.element.value))",
          "every value that was allowed still is",
          old: gone.element.value
        )
      )
    }
    return changes
  }

  private func anyOf(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let (was, now) = (branches(before, "anyOf", "oneOf"), after.list("anyOf"))
    guard !now.isEmpty else {
      guard before["anyOf"] != nil else { return [] }
      return [keyword(before, after, "anyOf", .compatible, "no branch has to fit any more")]
    }
    return choice(before, after, was, now, "anyOf")
  }

  private func oneOf(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let (was, now) = (branches(before, "oneOf", "anyOf"), after.list("oneOf"))
    guard !now.isEmpty else {
      guard before["oneOf"] != nil else { return [] }
      return [keyword(before, after, "oneOf", .compatible, "no branch has to fit any more")]
    }
    let changes = choice(before, after, was, now, "oneOf")
    let isSame =
      changes.isEmpty && before["oneOf"] != nil && was.count == now.count
      && zip(was, now).allSatisfy { compare($0, $1).isEmpty && compareBack($1, $0).isEmpty }
    guard !isSame, !areDisjoint(now) else { return changes }
    return changes.filter(\.isBreaking) + [
      keyword(
        before,
        after,
        "oneOf",
        .unclear,
        "whether two branches fit at once cannot be determined"
      )
    ]
  }

  private func branches(_ view: SchemaView, _ first: String, _ second: String) -> [SchemaNode] {
    view[first] != nil ? view.list(first) : view.list(second)
  }

  /// Every old branch has to be covered by a new one.
  private func choice(
    _ before: SchemaView,
    _ after: SchemaView,
    _ was: [SchemaNode],
    _ now: [SchemaNode],
    _ name: String
  ) -> [SchemaChange] {
    guard !was.isEmpty else {
      return now.contains { isCovered(before.node, by: $0) }
        ? [keyword(before, after, name, .compatible, "a branch allows all that was allowed")]
        : [keyword(before, after, name, .breaking, "values that fit no branch were allowed")]
    }
    var changes: [SchemaChange] = []
    var used: Set<Int> = []
    for (index, branch) in was.enumerated() {
      if let place = now.firstIndex(where: { isCovered(branch, by: $0) }) {
        used.insert(place)
        changes += compare(branch, now[place])
      } else if was.count == now.count {
        used.insert(index)
        changes += compare(branch, now[index])
      } else {
        let reason = "values that fit only that branch are refused"
        changes.append(
          change(
            before,
            name,
            .breaking,
            "a branch is gone: \(short(branch.value))",
            reason,
            at: [String(index)],
            old: branch.value
          )
        )
      }
    }
    for (index, branch) in now.enumerated() where !used.contains(index) {
      let reason = "more values are allowed"
      changes.append(
        change(
          after,
          name,
          .compatible,
          "a branch is new: \(short(branch.value))",
          reason,
          at: [String(index)],
          new: branch.value
        )
      )
    }
    return changes
  }

  private func not(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    guard let now = after.schema("not") else {
      guard before["not"] != nil else { return [] }
      return [keyword(before, after, "not", .compatible, "what it refused is allowed now")]
    }
    guard let was = before.schema("not") else {
      return [keyword(before, after, "not", .breaking, "what it refuses was allowed")]
    }
    let back = compareBack(now, was)
    guard before["not"] != after["not"] || !back.isEmpty else { return [] }
    return back.contains(where: \.isBreaking)
      ? [keyword(before, after, "not", .breaking, "it may refuse what was allowed")]
      : [keyword(before, after, "not", .compatible, "it refuses no more than before")]
  }

  private func condition(_ before: SchemaView, _ after: SchemaView) -> [SchemaChange] {
    let now = ["then", "else"].compactMap { after.schema($0) }
    guard after["if"] != nil, !now.isEmpty else {
      guard before["if"] != nil else { return [] }
      return [keyword(before, after, "if", .compatible, "the condition is gone")]
    }
    if let was = before.schema("if"), let condition = after.schema("if"),
      compare(was, condition).isEmpty, compareBack(condition, was).isEmpty
    {
      return ["then", "else"].flatMap { name in
        after.schema(name).map { compare(before.schema(name) ?? before.anything(name), $0) } ?? []
      }
    }
    if now.allSatisfy({ isCovered(before.node, by: $0) }) {
      return [keyword(before, after, "if", .compatible, "both ways allow all that was allowed")]
    }
    return [keyword(before, after, "if", .unclear, "which values it concerns cannot be determined")]
  }

  /// Whether no value can fit two of the schemas: other types, or another constant member.
  private func areDisjoint(_ nodes: [SchemaNode]) -> Bool {
    let views = nodes.map { SchemaView($0, in: new) }
    for (index, left) in views.enumerated() {
      for right in views[(index + 1)...] where !areDisjoint(left, right) { return false }
    }
    return true
  }

  private func areDisjoint(_ left: SchemaView, _ right: SchemaView) -> Bool {
    let (kinds, others) = (left.kinds(in: new), right.kinds(in: new))
    if kinds.isDisjoint(with: others) { return true }
    if let values = left.values, let more = right.values {
      return values.allSatisfy { !more.contains($0) }
    }
    guard kinds.intersection(others) == ["object"] else { return false }
    let (members, more) = (left.schemas("properties"), right.schemas("properties"))
    let required = [left, right].map { Set($0["required"]?.array?.compactMap(\.text) ?? []) }
    return required[0].intersection(required[1]).contains { name in
      guard let mine = members[name], let theirs = more[name],
        let values = SchemaView(mine, in: new).values,
        let others = SchemaView(theirs, in: new).values
      else { return false }
      return values.allSatisfy { !others.contains($0) }
    }
  }
}
