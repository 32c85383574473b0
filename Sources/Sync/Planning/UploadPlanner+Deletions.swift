import Checkpoint
import DestinationModel
import ExportPackage
import Files
import Profiles
import Reconciliation
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning
import ScratchFiles

extension UploadPlanner {
  /// Plans the removal of records that earlier runs sent to the destination and that the store
  /// no longer has, where a person asked for it; else says that there are such.
  ///
  /// A store that has no such entity says nothing of its records: an app may have left them to its
  /// server. And where rows could not be exported, no one can say which of them are missing for that reason.
  func planAbsent(
    _ layout: PhaseLayout,
    matches: [EntityName: MatchedRecords]
  ) throws {
    for entity in profile.entities where entity.outcomeWithoutSending(profile.api) == nil {
      guard !options.selection.leavesOut(entity.name) else { continue }
      let held = package.manifest.entity(entity.waitsIn ?? entity.name)
      let matches = matches[entity.name] ?? MatchedRecords()
      let isWanted = options.deletesAbsent && !entity.evicts && canDelete(entity.name)
      // A row without a key may be any of the records.
      if isWanted, held?.hasEveryRow == true, matches.unnamedCount == 0 {
        try deleteAbsent(entity.name, layout)
      } else {
        try reportAbsent(entity, held, isWanted: isWanted, matches)
      }
    }
  }

  /// Says that records are absent; of those that are wanted to be deleted, that no one can say which.
  private func reportAbsent(
    _ entity: EntityProfile,
    _ held: PackageManifest.Entity?,
    isWanted: Bool,
    _ matches: MatchedRecords
  ) throws {
    guard matches.knownCount > 0 else { return }
    var step = PlanStep()
    if isWanted, held != nil {
      step.findings.append(.unreportedAbsence(entity.name))
    } else {
      let count = try absentCount(of: entity.name, held, matches)
      guard count > 0 else { return }
      // A change that waited leaves its queue once it was sent.
      if entity.waitsIn == nil {
        step.findings.append(
          held == nil
            ? .withoutEntity(entity.name, count: count)
            : .absent(entity.name, count: count, evicts: entity.evicts)
        )
      }
      // A row that was not exported, or has no key, is in the store all the same.
      if held?.hasEveryRow != false, matches.unnamedCount == 0 { try noteAbsent(entity.name) }
    }
    try flush(&step)
  }

  /// Has the write-back say of each absent record that the store has no row of it.
  private func noteAbsent(_ entity: EntityName) throws {
    let folder = try PrivateFolder()
    let present = try keys(of: entity, in: folder)
    try forEachAbsent(entity, besides: present) { synced, step in
      step.leftRecords.append(LeftRecord(synced.record, reason: "the store no longer has it"))
    }
  }

  /// Goes through the records that earlier runs sent and of which the package has none of the same key.
  private func forEachAbsent(
    _ entity: EntityName,
    besides present: ScratchKeys,
    _ plan: (SyncedRecord, inout PlanStep) throws -> Void
  ) throws {
    var place = ""
    while true {
      let after = place
      let page = try checkpoint.records(of: entity, after: after, limit: 1_000)
      guard let last = page.last else { break }
      place = last.record.key
      var step = PlanStep()
      for synced in page where synced.serverID != nil {
        let isPresent = try present.contains(synced.record.key, of: entity)
        if !isPresent { try plan(synced, &step) }
      }
      try flush(&step)
    }
  }

  /// How many records at least are at the destination by earlier runs that the store no longer has.
  ///
  /// A row that could not be exported may be one of them. One that is found there under its new key is known
  /// by both, and is one.
  private func absentCount(
    of entity: EntityName,
    _ held: PackageManifest.Entity?,
    _ matches: MatchedRecords
  ) throws -> Int {
    let unread = held.map { $0.rejected + ($0.tallies[PackageManifest.Entity.unreadTally] ?? 0) }
    let most = matches.absentCount - Int(unread ?? 0)
    guard most > 0 else { return 0 }
    let doubles = try checkpoint.doubleCount(of: entity)
    return most - doubles
  }

  /// Counts a record that no run knew, where it is in the place of one that is known by another key.
  func noteMoved(to serverID: String?, in pass: inout EntityPass) throws {
    guard let serverID, pass.matches.knownCount > 0 else { return }
    let entity = pass.entity
    let isKnown = try checkpoint.holds(serverID, of: entity)
    if isKnown { pass.matches.movedCount += 1 }
  }

  private func deleteAbsent(
    _ entity: EntityName,
    _ layout: PhaseLayout
  ) throws {
    let folder = try PrivateFolder()
    let present = try keys(of: entity, in: folder)
    try forEachAbsent(entity, besides: present) { synced, step in
      guard try !isReplaced(synced, present) else { return }
      _ = try planRemoval(of: synced, layout, into: &step)
    }
    try deleteReturned(entity, besides: present, layout)
  }

  /// Whether a record of the package is where an absent one did: it was found there under its new key.
  private func isReplaced(
    _ absent: SyncedRecord,
    _ present: ScratchKeys
  ) throws -> Bool {
    guard let serverID = absent.serverID else { return false }
    let entity = absent.record.entity
    if try snapshot.taker(of: serverID, entity: entity) != nil { return true }
    for key in try checkpoint.keys(at: serverID, of: entity)
    where try present.contains(key, of: entity) {
      return true
    }
    return false
  }

  /// The keys that the package has of an entity.
  func keys(
    of entity: EntityName,
    in folder: PrivateFolder
  ) throws -> ScratchKeys {
    let keys = try ScratchKeys(path: folder.path + "/keys.sqlite")
    var batch: [String] = []
    func flush() throws {
      let filled = batch
      batch.removeAll(keepingCapacity: true)
      _ = try keys.add(filled, of: entity)
    }
    try reader.mappings.forEachRecord(of: entity, in: package) { line, _ in
      do throws(MappingError) {
        guard let key = try reader.mappings[entity].record(line).key else { return }
        batch.append(key)
      } catch {
        // It is refused, with its reason, when its own turn comes.
        return
      }
      if batch.count >= 1_000 { try flush() }
    }
    try flush()
    return keys
  }

  /// Plans the removal of a record of which the store has no row, or what the policy makes of a
  /// conflict about it; gives whether it is removed.
  func planRemoval(
    of synced: SyncedRecord,
    _ layout: PhaseLayout,
    into step: inout PlanStep
  ) throws -> Bool {
    let record = synced.record
    guard let removal = try removalQuestion(about: record) else {
      step.operations.append(try self.removal(of: synced, layout))
      return true
    }
    var made = DraftMaker.Result(bucket: .conflicted)
    var findings: [Finding] = []
    let policy = policy(of: record.entity)
    var decision = removal.answer(policy)
    if case .ask = decision {
      let conflict = askedConflict(record, removal.remote)
      switch asked.answer(to: conflict) {
      case .local: decision = removal.answer(.local)
      case .remote:
        made.bucket = nil
        findings = [.decided(record, .wasDeletedHere)]
        step.add(made, for: record, reporting: findings)
        step.contents.append(try restoration(of: record, removal, .restore))
        return false
      case .merge:
        asked.add(conflict)
        made.conflict = String.wasDeletedHere + asked.refusal(of: .merge, conflict)
      case nil:
        asked.add(conflict)
        made.conflict = String.wasDeletedHere + asked.undecidedWords
      }
    }
    switch decision {
    case .delete, .readFirst:
      let remote = removal.remote
      let mark = reader.mappings[record.entity].contentMark(of: remote.body, isAlone: true).text
      let seen = removal.isChanged ? synced.seen(at: remote.version ?? mark) : synced
      step.operations.append(try self.removal(of: seen, layout))
      return true
    case .keptRemote: made.keptRemote = Self.keepRemoteWords(policy)
    case .ask: break
    case .conflict, .create, .adopt, .unchanged, .update, .remoteNewer, .skip:
      made.conflict = .wasDeletedHere
    }
    step.add(made, for: record, reporting: findings)
    let status: RemoteContent.Status = made.keptRemote == nil ? .conflicted : .restore
    step.contents.append(try restoration(of: record, removal, status))
    return false
  }

  /// The content of a record whose deletion is not carried out, for the app that has no row of it.
  private func restoration(
    of record: RecordID,
    _ removal: RemovalQuestion,
    _ status: RemoteContent.Status
  ) throws -> RemoteContent {
    let copy = reader.mappings[record.entity].copy(
      of: removal.remote,
      isAlone: reader.listsWhole(record.entity)
    )
    return try remoteContent(
      RemoteSighting(
        record: record,
        serverID: removal.remote.serverID,
        version: removal.remote.version,
        content: try checkpoint.known(record)?.content,
        fields: copy.json(
          removal.rules.fields.subtracting(reader.mappings[record.entity].program.fileLinks)
        )
      ),
      status,
      reason: .wasDeletedHere
    )
  }

  private static func keepRemoteWords(_ policy: ConflictPolicy) -> String {
    policy == .newest
      ? "\(String.wasDeletedHere), and nothing says which is newer" : .wasDeletedHere
  }

  /// A question about a record of which the store has no row.
  private struct RemovalQuestion {
    let triple: RecordTriple
    let rules: ComparisonRules
    let remote: RemoteRecord

    func answer(_ policy: ConflictPolicy) -> Decision {
      // What a row leaves out is compared by the reading right before the request.
      triple.decide(.plan(policy), rules, [.delete, .readOne])
    }

    var isChanged: Bool {
      switch triple.difference(rules).remote {
      case .fields, .restored, .withoutBase: true
      case .notRead, .notListed, .absent, .unreadable, .unchanged, .undecidable: false
      }
    }
  }

  /// The question about a record of which the plan has read the content at the destination; `nil`
  /// where it has not, or nothing is kept of what was agreed on.
  private func removalQuestion(about record: RecordID) throws -> RemovalQuestion? {
    guard let known = try checkpoint.known(record), let serverID = known.serverID else {
      return nil
    }
    let remote = try snapshot.record(serverID, of: record.entity)
    guard let remote else { return nil }
    let mapping = reader.mappings[record.entity]
    let isWhole = reader.listsWhole(record.entity)
    let copy = RemoteCopy.present(mapping.copy(of: remote, isAlone: isWhole), .list)
    let base: RecordTriple.Base
    if let image = try self.base(of: record, known) {
      base = try lookingUp(mapping.base(image, of: known, resolver, read: copy))
    } else {
      base = RecordTriple.Base(RecordCopy([:], coverage: .partial([]), revision: known.version))
    }
    return RemovalQuestion(
      triple: RecordTriple(
        base: base,
        wanted: .absent(deletedAt: nil),
        remote: copy
      ),
      rules: mapping.comparisonRules(judgesIdentity: false),
      remote: remote
    )
  }

  func removal(
    of synced: SyncedRecord,
    _ layout: PhaseLayout
  ) throws -> OperationDraft {
    let known = try checkpoint.known(synced.record)
    let content = known?.content ?? OperationKey.digest(of: [])
    return OperationDraft(
      phase: layout.removePhase(of: synced.record.entity),
      record: synced.record,
      action: .delete,
      content: content,
      requestDigest: known?.requestDigest ?? content,
      key: OperationKey.key(
        destination: reader.traits.origin,
        record: synced.record,
        action: .delete,
        content: content,
        generation: known?.generation ?? 0
      ),
      serverID: synced.serverID,
      version: synced.version
    )
  }

  /// Gives the plan up when it deletes more than a person allows.
  ///
  /// - Throws: `MigrationError.tooManyDeletions`
  func checkDeletions() throws {
    guard let limit = options.maxDeletions else { return }
    let count = try deletions().values.reduce(0, +)
    guard count > 0 else { return }
    var known = 0
    for entity in profile.entities { known += try checkpoint.recordCount(of: entity.name) }
    known = max(count, known)
    guard limit.isExceeded(by: count, of: known) else { return }
    try checkpoint.discardPlan(of: run)
    throw MigrationError.tooManyDeletions(count: count, known: known, limit: limit.text)
  }

  /// How many records the plan deletes, by entity.
  private func deletions() throws -> [EntityName: Int] {
    try checkpoint.counts(of: run)
      .filter { $0.action == Operation.Action.delete.rawValue }
      .reduce(into: [:]) { $0[$1.entity, default: 0] += $1.count }
  }

  /// Warns of what no rollback brings back.
  func reportDeletions() throws {
    var step = PlanStep()
    for (entity, count) in try deletions().sorted(by: { $0.key < $1.key }) {
      step.findings.append(.deletions(entity, count: count))
    }
    try flush(&step)
  }

  /// Warns of what no run could create again after a rollback.
  func reportFinalRemovals() throws {
    var step = PlanStep()
    step.findings += try FinalRemovals(profile: profile, checkpoint: checkpoint).findings(of: run)
    try flush(&step)
  }
}

extension Finding {
  /// Records that a run deletes.
  fileprivate static func deletions(_ entity: EntityName, count: Int) -> Finding {
    Finding(
      code: deletionsCode,
      severity: .warning,
      entity: entity,
      cause: "the run deletes \(count.counted("record")) of \(entity) at the destination, and a "
        + "rollback does not restore them",
      cure: "keep a copy of what the destination holds first (`ferry export --from`)"
    )
  }

  package static let deletionsCode = "plan.deletions"
}
