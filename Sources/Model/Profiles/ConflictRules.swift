import JSONText
import ProfileSettings

/// Who wins when a record was changed here and at the destination.
package struct ConflictRules: Hashable, Sendable {
  package let policy: Policy
  /// Which dates show the newer of two states; `nil` where none do.
  package let newest: Dates?
  /// How single members of the request are merged, where the policy is to merge.
  package let fields: [String: FieldRule]

  /// The destination's state is kept, and the losing one is listed: what holds where a profile says
  /// nothing.
  package static let remote = ConflictRules(policy: .remote, newest: nil, fields: [:])

  /// Who wins as a whole.
  package enum Policy: String, Sendable, CaseIterable {
    case fail, remote, local, newest, merge, ask
  }

  /// The dates of the two sides.
  package struct Dates: Hashable, Sendable {
    /// The member of the record.
    package let local: String
    /// The member of what the destination holds.
    package let remote: String
  }

  /// How one member that both sides changed is merged.
  package enum FieldRule: Hashable, Sendable {
    /// One side is kept.
    case remote, local
    /// A person says which.
    case ask
    /// What was added here is added there.
    case sum
    /// The values of both lists.
    case union
    /// True when either is.
    case or
    /// The mean of two numbers that are no further apart than this; else the destination's.
    case average(within: Double)
  }
}

extension ConflictRules {
  /// Reads `conflict: remote` or `conflict: { policy: merge, fields: … }`.
  static func read(_ section: Section, _ name: String) -> ConflictRules {
    guard let node = section.node(name) else {
      section.settle(name, as: ["policy": .string(Policy.remote.rawValue)])
      return .remote
    }
    return read(Section(node.expanded(as: "policy"), log: section.log))
  }

  private static func read(_ section: Section) -> ConflictRules {
    var fields: [String: FieldRule] = [:]
    for member in section.members("fields") {
      fields[member.name] = field(member.value, section.log)
    }
    let dates = section.section("newest").map { inner in
      let dates = Dates(local: inner.requiredText("local"), remote: inner.requiredText("remote"))
      inner.close()
      return dates
    }
    let rules = ConflictRules(
      policy: section.choice("policy", else: .remote),
      newest: dates,
      fields: fields
    )
    section.close()
    return checked(rules, at: section.node, section.log)
  }

  private static func checked(
    _ rules: ConflictRules,
    at node: SettingNode,
    _ log: FaultLog
  ) -> ConflictRules {
    if rules.policy == .newest, rules.newest == nil {
      log.add(
        at: node,
        "nothing says which side is newer",
        cure: "add “newest: { local: MEMBER, remote: MEMBER }”"
      )
    }
    if !rules.fields.isEmpty, rules.policy != .merge {
      log.add(
        at: node,
        "only a merge looks at single fields",
        cure: "write “policy: merge”, or remove “fields”"
      )
    }
    return rules
  }

  private static func field(_ node: SettingNode, _ log: FaultLog) -> FieldRule {
    if case .scalar(let scalar) = node.value {
      switch scalar.text {
      case "remote": return .remote
      case "local": return .local
      case "ask": return .ask
      case "sum": return .sum
      case "union": return .union
      case "or": return .or
      default:
        log.add(
          at: node,
          "“\(scalar.text ?? "")” is not a way to merge two values",
          cure: "use one of: remote, local, ask, sum, union, or, { average: DISTANCE }"
        )
        return .remote
      }
    }
    let section = Section(node, log: log)
    let distance = section.positiveNumber("average")
    if distance == nil, !section.has("average") { _ = section.requiredText("average") }
    section.close()
    return .average(within: distance ?? 0)
  }
}
