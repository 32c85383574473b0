package import JSONText
package import Profiles
package import Records
import UploadPlanning

/// What an app's queue of changes says of one record, taken together in their own order.
package struct QueuedChange: Hashable, Sendable {
  /// Whether the record was made while the server could not be reached.
  package var isNew = false
  /// What the change that makes the record says of it.
  var made = JSONObject()
  /// The members that were changed, with their last values.
  package var updates = JSONObject()
  package var isDeleted = false
  /// The most urgent of its changes.
  var priority: Int64 = .min
  /// The changes themselves, by their keys, in their own order.
  package private(set) var entries: [String] = []
  /// Where the change is that represents the record where the store has no row of it: the one that
  /// makes it, else its first update.
  var source: RecordSource?

  mutating func add(
    _ action: QueueRule.Kind.Action,
    _ payload: JSONValue?,
    at place: RecordSource,
    by entry: String
  ) {
    entries.append(entry)
    switch action {
    case .create:
      (isNew, isDeleted, updates, source) = (true, false, JSONObject(), place)
      made = payload?.object ?? JSONObject()
    case .update:
      for member in payload?.object?.members ?? [] { updates[member.name] = member.value }
      source = source ?? place
    case .delete: isDeleted = true
    }
  }
}

/// The entries of one queue.
package struct QueueEntries {
  package let entity: EntityName
  package let rule: QueueRule
  package var entries: [QueueEntry] = []
  /// The numbers of those that are quarantined as invalid.
  package var quarantined: Set<Int> = []
  /// The entities without rows whose records the changes make by their payloads.
  package var rowless: Set<EntityName> = []

  package init(
    entity: EntityName,
    rule: QueueRule,
    entries: [QueueEntry] = [],
    quarantined: Set<Int> = []
  ) {
    self.entity = entity
    self.rule = rule
    self.entries = entries
    self.quarantined = quarantined
  }
}

/// The changes that waited for the server in a package, by the records they change.
///
/// The changes of one record are taken together, in the order in which they were queued, regardless
/// of their priority; they steer the record's own operation, so that a record and its changes are one. They
/// are held in memory: a queue is what one person did without a network.
package struct QueuedChanges: Sendable {
  /// Why a change does not steer a record.
  package enum Obstacle: String, Sendable, CaseIterable {
    case done, exhausted, expired, unhandled, unlinked, quarantined, rowless, unsent, renewed,
      conflicted
    /// The destination has no way to remove what it removes.
    case irremovable

    /// Whether the change once steered its record, for all that can be determined.
    package var isOfAge: Bool { self == .done || self == .exhausted || self == .expired }
  }

  /// What becomes of the changes of a record.
  package enum Fate: Hashable, Sendable {
    /// Their record carries them.
    case carried
    case missed(Obstacle)
  }

  /// A change that steers no record.
  package struct Missed: Hashable, Sendable {
    package let obstacle: Obstacle
    /// The record that it is about, and what it does to it, as far as it says that.
    package var target: RecordID?
    package var action: QueueRule.Kind.Action?
  }

  package private(set) var changes: [RecordID: QueuedChange] = [:]
  /// The changes that steer nothing, by their own records.
  package private(set) var missed: [RecordID: Missed] = [:]
  /// What the queue says of records where the changes count that the app has done or given up since, too.
  private var former: [RecordID: QueuedChange] = [:]
  /// The entity of each queue, by the entities it changes.
  private var queues: [EntityName: EntityName] = [:]
  /// The rule of the queue that makes the records of an entity, where the store has no rows of it.
  private(set) var makers: [EntityName: QueueRule] = [:]

  package static let none = QueuedChanges()

  private init() {}

  /// Takes the entries of each queue together.
  package init(_ queues: [QueueEntries], _ api: Api?) {
    for queue in queues {
      for entity in queue.rowless { makers[entity] = queue.rule }
      let newest = queue.entries.compactMap(\.moment).max()
      let entries = queue.entries.sorted {
        ($0.moment ?? .min, $0.number) < ($1.moment ?? .min, $1.number)
      }
      for entry in entries {
        let id = RecordID(entity: queue.entity, key: entry.key)
        if queue.quarantined.contains(entry.number) {
          missed[id] = Missed(obstacle: .quarantined)
        } else if let obstacle = queue.rule.obstacle(to: entry, newest: newest, api) {
          missed[id] = queue.rule.missed(entry, obstacle)
          if obstacle.isOfAge { add(entry, queue.rule, of: id.entity, isLive: false) }
        } else {
          add(entry, queue.rule, of: id.entity, isLive: true)
        }
      }
    }
    // Where all of them count, what they say is said already.
    former = former.filter { changes[$0.key]?.entries != $0.value.entries }
  }

  private mutating func add(
    _ entry: QueueEntry,
    _ rule: QueueRule,
    of queue: EntityName,
    isLive: Bool
  ) {
    guard let kind = rule.kinds[entry.kind], let key = entry.target(rule, kind) else { return }
    let target = RecordID(entity: kind.entity, key: key)
    func add(to changes: inout [RecordID: QueuedChange]) {
      var change = changes[target] ?? QueuedChange()
      change.add(
        entry.action(kind),
        entry.value(at: rule.payload),
        at: entry.source,
        by: entry.key
      )
      change.priority = max(change.priority, entry.priority(rule))
      changes[target] = change
    }
    add(to: &former)
    guard isLive else { return }
    queues[kind.entity] = queue
    add(to: &changes)
  }

  /// What is queued for the records of an entity.
  package func changes(of entity: EntityName) -> [RecordID: QueuedChange] {
    changes.filter { $0.key.entity == entity }
  }

  /// The same, with the changes that the app has done or given up since.
  package func formerChanges(of entity: EntityName) -> [RecordID: QueuedChange] {
    former.filter { $0.key.entity == entity }
  }

  /// The queue that has the changes of an entity; `nil` where none has any.
  package func queue(of entity: EntityName) -> EntityName? { queues[entity] }

  /// Notes that the changes of a record are not carried by it.
  package mutating func miss(_ id: RecordID, _ obstacle: Obstacle) {
    guard let queue = queues[id.entity], let change = changes.removeValue(forKey: id) else {
      return
    }
    for key in change.entries {
      missed[RecordID(entity: queue, key: key)] = Missed(obstacle: obstacle, target: id)
    }
  }
}

extension QueueRule {
  /// A change that steers no record, with what it is about.
  fileprivate func missed(
    _ entry: QueueEntry,
    _ obstacle: QueuedChanges.Obstacle
  ) -> QueuedChanges.Missed {
    var missed = QueuedChanges.Missed(obstacle: obstacle)
    guard let kind = kinds[entry.kind] else { return missed }
    missed.action = entry.action(kind)
    missed.target = entry.target(self, kind).map { RecordID(entity: kind.entity, key: $0) }
    return missed
  }

  /// Why a change does not steer its record; `nil` where nothing speaks against it.
  fileprivate func obstacle(
    to entry: QueueEntry,
    newest: Int64?,
    _ api: Api?
  ) -> QueuedChanges.Obstacle? {
    if let done, let state = entry.record[done.member]?.scalarText, done.values.contains(state) {
      return .done
    }
    guard let kind = kinds[entry.kind], api?.entity(kind.entity) != nil else { return .unhandled }
    if let attempts, let count = entry.record[attempts.member]?.integer {
      let most: Int64? =
        switch attempts.most {
        case .count(let most): most
        case .member(let name): entry.record[name]?.integer
        }
      if let most, count >= most { return .exhausted }
    }
    if let expires, let newest, let moment = entry.moment,
      Duration.microseconds(newest.subtractingReportingOverflow(moment).partialValue) > expires
    {
      return .expired
    }
    return entry.target(self, kind) == nil ? .unlinked : nil
  }
}
