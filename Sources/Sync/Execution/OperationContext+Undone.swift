import Checkpoint
import DestinationModel
import JSONText
import Profiles
import Reconciliation
import Records
import RequestBodies
import RequestMapping
import SyncReading
import UploadPlanning

// How an operation of a run is undone, as Reconciliation decides it.

extension OperationContext {
  /// Reads what an undo is to do about its record, of which the destination has `current`.
  func reading(
    ofUndo operation: Operation,
    _ known: SyncState?,
    _ current: RemoteRecord?
  ) throws(MappingError) -> Reading {
    switch try undoing(operation, known, current) {
    case .unchanged, .adopt: return .alreadyDone(version: current?.version)
    case .delete: return .ready(before: try kept(current?.body ?? []), version: current?.version)
    case .update: return .ready(before: operation.before ?? [], version: current?.version)
    case .conflict(let conflict): return .conflicted(reason: words(conflict, operation))
    case .create, .readFirst, .remoteNewer, .keptRemote, .skip, .ask:
      preconditionFailure("a rollback reads each record alone, and takes no policy")
    }
  }

  /// The fields that an undo sends to put back what its run overwrote; none where nothing is left to send.
  func restored(
    _ operation: Operation,
    _ known: SyncState?,
    _ current: RemoteRecord
  ) throws(MappingError) -> [RequestField] {
    switch try undoing(operation, known, current) {
    case .update(let update):
      let entity = operation.record.entity
      let shown = mappings[entity].copy(of: current, isAlone: isShownWhole(entity))
      return mappings[entity].program.api.body.compactMap { rule in
        guard let value = update.fields[rule.name], value != shown[rule.name] else { return nil }
        return value.json.map { RequestField(name: rule.name, value: $0.canonicalBytes) }
      }
    case .unchanged, .adopt: return []
    case .conflict(let conflict): throw MappingError(conflict: words(conflict, operation))
    case .create, .delete, .readFirst, .remoteNewer, .keptRemote, .skip, .ask:
      preconditionFailure("a rollback reads each record alone, and takes no policy")
    }
  }

  /// What a rollback does about the record of an operation.
  ///
  /// | copy | of a record that the run created | of a record that the run changed |
  /// |---|---|---|
  /// | base | all that the run sent, or the same before it was completed | the before-image with what the run sent |
  /// | wanted | absent | the before-image, of the fields that an update can send |
  ///
  /// A request that is to complete a record may come late, or once more: what it leaves is the run's own too.
  func undoing(
    _ operation: Operation,
    _ known: SyncState?,
    _ current: RemoteRecord?
  ) throws(MappingError) -> Decision {
    let entity = operation.record.entity
    let mapping = mappings[entity]
    let isWhole = isShownWhole(entity)
    let wanted = try wantedCopy(ofUndo: operation)
    let remote = mapping.copy(of: current, isWhole: isWhole, isWhole ? .single : .list)
    let left = try left(by: operation, known)
    var capabilities = capabilities(of: entity)
    if mapping.isReplacing { capabilities.insert(.replacesWhole) }
    var kept: Decision?
    for copy in left.copies {
      var rules = rules(forUndoing: entity)
      if wanted.record == nil, left.refusal == nil { rules.compare(only: copy) }
      var triple = RecordTriple(base: RecordTriple.Base(copy), wanted: wanted, remote: remote)
      if !isWhole { triple.leaveOutEmpty(rules) }
      let decision = triple.decide(.rollback, rules, capabilities)
      guard case .conflict = decision else { return decision }
      kept = kept ?? decision
    }
    if current != nil, let refusal = left.refusal { throw refusal }
    guard let kept else { preconditionFailure("a run left a record in at least one state") }
    return kept
  }

  private func rules(forUndoing entity: EntityName) -> ComparisonRules {
    let mapping = mappings[entity]
    let isJudged = reader.makesIdentities(of: entity)
    var rules = mapping.comparisonRules(judgesIdentity: isJudged)
    if isJudged {
      rules.changingKey = Set(mapping.program.api.naturalKey).subtracting(rules.naturalKey)
    }
    return rules
  }

  /// The routes that the destination has for the records of an entity.
  func capabilities(of entity: EntityName) -> Capabilities {
    var capabilities: Capabilities = []
    if reader.traits.carriesOut(.update, on: entity) { capabilities.insert(.update) }
    if reader.traits.carriesOut(.delete, on: entity) { capabilities.insert(.delete) }
    return capabilities
  }

  private func words(_ conflict: Conflict, _ operation: Operation) -> String {
    guard case .fieldNotListed(let names) = conflict, operation.state != .planned else {
      return conflict.words
    }
    return "it is unknown whether it arrived, as the destination's list leaves out "
      + names.sorted().joined(separator: ", ")
  }

  /// Whether the destination shows a whole record where it is asked for that alone, and not a row
  /// of its list.
  func isShownWhole(_ entity: EntityName) -> Bool {
    reader.traits.batchesChanges || mappings[entity].program.api.read != nil
  }

  // MARK: - What the run left

  /// The states in which a run may have left a record, and why it cannot be said which fields it sent.
  private struct LeftCopies {
    var copies: [RecordCopy]
    var refusal: MappingError?
  }

  private func left(
    by operation: Operation,
    _ known: SyncState?
  ) throws(MappingError) -> LeftCopies {
    var run = RunOutcome(lastAction: .create, isOwn: true)
    if operation.action != .discard, let undone = operation.undoes {
      run = try reader.ask { checkpoint throws(CheckpointError) in
        try checkpoint.outcome(of: operation.record, inRunOf: undone)
      }
    }
    var revision = run.isOwn ? known?.version : nil
    if operation.action == .discard { revision = operation.remoteVersion }
    // Of what no request gave a record, the destination may have filled in anything; a revision says whether
    // that was later.
    let isOfSent = run.isOwn && revision == nil
    var left = LeftCopies(copies: [])
    do throws(MappingError) {
      left.copies =
        operation.action == .restore
        ? [try changed(by: operation)] : try created(by: operation, run, isOfSent: isOfSent)
    } catch {
      if error.isPassing || error.package != nil { throw error }
      left.copies = [
        operation.action == .restore
          ? try copyBefore(operation) : RecordCopy([:], coverage: .partial([]))
      ]
      left.refusal = error
    }
    left.copies[0].revision = revision
    return left
  }

  /// What a run left of a record that it created, and, of no known revision, what a request leaves
  /// that completes it and comes late, or once more.
  private func created(
    by operation: Operation,
    _ run: RunOutcome,
    isOfSent: Bool
  ) throws(MappingError) -> [RecordCopy] {
    let mapping = mappings[operation.record.entity]
    let form = try reader.form(of: operation)
    let cleared = mapping.cleared(after: run.lastAction)
    var unknown: Set<String> = []
    // A destination that chose the identity itself keeps its own.
    if let name = mapping.program.api.identityMember, let serverID = operation.serverID,
      !serverID.isSpelled(as: mappings.clientID(of: operation.record))
    {
      unknown = [name]
    }
    return (mapping.program.needsCompletion ? [cleared, []] : [cleared]).map { cleared in
      mapping.copy(created: form, cleared: cleared, isOfSent: isOfSent, besides: unknown)
    }
  }

  /// What a run left of a record that it changed: its before-image, with what the run sent.
  private func changed(by operation: Operation) throws(MappingError) -> RecordCopy {
    var copy = try copyBefore(operation)
    let form = try reader.form(of: operation)
    let sent = try reader.restoration(of: operation) == .links ? form.complete : form.update
    for member in mappings[operation.record.entity].program.image(of: sent).members {
      copy.show(FieldValue(member.value), in: member.name)
    }
    return copy
  }

  /// The before-image of a change.
  private func copyBefore(_ operation: Operation) throws(MappingError) -> RecordCopy {
    let mapping = mappings[operation.record.entity]
    let row = mapping.object(try imageBefore(operation)) ?? JSONObject()
    return mapping.copy(of: row, isWhole: isShownWhole(operation.record.entity))
  }

  // MARK: - What is wanted

  /// What the record is to be again; absent, where the run created it.
  private func wantedCopy(ofUndo operation: Operation) throws(MappingError) -> LocalCopy {
    guard operation.action == .restore else { return .absent(deletedAt: nil) }
    let entity = operation.record.entity
    let copy = mappings[entity].copy(
      restored: try imageBefore(operation),
      try reader.restoration(of: operation),
      isWhole: isShownWhole(entity)
    )
    return .record(copy)
  }

  private func imageBefore(_ operation: Operation) throws(MappingError) -> [UInt8] {
    guard let before = try reader.before(of: operation),
      mappings[operation.record.entity].object(before) != nil
    else {
      throw MappingError(
        code: "restore.unknown",
        reason: "the content at the destination before the run is unknown"
      )
    }
    return before
  }

  // MARK: - Second copies

  /// Whether a request that was repeated can have made the second copy of a record.
  func isCopyOfOurs(_ operation: Operation) throws -> Bool {
    guard let made = operation.undoes else { return false }
    return try checkpoint.wasSentAgain(made)
  }
}

extension ComparisonRules {
  /// Leaves out the fields that a copy does not show.
  fileprivate mutating func compare(only copy: RecordCopy) {
    fields = fields.filter(copy.shows)
  }
}

extension EntityMapping {
  /// The fields that have not been sent, or were cleared again, of a record of which this was done last.
  fileprivate func cleared(after last: Operation.Action) -> Set<String> {
    switch last {
    case .create: Set(program.api.body.filter { $0.stage == .complete }.map(\.name))
    // A rollback takes its references away before it removes the record.
    case .restore: Set(program.deferredReferences)
    case .complete, .update, .delete, .upload, .uncreate, .unupload, .discard: []
    }
  }

  /// A record as a run created it, with these fields empty.
  ///
  /// With `isOfSent`, only what requests gave it is shown: a destination fills in what it likes
  /// elsewhere, but no reference that is sent later, and no file.
  fileprivate func copy(
    created form: RequestFieldSet,
    cleared: Set<String>,
    isOfSent: Bool,
    besides unknown: Set<String>
  ) -> RecordCopy {
    var members = program.image(of: form.whole)
    for rule in program.api.body where cleared.contains(rule.name) {
      members[rule.name] = rule.unless ?? .null
    }
    var unknown = unknown
    if isOfSent {
      let sent = Set((form.create + form.complete).map(\.name)).subtracting(cleared)
        .union(program.deferredFields)
      unknown.formUnion(members.names.filter { !sent.contains($0) })
    }
    return copy(of: members, isWhole: false, besides: unknown)
  }
}
