import Checkpoint
import DestinationModel
import ExportPackage
import Files
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning
import ScratchFiles

// What waited for the server in the app's own queue.

extension UploadPlanner {
  /// Whether the destination's record is what the app last saw.
  ///
  /// A change that the app kept for the server says which members it is about. Where the app kept no
  /// version beside it, it counts as made on what is there, and only those members are sent. What a rollback
  /// put back counts in the revision that it had before the run.
  func holds(_ record: LocalRecord, _ counterpart: Counterpart) throws -> Bool? {
    if record.claim.base == nil { return record.isQueuedUpdate ? true : nil }
    guard let version = counterpart.version, version == record.known?.version,
      let restored = try checkpoint.restored(record.id)
    else { return record.claim.holds(at: counterpart.version) }
    return record.claim.holds(at: restored.revision)
  }

  /// Whether a run has carried a queued change of a record already.
  func hasCarriedQueue(_ record: LocalRecord) throws -> Bool {
    guard let queue = reader.mappings.queue.queue(of: record.id.entity) else { return false }
    return try record.read.queued?.entries.contains { key in
      try checkpoint.settledRow(RecordID(entity: queue, key: key), before: run) != nil
    } ?? false
  }

  /// Whether a decision that sends nothing leaves a queued change of a record undone: the destination has something
  /// else in a member that the change speaks of, and no run carried it, or the last one that saw it did not.
  ///
  /// What no run carried that saw it stays undone as well while the destination does not show such a member.
  func leavesQueue(_ decision: PlanDecision, _ question: Question?) throws -> Bool {
    switch decision {
    case .unchanged, .remoteNewer: break
    case .create, .adopt, .update, .delete, .skip, .conflict, .keptRemote: return false
    }
    guard let question, let queued = question.record.read.queued,
      let queue = reader.mappings.queue.queue(of: question.record.id.entity)
    else { return false }
    let hasQueued = question.hasQueued
    if hasQueued == true { return false }
    return try queued.entries.contains { key in
      switch try checkpoint.lastOutcome(of: RecordID(entity: queue, key: key), before: run) {
      case .carried?, .folded?: false
      case .expired?, .notCarried?: true
      case nil: hasQueued == false
      }
    }
  }

  /// Leaves the members that no queued change speaks of as they are at the destination.
  func limitToQueued(
    _ settled: inout SettledDecision,
    _ question: Question
  ) throws {
    let record = question.record
    guard case .update(let serverID, _) = settled.decision, record.isQueuedUpdate,
      options.conflictPolicy != .local, question.triple.agreement == nil
    else { return }
    let kept = record.read.unqueuedMembers
    let existing = question.overrides(keepsPending: true).members
    for member in existing where kept.contains(member.name) {
      settled.sent[member.name] = member.value
    }
    guard !existing.isEmpty, existing.allSatisfy({ kept.contains($0.name) }),
      let remote = try remote(serverID, of: record)
    else { return }
    // What was queued is there already.
    settled.decision = .adopt(serverID: serverID, version: remote.version)
  }

  /// Plans the deletions whose rows the app has removed already, and counts every queued change.
  func planQueues(
    fates: [RecordID: QueuedChanges.Fate],
    matches: [EntityName: MatchedRecords],
    _ layout: PhaseLayout
  ) throws {
    var queue = reader.mappings.queue
    var step = PlanStep()
    for (id, change) in queue.changes.sorted(by: { $0.key < $1.key }) where fates[id] != .carried {
      if case .missed(let obstacle) = fates[id] {
        queue.miss(id, obstacle)
      } else if let removal = try queuedRemoval(id, change) {
        if try !planRemoval(of: removal, layout, into: &step) { queue.miss(id, .conflicted) }
      } else if let obstacle = try obstacle(toRemoving: id, change) {
        queue.miss(id, obstacle)
      }
    }
    step.queuedRows = queue.carriedRows
    try flush(&step)
    for entity in profile.entities where entity.queue != nil {
      try notify(entity.name, queue)
      try reportReversed(entity.name, queue, matches)
    }
  }

  /// Names each record whose queued change a rollback reversed, where the app has removed the change from its
  /// queue since: if the store has no row of the record either, no run can send it again.
  ///
  /// A row that was not read, or has no key, may be of that change or record. And a record that the app's queue
  /// makes or deletes since is whole without the earlier change; one that it only changes is not.
  private func reportReversed(
    _ entity: EntityName,
    _ queue: QueuedChanges,
    _ matches: [EntityName: MatchedRecords]
  ) throws {
    guard !options.selection.leavesOut(entity),
      package.manifest.entity(entity)?.hasEveryRow != false
    else { return }
    let rows = Set(queue.carriedRows.map(\.row)).union(queue.missed.keys)
    let reversed = try checkpoint.reversedChanges(of: entity, before: run)
    let waiting = Set(reversed.filter { rows.contains($0.row) }.map(\.target))
      .union(queue.changes.filter { $0.value.isNew || $0.value.isDeleted }.keys)
    let removed = Dictionary(grouping: reversed, by: \.target)
      .filter { !waiting.contains($0.key) }
      .sorted { $0.key < $1.key }
    for (entity, changes) in Dictionary(grouping: removed, by: \.key.entity)
      .sorted(by: { $0.key < $1.key })
    {
      // Its profile may be another one than that of the run that sent the record.
      guard let profile = profile.entity(entity), reader.mappings.mapping(for: entity) != nil,
        !options.selection.leavesOut(entity),
        package.manifest.entity(profile.waitsIn ?? entity)?.hasEveryRow != false,
        matches[entity, default: MatchedRecords()].unnamedCount == 0
      else { continue }
      let folder = try PrivateFolder()
      // Where the store has no rows of an entity, the package's records are what the queue says of them.
      let present =
        reader.mappings.queuedSources(of: entity) == nil ? try keys(of: entity, in: folder) : nil
      var step = PlanStep()
      for (target, changes) in changes {
        let keys = [target.key] + changes.compactMap(\.createdID)
        if try keys.contains(where: { try present?.contains($0, of: entity) == true }) { continue }
        step.findings.append(.reversed(target, isNamed: changes.allSatisfy(\.isNamed)))
      }
      try flush(&step)
    }
  }

  /// What a change is to delete that only the destination still has; `nil` where the change is not
  /// one, or does not name it by the destination's identity.
  private func queuedRemoval(
    _ id: RecordID,
    _ change: QueuedChange
  ) throws -> SyncedRecord? {
    guard canDelete(id.entity), let serverID = placeOfRemoved(id, change) else { return nil }
    // What is there after a run has carried it out, another device made since.
    if let known = try checkpoint.known(id), known.serverID == nil { return nil }
    return try snapshot.record(serverID, of: id.entity).map { remote in
      SyncedRecord(
        record: id,
        serverID: remote.serverID,
        version: remote.version
          ?? reader.mappings[id.entity].contentMark(of: remote.body, isAlone: false).text,
        isCreated: false,
        syncedAt: nil
      )
    }
  }

  /// Why a change takes nothing away; `nil` where nothing is left to be removed.
  private func obstacle(
    toRemoving id: RecordID,
    _ change: QueuedChange
  ) throws -> QueuedChanges.Obstacle? {
    let place = placeOfRemoved(id, change)
    let isThere = try place.map { place throws(CheckpointError) in
      try snapshot.record(place, of: id.entity) != nil
    }
    let known = try checkpoint.known(id)
    if let known, known.serverID == nil { return isThere == true ? .renewed : nil }
    // Where not all was read, what was not read may well be there; what has no list is asked for singly.
    let isAsked = !options.isOffline && reader.mappings.askedSingly(id.entity) != nil
    let isAllRead =
      readWhole.contains(id.entity)
      && reader.traits.listsChangesSince[id.entity] != true
    if known == nil, isAsked || isAllRead, isThere == false { return nil }
    return place != nil && !canDelete(id.entity) ? .irremovable : .rowless
  }

  /// Where the destination would have what a change removes; `nil` where the change does not, or
  /// does not say.
  private func placeOfRemoved(_ id: RecordID, _ change: QueuedChange) -> String? {
    guard change.isDeleted else { return nil }
    let mapping = reader.mappings[id.entity]
    if mapping.view != nil {
      // What waits in the queue alone is to be gone at the end, whatever else was queued before.
      if case .id = reader.traits.replay[id.entity] {
        return reader.mappings.clientID(of: id)
      }
      return id.key
    }
    return !change.isNew && mapping.program.namesByNumber(id.key) ? id.key : nil
  }

  /// Counts the changes of a queue, and names each one that steers nothing.
  private func notify(_ entity: EntityName, _ queue: QueuedChanges) throws {
    let count = package.manifest.recordCount(of: entity)
    guard count > 0 else { return }
    var step = PlanStep()
    step.tallies[entity, default: [:]][.skipped, default: 0] += count
    let own = queue.missed.filter { $0.key.entity == entity }
    let carried = count - own.count
    if carried > 0 { step.findings.append(.carried(entity, count: carried)) }
    var unsettled = 0
    for (id, missed) in own.sorted(by: { $0.key < $1.key }) {
      let isSent = try isSent(missed.target)
      // What an earlier run settled, the app has since done, given up or let expire.
      let settled =
        missed.obstacle.isOfAge ? try checkpoint.settledRow(id, before: run) : nil
      step.findings.append(.queued(id, missed, isSent: isSent))
      step.queuedRows.append(settled?.kept ?? missed.row(id, isSent: isSent))
      let isLeftOut = missed.target.map { options.selection.leavesOut($0.entity) } ?? false
      if !missed.isNeedless(isSent: isSent), settled == nil, !isLeftOut { unsettled += 1 }
    }
    if carried == 0, unsettled > 0 {
      step.findings.append(.unreplayed(entity, count: unsettled))
    }
    try flush(&step)
  }

  /// Whether the record that a change is about is at the destination, or goes there by itself.
  private func isSent(_ record: RecordID?) throws -> Bool {
    guard let record else { return false }
    if try checkpoint.known(record)?.serverID != nil { return true }
    return try checkpoint.hasOperation(on: record, in: run)
  }
}

extension LocalRecord {
  /// Whether a queued change of a record that the destination has speaks of some of its members.
  var isQueuedUpdate: Bool {
    guard let queued = read.queued else { return false }
    return !queued.isNew && !queued.isDeleted && !queued.updates.isEmpty
  }
}

extension UploadPlanner.Question {
  /// Whether the destination has what is wanted in each member that a queued change speaks of; `nil` where it
  /// does not show one of them, and has that in all others.
  fileprivate var hasQueued: Bool? {
    guard let wanted = triple.wanted.record else { return false }
    let remote: RecordCopy? =
      if case .present(let copy, _) = triple.remote { copy } else { triple.agreement?.remote }
    var isShown = true
    for name in rules.fields.subtracting(record.read.unqueuedMembers) {
      guard let value = wanted[name] else { continue }
      if case .pending = value { continue }
      guard let there = remote?[name] else {
        isShown = false
        continue
      }
      if value != there, !rules.isEqual(name, value, there) { return false }
    }
    return isShown ? true : nil
  }
}

extension QueuedChanges.Obstacle {
  fileprivate var words: String {
    switch self {
    case .done: "the server has taken it already"
    case .exhausted: "the app tried it as often as it may"
    case .expired: "it is older than the app keeps such changes"
    case .unhandled: "the profile does not say how a change of this kind is sent"
    case .unlinked: "it names no record"
    case .quarantined: "it is not valid and is quarantined"
    case .rowless: "the record it changes is not in the store"
    case .unsent: "the record it changes is not sent"
    case .irremovable: "the destination has no way to roll it back"
    case .renewed: "a run has carried it out, and the destination has the record again"
    case .conflicted: "the destination's side of the record it changes was changed as well"
    }
  }

  fileprivate var severity: Finding.Severity { self == .done ? .note : .warning }
}

extension Finding {
  /// Queued changes that are one with the records they change.
  fileprivate static func carried(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.skipped",
      severity: .note,
      entity: entity,
      cause: "not sent by themselves: \(count.counted("record")) of \(entity), because the "
        + "records that they change carry them",
      cure: "no action is needed"
    )
  }

  /// A queued change that steers no record.
  fileprivate static func queued(
    _ id: RecordID,
    _ missed: QueuedChanges.Missed,
    isSent: Bool
  ) -> Finding {
    let obstacle = missed.obstacle
    let isNeedless = missed.isNeedless(isSent: isSent)
    return Finding(
      code: "plan.queued",
      severity: isNeedless ? .note : obstacle.severity,
      entity: id.entity,
      record: id.key,
      cause: "this queued change is not replayed, because \(obstacle.words)"
        + (isSent && missed.action == .create ? "; the store's own row of its record is sent" : ""),
      cure: isNeedless ? "no action is needed" : missed.cure(isSent: isSent)
    )
  }
}

extension Finding {
  /// A record whose queued change a rollback reversed, and the app no longer has.
  fileprivate static func reversed(_ target: RecordID, isNamed: Bool) -> Finding {
    Finding(
      code: ReversedChange.code,
      // The run that finds it first ends with the status for it; later ones list it.
      severity: isNamed ? .note : .warning,
      entity: target.entity,
      record: target.key,
      cause: "a rollback reversed the queued change of this record, and no run can send it again, "
        + "because the app has removed the change from its queue",
      cure:
        "make the change in the app again, unless a newer one has the same; `ferry history RUN` names the "
        + "package with its content"
    )
  }

  /// A queue of which the run carries no change.
  fileprivate static func unreplayed(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: "plan.queue-unreplayed",
      severity: .warning,
      entity: entity,
      cause: "no queued change of \(entity) is replayed: the run carries none of \(count)",
      cure:
        "the findings `plan.queued` name the reason of each; `ferry write-back` lists them for the app"
    )
  }
}

extension QueuedChanges {
  /// The rows whose changes the records carry; of several changes of one record, the last one stands for all.
  fileprivate var carriedRows: [QueuedRow] {
    changes.sorted { $0.key < $1.key }.flatMap { target, change -> [QueuedRow] in
      guard let queue = queue(of: target.entity), let last = change.entries.last else { return [] }
      return change.entries.map { key in
        QueuedRow(
          row: RecordID(entity: queue, key: key),
          outcome: key == last ? .carried : .folded,
          target: target,
          reason: key == last ? nil : "it went out together with \(last)"
        )
      }
    }
  }
}

extension QueuedRow {
  /// The same row in a later run, which does not carry it again.
  fileprivate var kept: QueuedRow {
    QueuedRow(
      row: row,
      outcome: outcome,
      target: target,
      reason: reason ?? "an earlier run carried it",
      carriedBy: carriedBy
    )
  }
}

extension QueuedChanges.Missed {
  /// Whether nothing of the change is left to be done.
  fileprivate func isNeedless(isSent: Bool) -> Bool {
    obstacle == .done || isSent && action == .create
  }

  /// What the app is to know of the change; its record's own row may bring what it was to make.
  fileprivate func row(_ id: RecordID, isSent: Bool) -> QueuedRow {
    let outcome: QueuedRow.Outcome =
      switch obstacle {
      case .done: .carried
      case .expired: isNeedless(isSent: isSent) ? .folded : .expired
      case .exhausted, .unhandled, .unlinked, .quarantined, .rowless, .unsent, .renewed,
        .conflicted,
        .irremovable:
        isNeedless(isSent: isSent) ? .folded : .notCarried
      }
    let own = outcome == .folded ? "; the store's own row of its record is sent" : ""
    return QueuedRow(
      row: id,
      outcome: outcome,
      target: target,
      reason: obstacle.words + own
    )
  }

  /// What a person does about the change.
  ///
  /// The store may hold the row that the change made or changed, which is sent by itself: what is
  /// done by hand then would be done twice.
  fileprivate func cure(isSent: Bool) -> String {
    switch (obstacle, action) {
    case (.conflicted, _): "it goes out once the conflict is decided for the store's side"
    case (.unlinked, .create?):
      "the store's rows are sent by themselves, and one of them may be what it made: do it by hand only "
        + "where the destination lacks it"
    case (_, .update?) where isSent:
      "the record was sent as its row has it: do it by hand only where the destination lacks it"
    default: "it is in the package; do it by hand where it still matters"
    }
  }
}
