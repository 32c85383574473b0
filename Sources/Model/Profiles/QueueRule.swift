package import JSONText
import ProfileSettings
package import Records

/// How the rows of an entity are changes that waited for the server.
package struct QueueRule: Hashable, Sendable {
  /// The member that says what kind of change it is.
  package let kind: String
  /// Where the record has the key of what it changes; `nil` where only some kinds say that.
  package let target: MemberPath?
  /// The object whose members an update changes.
  package let payload: MemberPath
  /// The member with the moment at which the change was queued; the order of rows where `nil`.
  package let order: String?
  /// The member with a whole number: what is greater is sent earlier.
  package let priority: String?
  package let attempts: Attempts?
  /// After which time the app throws a change away, counted back from the queue's newest.
  package let expires: Duration?
  /// The values of a member that say that the server has taken the change.
  package let done: Done?
  /// What each kind of change does; all others are only reported.
  package let kinds: [String: Kind]

  /// How often the app tried a change, and how often it would.
  package struct Attempts: Hashable, Sendable {
    package let member: String
    package let most: Limit

    /// The most attempts, from a member of each record or for all of them.
    package enum Limit: Hashable, Sendable {
      case member(String)
      case count(Int64)
    }
  }

  /// Which values of a member say that the server has taken a change.
  package struct Done: Hashable, Sendable {
    package let member: String
    package let values: [String]
  }

  /// One kind of change.
  package struct Kind: Hashable, Sendable {
    package let entity: EntityName
    package let action: Action
    /// Where the key of what is changed is, where this kind has it elsewhere.
    package let target: MemberPath?
    /// Where a change of this kind says whether it does that (`true`) or rolls it back (`false`); `nil`
    /// where it always does.
    package let flag: MemberPath?

    /// What it does to its record.
    package enum Action: String, Sendable, CaseIterable {
      case create, update, delete
    }
  }

  /// The members of a record that the rule reads.
  var members: [String] {
    let paths = [target, payload] + kinds.values.flatMap { [$0.target, $0.flag] }
    return [kind, order, priority, attempts?.member, done?.member].compactMap(\.self)
      + paths.compactMap { $0?.names.first }
  }
}

// MARK: - Reading

extension QueueRule {
  static func read(_ section: Section) -> QueueRule {
    let rule = QueueRule(
      kind: section.requiredText("kind"),
      target: section.text("target").map { MemberPath($0) },
      payload: MemberPath(section.requiredText("payload")),
      order: section.text("order"),
      priority: section.text("priority"),
      attempts: section.section("attempts").map { Attempts.read($0) },
      expires: section.duration("expires"),
      done: section.section("done").map { Done.read($0) },
      kinds: kinds(section)
    )
    section.close()
    if rule.expires != nil, rule.order == nil {
      section.log.add(
        at: section.node,
        "“expires” needs to know when a change was queued",
        cure: "name the member under “order”"
      )
    }
    return rule
  }

  private static func kinds(_ section: Section) -> [String: Kind] {
    var kinds: [String: Kind] = [:]
    let hasTarget = section.has("target")
    for member in section.requiredSection("kinds")?.all() ?? [] {
      let inner = Section(member.value, log: section.log)
      let target = inner.text("target").map { MemberPath($0) }
      let flag = inner.text("flag").map { MemberPath($0) }
      let action: Kind.Action = inner.choice("does", else: .update)
      if !inner.has("does") { _ = inner.requiredNode("does") }
      let entity = inner.requiredNode("entity").flatMap { node in
        inner.text(of: node).flatMap { inner.entityName($0, at: node) }
      }
      inner.close()
      if flag != nil, action == .update {
        section.log.add(
          at: member.value,
          "an update cannot be rolled back by a “flag”",
          cure: "give “flag” to what creates or deletes"
        )
      }
      if target == nil, !hasTarget {
        section.log.add(
          at: member.value,
          "nothing says which record it changes",
          cure: "name the place of its key under “target”"
        )
      }
      if let entity {
        kinds[member.name] = Kind(entity: entity, action: action, target: target, flag: flag)
      }
    }
    return kinds
  }
}

extension QueueRule.Attempts {
  fileprivate static func read(_ section: Section) -> QueueRule.Attempts {
    let most = section.requiredText("most")
    defer { section.close() }
    return QueueRule.Attempts(
      member: section.requiredText("member"),
      most: Int64(most).map { .count($0) } ?? .member(most)
    )
  }
}

extension QueueRule.Done {
  fileprivate static func read(_ section: Section) -> QueueRule.Done {
    defer { section.close() }
    return QueueRule.Done(
      member: section.requiredText("member"),
      values: section.texts("values")
    )
  }
}

// MARK: - Checking

extension ProfileCheck {
  /// A queue is never sent by itself, and what it changes has to be.
  func checkQueue(_ entity: EntityProfile, _ place: String) {
    checkWaiting(entity, place)
    guard let queue = entity.queue else { return }
    if entity.role != .derived {
      fault(place, "a queue is not sent by itself", cure: "give it the role “derived”")
    }
    for (name, kind) in queue.kinds.sorted(by: { $0.key < $1.key }) {
      let target = entities.first { $0.name == kind.entity }
      guard target == nil || (target?.sync == nil && target?.waitsIn != entity.name) else {
        continue
      }
      fault(
        "\(place)/queue/kinds/\(name)",
        target == nil
          ? "the profile describes no entity “\(kind.entity)”"
          : "\(kind.entity) says nothing of its state at the server",
        cure: target == nil
          ? "describe it under “entities”" : "give it “sync”, if only with “evicts”"
      )
    }
  }

  /// An entity without rows takes all that is known of it from a queue, which has to speak of it.
  private func checkWaiting(_ entity: EntityProfile, _ place: String) {
    guard let name = entity.waitsIn else { return }
    let queue = entities.first { $0.name == name }?.queue
    if queue?.kinds.values.contains(where: { $0.entity == entity.name }) != true {
      fault(
        "\(place)/waits-in",
        queue == nil ? "“\(name)” is not a queue" : "no kind of change in \(name) is about it",
        cure: "name an entity with “queue”, one of whose “kinds” changes this one"
      )
    }
    if !entity.fields.isEmpty || !entity.media.isEmpty || entity.sync != nil {
      fault(
        place,
        "the store has no rows of what waits in a queue",
        cure: "remove “fields”, “media” and “sync”; its members are those of the payload"
      )
    }
  }
}
