import Checkpoint
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning

// Whether a change or a deletion may be sent over its record as it was read, or has arrived, which
// Reconciliation decides.

extension OperationContext {
  /// A change or a deletion, held against its record as the destination has it.
  struct Check {
    let intent: Intent
    let triple: RecordTriple
    let rules: ComparisonRules
    let difference: Difference
    let capabilities: Capabilities
    /// The record as the destination takes it, and those of its fields that are to be sent; `nil` for a
    /// deletion.
    let sentFields: SentFields?

    var decision: Decision { triple.decide(intent, on: difference, rules, capabilities) }

    /// Whether others changed fields beside those that are wanted, so that the revision says nothing of them.
    var isChangedBeside: Bool {
      guard case .fields(let names) = difference.remote, let wanted = triple.wanted.record else {
        return false
      }
      return !names.allSatisfy(wanted.shows)
    }
  }

  /// What a change brings.
  struct SentFields {
    let form: RequestFieldSet
    let members: [RequestField]
  }

  /// Decides by its record, as it was read, whether a change or a deletion is sent, or has arrived
  /// that was begun.
  func checked(
    _ operation: Operation,
    _ known: SyncState?,
    _ current: RemoteRecord,
    _ receipt: RecordTriple.Receipt
  ) throws(MappingError) -> Reading {
    let before = operation.state == .planned ? nil : try reader.before(of: operation)
    let check =
      if let before { try arrival(of: operation, known, over: before, current, receipt) } else {
        try precondition(of: operation, known, over: current)
      }
    let ready = Reading.ready(
      before: try kept(current.body),
      version: operation.expecting(current.version)
    )
    switch check.decision {
    case .update(let update):
      try reportFixed(update.createOnly, operation)
      return ready
    case .delete: return ready
    case .adopt, .unchanged, .remoteNewer, .keptRemote:
      try expectFiles(of: operation)
      return .alreadyDone(version: check.isChangedBeside ? nil : current.version)
    case .conflict(let conflict), .ask(let conflict):
      return .conflicted(reason: check.words(conflict, operation.action))
    case .skip: return .conflicted(reason: "the destination has no route that removes it")
    case .create, .readFirst: preconditionFailure("the record was read, and as well as it can be")
    }
  }

  /// What a change sends over a record that it was found ready for, with all that it brings.
  func changes(
    of operation: Operation,
    over row: [UInt8]
  ) throws(MappingError) -> (sent: [RequestField], form: RequestFieldSet) {
    let known = try reader.ask { checkpoint throws(CheckpointError) in
      try checkpoint.known(operation.record)
    }
    let seen = RemoteRecord(serverID: "", version: operation.remoteVersion, body: row)
    let check = try precondition(of: operation, known, over: seen)
    guard case .update(let update) = check.decision, let sentFields = check.sentFields else {
      throw MappingError(conflict: Conflict.remotelyChanged([]).words)
    }
    return (sentFields.members.filter { update.fields[$0.name] != nil }, sentFields.form)
  }

  // MARK: - The questions

  /// The question whether a request whose answer was lost has arrived.
  ///
  /// The record as it was before is the base, and the fields that were sent are wanted.
  private func arrival(
    of operation: Operation,
    _ known: SyncState?,
    over before: [UInt8],
    _ current: RemoteRecord,
    _ receipt: RecordTriple.Receipt
  ) throws(MappingError) -> Check {
    let row = RemoteRecord(
      serverID: current.serverID,
      version: operation.remoteVersion,
      body: before
    )
    let sent = try precondition(of: operation, known, over: row)
    guard case .present(let then, let source) = sent.triple.remote else {
      preconditionFailure("the earlier content an operation was read")
    }
    var now = mappings[operation.record.entity].copy(of: current, isAlone: source == .single)
    var wanted = sent.triple.wanted
    if case .record(let copy) = wanted, case .update(let update) = sent.decision {
      wanted = .record(copy.showing(Set(update.fields.keys)))
      for name in update.fields.keys where then[name] == .null && !now.shows(name) {
        now.show(.null, in: name)
      }
    }
    let triple = RecordTriple(
      base: RecordTriple.Base(then),
      wanted: wanted,
      remote: .present(now, source),
      receipt: receipt
    )
    return Check(
      intent: .lookUp,
      triple: triple,
      rules: sent.rules,
      difference: triple.difference(sent.rules),
      capabilities: sent.capabilities,
      sentFields: sent.sentFields
    )
  }

  /// The question whether an operation may be sent over a record as it was read; what the plan saw
  /// is the base.
  ///
  /// Whatever the policy, what was changed since is a conflict: the next run decides about it.
  private func precondition(
    of operation: Operation,
    _ known: SyncState?,
    over current: RemoteRecord
  ) throws(MappingError) -> Check {
    let entity = operation.record.entity
    let mapping = mappings[entity]
    let sentFields = try sentFields(by: operation, over: current.body)
    let wanted = sentFields.map { mapping.copy(of: $0.members) }
    var rules = mapping.comparisonRules(
      judgesIdentity: reader.makesIdentities(of: entity) && mapping.hasLastingKey
    )
    let isAlone = isShownWhole(entity)
    let read = mapping.copy(of: current, isAlone: isAlone)
    let isJudged = operation.action != .complete || !rules.naturalKey.isEmpty
    let last = isJudged ? try lastAgreement(on: operation.record, known, read) : nil
    if operation.action == .update, let wanted {
      rules.fields.subtract(try leftEmpty(by: operation))
      rules.fields.subtract(notSentAgain(wanted, over: read, since: last, mapping, rules))
    }
    let names = rules.fields.filter { wanted?.shows($0) ?? true }
    let agreed = try isJudged ? agreed(on: operation, last, stating: names) : nil
    var base: PreconditionBase
    if operation.action == .complete {
      base = PreconditionBase(
        read,
        completing: try isMadeByRun(of: operation) ? names : [],
        lastKnown: known?.version,
        agreed: agreed,
        rules
      )
    } else if let mark = operation.version.flatMap({ ContentMark($0) }) {
      let there = mapping.object(current.body) ?? JSONObject()
      if mark.isAlone {
        let own = wanted == nil ? [] : names
        rules.fields.formIntersection(own.union(mark.names).union(rules.naturalKey))
      }
      base = PreconditionBase(
        read,
        keptContentOf: Set(mark.names),
        alone: mark.isAlone,
        isSame: mapping.program.contentDigest(of: mark.names, in: there) == mark.digest,
        agreed: agreed,
        rules
      )
    } else {
      base = PreconditionBase(
        read,
        keptRevision: operation.version,
        lastKnown: known?.version,
        agreed: agreed,
        rules
      )
    }
    if wanted != nil {
      let deferred = mapping.program.deferredFields
      base.expectDeferred(operation.action == .complete ? names : deferred.intersection(names))
      rules.fields = rules.fields.filter(base.reports)
    }
    let triple = RecordTriple(
      base: base.seen.map { RecordTriple.Base($0) },
      wanted: wanted.map { .record($0) } ?? .absent(deletedAt: nil),
      remote: .present(base.read, isAlone ? .single : .list),
      claim: SyncClaim(state: .changed, hasRemoteID: true)
    )
    return Check(
      intent: .precondition(.fail),
      triple: triple,
      rules: rules,
      difference: triple.difference(rules),
      capabilities: capabilities(for: operation),
      sentFields: sentFields
    )
  }

  /// What a change brings over a record; `nil` for a deletion.
  ///
  /// What the destination takes only with a create is compared as well, as long as nothing was sent.
  private func sentFields(
    by operation: Operation,
    over row: [UInt8]
  ) throws(MappingError) -> SentFields? {
    guard !operation.action.removes else { return nil }
    let form = try reader.form(of: operation, over: row)
    let mayBeSent = operation.wasBegun || operation.before != nil
    guard operation.action == .complete else {
      return SentFields(form: form, members: mayBeSent ? form.update : form.whole)
    }
    var members = try completion(form, operation)
    if !mayBeSent, try !isMadeByRun(of: operation) {
      let links = mappings[operation.record.entity].program.fileLinks
      members += form.whole.filter { link in
        links.contains(link.name) && !members.contains { $0.name == link.name }
      }
    }
    return SentFields(form: form, members: members)
  }

  /// The fields that a change leaves as they are, as the plan found them empty.
  private func leftEmpty(by operation: Operation) throws(MappingError) -> Set<String> {
    Set(try reader.overrides(of: operation)?.members.filter(\.value.isNull).map(\.name) ?? [])
  }

  /// The fields that the destination did not take before, and that the store did not change since; links to files,
  /// which go once their files are there, and what only a create brings are no such fields.
  private func notSentAgain(
    _ wanted: RecordCopy,
    over read: RecordCopy,
    since last: RecordTriple.Base?,
    _ mapping: EntityMapping,
    _ rules: ComparisonRules
  ) -> Set<String> {
    let triple = RecordTriple(base: last, wanted: .record(wanted), remote: .present(read, .single))
    return triple.fieldsNotSentAgain(rules)
      .subtracting(mapping.program.fileLinks)
      .subtracting(rules.createOnly)
  }

  /// What both sides last agreed on; `nil` where nothing was kept of that.
  private func lastAgreement(
    on record: RecordID,
    _ known: SyncState?,
    _ read: RecordCopy
  ) throws(MappingError) -> RecordTriple.Base? {
    guard let known, known.serverID != nil, let image = try reader.base(of: record, known) else {
      return nil
    }
    do throws(MappingFault) {
      return try mappings[record.entity]
        .base(image, of: known, reader.resolver, read: .present(read, .single))
    } catch {
      throw MappingError(error)
    }
  }

  /// The same as one copy; where nothing was kept, what the store has of a record that is to be deleted whatever
  /// its revision.
  private func agreed(
    on operation: Operation,
    _ last: RecordTriple.Base?,
    stating names: Set<String>
  ) throws(MappingError) -> RecordCopy? {
    if let last { return mappings[operation.record.entity].agreed(last, stating: names) }
    return try operation.action == .delete && operation.version == nil ? row(of: operation) : nil
  }

  /// What the store has of the record of an operation; `nil` where that cannot be determined, as it
  /// names what is not at the destination.
  private func row(of operation: Operation) throws(MappingError) -> RecordCopy? {
    guard operation.source != nil, package != nil else { return nil }
    do throws(MappingError) {
      return mappings[operation.record.entity].copy(of: try reader.form(of: operation).whole)
    } catch {
      if error.isPassing || error.package != nil { throw error }
      return nil
    }
  }

  private func capabilities(for operation: Operation) -> Capabilities {
    let entity = operation.record.entity
    var capabilities = capabilities(of: entity)
    let api = mappings[entity].program.api
    if let version = operation.remoteVersion, api.isCondition(version), api.delete?.ifMatch == true
    {
      capabilities.insert(.conditionalWrite)
    }
    return capabilities
  }
}

extension OperationContext.Check {
  /// Why nothing is sent.
  fileprivate func words(_ conflict: Conflict, _ action: Operation.Action) -> String {
    switch conflict {
    case .bothChanged(let names)
    where action == .complete && names.allSatisfy { triple.wanted.record?.shows($0) == true }:
      let fixed = names.intersection(rules.createOnly)
      return fixed.isEmpty
        ? "\(names.inWords) at the destination names another one"
        : Conflict.createOnly(fixed).words
    case .bothChanged, .withoutBase, .deletedLocally, .remotelyChanged, .remotelyDeleted,
      .stillPresent, .replaced, .restored, .localRestored, .fieldNotListed, .recordNotListed,
      .unreadable, .noRoute, .createOnly, .deferred, .deletedByThisRun:
      return conflict.words
    }
  }
}
