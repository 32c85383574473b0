import Checkpoint
import DestinationModel
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import SyncReading
import TextCodecs
import UploadPlanning

// What is to be done about a record, as Reconciliation decides it, in the words of a plan.

extension UploadPlanner {
  /// A question about one record, and what the answer is made of.
  struct Question {
    let record: LocalRecord
    let triple: RecordTriple
    var rules: ComparisonRules
    let difference: Difference
    let capabilities: Capabilities
    /// The fields that are sent once what they name is at the destination.
    let pendingNames: Set<String>
    /// The fields in which a record that was found has addresses of which nothing says what lies there.
    let leftNames: Set<String>
    /// Where the record is at the destination.
    let serverID: String?

    func answer(_ policy: ConflictPolicy) -> Decision {
      triple.decide(.plan(policy), on: difference, rules, capabilities)
    }
  }

  /// How many earlier states of a record at the destination are looked back on.
  private static let lookBack = 20

  /// What is to be done about the record in question; `nil` where the destination has to be asked
  /// for it alone first.
  func settled(
    _ question: Question,
    _ policy: ConflictPolicy
  ) throws -> SettledDecision? {
    if let place = question.record.known?.serverID, case .present = question.triple.remote,
      let other = try reader.sharer(of: question.record.id, at: place)
    {
      return SettledDecision(decision: .conflict(reason: other.sharedWords))
    }
    return try settled(question.answer(policy), question, policy)
  }

  // MARK: - The question

  /// The question what is to be done about a record, of which `isRemade` says whether it is made
  /// again where it is gone.
  func question(
    about record: LocalRecord,
    _ counterpart: Counterpart,
    isRemade: Bool,
    _ policy: ConflictPolicy,
    answer: ConflictRules.FieldRule? = nil
  ) throws -> Question {
    let entity = record.id.entity
    let mapping = reader.mappings[entity]
    let rules = mapping.comparisonRules(
      judgesIdentity: reader.makesIdentities(of: entity) && mapping.hasLastingKey,
      answer: answer
    )
    let wanted = try wantedCopy(of: record)
    var claim = SyncClaim(
      record.claim,
      isKnown: record.known == nil || counterpart != .absent
    )
    var remote = try remoteCopy(of: record, counterpart)
    let isMadeAnew = isRemade && counterpart == .absent
    let isOlderCopy = try !isMadeAnew && isSuperseded(record)
    if isMadeAnew { claim.hasRemoteID = false }
    var base = isMadeAnew ? nil : try reconciledBase(of: record, wanted, remote, rules)
    if base == nil || isOlderCopy {
      base = try base ?? deletedRow(record, counterpart, remote)
      try hold(record, counterpart, &claim, &remote, isOlderCopy: isOlderCopy)
    }
    var triple = RecordTriple(
      base: base,
      isOlderCopy: isOlderCopy,
      wanted: wanted,
      remote: remote,
      beforeImages: counterpart.serverID == nil ? [] : try beforeImages(of: record),
      claim: claim,
      refused: try refusedChanges(of: record, wanted)
    )
    let left = untellable(record, remote, policy)
    if triple.base == nil, !isOlderCopy {
      expectDeferred(of: entity, &triple, rules, leaving: left)
    }
    var difference = triple.difference(rules)
    let pendingNames = pendingFields(of: triple, difference, record, policy)
    if !pendingNames.isEmpty {
      triple.sendPending(pendingNames)
      difference = triple.difference(rules)
    }
    return Question(
      record: record,
      triple: triple,
      rules: rules,
      difference: difference,
      capabilities: capabilities(of: record, counterpart),
      pendingNames: pendingNames,
      leftNames: left,
      serverID: counterpart.serverID ?? record.serverID
    )
  }

  private func wantedCopy(of record: LocalRecord) throws -> LocalCopy {
    let row = try row(of: record)
    return record.claim.isDeleted ? .absent(deletedAt: row.modifiedAt) : .record(row)
  }

  private func row(of record: LocalRecord) throws -> RecordCopy {
    let mapping = reader.mappings[record.id.entity]
    return mapping.copy(
      of: try statement(of: record),
      record.plain,
      naming: try unsent(record),
      changedAt: mapping.program.api.conflict.newest
        .flatMap { record.read.text(of: $0.local) }.flatMap { Timestamp.microseconds($0) }
    )
  }

  /// What was last agreed on about a record that its user deleted, where no run knows that: what
  /// the app has seen of it, else the row that the app keeps until the server has heard of the deletion.
  private func deletedRow(
    _ record: LocalRecord,
    _ counterpart: Counterpart,
    _ remote: RemoteCopy
  ) throws -> RecordTriple.Base? {
    guard record.claim.isDeleted,
      case .present(let copy, _) = remote, counterpart.serverID == record.serverID
    else { return nil }
    return RecordTriple.Base(
      try holds(record, counterpart) == true ? copy : try row(of: record)
    )
  }

  /// Has the fields of a record that was found at the destination, which it may be given only
  /// later, compared as such that are to come: those that it lacks, and those that are `left` as
  /// they are there.
  private func expectDeferred(
    of entity: EntityName,
    _ triple: inout RecordTriple,
    _ rules: ComparisonRules,
    leaving left: Set<String>
  ) {
    guard case .record(var wanted) = triple.wanted, case .present(let remote, _) = triple.remote
    else { return }
    for name in reader.mappings[entity].program.deferredFields where wanted.shows(name) {
      let isLacking = rules.isEqual(name, remote[name] ?? .null, .null)
      if isLacking || left.contains(name) { wanted.makePending(name) }
    }
    triple.wanted = .record(wanted)
  }

  /// The fields which name what this run brings to the destination first, and which it then sends: those that
  /// the store changed, or where its own wins over what is there.
  private func pendingFields(
    of triple: RecordTriple,
    _ difference: Difference,
    _ record: LocalRecord,
    _ policy: ConflictPolicy
  ) -> Set<String> {
    switch difference.local {
    case .fields(let names): return names.intersection(difference.deferred)
    case .withoutBase:
      guard policy == .local, case .present(let remote, _) = triple.remote else { return [] }
      let fixed = Set(record.read.fileLinks.filter(\.isFixed).map(\.name))
      return difference.deferred.subtracting(fixed).filter { name in
        remote[name].map { $0 != .null } ?? false
      }
    case .unchanged, .deleted: return []
    }
  }

  /// Says in one form whether the app last saw the content at the destination.
  ///
  /// An older copy of the store has its queue again as well: a change that a run has carried says nothing.
  private func hold(
    _ record: LocalRecord,
    _ counterpart: Counterpart,
    _ claim: inout SyncClaim,
    _ remote: inout RemoteCopy,
    isOlderCopy: Bool
  ) throws {
    guard case .present(var copy, let source) = remote else { return }
    var holds = counterpart.serverID == record.serverID ? try holds(record, counterpart) : nil
    if isOlderCopy, record.claim.base == nil, try hasCarriedQueue(record) { holds = nil }
    switch holds {
    case nil: claim.lastSeen = nil
    case false?: claim.lastSeen = .revision("")
    case true?:
      claim.lastSeen = .modifiedAt(.max)
      copy.modifiedAt = copy.modifiedAt ?? .min
      remote = .present(copy, source)
      return
    }
    // What the app calls synced is what a run sent and a rollback reversed.
    if claim.state == .synced, record.known?.serverID != nil, try isRestored(record) {
      claim.state = nil
    }
  }

  private func capabilities(
    of record: LocalRecord,
    _ counterpart: Counterpart
  ) -> Capabilities {
    let entity = record.id.entity
    var capabilities: Capabilities = []
    if reader.traits.carriesOut(.update, on: entity) { capabilities.insert(.update) }
    if canDelete(entity) { capabilities.insert(.delete) }
    // What was read alone cannot be read better, and what the list leaves out was asked for already.
    let isFinal = record.isReadAlone || counterpart == .unlisted
    if isAskedAlone(entity), !options.isOffline, !isFinal {
      capabilities.insert(.readOne)
    }
    if reader.mappings[entity].isReplacing { capabilities.insert(.replacesWhole) }
    return capabilities
  }

  private func remoteCopy(
    of record: LocalRecord,
    _ counterpart: Counterpart
  ) throws -> RemoteCopy {
    switch counterpart {
    case .notAsked: return .notRead
    case .unlisted: return .notListed
    case .absent: return .absent
    case .there(let serverID, _):
      guard let remote = try remote(serverID, of: record) else { return .notRead }
      if let denial = remote.denial { return .unreadable(reason: denial) }
      let entity = record.id.entity
      let isWhole = record.isReadAlone || reader.listsWhole(entity)
      let copy = reader.mappings[entity].copy(of: remote, isAlone: isWhole)
      return .present(copy, record.isReadAlone ? .single : .list)
    }
  }

  /// Whether the store has a record again as it was agreed on before other content was.
  private func isSuperseded(_ record: LocalRecord) throws -> Bool {
    guard let known = record.known, known.serverID != nil, !record.claim.isDeleted,
      record.plain.digest != known.requestDigest
    else { return false }
    return try checkpoint.isSuperseded(record.id, record.plain.digest)
  }

  /// What was last agreed on; where only its digest was kept, what that and the revision say.
  private func reconciledBase(
    of record: LocalRecord,
    _ wanted: LocalCopy,
    _ remote: RemoteCopy,
    _ rules: ComparisonRules
  ) throws -> RecordTriple.Base? {
    guard let known = record.known, known.serverID != nil else { return nil }
    let mapping = reader.mappings[record.id.entity]
    let restored = try checkpoint.restored(record.id)
    let isRestored = restored != nil
    if let image = try base(of: record.id, known) {
      var base = try lookingUp(mapping.base(image, of: known, resolver, read: remote))
      if options.conflictPolicy == .local { base.reopen(besides: rules.createOnly) }
      if let restored, !restored.isOurs { base.remote.revision = nil }
      try setAltered(in: &base, known, record, remote, rules)
      return base
    }
    if case .present(let copy, _) = remote, copy.revision != nil, copy.revision == known.version {
      let isOurs =
        try restored.map { try $0.isOurs || isKnown(copy, as: known, of: record) } ?? true
      if isOurs { return RecordTriple.Base(copy) }
    }
    if isRestored { return nil }
    var base = mapping.base(of: known, record.plain, wanted: wanted, read: remote)
    try setAltered(in: &base, known, record, remote, rules)
    return base
  }

  /// Says which fields the destination altered.
  ///
  /// Where a person has the destination's values taken over, they are its own change. Where the store's are to win,
  /// they are sent again.
  private func setAltered(
    in base: inout RecordTriple.Base,
    _ known: SyncState,
    _ record: LocalRecord,
    _ remote: RemoteCopy,
    _ rules: ComparisonRules
  ) throws {
    guard case .present(let copy, _) = remote else { return }
    let altered = try checkpoint.altered(of: record.id, known)
    if altered.isEmpty { return }
    if options.settlesAltered(by: .remote) {
      base.remote.revision = nil
    } else {
      base.altered = altered
      if options.settlesAltered(by: .local) { base.sendAltered(in: copy, rules) }
    }
  }

  /// Whether the content at the destination has the digest of what a run sent there: that of the
  /// record as it is now, but for the fields in which the destination differs.
  private func isKnown(
    _ copy: RecordCopy,
    as known: SyncState,
    of record: LocalRecord
  ) throws -> Bool {
    let mapping = reader.mappings[record.id.entity]
    let rules = mapping.comparisonRules(judgesIdentity: false)
    let here = mapping.program.image(of: try statement(of: record).whole)
    func digest(_ members: [RequestField]) -> Digest {
      let there = members.map { (member: RequestField) -> RequestField in
        guard let there = copy[member.name]?.json,
          !rules.isEqual(member.name, FieldValue(here[member.name] ?? .null), FieldValue(there))
        else { return member }
        return RequestField(name: member.name, value: there.canonicalBytes)
      }
      return mapping.program.digest(of: there)
    }
    if digest(record.plain.whole) == known.requestDigest { return true }
    // A run made it that did not complete it, or rolled back what completed it.
    let isIncomplete = record.plain.complete.allSatisfy { (copy[$0.name] ?? .null) == .null }
    return isIncomplete && digest(record.plain.create) == known.requestDigest
  }

  /// Whether a rollback put back the content at the destination: its revision is known for that
  /// alone, and the content may be anybody's.
  private func isRestored(_ record: LocalRecord) throws -> Bool {
    try checkpoint.restored(record.id) != nil
  }

  private func beforeImages(of record: LocalRecord) throws -> [RecordCopy] {
    guard record.known?.serverID != nil else { return [] }
    let mapping = reader.mappings[record.id.entity]
    let changes = try checkpoint.lastChanges(of: record.id, limit: Self.lookBack)
    return changes.compactMap { change, _ in
      before(change).map { mapping.copy(ofBefore: $0) }
    }
  }

  /// The changes of a record that the destination refused since both sides last agreed.
  private func refusedChanges(
    of record: LocalRecord,
    _ wanted: LocalCopy
  ) throws -> RecordTriple.RefusedChanges? {
    guard let known = record.known, known.serverID != nil, !record.claim.isDeleted else {
      return nil
    }
    let refused = try checkpoint.refusedChanges(of: record.id)
    guard let first = refused.first, let before = before(first.change) else { return nil }
    return RecordTriple.RefusedChanges(
      before: reader.mappings[record.id.entity].copy(ofBefore: before),
      sent: try refused.compactMap { change, requestDigest in
        if requestDigest == record.plain.digest { return wanted.record }
        return try content(of: change, requestDigest, over: known)
      }
    )
  }

  /// What a change was to make of its record; `nil` where that was not kept.
  private func content(
    of change: Operation,
    _ requestDigest: Digest,
    over known: SyncState
  ) throws -> RecordCopy? {
    guard
      let image = try checkpoint.image(of: change.record, content: change.content)?
        .opened(by: reader.values),
      image.requestDigest == requestDigest
    else { return nil }
    let sent = SyncState(
      serverID: known.serverID,
      version: known.version,
      content: image.content,
      requestDigest: image.requestDigest,
      generation: known.generation
    )
    let mapping = reader.mappings[change.record.entity]
    return try lookingUp(mapping.base(image, of: sent, resolver, read: .notRead)).remote
  }

  // MARK: - The answer

  /// What is planned of a record that cannot be read now: the reading right before the request decides.
  func settledUnread(_ question: Question, _ policy: ConflictPolicy) -> SettledDecision {
    let record = question.record
    if question.triple.isOlderCopy {
      if question.triple.claim?.state == .synced { return SettledDecision(decision: .unchanged) }
      if policy != .local {
        return SettledDecision(decision: .conflict(reason: .isRestoredHereUnread))
      }
    }
    guard let serverID = question.serverID else { return SettledDecision(decision: .create) }
    let version = record.known?.version ?? record.claim.seenRevision
    if record.claim.isDeleted {
      return SettledDecision(decision: .delete(serverID: serverID, version: record.known?.version))
    }
    if record.known?.serverID == nil, record.claim.meaning == .synced {
      return SettledDecision(decision: .adopt(serverID: serverID, version: version))
    }
    return SettledDecision(decision: .update(serverID: serverID, version: version))
  }

  private func settled(
    _ decision: Decision,
    _ question: Question,
    _ policy: ConflictPolicy
  ) throws -> SettledDecision? {
    let record = question.record
    switch decision {
    case .readFirst: return nil
    case .create:
      let isUnnamed = try options.conflictPolicy != .local && checkpoint.isUnnamed(record.id)
      return SettledDecision(decision: isUnnamed ? .conflict(reason: .isUnnamed) : .create)
    case .unchanged where record.claim.isDeleted: return .leaving(.alreadyGone)
    case .unchanged, .keptRemote(.earlier): return SettledDecision(decision: .unchanged)
    case .skip(.noDeleteRoute): return .leaving(.noDeletion)
    case .skip(.untracked): return .leaving(.neverSent)
    case .conflict(let conflict):
      if conflict == .replaced { unsent.insert(record.id) }
      return SettledDecision(decision: .conflict(reason: question.triple.words(conflict)))
    case .ask(let conflict): return try asked(conflict, question, policy)
    case .adopt, .remoteNewer, .update, .delete, .keptRemote(.now): break
    }
    guard let place = question.place else {
      preconditionFailure("the content at the destination has an identity")
    }
    switch decision {
    case .adopt:
      return SettledDecision(
        decision: .adopt(serverID: place.serverID, version: place.version),
        sent: question.agreedOverrides()
      )
    case .remoteNewer where record.known?.serverID != nil:
      return SettledDecision(decision: .unchanged)
    case .remoteNewer:
      return SettledDecision(
        // A revision that the app does not state equals no other.
        decision: .remoteNewer(serverID: place.serverID, version: record.claim.seenRevision ?? ""),
        sent: question.overrides(keepsPending: true)
      )
    case .update(let update): return question.settled(by: update, place, policy)
    case .delete: return SettledDecision(decision: place.local(true))
    case .keptRemote(.now):
      return SettledDecision(
        decision: place.keepRemote(question.triple.words(keepingRemoteBy: policy)),
        sent: question.overrides(keepsPending: true),
        findings: policy == .merge ? question.losses(of: question.theirs, isHere: true) : []
      )
    case .readFirst, .create, .unchanged, .keptRemote(.earlier), .skip, .conflict, .ask:
      preconditionFailure("it was settled above")
    }
  }

  /// Takes a person's answer, or writes the conflict down for one.
  private func asked(
    _ conflict: Conflict,
    _ question: Question,
    _ policy: ConflictPolicy
  ) throws -> SettledDecision? {
    var reason = question.triple.words(conflict)
    // A profile's rule asks for one field of a record that is merged.
    let isField = policy == .merge
    if isField, case .bothChanged(let names) = conflict {
      reason += ", in \(names.sorted().joined(separator: ", "))"
    }
    guard let place = question.place?.with(reason: reason) else {
      return SettledDecision(decision: .conflict(reason: reason))
    }
    let written = try askedConflict(place, question)
    let answer = asked.answer(to: written)
    if let answer, !written.answers.contains(answer) {
      asked.add(written)
      let words = reason + asked.refusal(of: answer, written)
      return SettledDecision(decision: .conflict(reason: words))
    }
    switch answer {
    case .local where isField: return try merged(question, answer: .local)
    case .remote where isField: return try merged(question, answer: .remote)
    case .merge: return try merged(question, answer: .remote)
    case .local: return try settled(question.answer(.local), question, .local)
    case .remote: return leaving(place, question)
    case nil:
      asked.add(written)
      return SettledDecision(decision: .conflict(reason: reason + asked.undecidedWords))
    }
  }

  private func merged(
    _ question: Question,
    answer: ConflictRules.FieldRule
  ) throws -> SettledDecision? {
    var question = question
    let entity = question.record.id.entity
    question.rules = reader.mappings[entity].comparisonRules(judgesIdentity: false, answer: answer)
    return try settled(question.answer(.merge), question, .merge)
  }

  /// The content at the destination stays, as a person decided.
  private func leaving(_ place: ConflictCase, _ question: Question) -> SettledDecision {
    let record = question.record
    let findings = [Finding.decided(record.id, place.reason)]
    // A deletion that gave way is not agreed on: the next run must not carry it out.
    if record.claim.isDeleted { return SettledDecision(decision: .unchanged, findings: findings) }
    return SettledDecision(
      decision: .adopt(serverID: place.serverID, version: place.version),
      sent: question.overrides(keepsPending: true),
      findings: findings
    )
  }
}

extension UploadPlanner.Question {
  /// Where the record is at the destination, and the revision that the plan is made on.
  var place: ConflictCase? {
    serverID.map {
      ConflictCase(
        serverID: $0,
        version: triple.remoteRevision ?? seenRevision,
        reason: triple.words(.bothChanged([]))
      )
    }
  }

  /// The revision that is known, where the copy that the plan saw shows none and no change.
  private var seenRevision: String? {
    switch difference.remote {
    case .notRead, .notListed, .unchanged, .undecidable: record.known?.version
    case .absent, .unreadable, .withoutBase, .fields, .restored: nil
    }
  }

  /// The fields that the remote changed, or in which it differs where no agreement is known.
  fileprivate var theirs: Set<String> {
    switch difference.remote {
    case .fields(let names): names.intersection(difference.outstanding)
    case .withoutBase: difference.outstanding
    case .notRead, .notListed, .absent, .unreadable, .unchanged, .restored, .undecidable: []
    }
  }

  /// The values that are at the destination where that is not what the record says; of the fields that name
  /// what is not there yet only where these are left as they are.
  func overrides(
    besides sent: [String: FieldValue] = [:],
    keepsPending: Bool
  ) -> JSONObject {
    var object = JSONObject()
    guard let wanted = triple.wanted.record, case .present(let remote, _) = triple.remote else {
      return object
    }
    for name in rules.fields.sorted() {
      guard let value = wanted[name], let isKept = sent[name] ?? remote[name],
        value != isKept, !rules.isEqual(name, value, isKept)
      else { continue }
      if case .pending = value, !keepsPending { continue }
      object[name] = isKept.json
    }
    return object
  }

  /// The same but for what the destination did not take: that it stays there was not agreed on.
  func agreedOverrides(
    besides sent: [String: FieldValue] = [:],
    keepsPending: Bool = false
  ) -> JSONObject {
    var object = overrides(besides: sent, keepsPending: keepsPending)
    for name in triple.untakenFields(rules).subtracting(record.read.program.fileLinks) {
      object[name] = nil
    }
    return object
  }

  /// Whether the destination shows something else than is wanted.
  var differs: Bool {
    switch difference.remote {
    case .notRead, .notListed, .absent: false
    case .unreadable, .restored: true
    case .withoutBase, .unchanged, .fields, .undecidable: !difference.outstanding.isEmpty
    }
  }

  /// Whether nothing but the content that the plan saw says what a request is made on: no revision
  /// does, and the content is not what was last agreed on.
  var isSeenAlone: Bool {
    guard triple.remoteRevision == nil else { return false }
    switch difference.remote {
    case .fields, .restored: return true
    case .unchanged, .undecidable: return !triple.untakenFields(rules).isEmpty
    case .withoutBase, .notRead, .notListed, .absent, .unreadable: return false
    }
  }

  /// What a record that was found and is adopted still has to be given; `nil` where it is there as a whole.
  var lack: DraftMaker.Lack? {
    let names = difference.deferred.subtracting(leftNames)
    guard record.known?.serverID == nil, !names.isEmpty,
      case .present(let remote, _) = triple.remote
    else { return nil }
    return names.contains { (remote[$0] ?? .null) != .null } ? .unknown : .empty
  }

  fileprivate func settled(
    by update: Decision.Update,
    _ place: ConflictCase,
    _ policy: ConflictPolicy
  ) -> SettledDecision {
    let sent = agreedOverrides(besides: update.fields)
    // A list cannot be joined before all that it names is at the destination.
    let waiting = pendingNames.filter { update.fields[$0] != nil && sent[$0] != nil }
    guard waiting.isEmpty else {
      let names = waiting.sorted().joined(separator: ", ")
      return SettledDecision(
        decision: .conflict(
          reason: "\(place.reason), and \(names) names a record that this run creates"
        )
      )
    }
    var findings: [Finding] = []
    if policy == .merge {
      let own = theirs.intersection(update.fields.keys).filter { sent[$0] == nil }
      findings = losses(of: update.lost, isHere: true) + losses(of: own, isHere: false)
    }
    return SettledDecision(decision: place.local(false), sent: sent, findings: findings)
  }

  /// The values that both sides had changed and that are not.
  fileprivate func losses(of names: Set<String>, isHere: Bool) -> [Finding] {
    names.sorted().map { .merged(record.id, member: $0, isHere: isHere) }
  }
}

extension RecordTriple {
  /// Has these fields, whose values name what is not at the destination yet, compared as values
  /// that are not there.
  fileprivate mutating func sendPending(_ names: Set<String>) {
    guard case .record(var wanted) = wanted else { return }
    for name in names {
      guard case .pending(.record(let key)) = wanted[name] else { continue }
      wanted.fields[name] = .value(JSONValue.string(key).canonicalBytes)
    }
    self.wanted = .record(wanted)
  }

  fileprivate var remoteRevision: String? {
    if case .present(let copy, _) = remote { copy.revision } else { nil }
  }
}

extension RecordTriple.Base {
  /// Has what earlier conflicts kept at the destination sent after all, as a person asks for, but
  /// for fields that the destination takes only with a create.
  fileprivate mutating func reopen(besides fixed: Set<String>) {
    guard isKeptRemote else { return }
    isKeptRemote = false
    guard case .record(var copy) = local else {
      local = .record(remote)
      return
    }
    for (name, value) in remote.fields where !fixed.contains(name) { copy.show(value, in: name) }
    local = .record(copy)
  }
}

extension SettledDecision {
  fileprivate static func leaving(_ reason: SkipReason) -> SettledDecision {
    SettledDecision(decision: .skip(reason))
  }
}

extension SourceClaim {
  /// The revision that the app last saw.
  fileprivate var seenRevision: String? {
    if case .version(let seen) = base { seen } else { nil }
  }
}
