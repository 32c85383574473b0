package import Checkpoint
import DestinationModel
package import ExportPackage
import Files
import PackageStages
package import Profiles
import Reconciliation
import Records
import RequestMapping
package import Retrying
package import StageSupport
import Synchronization
package import SyncReading
import UploadPlanning
package import ScratchFiles

/// Writes down what has to happen to bring a package to a destination, and executes nothing.
///
/// Everything is read first: the destination (whole on a first run, else what changed), then each
/// record of the package in turn. What comes out, operations, adoptions, findings and counts, goes
/// into the checkpoint in steps, under a run that is marked as `planning` until the last step, or for
/// good where no one is to carry it out.
package struct UploadPlanner: Sendable {
  package let profile: Profile
  package let package: PackageReader
  package let checkpoint: CheckpointFile
  package let run: RunRecord
  package let reader: SyncReader
  package let snapshot: DestinationSnapshot
  /// The records that are quarantined and not sent, where there are any.
  package let quarantined: QuarantinedRecords?
  package let options: PlanOptions
  package let names: AccountNames
  package let asked: AskedConflicts
  /// Whether every record that is known was planned and sent with this very profile.
  package let isAgreed: Bool
  /// What rollbacks of other stores of the account took away, where all that this store's runs did was rolled
  /// back as well: what this one had found may have gone with these, and is made again.
  package let rolledBackIDs: RolledBackIDs?
  /// The stage that the run has once everything is planned.
  package let goal: RunRecord.Stage
  package let clock: RunClock
  package let progress: ProgressReporter
  /// The entities of which all that the destination holds was read, so that what is not among that is gone.
  let readWhole = NamedEntities()
  let lostFiles = LostFiles()
  /// The records that are not sent and that no run has placed at the destination, or in whose place
  /// another one is there: nothing new can name them.
  let unsent = NamedRecords()
  /// The deleted records that live rows name; see ``findNamed(_:)``.
  let named = NamedDeletions()

  package init(
    profile: Profile,
    package: PackageReader,
    checkpoint: CheckpointFile,
    run: RunRecord,
    reader: SyncReader,
    snapshot: DestinationSnapshot,
    quarantined: QuarantinedRecords?,
    options: PlanOptions,
    names: AccountNames,
    asked: AskedConflicts,
    isAgreed: Bool,
    rolledBackIDs: RolledBackIDs?,
    goal: RunRecord.Stage,
    clock: RunClock,
    progress: ProgressReporter
  ) {
    self.profile = profile
    self.package = package
    self.checkpoint = checkpoint
    self.run = run
    self.reader = reader
    self.snapshot = snapshot
    self.quarantined = quarantined
    self.options = options
    self.names = names
    self.asked = asked
    self.isAgreed = isAgreed
    self.rolledBackIDs = rolledBackIDs
    self.goal = goal
    self.clock = clock
    self.progress = progress
  }

  static let stepSize = 1_000

  /// Whether this store begins anew at an account from which others took what it had too.
  var startsAfresh: Bool { rolledBackIDs != nil }

  /// Plans every entity, parents before children.
  package func plan(interruption: CancellationToken) async throws {
    progress.report(.stageBegan(.plan))
    try await findAbsentFiles(interruption)
    try findNamed(interruption)
    let layout = PhaseLayout(profile: profile, takesMedia: reader.traits.takesMedia)
    var outcome = PlanOutcome()
    try await plan(
      profile.entities.filter { $0.queue == nil },
      layout: layout,
      outcome: &outcome,
      interruption: interruption
    )
    try planQueues(fates: outcome.queued, matches: outcome.matches, layout)
    try planAbsent(layout, matches: outcome.matches)
    try checkDeletions()
    try reportDeletions()
    try reportFinalRemovals()
    if options.listsChanges { try await reportChanges(layout) }
    let marks = outcome.marks
    let agreed = outcome.isTroubled ? nil : profile.digest.description
    for (entity, mark) in marks { try checkpoint.setCursor(mark, of: entity) }
    try checkpoint.setAgreement(agreed, isSettled: false)
    try checkpoint.setStage(goal, of: run, now: clock.wallSeconds())
    progress.report(.stageEnded(.plan))
  }

  /// What planning all entities came to beside the plan itself.
  private struct PlanOutcome {
    var done = 0
    /// The destination's marks, which count once everything is planned.
    var marks: [EntityName: String] = [:]
    /// Whether a record that is known could not be planned as it is.
    var isTroubled = false
    /// Whether any record is not sent, so that others may depend on it.
    var hasLeft = false
    /// The records of the package that a queued change speaks of, and what becomes of it.
    var queued: [RecordID: QueuedChanges.Fate] = [:]
    var matches: [EntityName: MatchedRecords] = [:]
  }

  /// Plans one entity after the other; meanwhile, what the destination holds of the next ones is read.
  private func plan(
    _ entities: [EntityProfile],
    layout: PhaseLayout,
    outcome: inout PlanOutcome,
    interruption: CancellationToken
  ) async throws {
    let sent = entities.filter(isSent).map(\.name)
    let readings = DestinationReadings()
    // A destination that takes one request at a time is not asked two things at once.
    let width = min(reader.concurrency, 2)
    async let reading: Void = width > 1 ? readings.readAll(sent, width: width, readingAhead) : ()
    for entity in entities {
      guard isSent(entity) else {
        try leaveOut(entity, outcome: &outcome)
        continue
      }
      if width == 1 { await readings.readAll([entity.name], width: 1, readingAhead) }
      try await plan(
        entity,
        readings,
        layout: layout,
        outcome: &outcome,
        interruption: interruption
      )
    }
    await reading
  }

  @Sendable
  private func readingAhead(_ entity: EntityName) async -> DestinationReadings.Reading {
    do { return .success(try await readDestination(entity)) } catch {
      return .failure(error)
    }
  }

  /// Whether records of an entity are sent by this run.
  private func isSent(_ entity: EntityProfile) -> Bool {
    entity.isSent(to: profile.api, options.selection)
  }

  private func leaveOut(
    _ entity: EntityProfile,
    outcome: inout PlanOutcome
  ) throws {
    let name = entity.name
    let count = package.manifest.recordCount(of: name)
    if let bucket = entity.outcomeWithoutSending(profile.api) {
      return try leaveOut(entity, bucket: bucket, count: count)
    }
    outcome.hasLeft = outcome.hasLeft || count > 0
    for id in reader.mappings.queue.changes.keys where id.entity == name {
      outcome.queued[id] = .missed(.unsent)
    }
    try leaveOut(name, .notChosen, count: count)
  }

  private func plan(
    _ entity: EntityProfile,
    _ readings: DestinationReadings,
    layout: PhaseLayout,
    outcome: inout PlanOutcome,
    interruption: CancellationToken
  ) async throws {
    let name = entity.name
    let reading = try await readings.reading(of: name).get()
    var hasUntracked = reading.hasUntracked
    var pass = EntityPass(
      entity: name,
      layout: layout,
      isWhole: reading.isWhole,
      rule: names.rule(for: entity, options.selection),
      hasLeft: outcome.hasLeft
    )
    pass.isDoubted = reading.isDoubted
    pass.stage = reading.isWhole ? .all : .known
    pass.matches.knownCount = reading.knownCount
    if pass.isWhole, !pass.isDoubted { readWhole.insert(name) }
    try prepare(&pass)
    try await plan(&pass, outcome: &outcome, interruption: interruption)
    if pass.deferredCount > 0 {
      // Records that is unknown may be at the destination already: now all of it has to state, and is
      // asked for nothing else meanwhile.
      await readings.wait()
      let whole = try await readDestination(name, everything: true)
      hasUntracked = hasUntracked || whole.hasUntracked
      pass.isWhole = true
      readWhole.insert(name)
      pass.stage = .deferred
      try prepare(&pass)
      try await plan(&pass, outcome: &outcome, interruption: interruption)
    }
    if hasUntracked {
      try match(&pass)
      try reportUntracked(name)
    }
    try noteReturned(&pass)
    if let mark = reading.mark, !pass.holdsCursor { outcome.marks[name] = mark }
    if pass.isTroubled { outcome.isTroubled = true }
    outcome.hasLeft = pass.hasLeft
    outcome.matches[name] = pass.matches
    outcome.queued.merge(pass.queued) { _, new in new }
    pass.reportLeftRecords()
    if pass.leftAddresses > 0 {
      pass.step.findings.append(.leftAddresses(name, count: pass.leftAddresses))
    }
    if pass.uncheckedFiles > 0 {
      pass.step.findings.append(.uncheckedFiles(name, count: pass.uncheckedFiles))
    }
    for (member, count) in pass.homeless.sorted(by: { $0.key < $1.key }) {
      pass.step.findings.append(
        .homeless(name, without: member, count: count, isAccepted: profile.accepts(name, member))
      )
    }
    for (member, count) in pass.sentHomeless.sorted(by: { $0.key < $1.key }) {
      pass.step.findings.append(.sentHomeless(name, without: member, count: count))
    }
    for (member, count) in pass.unmapped.sorted(by: { $0.key < $1.key }) {
      pass.step.findings.append(
        .unmapped(
          name,
          member: member,
          count: count,
          isAccepted: profile.accepts(name, member),
          isKey: member == reader.mappings[name].program.lostKey
        )
      )
    }
    try flush(&pass.step)
    try listConflicts(of: name)
  }

  /// Lists the records that differ as earlier conflicts were settled in favour of the destination.
  private func listConflicts(of entity: EntityName) throws {
    let count = try checkpoint.keptRemoteCount(of: entity, before: run)
    guard count > 0 else { return }
    var step = PlanStep()
    step.findings.append(.keptRemote(entity, count: count))
    try flush(&step)
  }

  private func prepare(_ pass: inout EntityPass) throws {
    let name = pass.entity
    pass.isEmpty = try !snapshot.hasAny(of: name)
    pass.hasGone = try snapshot.hasGone(of: name)
    pass.hasRemoteContent = try checkpoint.hasRemoteContent(of: name)
    pass.isMatched = pass.isEmpty || pass.stage == .known
  }

  /// Finds out, once, which records of the account are which here, before that is asked of one that no
  /// run knows.
  func match(_ pass: inout EntityPass) throws {
    guard !pass.isMatched else { return }
    pass.isMatched = true
    try setNaturalKeys(of: pass.entity)
    try matchSameContent(pass.entity)
  }

  /// Works out by what a person distinguishes what was read.
  func setNaturalKeys(of entity: EntityName) throws {
    let mapping = reader.mappings[entity]
    try snapshot.setNaturalKeys(of: entity) { mapping.naturalKey(ofRemote: $0) }
  }

  private func plan(
    _ pass: inout EntityPass,
    outcome: inout PlanOutcome,
    interruption: CancellationToken
  ) async throws {
    var done = outcome.done
    let turns = reader.mappings[pass.entity].turns
    for (number, turn) in turns.enumerated() {
      pass.turn = turns.count > 1 ? turn : nil
      pass.isLaterTurn = number > 0
      let isFirst = pass.stage != .deferred && number == 0
      let untouched = try untouchedRecords(in: pass)
      var lines = try PackagedLines(of: pass.entity, in: package, reader.mappings)
      try await inOrder(workers: untouched == nil ? 1 : ValidationStage.usualWorkers) {
        try lines.nextPart()
      } work: { part in
        untouched?.look(at: part) ?? .nothing(of: part)
      } take: { answer in
        let findings = try answer.findings.get()
        pass.keep(findings.count { $0 != nil })
        for (line, untouched) in zip(answer.part.lines, findings) {
          if interruption.isCancelled { throw MigrationError.interrupted }
          if let untouched {
            try addWhatBelongs(to: untouched, line.source, in: &pass)
          } else {
            // What was added for the record before ended the reading.
            try checkpoint.holdReading()
            try plan(line.bytes, line.source, in: &pass)
          }
          if pass.step.weight >= Self.stepSize { try flush(&pass.step) }
          guard isFirst else { continue }
          done += 1
          if done.isMultiple(of: 1_000) {
            progress.report(.advanced(.plan, done: done, total: package.manifest.recordCount))
          }
        }
      }
    }
    try checkpoint.endReading()
    try await planUnread(&pass, interruption: interruption)
    outcome.done = done
  }

  /// What says which records of an entity need not be planned; `nil` where none of them is known, where
  /// they were planned with another profile, where not all of them are found, where some may go with a record
  /// that its user deleted, and where a person asks for what was left to the destination.
  private func untouchedRecords(in pass: EntityPass) throws -> UntouchedRecords? {
    guard isAgreed, pass.stage != .deferred, pass.turn == nil else { return nil }
    // What the app did not have then is looked at again, record by record.
    guard !pass.hasRemoteContent else { return nil }
    // A person who asks for the store's own wants what was left to the destination sent after all.
    guard options.conflictPolicy != .local else { return nil }
    guard pass.matches.knownCount > 0 else { return nil }
    // What lies under a record that its user deleted goes with it.
    if !named.isEmpty, reader.mappings[pass.entity].program.api.list?.each != nil { return nil }
    var inDoubt = try checkpoint.keysWithFailure(of: pass.entity)
    // A person who asks for the destination's own has what it altered taken over.
    if options.settlesAltered(by: .remote) {
      inDoubt.formUnion(try checkpoint.keysWithAltered(of: pass.entity))
    }
    return UntouchedRecords(
      checkpoint: checkpoint,
      snapshot: snapshot,
      mapping: reader.mappings[pass.entity],
      entity: pass.entity,
      rule: pass.rule,
      quarantined: quarantined,
      inDoubt: inDoubt,
      isWhole: pass.isWhole,
      isEmpty: pass.isEmpty,
      hasGone: pass.hasGone,
      detectsReplacement: reader.makesIdentities(of: pass.entity)
        && reader.mappings[pass.entity].hasLastingKey
    )
  }

  /// Counts records that the destination has no place for, or that are not the user's own.
  private func leaveOut(
    _ entity: EntityProfile,
    bucket: RecordOutcome,
    count: Int
  ) throws {
    guard count > 0 else { return }
    let name = entity.name
    var step = PlanStep()
    step.tallies[name, default: [:]][bucket, default: 0] += count
    if bucket == .unmapped {
      step.findings.append(
        .unmapped(name, member: nil, count: count, isAccepted: profile.accepts(name, nil))
      )
    } else {
      step.findings.append(.notSent(name, role: entity.role, count: count))
    }
    let reason =
      bucket == .unmapped
      ? "the destination has no place for it"
      : entity.role == .derived ? "it follows from other records" : "it is the server's own"
    step.leftRecords.append(LeftRecord(every: name, reason: reason, count: count))
    try flush(&step)
  }

  func flush(_ step: inout PlanStep) throws {
    let filled = step
    step = PlanStep()
    try checkpoint.add(filled, to: run, now: clock.wallSeconds())
  }

  // MARK: - The destination

  /// Reads what the account holds.
  ///
  /// The first run reads everything. A later one asks for what changed since the destination's
  /// own mark; where it cannot know, for the first thousand records. Where these are all that the list shows,
  /// everything was read. A run that starts afresh does so with all records. If neither the package nor an
  /// earlier run has a record of the entity, nothing is read.
  ///
  /// What a list does not show is gone, unless a known record that is not in it answers at its own address.
  private func readDestination(
    _ entity: EntityName,
    everything: Bool = false
  ) async throws -> DestinationReading {
    let knownCount = try checkpoint.recordCount(of: entity)
    let mark = try checkpoint.mark(of: entity)
    if options.isOffline {
      // Nothing is known to have changed there; what no run sent there is taken to be absent.
      return DestinationReading(
        isWhole: knownCount == 0 || everything,
        hasUntracked: false,
        mark: nil,
        knownCount: knownCount
      )
    }
    guard try reader.concerns(entity, in: package) else {
      return DestinationReading(isWhole: false, hasUntracked: false, mark: nil)
    }
    let isLater = knownCount > 0 && (!options.refreshes || startsAfresh) && !everything
    let canJudge = reader.traits.listsChangesSince[entity] == true
    let since = isLater && canJudge && !startsAfresh ? mark : nil
    let isWhole = !isLater || (canJudge && mark == nil && !startsAfresh)
    let untracked = UntrackedRecords(reader: reader, snapshot: snapshot)
    var isReadAgain = false
    var isAllRead = false
    var hasUntracked = false
    let newCursor = try await reader.forEachPage(
      of: entity,
      since: since,
      limit: isWhole || since != nil || startsAfresh ? .max : 1_000
    ) { page in
      // The mark had expired, and everything comes.
      if page.isFromTheStart { isReadAgain = true }
      if page.next == nil, since == nil, reader.mappings.askedSingly(entity) == nil {
        isAllRead = true
      }
      if knownCount > 0, !hasUntracked {
        let serverIDs = page.records.map(\.serverID)
        try checkpoint.holdReading()
        hasUntracked = try !untracked.untracked(among: serverIDs, of: entity).isEmpty
        try checkpoint.endReading()
      }
      // What an earlier page had may have been removed while a later one was read.
      try snapshot.drop(page.removed, of: entity)
      // Their natural keys are worked out when they are asked for.
      try snapshot.add(page.records.map { ($0, nil) }, of: entity)
      try snapshot.addGone(page.removed, of: entity)
      // Later, only what is no second copy of ours counts as seen; see ``reportUntracked(_:)``.
      if knownCount == 0 {
        try checkpoint.addSeen(page.records.map(\.serverID), of: entity)
      }
    }
    let isListed = isWhole || isReadAgain || isAllRead
    return DestinationReading(
      isWhole: isListed,
      isDoubted: isListed && !everything ? try await leavesOutRecords(of: entity) : false,
      hasUntracked: hasUntracked,
      mark: canJudge ? newCursor : nil,
      knownCount: knownCount
    )
  }
}

/// Some entities, by name, which tasks of one plan may add to.
final class NamedEntities: Sendable {
  private let names = Mutex<Set<EntityName>>([])

  func insert(_ name: EntityName) { names.withLock { _ = $0.insert(name) } }

  func contains(_ name: EntityName) -> Bool { names.withLock { $0.contains(name) } }
}
