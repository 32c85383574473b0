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
import ScratchFiles

/// A record of the package, with what a plan has to know of it.
struct LocalRecord {
  let id: RecordID
  let read: MappedRecord
  /// Its fields with references as the package has them.
  let plain: RequestFieldSet
  let content: Digest
  let source: RecordSource
  /// What runs made known of it, where it is still there.
  var known: SyncState?
  let claim: SourceClaim
  /// Whether it was read at the destination by itself, as no list has its version.
  var isReadAlone = false

  /// The server's identity, as a run or the app itself knows it.
  var serverID: String? { known?.serverID ?? claim.serverID }
}

extension UploadPlanner {
  /// Adds what belongs to a record that is what was last agreed on, and was not sent.
  func addWhatBelongs(
    to record: UntouchedRecords.Finding,
    _ source: RecordSource,
    in pass: inout EntityPass
  ) throws {
    pass.note(record.unmapped, shortened: record.shortened)
    try addMedia(try filesToSend(of: record), of: record.id, source, in: &pass)
  }

  /// Decides about one record, and adds what comes of it.
  func plan(
    _ line: [UInt8],
    _ source: RecordSource,
    in pass: inout EntityPass
  ) throws {
    var read: MappedRecord
    var key: String?
    do throws(MappingError) {
      read = try reader.mappings[pass.entity].record(line)
      key = read.key
      if key == nil { throw MappingError(code: "record.key", reason: "it has no key") }
    } catch {
      return reject(key, error, in: &pass)
    }
    guard let key else { return }
    if let turn = pass.turn, reader.mappings[pass.entity].turn(of: read) != turn { return }
    let id = RecordID(entity: pass.entity, key: key)
    // A record is found once more where those that is unknown wait for the whole reading.
    if read.queued != nil, pass.queued[id] == nil { pass.queued[id] = .missed(.unsent) }
    let known = try checkpoint.known(id)
    let isKnown = known?.serverID != nil
    if isKnown, pass.stage != .deferred { pass.matches.matchedCount += 1 }
    if try isQuarantined(id) {
      return pass.reject(
        key,
        MappingError(code: MappingError.quarantined, reason: "it is not valid and is quarantined")
      )
    }
    switch pass.rule.absence(of: read) {
    case .unmapped(let missing)?: return pass.leaveOut(key, without: missing, isSent: isKnown)
    case .left(let reason)?:
      if pass.stage != .deferred { pass.leave(key, reason) }
      return
    case nil: break
    }
    if isKnown, pass.stage == .deferred { return }
    let content = OperationKey.digest(of: line)
    let plain: RequestFieldSet
    do throws(MappingError) {
      read = try reader.mappings[pass.entity].record(line, carriedAs: known) ?? read
      plain = try read.form(.planning)
    } catch {
      if isKnown { pass.isTroubled = true }
      return reject(key, error, isPlaced: isKnown, in: &pass)
    }
    if !isKnown, pass.stage == .known {
      pass.deferredCount += 1
      return
    }
    if !isKnown { try match(&pass) }
    pass.note(read.unmapped, shortened: read.shortened)
    let claim = try located(read.claim, id)
    if known == nil, try isShared(claim, id) {
      unsent.insert(id)
      return pass.refuse(
        key,
        MappingError(
          code: "record.shared-identity",
          reason: "another record of the store has the same remote identity"
        )
      )
    }
    if let unlisted = claim.unlisted { pass.unlisted[unlisted, default: 0] += 1 }
    let record = LocalRecord(
      id: id,
      read: read,
      plain: plain,
      content: content,
      source: source,
      known: known,
      claim: claim
    )
    if read.queued != nil { pass.queued[id] = .carried }
    try settle(record, in: &pass)
  }

  /// Decides about a record, and adds what comes of it and of its files.
  func settle(_ record: LocalRecord, in pass: inout EntityPass) throws {
    try addMedia(try decide(record, in: &pass), of: record.id, record.source, in: &pass)
    pass.isRemaking = false
  }

  /// What is to be done about a record, and what that is based on.
  private struct Answer {
    /// The record, as one that no run knows where another is in the place from which it is gone.
    let record: LocalRecord
    let counterpart: Counterpart
    /// `nil` where the record is not sent, whatever the destination has.
    let question: Question?
    let settled: SettledDecision
    /// Whether the destination's record could not be read, and is left until the app says that it changed it.
    var isUnreadOlder = false
  }

  /// Decides about a record by its three copies; `nil` where it is read alone first, and decided about then.
  private func answer(
    about given: LocalRecord,
    in pass: inout EntityPass
  ) throws -> Answer? {
    var record = given
    var counterpart = try counterpart(of: record, in: pass)
    if counterpart == .absent, let other = try successor(of: record, in: &pass) {
      counterpart = other
      record.known = nil
    }
    if let reason = record.claim.reasonToSkip(record.known) {
      return Answer(
        record: record,
        counterpart: counterpart,
        question: nil,
        settled: SettledDecision(decision: .skip(reason))
      )
    }
    let isRemade = counterpart == .absent ? try isRemade(record) : false
    var policy = policy(of: pass.entity)
    // What was deleted at the destination is made again only where a person asks for that.
    if counterpart == .absent, !isRemade, policy == .local { policy = .fail }
    let question = try question(about: record, counterpart, isRemade: isRemade, policy)
    pass.remember(counterpart, record.known, differs: question.differs)
    var settled = try settled(question, policy)
    // A list of changes does not show again what an earlier plan saw there and the app may have taken over.
    if counterpart == .notAsked, pass.hasRemoteContent, settled?.decision != .unchanged,
      question.serverID != nil, canRead(record, in: pass),
      try checkpoint.unansweredContent(of: record.id) != nil
    {
      settled = nil
    }
    if settled == nil, let serverID = question.serverID, canRead(record, in: pass) {
      pass.unread.append(
        UnreadRecord(id: record.id, source: record.source, serverID: serverID)
      )
      return nil
    }
    let decided = settled ?? settledUnread(question, policy)
    return Answer(
      record: record,
      counterpart: counterpart,
      question: question,
      settled: decided,
      isUnreadOlder: settled == nil && decided.decision == .unchanged
    )
  }

  /// Decides about a record; gives its files that are sent too.
  private func decide(
    _ given: LocalRecord,
    in pass: inout EntityPass
  ) throws -> [RecordMedia] {
    guard let answer = try answer(about: given, in: &pass) else { return [] }
    let record = answer.record
    var settled = answer.settled
    let policy = policy(of: pass.entity)
    let isOwnChange = settled.decision != .unchanged
    if let question = answer.question {
      try leaveAddresses(of: record, &settled, question, policy, in: &pass)
      try linkLater(&settled, question)
      try limitToQueued(&settled, question)
    }
    expectRoute(&settled, of: pass.entity)
    // What links a record to its file takes nothing along that another device changed.
    var decision = settled.decision
    if isOwnChange, let question = answer.question {
      decision = try expecting(decision, question, wins: policy == .local)
    }
    if try refuses(record, decision, in: &pass) { return [] }
    let isLeft = try settled.isDecided || leavesQueue(decision, answer.question)
    noteConflict(decision, given, isLeft: isLeft, in: &pass)
    if try goesWithDeleted(record, decision, answer.counterpart, in: pass) {
      decision = .skip(.parentDeleted)
    } else if try decision == .create && pass.hasLeft && dependsOnSkipped(record, in: pass) {
      decision = .skip(.parentLeft)
    }
    decision = try settlingFailure(answer, decision)
    if case .skip(let reason) = decision {
      noteRemoval(of: given, reason, in: &pass)
      switch reason {
      case .parentLeft, .parentDeleted, .noDeletion:
        if record.read.queued != nil { pass.queued[record.id] = .missed(.unsent) }
      case .ignored, .neverSent, .alreadyGone, .otherOwner, .unowned, .notChosen: break
      }
      pass.leave(record.id.key, reason)
      return []
    }
    if case .remoteNewer = decision { pass.remoteNewer += 1 }
    if isRemoteNewer(answer, decision) { pass.remoteNewer += 1 }
    if answer.isUnreadOlder, decision == .unchanged { pass.unreadOlder += 1 }
    var generation = given.known?.generation ?? 0
    if decision == .create, try isMadeAgain(given, in: pass) { pass.madeAgain += 1 }
    pass.isRemaking = decision == .create && given.known?.serverID != nil
    // Another store may have made what was found there, with the key of this generation.
    if pass.isRemaking { generation += 1 }
    let drafts = DraftMaker(
      record: record.id,
      content: record.content,
      form: record.plain,
      source: record.source,
      layout: pass.layout,
      generation: generation,
      origin: reader.traits.origin,
      isDeleted: record.claim.isDeleted,
      lack: answer.question?.lack
    )
    let made = drafts.make(decision)
    if made.adoption == nil, given.known?.serverID == nil {
      try noteMoved(to: answer.counterpart.serverID, in: &pass)
    }
    pass.step.add(made, for: record.id, reporting: settled.findings)
    if let image = try image(of: settled, record) { pass.step.images.append(image) }
    if let question = answer.question {
      try noteRemoteContent(of: question, settled, decision, in: &pass)
    }
    return try filesToSend(of: record, settled)
  }

  /// Whether only the destination changed a record that runs know.
  private func isRemoteNewer(_ answer: Answer, _ decision: PlanDecision) -> Bool {
    guard decision == .unchanged, let question = answer.question else { return false }
    return question.answer(policy(of: answer.record.id.entity)) == .remoteNewer
  }

  /// The agreement on a record that neither side changed, where an earlier change of it was not carried out: that
  /// is settled by it.
  private func settlingFailure(_ answer: Answer, _ decision: PlanDecision) throws -> PlanDecision {
    guard decision == .unchanged, let question = answer.question, question.lack == nil,
      let known = answer.record.known, let serverID = known.serverID,
      answer.record.plain.digest == known.requestDigest,
      case .present = question.triple.remote,
      try checkpoint.hasFailure(of: answer.record.id),
      question.answer(policy(of: answer.record.id.entity)) == .unchanged
    else { return decision }
    return .adopt(serverID: serverID, version: known.version)
  }

  /// Notes what a conflict keeps from being sent: the queued change of its record, and what names
  /// that, unless a run placed it.
  private func noteConflict(
    _ decision: PlanDecision,
    _ record: LocalRecord,
    isLeft: Bool,
    in pass: inout EntityPass
  ) {
    switch decision {
    case .conflict:
      if record.known?.serverID == nil { unsent.insert(record.id) }
    case .keptRemote: break
    case .create, .adopt, .update, .unchanged, .remoteNewer, .delete, .skip:
      guard isLeft else { return }
    }
    if record.read.queued != nil { pass.queued[record.id] = .missed(.conflicted) }
  }

  /// Has a record that went without a file, which was not taken then, linked to it by a change.
  private func linkLater(
    _ settled: inout SettledDecision,
    _ question: Question
  ) throws {
    let record = question.record
    guard let known = record.known, let serverID = known.serverID, !record.claim.isDeleted else {
      return
    }
    var unlinked = unlinkedMembers(of: record)
    guard !unlinked.isEmpty else { return }
    // Where another device's address is, and was left, none is missing.
    let left =
      settled.decision == .unchanged ? try leftAddresses(record.id, known) : settled.sent
    unlinked.removeAll { left[$0]?.text != nil }
    guard !unlinked.isEmpty else { return }
    switch settled.decision {
    case .unchanged:
      // All else stays as it is there.
      settled.sent = existing(question, left)
      settled.decision = try expecting(
        .update(serverID: serverID, version: question.place?.version),
        question,
        wins: false
      )
    case .adopt:
      settled.decision = .update(serverID: serverID, version: known.version)
    case .update: break
    case .create, .conflict, .keptRemote, .remoteNewer, .delete, .skip: return
    }
    for name in unlinked { settled.sent[name] = nil }
  }

  /// The members that are to link a record to files that are not at the destination; none where that
  /// cannot be said just now.
  private func unlinkedMembers(of record: LocalRecord) -> [String] {
    do throws(MappingError) { return try record.read.unlinkedMembers(resolver) } catch { return [] }
  }

  /// The content at the destination where that is not what the record says, and the addresses that were left;
  /// all that was left, where nothing was read.
  private func existing(_ question: Question, _ left: JSONObject) -> JSONObject {
    guard case .present = question.triple.remote else { return left }
    let links = reader.mappings[question.record.id.entity].program.fileLinks
    var existing = question.agreedOverrides(keepsPending: true)
    for member in left.members where links.contains(member.name) && existing[member.name] == nil {
      existing[member.name] = member.value
    }
    return existing
  }

  // MARK: - The counterpart at the destination

  /// The content at the destination in place of a record that is gone from where a run put it, where such
  /// records are made again: another device may have done so, or a backup have restored an earlier one.
  private func successor(
    of record: LocalRecord,
    in pass: inout EntityPass
  ) throws -> Counterpart? {
    guard record.known?.serverID != nil, pass.isWhole, try isRemade(record) else {
      return nil
    }
    try match(&pass)
    var forgotten = record
    forgotten.known = nil
    let other = try counterpart(of: forgotten, in: pass)
    return other == .absent ? nil : other
  }

  /// What the destination holds for a record, as far as it was read.
  private func counterpart(
    of record: LocalRecord,
    in pass: EntityPass
  ) throws -> Counterpart {
    let isKnown = record.serverID != nil
    if let serverID = record.serverID, try isGone(serverID, of: record.id.entity) {
      return .absent
    }
    let absence: Counterpart =
      !isKnown || record.isReadAlone
      ? .absent : pass.isDoubted ? .unlisted : pass.isWhole ? .absent : .notAsked
    if pass.isEmpty { return absence }
    let form: RequestFieldSet
    do throws(MappingError) {
      // What this store's own record lacks without its file is not what was wanted.
      form = try record.read.form((isKnown ? resolver.expectingFiles : resolver).leavingOpen())
    } catch {
      // A parent that is not at the destination yet: neither can the record be, or not the same.
      guard let serverID = record.serverID else { return .absent }
      guard let there = try self.remote(serverID, of: record) else { return absence }
      try take(there.serverID, for: record.id)
      return .there(serverID: there.serverID, version: there.version)
    }
    guard let remote = try remote(for: record, form: form) else { return absence }
    return .there(serverID: remote.serverID, version: remote.version)
  }

  /// Whether a record that neither a run nor the app knows at the destination would get a place from which
  /// one was removed, or one that a run had found there is gone: by a person, or by a run of another
  /// checkpoint, which nothing there distinguishes.
  private func isMadeAgain(
    _ record: LocalRecord,
    in pass: EntityPass
  ) throws -> Bool {
    if record.known?.serverID != nil { return !isLocalWanted }
    guard pass.hasGone, record.known == nil, record.claim.serverID == nil,
      case .id = reader.traits.replay[record.id.entity]
    else { return false }
    return try isGone(reader.mappings.clientID(of: record.id), of: record.id.entity)
  }

  /// Whether the destination said that a record is gone, and nothing newer is there.
  private func isGone(
    _ serverID: String,
    of entity: EntityName
  ) throws -> Bool {
    guard try snapshot.isGone(serverID, of: entity) else { return false }
    return try snapshot.record(serverID, of: entity) == nil
  }

  private func remote(
    for record: LocalRecord,
    form: RequestFieldSet
  ) throws -> RemoteRecord? {
    let entity = record.id.entity
    if let serverID = record.known?.serverID {
      return try snapshot.record(serverID, of: entity)
    }
    let matched = try snapshot.taken(by: record.id.key, of: entity)
    if let matched { return matched }
    let remote = try candidates(for: record.id, record.read, form).first
    if let remote { try take(remote.serverID, for: record.id) }
    return remote
  }

  /// Gives each record that is at the account with the very same content to its record here, so
  /// that a record of the same key and other content cannot take it.
  func matchSameContent(_ entity: EntityName) throws {
    let mapping = reader.mappings[entity]
    try reader.mappings.forEachRecord(of: entity, in: package) { line, _ in
      let read: MappedRecord
      let form: RequestFieldSet
      do throws(MappingError) {
        read = try mapping.record(line)
        form = try read.form(resolver.leavingOpen())
      } catch {
        // It is refused, with its reason, when its own turn comes.
        return
      }
      guard let key = read.key else { return }
      let id = RecordID(entity: entity, key: key)
      if let serverID = try checkpoint.known(id)?.serverID {
        if try !isReplaced(serverID, form, of: id) { try take(serverID, for: id) }
      } else if let same = try candidates(for: id, read, form).first(where: {
        mapping.isSame(form.whole, asRemote: $0.body)
      }) {
        try take(same.serverID, for: id)
      }
    }
  }

  /// Whether another record is where one was, which may be one of the store's too.
  private func isReplaced(
    _ serverID: String,
    _ form: RequestFieldSet,
    of id: RecordID
  ) throws -> Bool {
    let mapping = reader.mappings[id.entity]
    guard reader.makesIdentities(of: id.entity), mapping.hasLastingKey else { return false }
    let remote = try snapshot.record(serverID, of: id.entity)
    return remote.map { mapping.isReplaced($0.body, than: form.whole) } ?? false
  }

  /// The records of the account that may be this one and that no other has taken.
  private func candidates(
    for id: RecordID,
    _ read: MappedRecord,
    _ form: RequestFieldSet
  ) throws -> [RemoteRecord] {
    var place = read.serverID
    if case .id = reader.traits.replay[id.entity] {
      place = place ?? reader.mappings.clientID(of: id)
    }
    if let place {
      // The app itself had kept where the record is, or its own key says so.
      let record = try snapshot.record(place, of: id.entity)
      if let record { return [record] }
      if let spelled = try spelled(place, id, form) { return [spelled] }
    }
    guard let natural = reader.mappings[id.entity].naturalKey(of: form.create) else { return [] }
    return try snapshot.candidates(naturalKey: natural, of: id.entity)
  }

  /// The record of the account that has another spelling of an identity that requests choose, and
  /// is this one.
  ///
  /// UUIDs are the same in every case. Any other text may be that of another record: content or key has to be
  /// the same too.
  private func spelled(
    _ place: String,
    _ id: RecordID,
    _ form: RequestFieldSet
  ) throws -> RemoteRecord? {
    guard case .id = reader.traits.replay[id.entity] else { return nil }
    let mapping = reader.mappings[id.entity]
    let found = try snapshot.spelled(place, of: id.entity)
    guard let record = found.first, found.count == 1 else { return nil }
    let isKnown = try checkpoint.holds(record.serverID, of: id.entity)
    guard !isKnown else { return nil }
    let key = mapping.naturalKey(of: form.create)
    let isOurs =
      UUIDText.isUUID(place.utf8) || mapping.isSame(form.create, asRemote: record.body)
      || key != nil && key == mapping.naturalKey(ofRemote: record.body)
    return isOurs ? record : nil
  }

  private func take(_ serverID: String, for id: RecordID) throws {
    try snapshot.take(serverID, of: id.entity, for: id.key)
  }

  /// Answers as this plan sees it: a record that no run knows is the one that it was found to be at the
  /// destination, and so is one that is gone from where a run put it, see ``successor(of:in:)``.
  var resolver: ReferenceResolver {
    let known = ReferenceResolver(checkpoint: checkpoint)
    let found = ReferenceResolver(
      reference: { entity, key throws(MappingFault) in
        let serverID = try known.reference(entity, key)
        do throws(CheckpointError) {
          if let serverID {
            guard recreatesDeleted, readWhole.contains(entity),
              try snapshot.record(serverID, of: entity) == nil
            else { return serverID }
          }
          return try snapshot.taken(by: key, of: entity)?.serverID ?? serverID
        } catch {
          throw .unanswered(reason: error.description)
        }
      },
      media: known.media
    )
    return reader.namingDeleted(found, snapshot)
  }

  /// Whether any of what a run knows, and is gone from the destination, is made again.
  var recreatesDeleted: Bool { isLocalWanted || startsAfresh }

  /// Whether a record that is gone from the destination is made again: a person asks for that, or
  /// it went with the rollback of another store.
  private func isRemade(_ record: LocalRecord) throws -> Bool {
    if isLocalWanted { return true }
    guard let rolledBackIDs, let serverID = record.known?.serverID else { return false }
    return try rolledBackIDs.contains(serverID, of: record.id.entity)
  }

  /// Whether a person asks that what was deleted at the destination be made again.
  private var isLocalWanted: Bool { options.conflictPolicy == .local }

  private func isQuarantined(_ id: RecordID) throws -> Bool {
    try quarantined?.contains(id) ?? false
  }

  // MARK: - Media

  private func addMedia(
    _ files: [RecordMedia],
    of record: RecordID,
    _ source: RecordSource,
    in pass: inout EntityPass
  ) throws {
    guard reader.traits.takesMedia else { return }
    for file in files {
      let media = RecordID(entity: .media(file.rule.category), key: file.key(of: record))
      let known = try checkpoint.known(media)
      if let known, known.serverID != nil, try !lostFiles.contains(media) {
        if pass.isRemaking, !reader.traits.keepsAddresses { pass.uncheckedFiles += 1 }
        continue
      }
      guard let phase = pass.layout.mediaPhase(of: media.entity),
        !pass.step.operations.contains(where: { $0.record == media })
      else { continue }
      let isPlanned = try checkpoint.hasOperation(on: media, in: run)
      guard !isPlanned else { continue }
      pass.step.operations.append(
        OperationDraft(
          phase: phase,
          record: media,
          action: .upload,
          content: file.digest,
          requestDigest: file.digest,
          // A file says by it whose it is, and another device may send the same one.
          key: OperationKey.key(
            destination: "\(reader.traits.origin) \(run.id) \(run.startedAt)",
            record: media,
            action: .upload,
            content: file.digest,
            generation: known?.generation ?? 0
          ),
          source: source
        )
      )
    }
  }
}
