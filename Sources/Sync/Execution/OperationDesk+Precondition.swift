import Checkpoint
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import SyncReading
import UploadPlanning

// Whether a change or a deletion may be sent over its record as it was read, or has arrived, which Reconciliation
// decides.

extension OperationDesk {
  /// A change or a deletion, held against its record as the destination has it.
  struct Check {
    let intent: Intent
    let triple: RecordTriple
    let rules: ComparisonRules
    let difference: Difference
    let capabilities: Capabilities
    /// The record as the destination takes it, and those of its fields that are to be brought; `nil` for a
    /// deletion.
    let brought: Brought?

    var decision: Decision { triple.decide(intent, on: difference, rules, capabilities) }

    /// Whether others changed fields beside those that are wanted, so that the revision tells nothing of them.
    var isChangedBeside: Bool {
      guard case .fields(let names) = difference.remote, let wanted = triple.wanted.record else {
        return false
      }
      return !names.allSatisfy(wanted.shows)
    }
  }

  /// What a change brings.
  struct Brought {
    let form: WireForm
    let members: [WireMember]
  }

  /// Decides by its record, as it was read, whether a change or a deletion is sent, or has arrived that was begun.
  func checked(
    _ operation: Operation,
    _ known: KnownRecord?,
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Reading {
    let before = operation.state == .planned ? nil : try reader.before(of: operation)
    let check =
      if let before { try arrival(of: operation, known, over: before, current) } else {
        try precondition(of: operation, known, over: current)
      }
    let ready = Reading.ready(
      before: kept(current.body),
      version: operation.expecting(current.version)
    )
    switch check.decision {
    case .update(let update):
      try tellFixed(update.createOnly, operation)
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
  ) throws(WireRefusal) -> (sent: [WireMember], form: WireForm) {
    let known = try reader.ask { checkpoint throws(CheckpointError) in
      try checkpoint.known(operation.record)
    }
    let seen = RemoteRecord(serverID: "", version: operation.remoteVersion, body: row)
    let check = try precondition(of: operation, known, over: seen)
    guard case .update(let update) = check.decision, let brought = check.brought else {
      throw WireRefusal(conflict: Conflict.remotelyChanged([]).words)
    }
    return (brought.members.filter { update.fields[$0.name] != nil }, brought.form)
  }

  // MARK: - The questions

  /// The question whether a request whose answer was lost has arrived.
  ///
  /// The record as it stood before is the base, and the fields that were sent are wanted.
  private func arrival(
    of operation: Operation,
    _ known: KnownRecord?,
    over before: [UInt8],
    _ current: RemoteRecord
  ) throws(WireRefusal) -> Check {
    let row = RemoteRecord(
      serverID: current.serverID,
      version: operation.remoteVersion,
      body: before
    )
    let sent = try precondition(of: operation, known, over: row)
    guard case .present(let then, let source) = sent.triple.remote else {
      preconditionFailure("what stood before an operation was read")
    }
    var now = wires[operation.record.entity].copy(of: current, isAlone: source == .single)
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
      remote: .present(now, source)
    )
    return Check(
      intent: .lookUp,
      triple: triple,
      rules: sent.rules,
      difference: triple.difference(sent.rules),
      capabilities: sent.capabilities,
      brought: sent.brought
    )
  }

  /// The question whether an operation may be sent over a record as it was read; what the plan saw is the base.
  ///
  /// Whoever is to win, what was changed since is a conflict: the next run decides about it.
  private func precondition(
    of operation: Operation,
    _ known: KnownRecord?,
    over current: RemoteRecord
  ) throws(WireRefusal) -> Check {
    let entity = operation.record.entity
    let wire = wires[entity]
    let brought = try brought(by: operation, over: current.body)
    let wanted = brought.map { wire.copy(of: $0.members) }
    var rules = wire.comparisonRules(
      judgesIdentity: reader.makesIdentities(of: entity) && wire.hasLastingKey
    )
    if operation.action == .update { rules.fields.subtract(try leftEmpty(by: operation)) }
    let isAlone = isShownWhole(entity)
    let names = rules.fields.filter { wanted?.shows($0) ?? true }
    let read = wire.copy(of: current, isAlone: isAlone)
    let isJudged = operation.action != .complete || !rules.naturalKey.isEmpty
    let agreed = isJudged ? try agreed(on: operation, known, read, stating: names) : nil
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
      let there = wire.object(current.body) ?? JSONObject()
      if mark.isAlone {
        let own = wanted == nil ? [] : names
        rules.fields.formIntersection(own.union(mark.names).union(rules.naturalKey))
      }
      base = PreconditionBase(
        read,
        keptContentOf: Set(mark.names),
        alone: mark.isAlone,
        isSame: wire.program.contentDigest(of: mark.names, in: there) == mark.digest,
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
      let late = Set(wire.program.lateReferences).union(wire.program.fileLinks)
      base.expectLate(operation.action == .complete ? names : late.intersection(names))
      rules.fields = rules.fields.filter(base.tells)
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
      brought: brought
    )
  }

  /// What a change brings over a record; `nil` for a deletion.
  ///
  /// What the destination takes only with a create is compared as well, as long as nothing was sent.
  private func brought(
    by operation: Operation,
    over row: [UInt8]
  ) throws(WireRefusal) -> Brought? {
    guard !operation.action.removes else { return nil }
    let form = try reader.form(of: operation, over: row)
    let mayBeSent = operation.wasBegun || operation.before != nil
    guard operation.action == .complete else {
      return Brought(form: form, members: mayBeSent ? form.update : form.whole)
    }
    var members = try completion(form, operation)
    if !mayBeSent, try !isMadeByRun(of: operation) {
      let links = wires[operation.record.entity].program.fileLinks
      members += form.whole.filter { link in
        links.contains(link.name) && !members.contains { $0.name == link.name }
      }
    }
    return Brought(form: form, members: members)
  }

  /// The fields that a change leaves as they stand, as the plan found them empty.
  private func leftEmpty(by operation: Operation) throws(WireRefusal) -> Set<String> {
    Set(try reader.overrides(of: operation)?.members.filter(\.value.isNull).map(\.name) ?? [])
  }

  /// What both sides last agreed on; where nothing was kept of that, what the store has of a record that is to be
  /// deleted whatever its revision.
  private func agreed(
    on operation: Operation,
    _ known: KnownRecord?,
    _ read: RecordCopy,
    stating names: Set<String>
  ) throws(WireRefusal) -> RecordCopy? {
    let record = operation.record
    guard let known, known.serverID != nil, let image = try reader.base(of: record, known) else {
      return try operation.action == .delete && operation.version == nil ? row(of: operation) : nil
    }
    do throws(WireFault) {
      return try wires[record.entity]
        .agreed(image, of: known, reader.resolver, read: .present(read, .single), stating: names)
    } catch {
      throw WireRefusal(error)
    }
  }

  /// What the store has of the record of an operation; `nil` where that cannot be told, as it names what is not at
  /// the destination.
  private func row(of operation: Operation) throws(WireRefusal) -> RecordCopy? {
    guard operation.source != nil, package != nil else { return nil }
    do throws(WireRefusal) {
      return wires[operation.record.entity].copy(of: try reader.form(of: operation).whole)
    } catch {
      if error.isPassing || error.package != nil { throw error }
      return nil
    }
  }

  private func capabilities(for operation: Operation) -> Capabilities {
    let entity = operation.record.entity
    var capabilities = capabilities(of: entity)
    if let version = operation.remoteVersion, !version.hasPrefix("W/"),
      wires[entity].program.api.delete?.ifMatch == true
    {
      capabilities.insert(.conditionalWrite)
    }
    return capabilities
  }
}

extension OperationDesk.Check {
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
      .stillPresent, .replaced, .restored, .fieldNotListed, .recordNotListed, .unreadable,
      .noRoute, .createOnly, .deferred, .deletedByThisRun:
      return conflict.words
    }
  }
}

extension Conflict {
  /// Why nothing is sent.
  var words: String {
    switch self {
    case .bothChanged, .withoutBase, .deletedLocally, .remotelyChanged, .stillPresent:
      "it was changed at the destination since"
    case .remotelyDeleted: "it is no longer at the destination"
    case .replaced: .anotherStands
    case .restored: "the destination has an earlier state of it again"
    case .fieldNotListed(let names):
      "the destination does not show \(names.inWords), so that a change of it there is not excluded"
    case .recordNotListed: PlanDecision.unlisted
    case .unreadable(let reason): .unreadable(reason)
    case .noRoute: "the destination has no route that changes it"
    case .createOnly(let names):
      "the destination takes \(names.inWords) only when a record is made"
    case .deferred(let names): "\(names.inWords) names what is not at the destination"
    case .deletedByThisRun: "the run deleted it"
    }
  }
}

extension Set<String> {
  fileprivate var inWords: String { sorted().joined(separator: ", ") }
}
