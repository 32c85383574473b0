import JSONText
import ProfileSettings
package import Records

/// Which members of a record hold what the app itself knew of its current at the server.
package struct SyncRule: Hashable, Sendable {
  /// The member that holds the app's state; `nil` where the app kept none.
  package let state: String?
  /// What the values of the state mean, by their text.
  package let meanings: [String: SourceClaim.Meaning]
  /// The member that holds something once the user deleted the record.
  package let deleted: String?
  /// The member that holds the server's version as the app last saw it.
  package let version: String?
  /// The values of that member that say that it does not exist.
  package let unset: [String]
  /// The member that holds when the app last saw the server's record.
  package let asOf: String?
  /// Whether the app throws records away by itself, so that an absent one was not deleted.
  package let evicts: Bool
}

/// Which member of a record names the account it belongs to.
package struct OwnerRule: Hashable, Sendable {
  package let member: String
  /// Whether a record that names no user is the account's own.
  package let ownsUnnamed: Bool

  /// Whom a record belongs to that names no user.
  enum Unnamed: String, CaseIterable {
    case own, other
  }
}

/// The records in which the store says whose it is.
package struct AccountRule: Hashable, Sendable {
  package let entity: EntityName
  package let member: String
}

// MARK: - Reading

extension SyncRule {
  static func read(_ section: Section) -> SyncRule {
    var meanings: [String: SourceClaim.Meaning] = [:]
    if let means = section.section("means") {
      for member in means.all() {
        meanings[member.name] = means.choice(member.name, else: SourceClaim.Meaning.changed)
      }
    }
    let rule = SyncRule(
      state: section.text("state"),
      meanings: meanings,
      deleted: section.text("deleted"),
      version: section.text("version"),
      unset: section.texts("unset"),
      asOf: section.text("as-of"),
      evicts: section.flag("evicts", else: false)
    )
    section.close()
    rule.check(section)
    return rule
  }

  private func check(_ section: Section) {
    if (state == nil) != meanings.isEmpty {
      section.log.add(
        at: section.node,
        "“state” and “means” belong together",
        cure: "name the member of the state, and say what each of its values means"
      )
    }
    if version != nil, asOf != nil {
      section.log.add(
        at: section.node,
        "“version” and “as-of” are two ways to say the same",
        cure: "keep the one that the app maintains"
      )
    }
    if version == nil, !unset.isEmpty {
      section.log.add(
        at: section.node,
        "“unset” lists values of no member",
        cure: "name the member that holds the version, or remove it"
      )
    }
  }

  /// The members that the rule reads.
  var members: [String] { [state, deleted, version, asOf].compactMap(\.self) }
}

extension OwnerRule {
  /// Reads `owner: userId` or `owner: { member: userId, unowned: own }`.
  static func read(_ node: SettingNode, log: FaultLog) -> OwnerRule? {
    if case .scalar(let scalar) = node.value, scalar.text?.isEmpty != false {
      log.add(at: node, "expected the name of a member", cure: "write it as the record has it")
      return nil
    }
    let section = Section(node.expanded(as: "member"), log: log)
    let unnamed: Unnamed = section.choice("unowned", else: .other)
    let rule = OwnerRule(member: section.requiredText("member"), ownsUnnamed: unnamed == .own)
    section.close()
    return rule
  }
}

extension AccountRule {
  static func read(_ section: Section, entities: [EntityProfile]) -> AccountRule? {
    let member = section.requiredText("member")
    let text = section.requiredText("entity")
    section.close()
    if let entity = entities.first(where: { $0.name.text == text }) {
      return AccountRule(entity: entity.name, member: member)
    }
    section.log.add(
      at: section.node,
      "“\(text)” names no entity of this profile",
      cure: "describe it under “entities”"
    )
    return nil
  }
}
