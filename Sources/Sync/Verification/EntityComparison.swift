import Checkpoint
import DestinationModel
import ExportPackage
import JSONText
import Profiles
import Reconciliation
import Records
import RequestMapping
import StageSupport
import SyncReading
import UploadPlanning
import ScratchFiles

/// Compares the records of one entity with what was read back, one after the other.
struct EntityComparison {
  let rule: SkipRule
  let reader: SyncReader
  let snapshot: DestinationSnapshot
  let leavesParents: Bool
  /// Whether what was left to the destination against the store's word is what should be there.
  let takesLeft: Bool
  let rules: ComparisonRules
  private let capabilities: Capabilities
  /// Whether each row of the list shows all of its record.
  private let isListWhole: Bool
  var line: VerificationReport.Line
  /// How many records have something in a member that the destination has no place for.
  private(set) var unmapped: [String: Int] = [:]
  /// How many records the destination does not show a field of that a change may have cleared.
  private(set) var unshown: [String: Int] = [:]
  /// The records that are read alone before they are judged.
  private(set) var unread: [UnreadRecord] = []
  /// How many records were read alone that the list does not show, and how many of them answered.
  private var unlistedCount = (asked: 0, answered: 0)
  /// The records that the last run deleted, as the destination answered, and that are still there.
  var undeleted: Set<RecordID> = []
  private var versions: [(record: RecordID, version: String)] = []
  /// The records that are not there as they were sent, and are not in the checkpoint yet.
  private(set) var differing: [DifferingRecord] = []
  /// What is known of the records that records name.
  ///
  /// It remembers its answers, so that it is made anew for each ``resolvedTogether`` records.
  private(set) var resolver: ReferenceResolver
  private var resolvedCount = 0
  private static let resolvedTogether = 1_000
  /// What a record of the destination is parsed into, one after the other.
  let remoteDocument = JSONDocument()
  /// Whether records of the destination can be found by what a person identifies them by.
  var hasNaturalKeys = false

  init(
    rule: SkipRule,
    reader: SyncReader,
    snapshot: DestinationSnapshot,
    leavesParents: Bool,
    takesLeft: Bool
  ) {
    (self.rule, self.reader, self.snapshot) = (rule, reader, snapshot)
    (self.leavesParents, self.takesLeft) = (leavesParents, takesLeft)
    let entity = rule.entity.name
    let mapping = reader.mappings[entity]
    rules = mapping.comparisonRules(
      judgesIdentity: reader.makesIdentities(of: entity) && mapping.hasLastingKey
    )
    capabilities = reader.isAskedAlone(entity) ? .readOne : []
    isListWhole = reader.listsWhole(entity)
    resolver = Self.resolver(reader, snapshot)
    line = VerificationReport.Line(entity: entity)
  }

  private static func resolver(
    _ reader: SyncReader,
    _ snapshot: DestinationSnapshot
  ) -> ReferenceResolver {
    reader.namingDeleted(ReferenceResolver(checkpoint: reader.checkpoint), snapshot)
  }

  var entity: EntityName { line.entity }
  private var checkpoint: CheckpointFile { reader.checkpoint }

  /// Whether all that was sent is there as it was sent.
  var isAgreed: Bool { line.differentCount == 0 && line.missingCount == 0 }

  /// A record of the package, and what is at its place at the destination.
  struct Placed {
    let id: RecordID
    let read: MappedRecord
    let known: SyncState?
    let remote: RemoteRecord?
    let isReadAlone: Bool
  }

  // MARK: - Records

  mutating func compare(
    _ bytes: [UInt8],
    _ source: RecordSource,
    isReadAlone: Bool = false,
    into report: inout VerificationReport
  ) throws {
    resolvedCount += 1
    if resolvedCount.isMultiple(of: Self.resolvedTogether) {
      resolver = Self.resolver(reader, snapshot)
    }
    guard let (id, read, known) = try record(bytes), !undeleted.contains(id) else { return }
    if rule.absence(of: read) != nil || read.claim.reasonToSkip(known) != nil {
      line.leftOutCount += 1
      return
    }
    let isDeleted = read.claim.isDeleted
    if !isDeleted, !isReadAlone {
      for member in read.unmapped { unmapped[member, default: 0] += 1 }
    }
    guard let serverID = known?.serverID ?? (isDeleted ? read.claim.serverID : nil) else {
      return try compareUnsent(id, read, into: &report)
    }
    let remote = try take(serverID, for: id)
    if remote == nil, !isDeleted, !isReadAlone, isAskedUnlisted {
      unread.append(UnreadRecord(id: id, source: source, serverID: serverID))
      return
    }
    let record = Placed(id: id, read: read, known: known, remote: remote, isReadAlone: isReadAlone)
    let compared: RecordTriple?
    do throws(MappingError) {
      compared = try isPlainlySame(record, bytes) ? nil : try triple(of: record)
    } catch {
      return add(.refused(id, error), to: \.differentCount, &report)
    }
    guard let triple = compared else {
      line.sameCount += 1
      return try keepVersion(of: record, isLeft: false)
    }
    let difference = triple.difference(rules)
    let decision = triple.decide(.verify, on: difference, rules, capabilities)
    switch decision {
    case .readFirst:
      unread.append(UnreadRecord(id: id, source: source, serverID: serverID))
    case .unchanged where isDeleted: line.leftOutCount += 1
    case .unchanged, .keptRemote:
      let isKept =
        if decision == .unchanged { false } else { try isOfConflict(id, into: &report) }
      if !isKept { line.sameCount += 1 }
      let isSent =
        difference.local == .unchanged || known?.content == OperationKey.digest(of: bytes)
      if isSent { try keepVersion(of: record, isLeft: triple.base?.isKeptRemote == true) }
    case .conflict(let conflict):
      if case .remotelyChanged = conflict, try isRemoteNewer(id, triple, difference) {
        line.leftOutCount += 1
      } else {
        try count(conflict, record, triple, difference, into: &report)
      }
    case .create, .adopt, .update, .delete, .remoteNewer, .skip, .ask:
      preconditionFailure("a verification reports what it read")
    }
  }

  /// Reads the records alone that wait for it, and judges them.
  mutating func compareUnread(
    of package: PackageReader,
    _ interruption: CancellationToken,
    into report: inout VerificationReport
  ) async throws {
    guard !unread.isEmpty else { return }
    let portion = unread
    unread = []
    let unlisted = try portion.filter { try snapshot.record($0.serverID, of: entity) == nil }
    let faults = try await reader.readAlone(portion.map(\.serverID), of: entity, into: snapshot)
    // A reading that was cut short says nothing of its record.
    if interruption.isCancelled { throw MigrationError.interrupted }
    let answering = try unlisted.filter { try snapshot.record($0.serverID, of: entity) != nil }
    unlistedCount.asked += unlisted.count
    unlistedCount.answered += answering.count
    let retired = Set(answering.map(\.id))
    for record in portion {
      if let fault = faults[JSONName(record.serverID)] {
        add(.unknown(record.id, "it cannot be read: \(fault)"), to: \.differentCount, &report)
        continue
      }
      if retired.contains(record.id) {
        _ = try take(record.serverID, for: record.id)
        add(.unlisted(record.id), to: \.missingCount, &report)
        continue
      }
      let bytes = try package.record(at: record.source)
      try compare(bytes, record.source, isReadAlone: true, into: &report)
    }
  }

  /// Whether a record that the list does not show is asked for at its own address, which may answer all the same.
  ///
  /// A list is believed that is without many records of which none answers.
  private var isAskedUnlisted: Bool {
    reader.isAskedAlone(entity) && !reader.mappings.isAskedSingly(entity)
      && (unlistedCount.answered > 0 || unlistedCount.asked < SyncReader.askedUnlisted)
  }

  /// A record as the package, or a change that waited beside it, has it; `nil` where its line cannot be read,
  /// which a validated package has nowhere, and a damaged one is refused for before.
  private func record(
    _ bytes: [UInt8]
  ) throws -> (RecordID, MappedRecord, SyncState?)? {
    let mapping = reader.mappings[entity]
    let read: MappedRecord
    do throws(MappingError) { read = try mapping.record(bytes) } catch { return nil }
    guard let id = read.id else { return nil }
    let known = try checkpoint.known(id)
    do throws(MappingError) {
      return (id, try mapping.record(bytes, carriedAs: known) ?? read, known)
    } catch {
      return nil
    }
  }

  /// What is at the destination in a record's place, which no other device's is then.
  func take(
    _ serverID: String,
    for id: RecordID
  ) throws -> RemoteRecord? {
    let remote = try snapshot.record(serverID, of: entity)
    if remote != nil { try snapshot.take(serverID, of: entity, for: id.key) }
    return remote
  }

  // MARK: - The three copies

  private mutating func triple(of record: Placed) throws(MappingError) -> RecordTriple {
    let remote = remoteCopy(record.remote, isReadAlone: record.isReadAlone)
    let nothing = RecordCopy([:], coverage: .partial([]))
    if record.read.claim.isDeleted {
      let outcome = try reader.ask { checkpoint throws(CheckpointError) in
        try checkpoint.conflictOutcome(of: record.id)
      }
      let base = RecordTriple.Base(local: .deleted, remote: nothing, isKeptRemote: true)
      let isGivenWay = outcome.map { $0.isDecided && $0.isOfLastUpload } ?? false
      return RecordTriple(base: isGivenWay ? base : nil, wanted: .deleted, remote: remote)
    }
    guard let known = record.known, record.remote != nil else {
      return RecordTriple(base: nil, wanted: .record(nothing), remote: remote)
    }
    let form = try record.read.form(resolver)
    let links = try record.read.unlinkedMembers(resolver)
    // What a link names in the package is worked out only where there is one.
    let plain = links.isEmpty ? form : try record.read.form(.planning)
    let wanted = LocalCopy.record(wantedCopy(form, plain, naming: links))
    var base = try base(of: record.id, known, record.read, wanted, remote, resolver)
    base.altered = try reader.ask { checkpoint throws(CheckpointError) in
      try checkpoint.altered(of: record.id, known)
    }
    var triple = RecordTriple(base: base, wanted: wanted, remote: remote)
    // A record that was found had everything, and the request that makes one brings no empty field.
    let isOnlyMade = known.generation < 2
    if isOnlyMade || capabilities.isEmpty {
      let empty = triple.leaveOutEmpty(rules)
      if !isOnlyMade { for name in empty { unshown[name, default: 0] += 1 } }
    }
    return triple
  }

  func wantedCopy(_ form: RequestFieldSet, _ plain: RequestFieldSet, naming links: [String])
    -> RecordCopy
  {
    reader.mappings[entity].copy(
      of: FieldStatement(update: form.update, whole: form.whole),
      plain,
      naming: links,
      changedAt: nil
    )
  }

  /// What was sent, or left to the destination.
  private func base(
    of id: RecordID,
    _ known: SyncState,
    _ read: MappedRecord,
    _ wanted: LocalCopy,
    _ remote: RemoteCopy,
    _ resolver: ReferenceResolver
  ) throws(MappingError) -> RecordTriple.Base {
    let mapping = reader.mappings[entity]
    guard var image = try reader.base(of: id, known) else {
      return mapping.base(of: known, try read.form(.planning), wanted: wanted, read: remote)
    }
    if !takesLeft {
      let isLeft = try reader.ask { checkpoint throws(CheckpointError) in
        try checkpoint.isLeftByLastRun(id)
      }
      if isLeft { image = image.withoutSent }
    }
    do throws(MappingFault) {
      return try mapping.base(image, of: known, resolver, read: remote)
    } catch {
      throw MappingError(error)
    }
  }

  func remoteCopy(_ remote: RemoteRecord?, isReadAlone: Bool) -> RemoteCopy {
    reader.mappings[entity].copy(
      of: remote,
      isWhole: isReadAlone || isListWhole,
      isReadAlone ? .single : .list
    )
  }

  // MARK: - Counting

  mutating func add(
    _ finding: Finding,
    to count: WritableKeyPath<VerificationReport.Line, Int>,
    _ report: inout VerificationReport,
    _ alteration: DifferingRecord.Alteration? = nil
  ) {
    line[keyPath: count] += 1
    report.add(finding)
    guard Self.differingCodes.contains(finding.code), let key = finding.record else { return }
    let record = RecordID(entity: entity, key: key)
    differing.append(DifferingRecord(record, reason: finding.cause, alteration: alteration))
  }

  private static let differingCodes = ["verify.missing", "verify.different", "verify.not-deleted"]

  /// Writes down the records that are not there as they were sent, however many the report lists.
  mutating func saveDiffering() throws {
    let portion = differing
    differing = []
    try checkpoint.addDiffering(portion)
  }

  private mutating func count(
    _ conflict: Conflict,
    _ record: Placed,
    _ triple: RecordTriple,
    _ difference: Difference,
    into report: inout VerificationReport
  ) throws {
    let id = record.id
    if record.read.claim.isDeleted { return add(.kept(id), to: \.differentCount, &report) }
    guard let remote = record.remote else {
      return add(.missing(id, isAsked: record.isReadAlone), to: \.missingCount, &report)
    }
    if record.read.claim.leavesNewer(remote.version, than: record.known?.version) {
      line.leftOutCount += 1
      return
    }
    switch conflict {
    case .deferred(let names): add(.withoutFile(id, names), to: \.unsentCount, &report)
    case .remotelyChanged(let names):
      if let other = try reader.sharer(of: id, at: remote.serverID) {
        return add(.shared(id, with: other), to: \.differentCount, &report)
      }
      let sent = names.subtracting(difference.changedHere)
      let alteration = try alteration(in: sent, record, triple)
      let origin: Finding.DifferenceOrigin =
        if sent.isEmpty, difference.remote == .unchanged {
          .unsent
        } else if names == Set((alteration?.fields ?? [:]).keys) {
          .altered
        } else {
          .unknown
        }
      add(.different(id, names, origin), to: \.differentCount, &report, alteration)
    case .replaced: add(.replaced(id), to: \.differentCount, &report)
    case .fieldNotListed(let names):
      add(.unknown(id, .unlisted(names.sorted())), to: \.differentCount, &report)
    case .unreadable(let denial):
      add(.unknown(id, .unreadable(denial)), to: \.differentCount, &report)
    case .bothChanged, .withoutBase, .deletedLocally, .remotelyDeleted, .stillPresent, .restored,
      .localRestored, .recordNotListed, .noRoute, .createOnly, .deletedByThisRun:
      preconditionFailure("a record that was sent and read comes to none of these")
    }
  }

  /// What the destination made of some fields of a record, in which it differs from what it was given; `nil` where
  /// it had them as they were given when they were first read back.
  private func alteration(
    in names: Set<String>,
    _ record: Placed,
    _ triple: RecordTriple
  ) throws -> DifferingRecord.Alteration? {
    guard let known = record.known, let copy = triple.remoteCopy, let base = triple.base else {
      return nil
    }
    var altered = base.alteredFields(in: copy, rules)
    let isOther = copy.revision != nil && known.version != nil && copy.revision != known.version
    if !isOther, try checkpoint.isFirstReadBack(of: record.id) { altered = rules.fields }
    var fields: [String: Digest] = [:]
    for name in names.intersection(altered) {
      fields[name] = copy[name].map { rules.digest([name: $0]) }
    }
    return fields.isEmpty
      ? nil : DifferingRecord.Alteration(of: known.requestDigest, fields: fields)
  }

  /// Whether a run's plan found that only the destination changed a record, and no operation followed: the
  /// write-back gives the app that content.
  ///
  /// What the destination altered is its content only where a plan was to take that over. A plan that only this
  /// verification made gave it to no app.
  private func isRemoteNewer(
    _ id: RecordID,
    _ triple: RecordTriple,
    _ difference: Difference
  ) throws -> Bool {
    guard takesLeft, difference.local == .unchanged else { return false }
    if difference.remote != .unchanged { return try checkpoint.unansweredContent(of: id) != nil }
    guard let base = triple.base, let copy = triple.remoteCopy,
      !base.alteredFields(in: copy, rules).isEmpty
    else { return false }
    return try checkpoint.unansweredContent(of: id) == .replace
  }

  /// Counts and reports a record that is as a conflict left it at the destination; gives whether it is.
  private mutating func isOfConflict(
    _ id: RecordID,
    into report: inout VerificationReport
  ) throws -> Bool {
    let outcome = try checkpoint.conflictOutcome(of: id)
    guard let outcome, outcome.keptRemote || outcome.isDecided else { return false }
    let isNew = outcome.keptRemote && outcome.isOfLastUpload
    if isNew { report.hasNewConflicts = true }
    add(.conflicted(id, isNew: isNew), to: \.conflictedCount, &report)
    return true
  }

  /// Remembers the revision of a record that is as it was sent; where the destination's content `isLeft`, the
  /// revision that the app knows stays the one that counts.
  private mutating func keepVersion(of record: Placed, isLeft: Bool) throws {
    guard let known = record.known, let version = record.remote?.version,
      version != known.version, !isLeft || known.version == nil
    else { return }
    versions.append((record.id, version))
    if versions.count >= 1_000 { try saveVersions() }
  }

  private mutating func saveVersions() throws {
    let batch = versions
    versions = []
    try checkpoint.setVersions(batch)
  }

  /// Counts what is at the account and belongs to no one known.
  mutating func finish(into report: inout VerificationReport) throws {
    try saveVersions()
    var place = ""
    while true {
      let after = place
      let page = try snapshot.untaken(of: entity, after: after, limit: 1_000)
      guard let last = page.last else { break }
      place = last.serverID
      for remote in page {
        let serverID = remote.serverID
        if try checkpoint.isAccountedFor(serverID, of: entity)
          || reader.siblings.contains(where: { try $0.holds(serverID, of: entity) })
        {
          continue
        }
        line.untrackedCount += 1
        report.add(
          Finding(
            code: "verify.untracked",
            severity: .warning,
            entity: entity,
            record: remote.serverID,
            cause: "the destination holds a record that no run of this store made",
            cure:
              "check whether another device made it; a second copy that a late request of a run "
              + "made is removed by `ferry rollback` of that run"
          )
        )
      }
    }
    report.lines.append(line)
  }
}

extension LocalCopy {
  fileprivate static let deleted = LocalCopy.absent(deletedAt: nil)
}

extension RecordImage {
  /// The same, as if the destination had been given all that the record says.
  fileprivate var withoutSent: RecordImage {
    RecordImage(
      record: record,
      content: content,
      requestDigest: requestDigest,
      base: base,
      sent: nil
    )
  }
}
