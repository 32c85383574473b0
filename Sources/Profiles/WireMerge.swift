package import JSONText

/// What a three-way merge of one record came to.
package struct WireMerge: Hashable, Sendable {
  /// The members of the request in which the merged state is not the record's own.
  package var overrides = JSONObject()
  /// What both sides had changed and only one could keep.
  package var losses: [Loss] = []
  /// The members that a person has to decide about.
  package var asked: [String] = []
  /// The members that cannot be joined yet, because they name what is not at the destination.
  package var waiting: [String] = []

  package init() {}

  /// A value that did not stand.
  package struct Loss: Hashable, Sendable {
    package let member: String
    /// Whether it was the record's own value, rather than the destination's.
    package let isHere: Bool
    package let value: JSONValue
  }
}

/// The three states that a merge looks at.
package struct MergeInput: Sendable {
  /// The members as they were sent, or found equal, when both sides last agreed: with references as the
  /// package has them, and as the destination has them.
  package let base: JSONObject
  package let baseThere: JSONObject
  /// The record's members with references as in `base`, and as in `baseThere`.
  package let plain: [WireMember]
  package let here: [WireMember]
  /// Those of them that name what is not at the destination yet, by what stands in for it.
  package let open: Set<String>
  /// What the destination holds.
  package let there: JSONObject
  /// Whether the destination's record is still what the last run left.
  package let isUnmoved: Bool
  /// What a person decided about the members that are to be asked about; `nil` for nothing yet.
  package let answer: ConflictRules.FieldRule?

  package init(
    base: JSONObject,
    baseThere: JSONObject,
    plain: [WireMember],
    here: [WireMember],
    open: Set<String>,
    there: JSONObject,
    isUnmoved: Bool,
    answer: ConflictRules.FieldRule?
  ) {
    self.base = base
    self.baseThere = baseThere
    self.plain = plain
    self.here = here
    self.open = open
    self.there = there
    self.isUnmoved = isUnmoved
    self.answer = answer
  }
}

extension WireProgram {
  /// The members as an object, to be the base of a later merge.
  package func image(of members: [WireMember]) -> JSONObject {
    var object = JSONObject()
    for member in members { object[member.name] = JSONValue(checked: member.value) }
    return object
  }

  /// Brings what was changed here and what was changed at the destination together.
  ///
  /// | changed here | changed there | stands |
  /// |---|---|---|
  /// | no | – | the destination's |
  /// | yes | no | the record's |
  /// | yes | yes | what the rule for the member says; without one, the destination's |
  ///
  /// A sum adds what was added here since both agreed, so that it is counted once, however often
  /// the same record is merged.
  package func merge(_ input: MergeInput) -> WireMerge {
    var merge = WireMerge()
    let plain = image(of: input.plain)
    for member in input.here {
      let name = member.name
      let sides = MergeSides(
        base: input.base[name],
        baseThere: input.baseThere[name],
        plain: plain[name] ?? .null,
        here: JSONValue(checked: member.value),
        there: input.there[name] ?? .null
      )
      bringTogether(name, sides, input, into: &merge)
    }
    return merge
  }

  private func bringTogether(
    _ name: String,
    _ sides: MergeSides,
    _ input: MergeInput,
    into merge: inout WireMerge
  ) {
    let compare = api.compare[name]
    if compare == .ignored || Self.agree(sides.here, sides.there, compare) { return }
    if let base = sides.base, Self.agree(base, sides.plain, compare) {
      merge.overrides[name] = sides.there
      return
    }
    if let base = sides.baseThere, Self.agree(base, sides.there, compare) { return }
    let rule = api.conflict.fields[name]
    // A list or a sum that was merged before is merged again, though nobody changed it there since.
    if let joined = rule.flatMap({ self.joined($0, sides, isUnmoved: input.isUnmoved) }) {
      if input.open.contains(name) {
        merge.waiting.append(name)
        return
      }
      if !Self.agree(joined, sides.here, compare) { merge.overrides[name] = joined }
      return
    }
    if input.isUnmoved { return }
    settle(name, rule == .ask ? input.answer ?? .ask : rule, sides, into: &merge)
  }

  /// One side stands, and the other is kept in the findings.
  private func settle(
    _ name: String,
    _ rule: ConflictRules.FieldRule?,
    _ sides: MergeSides,
    into merge: inout WireMerge
  ) {
    switch rule {
    case .ask: merge.asked.append(name)
    case .local:
      merge.losses.append(WireMerge.Loss(member: name, isHere: false, value: sides.there))
    case .server, .sum, .union, .or, .average, nil:
      merge.overrides[name] = sides.there
      merge.losses.append(WireMerge.Loss(member: name, isHere: true, value: sides.here))
    }
  }

  /// Both values as one; `nil` where they cannot be joined, or need not be.
  private func joined(
    _ rule: ConflictRules.FieldRule,
    _ sides: MergeSides,
    isUnmoved: Bool
  ) -> JSONValue? {
    switch rule {
    case .sum: return sides.sum
    case .union: return isUnmoved ? sides.carriedOver : sides.union
    case .or:
      guard !isUnmoved, let here = sides.here.boolean, let there = sides.there.boolean else {
        return nil
      }
      return .boolean(here || there)
    case .average(let distance):
      guard !isUnmoved, let here = sides.here.double, let there = sides.there.double,
        abs(here - there) <= distance
      else { return nil }
      return .number(JSONNumber(here / 2 + there / 2))
    case .server, .local, .ask: return nil
    }
  }
}

/// One member's values on both sides, and when they last agreed.
private struct MergeSides {
  let base: JSONValue?
  /// The base in the form of what the destination has.
  let baseThere: JSONValue?
  /// The record's value in the form of the base.
  let plain: JSONValue
  let here: JSONValue
  let there: JSONValue

  /// What the destination has, and what was added here.
  var sum: JSONValue? {
    let before = base ?? .null
    if let there = there.integer, let now = plain.integer,
      let before = before.isNull ? 0 : before.integer
    {
      let (added, overflows) = now.subtractingReportingOverflow(before)
      let (sum, overflowsToo) = there.addingReportingOverflow(added)
      return overflows || overflowsToo ? nil : .number(JSONNumber(sum))
    }
    guard let there = there.double, let now = plain.double,
      let before = before.isNull ? 0 : before.double
    else { return nil }
    let sum = there + (now - before)
    return sum.isFinite ? .number(JSONNumber(sum)) : nil
  }

  var union: JSONValue? {
    guard let there = there.array, let here = here.array else { return nil }
    return .array(there + here.filter { !there.contains($0) })
  }

  /// The destination's list with what was added and without what was removed here.
  var carriedOver: JSONValue? {
    guard let there = there.array, let here = here.array, let before = baseThere?.array else {
      return nil
    }
    return .array(
      there.filter { here.contains($0) || !before.contains($0) }
        + here.filter { !before.contains($0) && !there.contains($0) }
    )
  }
}
