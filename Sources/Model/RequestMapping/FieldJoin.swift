package import JSONText
package import Profiles

extension RequestProgram {
  /// The members as an object, to be the base of a later merge.
  package func image(of members: [RequestField]) -> JSONObject {
    var object = JSONObject()
    for member in members { object[member.name] = JSONValue(checked: member.value) }
    return object
  }

  /// Both values of a field as one; `nil` where they cannot be joined, or need not be.
  ///
  /// `before` are the values when both sides last agreed, and `isUnmoved` says that the destination
  /// has that still.
  package func joined(
    _ rule: ConflictRules.FieldRule,
    here: JSONValue,
    there: JSONValue,
    before: (here: JSONValue?, there: JSONValue?),
    isUnmoved: Bool
  ) -> JSONValue? {
    let sides = FieldValues(here: here, there: there, before: before)
    return joined(rule, sides, isUnmoved: isUnmoved)
  }

  private func joined(
    _ rule: ConflictRules.FieldRule,
    _ sides: FieldValues,
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
    case .remote, .local, .ask: return nil
    }
  }
}

/// One member's values on both sides, and when they last agreed.
private struct FieldValues {
  let here: JSONValue
  let there: JSONValue
  let before: (here: JSONValue?, there: JSONValue?)

  /// What the destination has, and what was added here.
  var sum: JSONValue? {
    let before = before.here ?? .null
    if let there = there.integer, let now = here.integer,
      let before = before.isNull ? 0 : before.integer
    {
      let (added, overflows) = now.subtractingReportingOverflow(before)
      let (sum, overflowsToo) = there.addingReportingOverflow(added)
      return overflows || overflowsToo ? nil : .number(JSONNumber(sum))
    }
    guard let there = there.double, let now = here.double,
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
    guard let there = there.array, let here = here.array, let before = before.there?.array else {
      return nil
    }
    return .array(
      there.filter { here.contains($0) || !before.contains($0) }
        + here.filter { !before.contains($0) && !there.contains($0) }
    )
  }
}
