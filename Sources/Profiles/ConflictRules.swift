import JSONText

/// Who wins when a record was changed here and at the destination.
package struct ConflictRules: Hashable, Sendable {
  package let policy: Policy
  /// Which dates tell the newer of two states; `nil` where none do.
  package let newest: Dates?
  /// How single members of the request are brought together, where the policy is to merge.
  package let fields: [String: FieldRule]

  /// The destination's state stands, and the losing one is listed: what holds where a profile says
  /// nothing.
  package static let server = ConflictRules(policy: .server, newest: nil, fields: [:])

  /// Who wins as a whole.
  package enum Policy: String, Sendable, CaseIterable {
    case fail, server, local, newest, merge, ask
  }

  /// The dates of the two sides.
  package struct Dates: Hashable, Sendable {
    /// The member of the record.
    package let here: String
    /// The member of what the destination holds.
    package let there: String
  }

  /// How one member that both sides changed is brought together.
  package enum FieldRule: Hashable, Sendable {
    /// One side stands.
    case server, local
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
  /// Reads `conflict: server` or `conflict: { policy: merge, fields: … }`.
  static func read(_ section: Section, _ name: String) -> ConflictRules {
    guard let node = section.node(name) else {
      section.settle(name, as: ["policy": .string(Policy.server.rawValue)])
      return .server
    }
    return read(Section(node.expanded(as: "policy"), log: section.log))
  }

  private static func read(_ section: Section) -> ConflictRules {
    var fields: [String: FieldRule] = [:]
    for member in section.members("fields") {
      fields[member.name] = field(member.value, section.log)
    }
    let dates = section.section("newest").map { inner in
      let dates = Dates(here: inner.requiredText("here"), there: inner.requiredText("there"))
      inner.close()
      return dates
    }
    let rules = ConflictRules(
      policy: section.choice("policy", else: .server),
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
        "nothing tells which side is newer",
        cure: "add “newest: { here: MEMBER, there: MEMBER }”"
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
      case "server": return .server
      case "local": return .local
      case "ask": return .ask
      case "sum": return .sum
      case "union": return .union
      case "or": return .or
      default:
        log.add(
          at: node,
          "“\(scalar.text ?? "")” is no way to bring two values together",
          cure: "use one of: server, local, ask, sum, union, or, { average: DISTANCE }"
        )
        return .server
      }
    }
    let section = Section(node, log: log)
    let distance = section.positiveNumber("average")
    if distance == nil, !section.has("average") { _ = section.requiredText("average") }
    section.close()
    return .average(within: distance ?? 0)
  }
}
